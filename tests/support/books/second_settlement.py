"""Follows a round by its records alone and settles it a second time, by `reference.py`, as the hands lie."""

from typing import Any

from tests.support.reference import MAIN_WAGER, settle_reference
from tests.support.tables import POKER


class SecondSettlement:
    """Knows bets, hands and decisions from the records; complains when a settlement differs from the reference.

    `settlements` counts what was compared, `changed` those of them whose hands were told to lie otherwise than
    they were dealt, and `again` those that replaced a settlement that was taken back.
    """

    def __init__(self, game: str, meter: Any) -> None:
        self.game = game
        self.meter = meter
        self.settlements = self.changed = self.again = 0
        self.clear()

    def clear(self) -> None:
        self.stakes: dict[tuple[int, str, str], int] = {}
        self.hands: dict[int, list[str]] = {}
        self.decisions: dict[int, str] = {}
        self.standing: set[tuple[int, str]] = set()
        self.boxes: set[int] = set()  # where a main wager lay at closing
        self.has_changed = self.was_reversed = False

    def follow(self, records: list[list[Any]]) -> None:
        if records[0][0] == "event":
            self.follow_event(*records[0][2])
        settled = []
        envy: dict[str, int] = {}
        meter = self.meter
        for record in records[1:]:
            kind, fields = record[0], record[1:]
            if kind in ("line", "bonus"):
                settled.append(record)
            elif kind == "envy":
                envy[fields[0]] = fields[1]
            elif kind == "meter":
                self.meter = fields[0]
                if fields[1] == "reversal":
                    meter = fields[0]  # before it is settled anew
            elif kind in ("placed", "refund"):
                self.lay(fields[:3], fields[3] if kind == "placed" else -(fields[3] or 1))
            elif kind == "recounted":
                self.stakes[tuple(fields[:3])] = records[0][2][4]
                self.boxes.add(fields[0])
            elif kind == "reversed":
                self.was_reversed = True
                if fields[2]:
                    self.stakes[tuple(fields[:3])] = fields[3] or 1
            elif kind == "dealt":
                self.hands.setdefault(fields[0], []).append(fields[1])
            elif kind == "lies":
                self.move(*fields)
            elif kind == "shown":
                assert sorted(self.hands[fields[0]]) == sorted(fields[1]), record
        if settled:
            self.compare(settled, envy, meter)

    def follow_event(self, name: str, *fields: Any) -> None:
        if name == "open":
            self.clear()
        elif name == "bet":
            box, player, wager, *rest = fields
            if rest[:1] not in ([], [None]) or not self.stakes.get((box, player, wager)):
                self.lay((box, player, wager), rest[0] if rest else None)
            if len(rest) > 1 and rest[1] is not None:
                self.seat(box, player, rest[1])
        elif name == "seat":
            self.seat(*fields)
        elif name == "close":
            self.boxes = {box for (box, _, wager), cents in self.stakes.items() if cents}
        elif name == "decide":
            self.decisions[fields[0]] = fields[1]
        elif name == "ruling" and fields[0] == "fold":
            self.decisions[fields[2]] = "fold"

    def lay(self, bet: Any, cents: int | None) -> None:
        """More or less of a bet; without amounts it lies there or not."""
        key = tuple(bet)
        self.stakes[key] = self.stakes.get(key, 0) + (1 if cents is None else cents)
        assert self.stakes[key] >= 0, key

    def seat(self, box: int, player: str, sits: bool) -> None:
        (self.standing.discard if sits else self.standing.add)((box, player))

    def move(self, card: str, before: int | None, place: int | None) -> None:
        self.has_changed = True
        if before is not None:
            self.hands[before].remove("??" if before == place else card)  # in the same place, it has a name now
        if place is not None:
            self.hands.setdefault(place, []).append(card)

    def compare(self, settled: list[list[Any]], envy: dict[str, int], meter: int) -> None:
        lines = [record for record in settled if record[0] == "line"]
        bonuses = {tuple(record[1:3]): record for record in settled if record[0] == "bonus"}
        entries: dict[tuple[int, str], dict[str, Any]] = {}
        for (box, player, wager), cents in self.stakes.items():
            if cents and wager != "play":
                entry = entries.setdefault((box, player), self.entry(box, player))
                entry["wagers"][wager] = cents
        # A side bet stays in play though the main wager beside it was withdrawn.
        in_play = [] if self.game == POKER else sorted({box for box, _ in entries} & self.boxes)
        closing = [self.entry(box, "") for box in in_play]
        for entry in closing:
            entry["wagers"] = {MAIN_WAGER[self.game]: 1}
        request = {
            "game": self.game,
            "boxes": [*entries.values(), *closing],
            "dealer": self.hands[0],
            "jackpot_meter": meter,
        }
        reference = settle_reference(request)
        expected = dict(zip(entries, reference["boxes"]))
        placed = {(*key, wager) for key, found in expected.items() for wager in found["wagers"]}
        assert {tuple(line[1:4]) for line in lines} == placed
        for line in lines:
            _, box, player, wager, result, _, _, stake, paid, back, _, ruling = line
            wanted = expected[box, player]["wagers"][wager]
            if ruling == "R-20":  # a second time under the minimum goes back, won or lost
                wanted = ("returned", 0, self.stakes[box, player, wager])
            if stake is None:
                assert result == wanted[0], line
            else:
                assert stake == self.stakes[box, player, wager], line
                assert (result, paid, back) == wanted, (line, request)
        for key, found in expected.items():
            bonus = bonuses.get(key)
            assert bool(bonus) == bool(found["ante_bonus"]), (key, request)
            assert not bonus or bonus[5] in (None, found["ante_bonus"]), (bonus, request)
        assert envy.keys() == reference["envy"].keys(), request
        assert all(cents in (None, reference["envy"][player]) for player, cents in envy.items()), request
        self.settlements += 1
        self.changed += self.has_changed
        self.again += self.was_reversed
        self.stakes = {}

    def entry(self, box: int, player: str) -> dict[str, Any]:
        return {
            "box": box,
            "player": player,
            "seated": (box, player) not in self.standing,
            "cards": self.hands[box],
            "wagers": {},
            "decision": self.decisions.get(box),
        }
