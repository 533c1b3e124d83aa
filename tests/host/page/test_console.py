"""What the console offers and explains is what the round does, for every book, and no card is told by it."""

import json
from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host.page.actions import GROUPS
from host.page.console import offers, order_of, who_words
from host.page.undo import foreseen
from host.rules.inventory import readings
from host.words.money import read_money
from shared.journal.wire import encode
from shared.rules import policy
from shared.rules.rulebook import load
from tests.support.linked import DONE
from tests.support.page.played import DEAL, POSTS, STAGES, Played, quiet_service
from tests.support.tables import GAMES, LUCKY, MBS, POKER, ROYAL


def offered(played, post="dealer"):
    return {offer["action"]: offer for offer in offers(played.round, [], post, 0)}


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("game", GAMES)
def test_what_is_offered_without_more_to_fill_in_is_accepted_by_the_round_and_what_is_not_is_refused(game, stage):
    played = Played(game).until(stage)
    found = 0
    for post in POSTS:
        for offer in offers(played.round, [], post, 0):
            assert offer["group"] in GROUPS
            if offer["action"].startswith("call_") or any(not one["optional"] for one in offer["inputs"]):
                continue
            if offer["action"] == "fold":
                continue  # what it needs depends on the hand
            for pick in offer["picks"] or [{"fields": {}}]:
                found += 1
                try:
                    order = order_of(played.round, offer["action"], pick["fields"], post)
                except ValueError:
                    assert not offer["possible"]
                    continue
                assert (played.round.verify(order.arguments) is None) == offer["possible"], (post, offer)
            assert offer["possible"] or offer["why"]
    assert found > 20


@pytest.mark.parametrize("stage", STAGES[1:])
@pytest.mark.parametrize("game", GAMES)
def test_consequences_are_explained_as_the_round_then_does_them(game, stage):
    """Each irregularity is reported on a copy of the round, and what comes is compared with what was said."""
    played = Played(game).until(stage)
    seen = 0
    for kind in policy.KINDS:
        offer = offered(played, "shift_manager")[f"report_{kind}"]
        texts = offer["explains"]
        assert len(texts) == (2 if kind == "wrong_count" else 1)
        for text in texts:
            assert text["words"].endswith(".")
            assert text["paragraph"] or text["ruling"]
            assert text["meaning"] or text["reading"], text
        if not offer["possible"]:
            continue
        for pick in offer["picks"] or [{"fields": {}}]:
            fields = dict(pick["fields"])
            event = order_of(played.round, f"report_{kind}", fields, "shift_manager").arguments
            text = texts[-1] if fields.get("place") == 0 else texts[0]
            trial = copy_of(played.round)
            kinds = [record[0] for record in trial.apply(event)]
            check_words(text["words"], kinds, trial)
            seen += 1
    assert seen > 4


def copy_of(round_):
    return deepcopy(round_, {id(round_.table): round_.table, id(round_.book): round_.book})


def check_words(words, kinds, after):
    if "void" in kinds:
        assert "void" in words or "taken back" in words, words
    elif "ask" in kinds and after.question.kind == "ruling":
        assert "has ruled" in words, words
    elif "ask" in kinds and after.question.kind == "choose":
        assert "chooses" in words or "may withdraw" in words, words
    elif "ask" in kinds and after.question.kind == "tell":
        assert "you first say which cards lie open" in words, words
    elif "ask" in kinds:
        assert after.question.kind == "order"
        assert "which card comes first" in words
    elif "removed" in kinds:
        assert "goes out" in words or "taken back" in words, words
    else:
        assert "noted" in words or "finished" in words or "play goes on" in words or "stands" in words, words


def test_how_it_was_put_right_is_asked_only_where_it_makes_a_difference():
    played = Played(MBS).until("dealt")
    inputs = {name: [one["field"] for one in offer["inputs"]] for name, offer in offered(played).items()}
    asked = {name for name, fields in inputs.items() if "put_right" in fields}
    assert "report_misdeal" in asked
    assert asked.isdisjoint({"report_foreign_card", "report_left", "report_technical"})


@pytest.mark.parametrize(
    ("put_right", "kinds"), [("", ["void"]), ("moved", ["reconstructed"]), ("restored", ["void"])]
)
def test_an_untouched_misdeal_is_saved_by_moving_complete_hands_alone(put_right, kinds):
    """X-23: three ways to say it, and MBS 5.3 knows one of them."""
    played = Played(MBS).until("dealt")
    options = offered(played)["report_misdeal"]["inputs"][0]["options"]
    assert [one["value"] for one in options] == ["", "moved", "restored"]
    event = order_of(played.round, "report_misdeal", {"put_right": put_right}, "dealer").arguments
    records = [record[0] for record in copy_of(played.round).apply(event)]
    assert [kind for kind in records if kind in ("void", "reconstructed")] == kinds


def test_a_ruling_needs_the_post_that_the_book_names():
    played = Played(LUCKY).until("dealt").play(["irregularity", "drawn_together"])
    low, high = offered(played, "dealer")["ruling"], offered(played, "pit_supervisor")["ruling"]
    assert (low["possible"], low["why"], low["rule"]) == (
        False,
        "This needs a Pit Supervisor or above.",
        "5.10",
    )
    assert high["possible"]
    assert [pick["fields"] for pick in high["picks"]] == [{"decision": "order"}]
    assert "order of the cards" in high["picks"][0]["hint"]
    assert high["explains"][0]["paragraph"] == "5.10"


def test_events_carry_the_post_of_staff_only_where_staff_act():
    played = Played(LUCKY).until("dealt")
    assert order_of(played.round, "opened", {"box": 1}, "dealer").arguments == ["show", 1, "dealer"]
    assert order_of(played.round, "show", {"box": 1}, "dealer").arguments == ["show", 1]
    report = order_of(played.round, "report_other", {"text": "smoke"}, "pit_manager").arguments
    assert report == ["irregularity", "other", None, None, None, "pit_manager", "smoke"]
    betting = Played(LUCKY).until("betting")
    fields = {"box": 1, "wager": "initial", "player": "P3", "cents": "$1,250.50"}
    assert order_of(betting.round, "bet", fields, "dealer").arguments == ["bet", 1, "P3", "initial", 125050]
    placed = order_of(betting.round, "bet", fields | {"placed": True}, "dealer").arguments
    assert placed == ["bet", 1, "P3", "initial", 125050, None, "dealer"]


@pytest.mark.parametrize(
    ("action", "fields", "words"),
    [
        ("nonsense", {}, "not on the console"),
        ("clear_nonsense", {}, "not on the console"),
        ("call_porter", {}, "not on the console"),
        ("call_dealer", {}, "not on the console"),
        ("ruling", {"decision": "void"}, "not on the console"),
        ("bet", {"box": 1, "wager": "main", "player": "P1", "cents": "ten"}, "Amount: ten is not an amount"),
        (
            "bet",
            {"box": 1, "wager": "main", "player": "P1", "cents": "99999999"},
            r"Amount: \$99,999,999 is not from",
        ),
        ("bet", {"box": 1, "wager": "main", "player": "  ", "cents": "10"}, "Player: fill this in"),
        ("bet", {"box": 1, "wager": "main", "player": "Zoë", "cents": "10"}, "without accents"),
        ("bet", {"box": 1, "wager": "main", "player": "P" * 41, "cents": "10"}, "at most 40"),
        ("bet", {"box": 1, "wager": "main", "player": ["P1"], "cents": "10"}, "Player: expected text"),
        ("bet", {"box": "one", "wager": "main", "player": "P1", "cents": "10"}, "Box: expected a whole number"),
        ("bet", {"box": 1, "wager": "main", "player": "P1", "cents": "10", "by": "dealer"}, "by: not a field"),
        (
            "bet",
            {"box": 1, "wager": "main", "player": "P1", "cents": "10", "event": "open"},
            "event: not a field",
        ),
        ("report_other", {"kind": "foreign_card"}, "kind: not a field"),
        ("report_other", {"by": "shift_manager"}, "by: not a field"),
        ("report_misdeal", {"put_right": "mended"}, "expected one of the choices"),
        ("report_misdeal", {"put_right": True}, "expected one of the choices"),
    ],
)
def test_bad_fields_are_refused_in_words_before_anything_is_sent(action, fields, words):
    played = Played(MBS).until("betting")
    with pytest.raises(ValueError, match=words):
        order_of(played.round, action, fields, "dealer")


@pytest.mark.parametrize("game", GAMES)
def test_a_bet_taken_back_whole_is_the_amount_that_was_shown_though_it_grew(game):
    played = Played(game).until("betting")
    pick = offered(played)["take_back"]["picks"][0]
    assert pick["label"].endswith("on box 1, $10")
    played.play(["bet", 1, "P1", played.wagers[0], 9000])
    event = order_of(played.round, "take_back", pick["fields"], "dealer").arguments
    assert event == ["take_back", 1, "P1", played.wagers[0], 1000]
    typed = order_of(played.round, "take_back", pick["fields"] | {"cents": "5"}, "dealer").arguments
    assert typed[-1] == 500, "what is typed counts instead"


def test_chips_that_are_gone_are_not_shown_as_there_to_be_taken():
    played = Played(MBS).until("closed").play(["take_back", 1, "P1", "main", 500])
    picks = offered(played)["take_back"]["picks"]
    assert [pick["label"][-3:] for pick in picks] == [" $5", "$10"]
    played.play(order_of(played.round, "take_back", picks[0]["fields"], "dealer").arguments)
    assert [pick["fields"]["player"] for pick in offered(played)["take_back"]["picks"]] == ["P2"]


def test_a_table_without_amounts_takes_bets_back_whole():
    played = Played(MBS, amounts=False).play(["open"], ["bet", 1, "P1", "main"])
    pick = offered(played)["take_back"]["picks"][0]
    assert order_of(played.round, "take_back", pick["fields"], "dealer").arguments == [
        "take_back",
        1,
        "P1",
        "main",
    ]


def test_the_highest_post_that_was_called_is_waited_for(tmp_path):
    service = quiet_service(tmp_path)
    played = Played(MBS).until("betting")

    def called():
        return played.picture(service)["called"]

    played.keep([["call", "shift_manager"], ["call", "pit_supervisor"]])
    assert called() == "Shift Manager"
    played.keep([["command", 1, "Pit Two, pit_supervisor", "call", ""], ["answer", 1, *DONE]])
    assert called() == "Shift Manager"
    played.keep([["command", 2, "Shift Three, shift_manager", "call", ""], ["answer", 2, *DONE]])
    assert called() == ""
    played.keep([["call", "pit_supervisor"], ["call", "pit_manager"]])
    assert called() == "Pit Manager"


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["1", "P1", "main"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
FIELDS = st.sampled_from(
    [
        "box",
        "player",
        "wager",
        "cents",
        "text",
        "card",
        "by",
        "round",
        "put_right",
        "of",
        "at",
        "place",
        "\ud800",
        "x",
    ]
)
ALL_ACTIONS = [
    offer["action"] for offer in offers(Played(ROYAL).until("betting").round, ["crashed"], "dealer", 0)
]


@given(st.sampled_from([*ALL_ACTIONS, "undo", "", "call_", "clear_"]), st.dictionaries(FIELDS, JSON, max_size=5))
def test_whatever_a_browser_sends_becomes_a_command_that_can_be_sent_or_a_refusal_that_can_be_told(name, fields):
    try:
        order = order_of(Played(ROYAL).until("betting").round, name, fields, "dealer")
    except ValueError as refusal:
        str(refusal).encode()
        return
    encode(["command", 1, "Dealer One, dealer", order.command, order.arguments])


@given(st.integers(1, 1_000_000_000))
def test_money_is_read_back_as_it_is_written(cents):
    text = f"{cents // 100:,}.{cents % 100:02d}"
    assert read_money(text) == read_money("$" + text.replace(",", "")) == cents


@given(st.text(max_size=12))
def test_no_text_makes_money_of_another_amount(text):
    try:
        cents = read_money(text)
    except ValueError:
        return
    digits = text.strip().replace("$", "").replace(",", "")
    whole, _, part = digits.partition(".")
    assert cents == int(whole) * 100 + int(part or 0)


def test_who_keeps_the_post_of_a_long_name():
    assert who_words("Dealer One", "dealer") == "Dealer One, dealer"
    assert who_words("N" * 60, "pit_supervisor") == "N" * 24 + ", pit_supervisor"


# -- no card face down is told


def hidden_moves(game):
    """The same round as far as anybody can see: events with two different deals, up to before the reveal."""
    middle = [["handled", 1]] if game != POKER else [["look", 1, "P1"]]
    more = [["irregularity", "other"], ["ruling", "continue", "shift_manager"]]
    return [*middle, *more, ("lies", {"of": 1, "at": 2, "place": 2}), ("lies", {"of": 2, "at": 3, "place": ""})]


@pytest.mark.slow
@pytest.mark.parametrize("deal", ["2C 7D 9H AC AD AH 5S 5D KC", "QS KS AS JD TD 9D 2H 3H 5C"])
@pytest.mark.parametrize("game", GAMES)
def test_the_page_and_the_console_are_alike_whatever_cards_lie_face_down(game, deal, tmp_path):
    """The second deal has a straight flush on every box, where a fold would need `sure`."""
    service = quiet_service(tmp_path)
    one, other = Played(game).closed(), Played(game).closed()
    mine, theirs = DEAL.split(), deal.split()
    for ours, yours in [*zip(mine, theirs), *((event, event) for event in hidden_moves(game))]:
        for played, move in ((one, ours), (other, yours)):
            if isinstance(move, tuple):
                action, fields = move
                move = order_of(played.round, action, fields, "pit_supervisor").arguments
            played.play(["card", move] if isinstance(move, str) else move, staff="Pit Two, pit_supervisor")
        assert json.dumps(one.picture(service)) == json.dumps(other.picture(service))
        for post in POSTS:
            assert one.console(post) == other.console(post)


@pytest.mark.parametrize("game", GAMES)
def test_no_text_of_the_page_names_a_card_before_it_is_shown(game, tmp_path):
    service = quiet_service(tmp_path)
    played = Played(game).dealt()
    played.keep([["late", "AC", False], ["event", 1, ["exchanged", "KS", "2S", "pit_supervisor"]]])
    played.play(["lies", "KS", "pit_supervisor", 2], ["lies", "KS", "pit_supervisor", 1])
    played.play(["lies", "4S", "pit_supervisor"], staff="Pit Two, pit_supervisor")
    played.play(["lies", "4S", "pit_supervisor", 2])
    for event in (["entered", "KS", "dealer"], ["lies", "KS", "pit_supervisor", 1], ["turned", "AC"]):
        played.keep(played.round.apply(event))
    consoles = [played.console(post) for post in POSTS]
    text = json.dumps([played.picture(service), *consoles])
    for card in [*DEAL.split(), "AC"]:
        assert f'"{card}"' not in text
        assert f" {card}" not in text


def test_a_refused_report_does_not_say_which_card_was_asked_about(tmp_path):
    played = Played(MBS).dealt()
    played.keep(played.round.apply(["turned", "AC"]))
    told = played.picture(quiet_service(tmp_path))["recent"][0]
    assert told["words"] == "Refused: a card lies open, by a slip; card: no such card lies in a hand in play"


def test_what_is_foreseen_leaves_the_round_as_it_is():
    played = Played(LUCKY).until("dealt")
    before = repr(vars(played.round)["bets"]), played.round.state, played.round.carry()
    lines = foreseen(played.round, ["irregularity", "foreign_card"])
    assert lines[0] == {"words": "The round is void: every bet goes back", "rule": "5.5.1 (X-07)"}
    assert len([line for line in lines if "goes back" in line["words"]]) == 3
    assert (repr(vars(played.round)["bets"]), played.round.state, played.round.carry()) == before


def test_every_book_has_an_entry_in_words_for_every_kind_it_knows():
    known = readings()
    for game in GAMES:
        book = load(game)
        for entry in book.IRREGULARITIES.values():
            assert entry.paragraph or entry.ruling in known


def test_royal_alone_has_its_own_powers():
    royal = offered(Played(ROYAL).until("betting"), "pit_manager")
    assert royal["hold"]["possible"]
    assert "hold" not in offered(Played(MBS).until("betting"), "pit_manager")
    assert "withdraw" in royal
    order = order_of(Played(ROYAL).until("betting").round, "fewer", {"limit": 2}, "pit_manager")
    assert order.arguments == ["restrict", 2, None, "pit_manager"]


# -- moments


@pytest.mark.parametrize("game", GAMES)
def test_an_offer_carries_the_moment_that_is_asked_for_when_it_comes_back(game):
    played = Played(game).until("betting")
    for offer in offers(played.round, ["shuffler_jam"], "shift_manager", 0):
        assert offer["moment"] == played.moment(offer["action"])
        if offer["action"].startswith("report_"):
            assert offer["moment"], "whatever is explained holds for a moment"


def test_bets_that_come_in_do_not_end_the_moment_but_the_state_and_the_next_round_do():
    played = Played(LUCKY).play(["open"])
    seen = {played.moment("report_deck_count")}
    played.play(["bet", 1, "P1", "initial", 1000], ["bet", 2, "P2", "initial", 1000])
    assert {played.moment("report_deck_count")} == seen
    for event in (["close"], ["irregularity", "deck_count"], ["open"]):
        played.play(event)
        moment = played.moment("report_deck_count")
        assert moment not in seen, event
        seen.add(moment)


def test_what_players_touched_changes_the_moment_of_what_is_explained_otherwise():
    played = Played(LUCKY).dealt(DEAL)
    before = {kind: played.moment(f"report_{kind}") for kind in policy.KINDS}
    explained = {kind: offered(played)[f"report_{kind}"]["explains"] for kind in policy.KINDS}
    played.play(["handled", 1])
    for kind in policy.KINDS:
        is_same = offered(played)[f"report_{kind}"]["explains"] == explained[kind]
        assert (played.moment(f"report_{kind}") == before[kind]) == is_same
    assert any(offered(played)[f"report_{kind}"]["explains"] != explained[kind] for kind in policy.KINDS)


def test_a_card_entered_by_hand_is_for_the_place_that_was_next():
    played = Played(LUCKY).play(["open"], ["bet", 1, "P1", "initial", 1000], ["close"])
    before = played.moment("entered")
    played.play(["card", "KS"])
    first = played.moment("entered")
    played.play(["card", "QH"])
    assert len({before, first, played.moment("entered")}) == 3


@pytest.mark.parametrize("game", GAMES)
def test_a_card_entered_by_hand_is_not_for_the_next_box_after_a_hand_went_out(game):
    """As many cards lie there as before, and none has come."""
    played = Played(game).until("closed").play(["card", "KS"])
    before = played.moment("entered"), played.round.next_place()
    played.play(["irregularity", "other"], ["ruling", "hand_out", "shift_manager", 1])
    assert (played.round.state, played.round.next_place()) == ("dealing", 2)
    assert before[1] == 1
    assert played.moment("entered") != before[0]


def test_a_hand_that_a_player_withdraws_changes_whose_the_next_card_is():
    played = Played(ROYAL).until("closed").play(["card", "KS"], ["handled", 1], ["irregularity", "misdeal"])
    before = played.moment("entered")
    played.play(["withdraw", 1, "P1", "shift_manager"])
    assert (played.round.state, played.round.next_place()) == ("dealing", 2)
    assert played.moment("entered") != before


@pytest.mark.parametrize("game", GAMES)
def test_a_ruling_is_on_the_question_that_was_read_and_not_on_a_later_one_like_it(game):
    played = Played(game).until("dealt").play(["irregularity", "other"])
    question, moment = played.round.question, played.moment("ruling")
    played.play(["ruling", "continue", "shift_manager"], ["irregularity", "other"])
    assert played.round.question == question
    assert played.moment("ruling") != moment


@pytest.mark.parametrize("action", ["open", "settle", "hold", "new_day", "earlier", "clear_shuffler_jam"])
def test_what_is_touched_at_once_or_means_the_same_at_any_time_has_no_moment(action):
    played = Played(ROYAL).until("betting")
    assert played.moment(action) == ""
