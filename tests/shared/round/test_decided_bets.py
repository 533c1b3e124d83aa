"""Whether a bet is decided, against enumerations that lay every unseen card itself, suit and all."""

# pyright: reportPossiblyUnboundVariable=false, reportGeneralTypeIssues=false

import copy
import random
from collections import Counter
from itertools import combinations
from types import SimpleNamespace

import pytest

from shared.round.decided_bets import decided_bet
from shared.round.round import Round
from shared.rules.cards import JACK, KING, parse
from shared.rules.rulebook import LOSE, WIN, load
from tests.support.campaign import fewer
from tests.support.play import TableTop, of_kind
from tests.support.tables import LUCKY, NON_COMMISSION, ROYAL, rule

BOOKS = (LUCKY, NON_COMMISSION)  # whose paragraphs are named; Royal asks the same in its 5.13
ALL = BOOKS + (ROYAL,)
EMPTY = {game: Round({"game": game, "boxes": 8}) for game in ALL}
DECK = range(52)
HANDS = list(combinations(DECK, 3))
ALL_KINGS = "KC KD KH KS"
NO_PICTURES_LEFT = {2: "JC JD JH", 3: "JS QC QD", 4: "QH QS KC", 5: "KD KH KS"}


# -- positions


def cards_of(words):
    return [parse(word) for word in words.split()]


def wager_place(game, name):
    return [wager.name for wager in load(game).WAGERS].index(name)


def bet_on(box, place, player="P1", cents=100):
    return SimpleNamespace(box=box, player=player, place=place, cents=cents)


def position(game, hands, up, bets=(), removed=(), order=None):
    """A round with this on its table, however it came about."""
    r = copy.copy(EMPTY[game])
    r.hands, r.seen, r.bets, r.removed = hands, up, list(bets), list(removed)
    r.order = [place for place in hands if place] if order is None else list(order)
    return r


def laid(game, box="", dealer="", others=(), bets=(), **more):
    """Box 1, the dealer and other boxes as text; a card in brackets lies face down."""
    hands, up = {}, []
    for place, words in [(1, box), (0, dealer)] + list(dict(others).items()):
        hands[place] = cards_of(words.replace("(", "").replace(")", ""))
        up += [parse(word) for word in words.split() if not word.startswith("(")]
    return position(game, hands, up, [bet_on(1, wager_place(game, name)) for name in bets], **more)


def decided(r, place, box=1):
    """The result of one wager if it were the only one on the table."""
    bet = bet_on(box, place)
    alone = copy.copy(r)
    alone.bets = [bet]
    answer = decided_bet(alone)
    if answer is None:
        return None
    assert answer[0] is bet
    return answer[1]


def decided_names(r):
    """Every decided wager of box 1, by name."""
    answers = {wager.name: decided(r, place) for place, wager in enumerate(r.book.WAGERS)}
    return {name: result for name, result in answers.items() if result}


def random_position(game, dice, unknown, most_others=14):
    """Box 1 and the dealer with so many cards unknown, face down or not dealt; others more or less open."""
    deck = list(DECK)
    dice.shuffle(deck)
    if dice.random() < 0.6:
        # Exhaust some ranks on the other boxes, pictures more often than not.
        gone = dice.sample(range(JACK, KING + 1), dice.randint(0, 3)) + dice.sample(range(13), dice.randint(0, 6))
        deck.sort(key=lambda card: card >> 2 not in gone)
    elsewhere = 3 * dice.randint(0, most_others)
    others, rest = deck[:elsewhere], deck[elsewhere:]
    dice.shuffle(others)
    dice.shuffle(rest)
    if dice.random() < 0.2:
        rest.sort(key=lambda card: not JACK <= card >> 2 <= KING)
    hands = {box + 2: others[3 * box : 3 * box + 3] for box in range(elsewhere // 3)}
    open_share = dice.choice((0, 0.5, 0.9, 1, 1))
    up = [card for card in others if dice.random() < open_share]
    hidden = dice.sample(range(6), unknown)
    for place, slots in ((1, (0, 1, 2)), (0, (3, 4, 5))):
        up += [rest[slot] for slot in slots if slot not in hidden]
        hands[place] = [rest[slot] for slot in slots if slot not in hidden or dice.random() < 0.5]
    dice.shuffle(up)
    return position(game, hands, up)


# -- oracles


def known_and_unseen(r, box=1):
    known = [[card for card in r.hands[place] if card in r.seen] for place in (box, 0)]
    return known[0], known[1], [card for card in DECK if card not in r.seen]


def every_deal(r, box=1):
    """(player's value, mark, dealer's value) of every way to lay the unseen cards, one after another."""
    mine, theirs, unseen = known_and_unseen(r, box)
    found = set()
    for drawn in combinations(unseen, 3 - len(mine)):
        hand = mine + list(drawn)
        value, mark = r.book.value(*hand), r.book.mark(*hand)
        left = [card for card in unseen if card not in drawn]
        for others in combinations(left, 3 - len(theirs)):
            found.add((value, mark, r.book.value(*theirs, *others)))
    return found


def every_deal_at_length(r, box=1):
    """The same for six unknown cards: the dealer's hands by value, and each pair found only once."""
    mine, theirs, unseen = known_and_unseen(r, box)
    by_value = {}
    for others in combinations(unseen, 3 - len(theirs)):
        by_value.setdefault(r.book.value(*theirs, *others), []).append(set(others))
    found = set()
    for drawn in combinations(unseen, 3 - len(mine)):
        hand = mine + list(drawn)
        value, mark = r.book.value(*hand), r.book.mark(*hand)
        for dealer, hands in by_value.items():
            key = (value, mark, dealer)
            if key not in found and any(other.isdisjoint(drawn) for other in hands):
                found.add(key)
    return found


def sure_result(r, place, deals):
    results = {r.book.WAGERS[place].judge(*deal).result for deal in deals}
    assert results
    return results.pop() if results in ({WIN}, {LOSE}) else None


def expected(r, deals):
    answers = {wager.name: sure_result(r, place, deals) for place, wager in enumerate(r.book.WAGERS)}
    return {name: result for name, result in answers.items() if result}


def without_card_removal(r, box=1):
    """What one would say if the two hands were drawn from a deck each."""
    mine, theirs, unseen = known_and_unseen(r, box)
    players = [mine + list(drawn) for drawn in combinations(unseen, 3 - len(mine))]
    dealers = {r.book.value(*theirs, *drawn) for drawn in combinations(unseen, 3 - len(theirs))}
    return {
        (value, mark, dealer)
        for value, mark in {(r.book.value(*hand), r.book.mark(*hand)) for hand in players}
        for dealer in dealers
    }


# -- against the oracles


@pytest.mark.slow
@rule("5.4.1", "5.4.2")
@pytest.mark.parametrize("game", ALL)
def test_every_deal_of_up_to_three_unknown_cards_says_the_same(game):
    dice = random.Random(game)
    seen = Counter()
    for count in range(180):
        r = random_position(game, dice, count % 4)
        wanted = expected(r, every_deal(r))
        assert decided_names(r) == wanted, (r.hands, r.seen)
        seen.update((wager.name, wanted.get(wager.name)) for wager in r.book.WAGERS)
    for wager in r.book.WAGERS:
        for result in (WIN, LOSE, None):
            assert seen[wager.name, result], (wager.name, result)


@pytest.mark.slow
@rule("5.4.1", "5.4.2")
@pytest.mark.parametrize("game", ALL)
@pytest.mark.parametrize("unknown", [4, 5, 6])
def test_every_deal_of_more_unknown_cards_says_the_same(game, unknown):
    dice = random.Random(f"{game} {unknown}")
    for _ in range(5):
        r = random_position(game, dice, unknown)
        assert decided_names(r) == expected(r, every_deal_at_length(r)), (r.hands, r.seen)


def test_both_enumerations_find_the_same_deals():
    dice = random.Random(3)
    for count in range(60):
        r = random_position(ROYAL, dice, count % 4)
        assert every_deal(r) == every_deal_at_length(r)


@rule("5.4.1")
@pytest.mark.parametrize("game", ALL)
def test_whatever_is_dealt_a_decided_bet_has_its_result(game):
    """And an undecided one is seen to go two ways, in nearly all of the cases a sample can show."""
    dice = random.Random(game)
    undecided = both_ways = 0
    for count in range(fewer(100)):
        r = random_position(game, dice, 3 + count % 4)
        answers = decided_names(r)
        mine, theirs, unseen = known_and_unseen(r)
        results = {wager.name: set() for wager in r.book.WAGERS}
        for _ in range(60):
            drawn = dice.sample(unseen, 6 - len(mine) - len(theirs))
            player, dealer = mine + drawn[: 3 - len(mine)], theirs + drawn[3 - len(mine) :]
            deal = r.book.value(*player), r.book.mark(*player), r.book.value(*dealer)
            for wager in r.book.WAGERS:
                results[wager.name].add(wager.judge(*deal).result)
        for name, got in results.items():
            if name in answers:
                assert got == {answers[name]}, (name, r.hands, r.seen)
            else:
                undecided += 1
                both_ways += len(got) > 1
    assert both_ways > undecided * 0.7


@pytest.mark.parametrize("game", ALL)
def test_it_is_about_what_lies_there_and_not_how(game):
    """Suits, the order of exposure and of a hand, and what lies face down change nothing."""
    dice = random.Random(game)
    for count in range(fewer(35)):
        r = random_position(game, dice, count % 7, most_others=7)
        suits = {rank: dice.sample(range(4), 4) for rank in range(13)}
        turned = {card: card & ~3 | suits[card >> 2][card & 3] for card in DECK}
        other = position(
            game,
            {place: [turned[card] for card in dice.sample(hand, len(hand))] for place, hand in r.hands.items()},
            [turned[card] for card in dice.sample(r.seen, len(r.seen))],
        )
        assert decided_names(r) == decided_names(other)
        # Other cards face down, or none dealt yet.
        down = dice.sample([card for card in DECK if card not in r.seen], 52 - len(r.seen))
        swapped = {
            place: [card if card in r.seen else down.pop() for card in hand] for place, hand in r.hands.items()
        }
        assert decided_names(position(game, swapped, r.seen)) == decided_names(r)
        dealt = {place: [card for card in hand if card in r.seen] for place, hand in r.hands.items()}
        assert decided_names(position(game, dealt, r.seen)) == decided_names(r)


@pytest.mark.parametrize("game", ALL)
def test_what_is_decided_stays_decided_as_cards_are_exposed(game):
    dice = random.Random(game)
    for _ in range(fewer(15)):
        deck = dice.sample(DECK, 52)
        hands = {place: deck[3 * place : 3 * place + 3] for place in range(5)}
        turned = dice.sample(deck[:15], 15)
        before = {}
        for seen in range(16):
            now = decided_names(position(game, hands, turned[:seen]))
            assert before.items() <= now.items()
            before = now
        deal = load(game).value(*hands[1]), load(game).mark(*hands[1]), load(game).value(*hands[0])
        final = {wager.name: wager.judge(*deal).result for wager in load(game).WAGERS}
        assert before == {name: result for name, result in final.items() if result in (WIN, LOSE)}


# -- which bet


@pytest.mark.parametrize("game", ALL)
def test_the_first_decided_bet_in_order_of_placing_is_named(game):
    dice = random.Random(game)
    answers = Counter()
    for count in range(80):
        r = random_position(game, dice, count % 4, most_others=6)
        boxes = [box for box in r.hands if box]
        every = [
            bet_on(box, place, player, dice.choice((0, 100)))
            for box in boxes
            for place in range(len(r.book.WAGERS))
            for player in ("P1", "P2")
        ]
        bets = dice.sample(every, len(every))
        removed = dice.sample(boxes, dice.randint(0, len(boxes) - 1))
        r = position(game, r.hands, r.seen, bets, removed)
        single = ((bet, decided(r, bet.place, bet.box)) for bet in bets if bet.cents and bet.box not in removed)
        wanted = next(((bet, result) for bet, result in single if result), None)
        assert decided_bet(r) == wanted
        answers[wanted and wanted[1]] += 1
    assert len(answers) > 1


def test_a_hand_that_went_out_decides_nothing_but_its_cards_are_still_seen():
    others = {2: "KC KD KH", 3: "KS QC QD", 4: "QH QS JC", 5: "JD JH JS"}
    r = laid(NON_COMMISSION, others=others, bets=["three_pictures"], removed=[2, 3, 4, 5])
    for box in others:
        assert decided(r, 2, box) is None
    # No picture is left, so the open boxes' pictures decide box 1.
    assert decided_bet(r)[1] == LOSE


def test_a_box_that_was_dealt_nothing_is_not_judged():
    r = laid(NON_COMMISSION, box="2C 3C 4C", bets=["three_pictures"], order=[2])
    assert decided_bet(r) is None


@pytest.mark.slow
@rule("5.4.2")
@pytest.mark.parametrize("game", ALL)
def test_nothing_is_decided_with_nothing_exposed(game):
    every = [bet_on(1, place) for place in range(len(load(game).WAGERS))]
    for hands in ({}, {1: [], 0: []}, {1: cards_of("KC KD KH"), 0: cards_of("9C 9D 9H")}):
        r = position(game, hands, [], every, order=[1])
        assert decided_bet(r) is None
        r.hands = {1: [], 0: []}
        assert expected(r, {(p, m, d) for p, m in marked_values(game) for d in range(31)}) == {}


def marked_values(game):
    return {(load(game).value(*hand), load(game).mark(*hand)) for hand in HANDS}


# -- L-27: the consequences it names


def open_hands(game):
    """Every player's hand by ranks, as (cards, how many hands are alike)."""
    alike = Counter(tuple(card >> 2 for card in hand) for hand in HANDS)
    for ranks, count in alike.items():
        yield [ranks[0] << 2, ranks[1] << 2 | 1, ranks[2] << 2 | 2], count


def count_open_hands(game, wager, seat=1):
    """How many of the 22,100 hands, open and alone, decide a wager on box 1, by result."""
    counts = Counter()
    for hand, count in open_hands(game):
        r = position(game, {seat: hand}, hand, order=[1])
        r.hands.setdefault(1, [])
        counts[decided(r, wager_place(game, wager))] += count
    assert sum(counts.values()) == 22100
    return dict(counts)


def count_hands(game, wanted):
    return sum(wanted(load(game).value(*hand)) for hand in HANDS)


@pytest.mark.slow
def test_dealer_lucky_6_is_lost_when_no_six_beats_the_open_hand():
    assert count_hands(LUCKY, lambda value: value >= 20) == 7072
    assert count_open_hands(LUCKY, "dealer_lucky_6") == {LOSE: 7072, None: 15028}
    for hand, result in (("KC QC 6C", LOSE), ("KC 4C 2C", None), ("2C 2D 2H", None), ("2C 2D 3H", LOSE)):
        assert decided_names(laid(LUCKY, box=hand)).get("dealer_lucky_6") == result


@pytest.mark.slow
def test_player_lucky_6_is_lost_when_the_open_hand_is_no_six():
    sixes = count_hands(LUCKY, lambda value: value // 3 == 6)
    assert count_open_hands(LUCKY, "player_lucky_6") == {LOSE: 22100 - sixes, None: sixes}


@pytest.mark.slow
def test_the_dealers_open_hand_decides_lucky_6_bets():
    sixes = count_hands(LUCKY, lambda value: value // 3 == 6)
    # Mirrored: lost unless the dealer has a six, and then still open.
    assert count_open_hands(LUCKY, "dealer_lucky_6", seat=0) == {LOSE: 22100 - sixes, None: sixes}
    assert count_open_hands(LUCKY, "player_lucky_6", seat=0) == {LOSE: 7072, None: 15028}


@pytest.mark.slow
@rule("5.4.2")
def test_the_initial_bet_needs_both_hands():
    # Not even the best or the worst hand decides: the other may have it too.
    for game, main in ((LUCKY, "initial"), (NON_COMMISSION, "initial"), (ROYAL, "main")):
        assert count_open_hands(game, main) == {None: 22100}
    assert count_open_hands(LUCKY, "initial", seat=0) == {None: 22100}


@pytest.mark.slow
def test_a_tie_needs_both_hands():
    for game, tie in ((LUCKY, "lucky_tie"), (ROYAL, "tie")):
        assert count_open_hands(game, tie) == {None: 22100}


@pytest.mark.parametrize(
    ("box", "dealer", "result"),
    [
        ("KC QC JC", "", WIN),
        ("", "KC QC JC", WIN),
        ("KC", "QC JC", WIN),
        ("KC 2C", "QC JC", WIN),
        ("KC QC 2C", "", None),
        ("KC 2C", "QC 3C", None),
        ("2C 3C TC", "", None),
        ("2C 3C TC", "AC", LOSE),
        ("2C 3C", "AC TC", LOSE),
        ("2C", "AC TC 9C", LOSE),
        ("KC 2C 3C", "AC TC", LOSE),
        ("KC QC 3C", "2C 9C", None),
        ("KC QC 3C", "2C 9C TC", LOSE),
    ],
)
def test_lucky_pictures_is_won_with_the_third_picture_and_lost_with_the_fourth_other(box, dealer, result):
    assert decided_names(laid(LUCKY, box, dealer)).get("lucky_pictures") == result


@pytest.mark.parametrize(
    ("box", "result"), [("KC", None), ("KC QC", None), ("KC QC JC", WIN), ("TC", LOSE), ("KC QC AC", LOSE)]
)
def test_three_pictures_is_lost_with_the_first_other_and_won_with_the_third_picture(box, result):
    assert decided_names(laid(NON_COMMISSION, box)).get("three_pictures") == result
    # The dealer's cards have nothing to do with it.
    assert "three_pictures" not in decided_names(laid(NON_COMMISSION, dealer=box))


def test_any_exposed_king_decides_royal_pictures():
    for word in ALL_KINGS.split():
        for hand in (word, f"{word} (2C)", f"(2C) (3D) {word}"):
            assert decided_names(laid(ROYAL, hand)) == {"royal_pictures": WIN}
    for word in ("QC", "JC", "AC", "TC", "2C"):
        assert decided_names(laid(ROYAL, word)) == {}
    assert decided_names(laid(ROYAL, dealer="KC")) == {}


def test_two_open_cards_of_royal_pictures():
    for hand, result in (("QC QD", WIN), ("JC JD", WIN), ("QC JC", None), ("QC 2C", None), ("2C 3C", None)):
        assert decided_names(laid(ROYAL, hand)).get("royal_pictures") == result


# -- cards exposed on other boxes


def test_all_kings_elsewhere_take_royal_pictures_its_king():
    others = {2: "KC KD KH", 3: "KS 4C 4D"}
    assert decided_names(laid(ROYAL, "2C 3C", others=others)) == {"royal_pictures": LOSE}
    assert decided_names(laid(ROYAL, "2C QC", others=others)) == {}
    assert decided_names(laid(ROYAL, "2C 3C", others={2: "KC KD KH", 3: "4S 4C 4D"})) == {}
    # A private look tells the table nothing.
    assert decided_names(laid(ROYAL, "2C 3C", others={2: "KC KD KH", 3: "(KS) 4C 4D"})) == {}


def test_ten_pictures_elsewhere_leave_a_queen_and_a_jack_only():
    others = {2: "KC KD KH", 3: "KS QC QD", 4: "QH JC JD", 5: "JH 2S 3S"}
    # No king and no pair of pictures is left, though a queen and a jack are.
    assert decided_names(laid(ROYAL, others=others)) == {"royal_pictures": LOSE}
    assert decided_names(laid(ROYAL, others=others | {5: "JH (2S) (3S)"})) == {"royal_pictures": LOSE}
    assert decided_names(laid(ROYAL, others=others | {5: "(JH) 2S 3S"})) == {}


@rule("5.4.1")
@pytest.mark.parametrize("game", ALL)
def test_all_pictures_elsewhere(game):
    side = {LUCKY: "lucky_pictures", NON_COMMISSION: "three_pictures", ROYAL: "royal_pictures"}[game]
    r = laid(game, others=NO_PICTURES_LEFT)
    assert decided_names(r) == {side: LOSE}
    assert expected(r, every_deal_at_length(r)) == {side: LOSE}


@rule("5.4.1")
def test_the_best_hand_left_wins_the_initial_bet_alone():
    main = {LUCKY: "initial", NON_COMMISSION: "initial", ROYAL: "main"}
    for game, wager in main.items():
        r = laid(game, "KS QS JS", others={2: "KC KD KH", 3: "QC QD QH", 4: "JC 2C 3C"})
        # Two pictures are left: the dealer cannot have three.
        assert decided_names(r)[wager] == WIN
        r = laid(game, dealer="KS QS JS", others={2: "KC KD KH", 3: "QC QD QH", 4: "JC 2C 3C"})
        assert decided_names(r)[wager] == LOSE
        r = laid(game, "KS QS JS", others={2: "KC KD KH", 3: "QC QD QH", 4: "2D 2C 3C"})
        assert wager not in decided_names(r)


# -- card removal between the two hands


def test_one_picture_left_cannot_come_to_both_hands():
    others = {2: "KD KH KS", 3: "QC QD QH", 4: "QS JC JD", 5: "JH 2S 3S"}
    # Two more pictures are needed and one is left: JS.
    r = laid(LUCKY, "KC 2C", "3C 4C", others=others)
    assert decided_names(r).get("lucky_pictures") == LOSE
    assert "lucky_pictures" not in expected(r, without_card_removal(r))
    assert expected(r, every_deal(r)) == decided_names(r)
    r = laid(LUCKY, "KC 2C", "3C 4C", others=others | {5: "(JH) 2S 3S"})
    assert "lucky_pictures" not in decided_names(r)


def three_left(game, left):
    """Box 1 and the dealer miss one card each, with their open cards equal, and three cards are unseen."""
    rest = [card for card in DECK if card not in cards_of(left + " KC QC KD QD")]
    hands = {place + 2: rest[3 * place : 3 * place + 3] for place in range(15)}
    hands |= {1: cards_of("KC QC"), 0: cards_of("KD QD")}
    return position(game, hands, rest + hands[1] + hands[0])


@rule("5.4.1")
@pytest.mark.parametrize(("game", "tie"), [(LUCKY, "lucky_tie"), (NON_COMMISSION, "tie"), (ROYAL, "tie")])
def test_three_different_cards_left_cannot_tie(game, tie):
    r = three_left(game, "2C 3C 4C")
    assert decided_names(r)[tie] == LOSE
    assert tie not in expected(r, without_card_removal(r))
    assert tie not in decided_names(three_left(game, "2C 2D 4C"))
    assert decided_names(three_left(game, "2C 2D 2H"))[tie] == WIN
    # A sure push is neither won nor lost.
    assert r.book.WAGERS[0].name not in decided_names(three_left(game, "2C 2D 2H"))
    # A picture and a ten, and two pictures, are equal in points.
    assert decided_names(three_left(game, "JC TC JS"))[tie] == WIN


def test_a_sure_push_with_both_hands_open_is_neither():
    for game in ALL:
        r = laid(game, "KC 4C 2C", "KD 3D 3C")
        assert r.book.WAGERS[0].name not in decided_names(r)


@pytest.mark.parametrize("game", ALL)
def test_positions_decided_by_card_removal_alone_are_found(game):
    """Nearly all cards open elsewhere, one card missing in each hand."""
    dice = random.Random(game)
    found = Counter()
    for _ in range(400):
        deck = dice.sample(DECK, 52)
        hands = {place: deck[3 * place : 3 * place + 3] for place in range(17)}
        hidden = [hands[0][2], hands[1][2]] + dice.sample(deck[6:], dice.randint(0, 4))
        r = position(game, hands, [card for card in deck if card not in hidden])
        wanted = expected(r, every_deal(r))
        assert decided_names(r) == wanted, (r.hands, r.seen)
        alone = wanted.items() - expected(r, without_card_removal(r)).items()
        found.update(name for name, _ in alone)
    assert min(found[wager.name] for wager in r.book.WAGERS[:2]) > 4, found


# -- in a round


def test_in_a_round_a_look_decides_nothing_and_a_shown_hand_does():
    top = TableTop(NON_COMMISSION, boxes=2)
    top.bets((1, "P1", "initial", 500), (2, "P2", "initial", 500), (2, "P2", "three_pictures", 500))
    top.deal(b1="KS KH KD", b2="2C 3C 4C", dealer="7S 8S 9S")
    top.do("look", 2, "P2")
    assert decided_bet(top.round) is None
    top.do("show", 1)
    assert decided_bet(top.round) is None
    top.do("show", 2)
    bet, result = decided_bet(top.round)
    assert (bet.box, bet.player, bet.place, result) == (2, "P2", 2, LOSE)
    (record,) = of_kind(top.do("power_failure"), "outcome")
    assert record[:6] == ["outcome", 2, "P2", "three_pictures", LOSE, "5.4.1"]


def test_in_a_round_a_card_turned_down_again_has_been_seen():
    top = TableTop(ROYAL, boxes=2)
    top.bets((1, "P1", "main", 500), (2, "P2", "main", 500), (2, "P2", "royal_pictures", 500))
    top.deal(b1="KS KH KD", b2="2C KC 4C", dealer="7S 8S 9S")
    assert decided_bet(top.round) is None
    top.do("turned", "KC")
    bet, result = decided_bet(top.round)
    assert (bet.box, bet.player, bet.place, result) == (2, "P2", 2, WIN)


def test_in_a_round_the_deal_may_be_unfinished():
    top = TableTop(NON_COMMISSION, boxes=1, device="shoe")
    top.bets((1, "P1", "initial", 500), (1, "P1", "three_pictures", 500))
    top.do("close")
    top.do("card", "2C", up=True)
    bet, result = decided_bet(top.round)
    assert (bet.place, result) == (2, LOSE)
