"""Reads a request of `felt settle` into the rules core's terms, and its settlement back into JSON.

Everything that can be wrong with a request is found here and named by its field, before any of it
reaches the core.
"""

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from types import ModuleType
from typing import Any, NamedTuple

from host.rules.catalogue import book_ids, play_wager_place
from host.rules.json_lines import RequestError
from host.words.hand_names import describe_hand
from host.words.money import odds_text
from shared.rules import cards, settlement
from shared.rules.rulebook import METER_SHARE, load
from shared.rules.settlement import MAIN, Seat

MAX_CENTS = 10**12  # more than any table holds; a larger number is a slip of the keyboard

REQUEST_FIELDS = frozenset(("id", "game", "boxes", "dealer", "jackpot_meter"))
BOX_FIELDS = frozenset(("box", "player", "seated", "cards", "wagers", "decision"))


class Request(NamedTuple):
    book: ModuleType
    dealer: Sequence[int] | None
    hands: dict[int, Sequence[int]]
    seats: list[Seat]
    meter: int | None


class Layout(NamedTuple):
    """What reading a box's entry needs to know of its book, worked out once a book."""

    book: ModuleType
    places: dict[str, int]
    play: int | None


@lru_cache
def layout_of(game: str) -> Layout | None:
    """None if there is no such rulebook."""
    if game not in book_ids():
        return None
    book = load(game)
    return Layout(book, {wager.name: place for place, wager in enumerate(book.WAGERS)}, play_wager_place(book))


def shown(value: Any) -> str:
    """A value from the request as its writer wrote it, short enough for a message."""
    text = "nothing" if value is None else json.dumps(value)
    return text if len(text) <= 40 else text[:37] + "..."


def expect(fits: bool, field: str, wanted: str, value: Any) -> None:
    if not fits:
        raise RequestError(field, f"expected {wanted}, got {shown(value)}")


def refuse_unknown_fields(given: Iterable[str], known: frozenset[str], where: str) -> None:
    for name in given:
        if name not in known:
            raise RequestError(where + name, f"no such field; there are {', '.join(sorted(known))}")


def read_request(request: Any) -> Request:
    expect(isinstance(request, dict), "line", "a JSON object", request)
    refuse_unknown_fields(request, REQUEST_FIELDS, "")
    game = request.get("game")
    layout = layout_of(game) if isinstance(game, str) else None
    if layout is None:
        raise RequestError("game", f"no such rulebook {shown(game)}; choose one of {', '.join(book_ids())}")
    boxes = request.get("boxes")
    expect(isinstance(boxes, list), "boxes", "a list", boxes)
    meter = request.get("jackpot_meter")
    if meter is not None:
        read_cents(meter, "jackpot_meter")

    owners: dict[int, str] = {}
    hands: dict[int, Sequence[int]] = {}
    dealer = read_hand(request.get("dealer"), "dealer", owners)
    seats: list[Seat] = []
    for index, entry in enumerate(boxes):
        seats.append(read_entry(layout, entry, f"boxes[{index}].", hands, owners, seats))
    check_hands_are_there(layout.book, seats, hands, dealer)
    return Request(layout.book, dealer, hands, seats, meter)


def read_entry(
    layout: Layout,
    entry: Any,
    where: str,
    hands: dict[int, Sequence[int]],
    owners: dict[int, str],
    seats: list[Seat],
) -> Seat:
    expect(isinstance(entry, dict), where[:-1], "an object", entry)
    refuse_unknown_fields(entry, BOX_FIELDS, where)
    box = entry.get("box")
    most = layout.book.MAX_BOXES
    expect(type(box) is int and 1 <= box <= most, where + "box", f"a box number from 1 to {most}", box)
    player = entry.get("player")
    expect(isinstance(player, str) and player != "", where + "player", "the player's name as text", player)
    box_taken = False
    for seat in seats:
        if seat.box == box:
            box_taken = box_taken or any(seat.stakes)
            if seat.player == player:
                raise RequestError(where + "player", f"{player!r} is on box {box} twice; put the wagers together")
            if layout.book.PROCEDURE.one_player_a_box:
                rule = ", ".join(layout.book.PROCEDURE.one_player_a_box)
                raise RequestError(where + "player", f"box {box} has one player in {layout.book.ID} ({rule})")
    seated = entry.get("seated")
    if seated is None:
        seated = not box_taken  # by default the first player on a box sits, later ones stand
    expect(isinstance(seated, bool), where + "seated", "true or false", seated)

    read_box_hand(entry.get("cards"), box, where + "cards", hands, owners)
    stakes, folded = read_wagers(layout, entry, where)
    return Seat(box, player, seated, tuple(stakes), folded)


def read_box_hand(
    given: Any, box: int, where: str, hands: dict[int, Sequence[int]], owners: dict[int, str]
) -> None:
    """Players on one box share its hand, so a second entry must show the same cards or none."""
    known = hands.get(box)
    if known is None:
        hand = read_hand(given, where, owners)
        if hand is not None:
            hands[box] = hand
    else:
        again = read_hand(given, where, {})
        if again is not None and sorted(again) != sorted(known):
            raise RequestError(where, f"box {box} was given other cards before; its players share one hand")


def read_hand(given: Any, where: str, owners: dict[int, str]) -> tuple[int, ...] | None:
    """Three card ints, or None where no cards are given. `owners` tells which field holds a card."""
    if given is None or given == []:
        return None
    expect(isinstance(given, list), where, "a list of cards", given)
    if len(given) != 3:
        raise RequestError(where, f"a hand has three cards, got {len(given)}")
    hand = []
    for index, word in enumerate(given):
        field = f"{where}[{index}]"
        try:
            card = cards.parse(word)
        except ValueError as error:
            raise RequestError(field, f"{shown(word)} is {error}") from None
        if card in owners:
            raise RequestError(field, f"{word} was dealt twice; it is also {owners[card]}")
        owners[card] = field
        hand.append(card)
    return tuple(hand)


def read_cents(amount: Any, where: str) -> int:
    expect(type(amount) is int, where, "a whole number of cents", amount)
    if amount < 0:
        raise RequestError(where, f"may not be below zero, got {shown(amount)}")
    if amount > MAX_CENTS:
        raise RequestError(where, f"may not be above {MAX_CENTS} cents, got {shown(amount)}")
    return amount


def read_wagers(layout: Layout, entry: dict[str, Any], where: str) -> tuple[list[int], bool]:
    """Stakes in the book's order, the Play wager among them, and whether the hand was folded."""
    wagers = entry.get("wagers")
    expect(isinstance(wagers, dict), where + "wagers", "an object of wagers", wagers)
    places = layout.places
    stakes = [0] * len(places)
    for name, amount in wagers.items():
        place = places.get(name)
        if place is None:
            raise RequestError(
                f"{where}wagers.{name}", f"no such wager in {layout.book.ID}; it has {', '.join(places)}"
            )
        stakes[place] = read_cents(amount, f"{where}wagers.{name}")

    decision = entry.get("decision")
    field = where + "decision"
    expect(decision in (None, "play", "fold"), field, '"play" or "fold"', decision)
    if layout.play is None:
        if decision == "fold":
            raise RequestError(field, f"{layout.book.ID} has no fold")
        return stakes, False
    paragraph = layout.book.PROCEDURE.deciding[0]
    if decision is None and decides(layout.book, stakes):
        raise RequestError(field, f'missing; "play" or "fold" ({paragraph})')
    folded = decision == "fold"
    owed = stakes[MAIN] if decision == "play" else 0
    if stakes[layout.play] not in (0, owed):
        main, play = layout.book.WAGERS[MAIN].name, layout.book.WAGERS[layout.play].name
        reason = f"equals the {main} after play and is nothing after fold ({paragraph}), so {owed} here"
        raise RequestError(f"{where}wagers.{play}", reason)
    stakes[layout.play] = owed
    return stakes, folded


def decides(book: ModuleType, stakes: Sequence[int]) -> bool:
    """Whether these wagers take part in the hand, so that their player must play or fold."""
    return any(stake and (wager.unmet is None or stakes[MAIN]) for wager, stake in zip(book.WAGERS, stakes))


def check_hands_are_there(
    book: ModuleType, seats: list[Seat], hands: dict[int, Sequence[int]], dealer: Sequence[int] | None
) -> None:
    """Every box with a wager in play has its cards, and then the dealer has too; a fold needs neither."""
    with_main = {seat.box for seat in seats if seat.stakes[MAIN]}
    for index, seat in enumerate(seats):
        in_play = seat.box in with_main or decides(book, seat.stakes)
        if seat.folded or not in_play:
            continue
        if seat.box not in hands:
            raise RequestError(f"boxes[{index}].cards", "a hand has three cards, got none")
        if dealer is None:
            raise RequestError("dealer", "a hand has three cards, got none")


def settle_request(request: Any) -> dict[str, Any]:
    """Settle one request; a RequestError says what is wrong with it."""
    book, dealer, hands, seats, meter = read_request(request)
    try:
        settled, envy = settlement.settle_table(book, dealer, hands, seats, meter or 0)
    except ValueError as error:
        raise RequestError("boxes", str(error)) from None
    if meter is None and any(line and line.den == METER_SHARE for one in settled for line in one.lines):
        raise RequestError("jackpot_meter", "missing, and a progressive wager wins the whole of it")

    dealer_hand = None
    if dealer:
        dealer_hand = describe_hand(book, dealer)
        if book.qualifies:
            dealer_hand["qualifies"] = book.qualifies(dealer_hand["value"])
    described = {box: describe_hand(book, hand) for box, hand in hands.items()}
    boxes = [describe_settled(book, one, described.get(one.seat.box)) for one in settled]
    staked = sum(box["staked"] for box in boxes)
    returned = sum(box["returned"] for box in boxes) + sum(cents for _, cents in envy)
    return {
        "id": request.get("id"),
        "dealer": dealer_hand,
        "boxes": boxes,
        "envy": dict(envy),
        "staked": staked,
        "returned": returned,
        "house_net": staked - returned,
    }


def describe_settled(
    book: ModuleType, settled: settlement.Settled, hand: dict[str, Any] | None
) -> dict[str, Any]:
    seat, lines, paid = settled
    wagers = {}
    for wager, stake, line, won in zip(book.WAGERS, seat.stakes, lines, paid):
        if line is None:
            continue
        wagers[wager.name] = described = {
            "result": line.result,
            "pays": odds_text(line.num, line.den),
            "stake": stake,
            "paid": won,
            "returned": settlement.given_back(line, stake, won),
            "paragraph": line.paragraph,
        }
        ruling = book.ROUNDING if settlement.is_rounded(line, stake) else line.ruling
        if ruling:
            described["ruling"] = ruling
    bonus: dict[str, Any] = {book.BONUS.name: None} if book.BONUS else {}
    if book.BONUS and paid[-1]:
        line = lines[-1]
        pays = odds_text(line.num, line.den)
        bonus[book.BONUS.name] = {"pays": pays, "paid": paid[-1], "paragraph": line.paragraph}
    return {
        "box": seat.box,
        "player": seat.player,
        # A folded hand goes in face down and is never shown.
        "hand": {"folded": True} if seat.folded else hand,
        "wagers": wagers,
        **bonus,
        "staked": sum(settled.seat.stakes),
        "returned": settlement.returned(settled),
    }
