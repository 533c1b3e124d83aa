"""A second opinion: settles a request straight from the rulebooks, sharing no code with the core.

It works on the text of the cards, ranks hands by their place in a written list, and asks for each
wager the question that its paragraph asks. It is slow and says only what is paid.
"""

from typing import Any

from tests.support.tables import LUCKY, MBS, NON_COMMISSION, POKER, ROYAL

POINTS = dict(zip("A23456789TJQK", [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0]))
RANKING_LIST = ["three pictures"] + [
    f"{how} {total}" for total in range(9, -1, -1) for how in ("double", "single", "plain")
]
MAIN_WAGER = {LUCKY: "initial", NON_COMMISSION: "initial", MBS: "main", ROYAL: "main", POKER: "ante"}


def ranks_of(hand: list[str]) -> str:
    return "".join(card[0] for card in hand)


def count_pictures(hand: list[str]) -> int:
    return sum(card[0] in "JQK" for card in hand)


def total(hand: list[str]) -> int:
    return int(str(sum(POINTS[rank] for rank in ranks_of(hand)))[-1])


def list_place(hand: list[str]) -> int:
    """Place in the ranking list; 0 is the best."""
    pictures = count_pictures(hand)
    if pictures == 3:
        return 0
    return RANKING_LIST.index(f"{['plain', 'single', 'double'][pictures]} {total(hand)}")


def compare_pictures(player: list[str], dealer: list[str]) -> str:
    mine, theirs = list_place(player), list_place(dealer)
    return "win" if mine < theirs else "lose" if mine > theirs else "push"


def poker_hand(hand: list[str]) -> tuple[str, list[int]]:
    """The kind of a poker hand and what breaks ties, as a list that compares."""
    numbers = sorted(("23456789TJQKA".index(card[0]) + 2 for card in hand), reverse=True)
    one_suit = len({card[1] for card in hand}) == 1
    if numbers == [14, 3, 2]:
        numbers = [3, 2, 1]
    in_sequence = numbers[0] == numbers[1] + 1 == numbers[2] + 2
    if in_sequence and one_suit:
        return "straight flush", numbers
    if len(set(numbers)) == 1:
        return "three of a kind", numbers
    if in_sequence:
        return "straight", numbers
    if one_suit:
        return "flush", numbers
    if len(set(numbers)) == 2:
        pair = numbers[1]  # the middle one of a sorted pair and odd card is always of the pair
        return "pair", [pair, pair, next(number for number in numbers if number != pair)]
    return "odd", numbers


POKER_ORDER = ["odd", "pair", "flush", "straight", "three of a kind", "straight flush"]


def compare_poker(player: list[str], dealer: list[str]) -> str:
    mine = (POKER_ORDER.index(poker_hand(player)[0]), poker_hand(player)[1])
    theirs = (POKER_ORDER.index(poker_hand(dealer)[0]), poker_hand(dealer)[1])
    return "win" if mine > theirs else "lose" if mine < theirs else "push"


def dealer_qualifies(dealer: list[str]) -> bool:
    return poker_hand(dealer)[0] != "odd" or any(card[0] in "QKA" for card in dealer)


def royal_pictures_odds(hand: list[str]) -> int | None:
    ranks = "".join(sorted(ranks_of(hand)))
    pictures = "".join(rank for rank in ranks if rank in "JQK")
    if len(pictures) == 3:
        return {"KKK": 188, "QQQ": 128, "JJJ": 88}.get(pictures, 18)
    if pictures in ("KK", "QQ", "JJ"):
        return 8
    return 1 if "K" in pictures else None


def pictures_odds(game: str, wager: str, player: list[str], dealer: list[str]) -> tuple[int, int] | None:
    """Odds a side bet of the Three Pictures books pays, or None if it loses."""
    same = total(player) == total(dealer)
    if wager == "tie":
        return (8, 1) if same else None
    if wager == "lucky_tie":
        if not same:
            return None
        if count_pictures(player) == 3 and count_pictures(dealer) == 3:
            return 600, 1
        return (10, 1) if total(player) in (8, 9) else (8, 1)
    if wager == "three_pictures":
        return (16, 1) if count_pictures(player) == 3 else None
    if wager == "royal_pictures":
        odds = royal_pictures_odds(player)
        return (odds, 1) if odds else None
    if wager == "lucky_pictures":
        odds = {3: 4, 4: 10, 5: 100, 6: 1000}.get(count_pictures(player) + count_pictures(dealer))
        return (odds, 1) if odds else None
    winner, needed = (player, "win") if wager == "player_lucky_6" else (dealer, "lose")
    if compare_pictures(player, dealer) != needed or total(winner) != 6 or count_pictures(winner) == 3:
        return None
    return {0: 10, 1: 15, 2: 25}[count_pictures(winner)], 1


def settle_poker_wager(
    wager: str, stake: int, entry: dict[str, Any], dealer: list[str], meter: int
) -> tuple[str, int, int]:
    hand, folded = entry["cards"], entry["decision"] == "fold"
    if wager == "progressive" and not entry["wagers"].get("ante"):
        return "returned", 0, stake
    if folded:
        return "lose", 0, 0
    kind = poker_hand(hand)[0]
    if wager == "pair_plus":
        odds = {"straight flush": 40, "three of a kind": 30, "straight": 5, "flush": 4, "pair": 1}.get(kind)
        return ("win", stake * odds, stake * odds + stake) if odds else ("lose", 0, 0)
    if wager == "progressive":
        if set(hand) == {"AS", "KS", "QS"}:
            return "win", meter, meter
        sums = {"straight flush": 17500, "three of a kind": 15000, "straight": 1500}
        cents = 125000 if is_akq_suited(hand) else sums.get(kind)
        return ("win", cents, cents) if cents else ("lose", 0, 0)
    if not dealer_qualifies(dealer):
        return ("win", stake, 2 * stake) if wager == "ante" else ("push", 0, stake)
    result = compare_poker(hand, dealer)
    return result, stake if result == "win" else 0, {"win": 2 * stake, "push": stake, "lose": 0}[result]


def is_akq_suited(hand: list[str]) -> bool:
    return {card[0] for card in hand} == set("AKQ") and len({card[1] for card in hand}) == 1


def settle_pictures_wager(
    game: str, wager: str, stake: int, entry: dict[str, Any], request: dict[str, Any]
) -> tuple[str, int, int]:
    main = MAIN_WAGER[game]
    if wager == main:
        result = compare_pictures(entry["cards"], request["dealer"])
        if result != "win":
            return result, 0, stake if result == "push" else 0
        six = total(entry["cards"]) == 6
        paid = stake // 2 if six else stake
        return "win", paid, stake + paid
    if game == MBS:
        covered = bool(entry["wagers"].get(main))
    else:
        covered = any(other["wagers"].get(main) for other in request["boxes"] if other["box"] == entry["box"])
    if not covered:
        return "returned", 0, stake
    odds = pictures_odds(game, wager, entry["cards"], request["dealer"])
    if odds is None:
        return "lose", 0, 0
    paid = stake * odds[0] // odds[1]
    return "win", paid, stake + paid


def ante_bonus(entry: dict[str, Any]) -> int:
    if entry["decision"] == "fold":
        return 0
    times = {"straight flush": 5, "three of a kind": 4, "straight": 1}.get(poker_hand(entry["cards"])[0], 0)
    return entry["wagers"].get("ante", 0) * times


def envy_bonus(request: dict[str, Any]) -> dict[str, int]:
    entries = request["boxes"]
    owed = {}
    for player in {entry["player"] for entry in entries}:
        mine = [entry for entry in entries if entry["player"] == player]
        if not any(entry["seated"] for entry in mine):
            continue
        if not any(entry["wagers"].get("progressive") and entry["wagers"].get("ante") for entry in mine):
            continue
        for other in entries:
            achieved = (
                other["wagers"].get("ante") and other["decision"] == "play" and is_akq_suited(other["cards"])
            )
            if achieved and other["player"] != player:
                owed[player] = owed.get(player, 0) + (25000 if "AS" in other["cards"] else 5000)
    return owed


def settle_reference(request: dict[str, Any]) -> dict[str, Any]:
    """For each entry its wagers as (result, paid, returned) and its ante bonus; and the envy."""
    game = request["game"]
    boxes = []
    for entry in request["boxes"]:
        wagers = {name: stake for name, stake in entry["wagers"].items() if stake}
        if game == POKER and entry["decision"] == "play" and wagers.get("ante"):
            wagers["play"] = wagers["ante"]
        settled = {}
        for name, stake in wagers.items():
            if game == POKER:
                settled[name] = settle_poker_wager(
                    name, stake, entry, request["dealer"], request["jackpot_meter"]
                )
            else:
                settled[name] = settle_pictures_wager(game, name, stake, entry, request)
        boxes.append({"wagers": settled, "ante_bonus": ante_bonus(entry) if game == POKER else 0})
    return {"boxes": boxes, "envy": envy_bonus(request) if game == POKER else {}}
