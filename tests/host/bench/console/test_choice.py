"""A key and a few words mean a phrase of a scenario; what is not typed is proposed."""

import pytest

from host.bench.console.choice import NAMES, SHORT, NotMeant, key_name, keys, trouble_keys, words_for
from host.bench.console.console import OWN_KEYS
from host.bench.console.proposals import Proposals
from host.bench.phrases import PHRASES, TROUBLE_PHRASES, read_step
from shared.round.events import EVENTS
from shared.round.round import Round
from tests.support.tables import MBS

SAID = {
    "player": "P3",
    "box": "box 2",
    "place": "box 2",
    "before": "the dealer's hand",
    "wager": "three pictures",
    "cents": "$50",
    "lay": "$15",
    "card": "KS",
    "cards": "KS ?? XX",
    "count": "49",
    "limit": "2",
    "round": "7",
    "seated": "standing",
    "kind": "too few cards in the device",
    "put_right": "cards restored",
    "choice": "withdraws",
    "key": "settle",
    "device": "reader",
    "words": "DOOR OPEN",
    "fault": "shuffler door",
    "by": "shift manager",
}
WAGERS = ["main", "tie", "three_pictures"]


def never(phrase, name, typed):
    raise AssertionError(f"{name} of {phrase.template} is typed")


SAYABLE = [*PHRASES, *[phrase for phrase in TROUBLE_PHRASES if phrase.key]]


@pytest.mark.parametrize("phrase", SAYABLE, ids=lambda phrase: phrase.template)
def test_every_phrase_can_be_said_with_its_key(phrase):
    words = phrase.template.format(**SAID)
    assert words_for(phrase.key, words, never, WAGERS) == words
    told = words + ", says the pit manager"
    if "by" in [field.rstrip("?") for field in EVENTS.get(phrase.event, ())]:
        assert words_for(phrase.key, told, never, WAGERS) == told
        assert read_step(told)[0]["by"] == "pit_manager"
    else:
        with pytest.raises(NotMeant):
            words_for(phrase.key, told, never, WAGERS)


def test_every_event_has_a_key_and_no_key_has_two_meanings():
    assert {phrase.event for phrase in PHRASES} == set(EVENTS)
    every = [*keys(), *trouble_keys(), *SHORT, *OWN_KEYS]
    assert len(every) == len(set(every))
    assert all(len(key) == 1 and key.isprintable() and key != "#" for key in every)
    named = [*keys(), *trouble_keys(), *SHORT]
    assert set(NAMES) <= set(named)
    names = [key_name(key) for key in named]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("key", "typed", "words"),
    [
        ("b", "", "P1 bets $25 main on box 1"),
        ("b", "P2 2 tie", "P2 bets $25 tie on box 2"),
        ("b", "2", "P2 bets $25 main on box 2"),
        ("b", "$1,250 three pictures", "P1 bets $1,250 three pictures on box 1"),
        ("b", "standing P9", "P9 bets $25 main on box 1, standing"),
        ("d", "KS QD", "cards KS QD"),
        ("u", "", "cards ??"),
        ("x", "", "cards XX"),
        ("M", "", "report: misdeal"),
        ("M", "2", "report: misdeal in box 2"),
        ("i", "", "report: misdeal"),
        ("i", "P2", "report: P2 has left"),
        ("i", "wrong count dealer, hands moved", "report: wrong count in the dealer's hand, hands moved"),
        ("L", "KS no hand", "KS lies in no hand"),
        ("L", "KS dealer box 1", "KS of the dealer's hand lies in box 1"),
        ("k", "", "the open key is pressed"),
        ("k", "fold", "the fold key is pressed"),
        ("j", "", "the shuffler says JAM"),
        ("J", "", "the shuffler says FREE"),
        ("j", "DOOR OPEN", "the shuffler says DOOR OPEN"),
        ("3", "shuffler", "the shuffler falls silent"),
        ("+", "2 tie", "chips are laid: tie on box 2"),
        ("w", "20", "20 seconds pass"),
        ("G", "says the dealer", "ruling: play on, says the dealer"),
    ],
)
def test_words_after_a_key_stand_in_for_what_is_proposed(key, typed, words):
    propose = Proposals(Round({"game": MBS, "boxes": 2}), 1).propose
    assert words_for(key, typed, propose, WAGERS) == words
    assert read_step(words)


def test_words_that_do_not_fit_are_answered_with_those_that_do():
    with pytest.raises(NotMeant, match=r'"\$7x" does not fit; after this key type any of: player \(P1\); cents'):
        words_for("b", "$7x", never, WAGERS)
    with pytest.raises(NotMeant, match=r"wager \(main, tie, three pictures\)"):
        words_for("b", "royal", never, WAGERS)
    with pytest.raises(NotMeant, match=r"kind \(.*misdeal.*put right \(cards restored, hands moved\)"):
        words_for("i", "nonsense", never, WAGERS)
    with pytest.raises(NotMeant, match="this key takes no words"):
        words_for("o", "now", never, WAGERS)


def test_where_the_table_knows_no_amounts_none_is_proposed():
    propose = Proposals(Round({"game": MBS, "boxes": 1, "amounts": False}), 1).propose
    assert words_for("b", "", propose, WAGERS, amounts=False) == "P1 bets main on box 1"
    assert words_for("g", "", propose, WAGERS, amounts=False) == "chips are gone: main of P1 on box 1"


def test_a_bet_is_proposed_where_it_can_lie():
    round_ = Round({"game": MBS, "boxes": 2})

    def words(typed):
        return words_for("b", typed, Proposals(round_, 1).propose, WAGERS)

    round_.apply(["open"])
    round_.apply(["bet", 2, "P7", "main", 2500])
    assert words("") == "P1 bets $25 main on box 1"
    assert words("tie") == "P7 bets $25 tie on box 2"
    round_.apply(["bet", 1, "P1", "main", 2500])
    assert words("") == "P1 bets $25 tie on box 1"
    round_.apply(["bet", 1, "P1", "tie", 2500])
    assert words("") == "P7 bets $25 tie on box 2"
    assert words("1") == "P1 bets $25 three pictures on box 1"
    # Bets that lie there are meant where something is said about bets.
    propose = Proposals(round_, 1).propose
    assert words_for("t", "2", propose, WAGERS) == "P7 takes back $25 main on box 2"
    assert words_for("e", "2", propose, WAGERS) == "P7 is standing at box 2"
