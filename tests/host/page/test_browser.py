"""The page in a real browser, on a real table."""

import re
import shutil
from contextlib import contextmanager

import pytest

from tests.support.page.live_table import NAMES, PINS, LiveTable
from tests.support.tables import LUCKY, MBS

playwright = pytest.importorskip(
    "playwright.sync_api", reason="playwright is not installed; browser tests left out"
)

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE_MS = 8000
SCREEN = {"width": 1024, "height": 600}
LEAST_TARGET = 48
SMALL_TARGETS = """least => [...document.querySelectorAll("button, .option")].filter(one => {
    const box = one.getBoundingClientRect();
    return box.width && (box.width < least || box.height < least);
}).map(one => one.textContent)"""
NO_ANSWER = "No answer; it may have been done. Look at the table before you do it again."
DEAL = "KS QH 9D 2S 3S 4S 7C 8C 9C"  # box 1 has nine with two pictures, box 2 a plain nine, the dealer four

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which(CHROMIUM), reason="no Chromium here; browser tests left out"),
]


@pytest.fixture(scope="module")
def chromium():
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium):
    """A tab in which any error of a script is an error of the test."""
    context = chromium.new_context(viewport=SCREEN)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    problems = []
    page.on("pageerror", lambda problem: problems.append(str(problem)))
    page.on("console", lambda said: problems.append(said.text) if "Content Security" in said.text else None)
    yield page
    context.close()
    assert problems == []


def look(page, table):
    page.goto(table.url)
    playwright.expect(page.locator("#link")).to_have_text("● live")


def log_in(page, post, pin=None):
    page.click("#log-in")
    page.fill("#login-name", NAMES[post])
    page.fill("#login-pin", pin or PINS[post])
    page.click("#login-send")


def group(page, name):
    page.locator("#groups button", has_text=re.compile(f"^{name}( ◆)?$")).click()


def press(page, action):
    page.locator(f"button[data-action={action}]").click()


def says(page, words):
    playwright.expect(page.locator("#state")).to_contain_text(words)


def post_past_the_page(page, wanted):
    """As this login, with its token, but not by a button; returns the host's answer."""
    return page.evaluate(
        """async (wanted) => {
            const { post } = await import("/static/send.js");
            return await post("/do", wanted);
        }""",
        wanted,
    )


def test_the_page_follows_a_round_live_and_works_under_a_thumb(page, tmp_path):
    with LiveTable(tmp_path, LUCKY, DEAL) as table:
        look(page, table)
        playwright.expect(page.locator("#console")).to_be_hidden()
        says(page, "Stand by")
        log_in(page, "dealer")
        press(page, "open")
        says(page, "Place your bets")
        group(page, "Bets and players")
        press(page, "bet")
        page.get_by_text("Box 1: Initial Bet", exact=True).click()
        page.fill("[name=input-player]", "Mei Lin")
        page.fill("[name=input-cents]", "25")
        page.click("#sheet-send")
        playwright.expect(page.locator(".toast")).to_have_text("✓ Done: Declare a bet")
        table.tell("bet", 2, "P2", "initial", 1000)
        playwright.expect(page.locator("[data-box='1'] .bet")).to_contain_text("$25")
        playwright.expect(page.locator("[data-box='2'] .player")).to_contain_text("P2")
        group(page, "Round")
        press(page, "close")
        says(page, "Players look at their hands")
        assert page.locator(".card.back").count() == 9, "nothing is shown of cards face down"
        assert "♠" not in page.locator(".table").inner_text()
        small = page.evaluate(SMALL_TARGETS, LEAST_TARGET)
        assert small == [], "every target is large enough for a thumb"
        press(page, "reveal")
        says(page, "Hands are shown")
        playwright.expect(page.locator("#dealer")).to_contain_text("Plain Four")
        press(page, "settle")
        says(page, "Settled")
        playwright.expect(page.locator("[data-box='1'] .settled")).to_contain_text("$25 → $50")
        places = page.evaluate(
            """() => [...document.querySelectorAll(".bet.settled")].map(line => {
                const [wager, result, money] = [...line.children].map(one => one.getBoundingClientRect());
                const box = line.closest(".box").getBoundingClientRect();
                return [wager.bottom > result.top, money.top >= result.bottom - 1,
                    Math.round(box.right - result.right), Math.round(box.right - money.right)];
            })"""
        )
        assert places == [places[0]] * 2, "results and amounts line up"
        assert places[0][:2] == [True, True]
        assert places[0][2] == places[0][3]
        page.wait_for_function(
            """() => {
                const picture = document.getElementById("display");
                return picture.complete && picture.naturalWidth === 128 && picture.naturalHeight === 32;
            }"""
        )


def test_a_wrong_pin_fails_and_is_limited(page, tmp_path):
    with LiveTable(tmp_path, MBS) as table:
        look(page, table)
        log_in(page, "dealer", "135790")
        problem = page.locator("#login-problem")
        playwright.expect(problem).to_have_text("Name or PIN is wrong.")
        for _ in range(4):
            page.fill("#login-pin", "135790")
            page.click("#login-send")
            playwright.expect(page.locator("#login-pin")).to_have_value("")
        playwright.expect(problem).to_contain_text("try again in")
        page.fill("#login-pin", PINS["dealer"])
        page.click("#login-send")
        playwright.expect(problem).to_contain_text("Too many wrong PINs")
        playwright.expect(page.locator("#console")).to_be_hidden()
        assert not table.logins.by_digest


def test_a_dealer_cannot_give_a_ruling_that_needs_a_pit_supervisor(page, tmp_path):
    with LiveTable(tmp_path, LUCKY, DEAL) as table:
        look(page, table)
        log_in(page, "dealer")
        table.tell("open")
        table.tell("bet", 1, "P1", "initial", 1000)
        table.tell("close")
        table.wait_for("playing")
        table.tell("irregularity", "drawn_together")
        says(page, "Please wait")
        ruling = page.locator("button[data-action=ruling]")
        playwright.expect(ruling).to_be_disabled()
        playwright.expect(page.locator(".offer", has=ruling)).to_contain_text("needs a Pit Supervisor or above")
        playwright.expect(page.locator(".offer", has=ruling)).to_contain_text("5.10")
        # Whoever goes round the page gets the same answer from the table, and it is in the log.
        wanted = {"action": "ruling", "fields": {"decision": "order"}, "moment": table.moment("ruling")}
        answer = post_past_the_page(page, wanted)
        assert answer == {
            "done": False,
            "words": "This needs a Pit Supervisor or above.",
            "rule": "5.10",
        }
        assert table.records("refused")[-1][1:3] == [["ruling", "order", "dealer"], "5.10"]
        assert table.round.state == "frozen"
        page.click("#log-out")
        playwright.expect(page.locator("#console")).to_be_hidden()
        log_in(page, "pit_supervisor")
        ruling.click()
        page.get_by_text("State the order of the cards").click()
        page.fill("[name=input-text]", "the left one first")
        page.click("#sheet-send")
        playwright.expect(page.locator("#notices")).to_contain_text("Still to choose: P1 on box 1")
        assert ["ruling", "order", "pit_supervisor", None, "the left one first"] in [
            record[2] for record in table.records("event")
        ]


def test_an_irregularity_is_explained_then_goes_through_to_a_void_round(page, tmp_path):
    with LiveTable(tmp_path, MBS, DEAL) as table:
        look(page, table)
        log_in(page, "dealer")
        table.tell("open")
        table.tell("bet", 1, "P1", "main", 1000)
        table.tell("close")
        table.wait_for("playing")
        group(page, "Irregularities")
        press(page, "report_foreign_card")
        sheet = page.locator("#sheet")
        playwright.expect(sheet).to_contain_text("The round becomes void")
        playwright.expect(sheet).to_contain_text("5.1.1")
        playwright.expect(page.locator("#sheet-preview")).to_contain_text("$10 of P1's main on box 1 goes back")
        assert table.round.state == "playing", "nothing happens before it is confirmed"
        page.click("#sheet-cancel")
        assert table.round.state == "playing"
        press(page, "report_foreign_card")
        page.click("#sheet-send")
        says(page, "Void")
        playwright.expect(page.locator(".toast")).to_have_text("✓ Done: Foreign card")
        assert table.records("void") == [["void", "5.1.1", "M-12"]]
        assert table.records("command")[-1][2] == "Dealer One, dealer"


def test_a_card_is_tapped_and_staff_say_where_it_lies(page, tmp_path):
    with LiveTable(tmp_path, LUCKY, DEAL) as table:
        look(page, table)
        table.tell("open")
        table.tell("bet", 1, "P1", "initial", 1000)
        table.tell("bet", 2, "P2", "initial", 1000)
        table.tell("close")
        table.wait_for("playing")
        playwright.expect(page.locator(".card.back")).to_have_count(9)
        assert page.locator("button.card").count() == 0, "people without a login cannot tap them"
        log_in(page, "dealer")
        third = page.locator("[data-box='1'] button.card").nth(2)
        third.click()
        playwright.expect(page.locator("#sheet-title")).to_have_text("Box 1, card 3, face down")
        playwright.expect(page.locator("[data-of-card=lies]")).to_be_disabled()
        playwright.expect(page.locator("#sheet")).to_contain_text("This needs a Pit Supervisor or above.")
        page.click("#sheet-cancel")
        page.click("#log-out")
        log_in(page, "pit_supervisor")
        third.click()
        page.click("[data-of-card=lies]")
        page.click("#sheet-send")
        playwright.expect(page.locator("#sheet-problem")).to_have_text("Where it lies: choose one.")
        page.get_by_text("In box 2", exact=True).click()
        page.click("#sheet-send")
        playwright.expect(page.locator("[data-box='2'] button.card")).to_have_count(4)
        playwright.expect(page.locator("#recent")).to_contain_text("A card lies in box 2, not in box 1")
        assert table.records("event")[-1][2] == ["lies", "9D", "pit_supervisor", 2]
        small = page.evaluate(SMALL_TARGETS, LEAST_TARGET)
        assert small == []
        page.locator("[data-box='2'] button.card").first.click()
        page.click("[data-of-card=turned]")
        page.locator("[name=input-card-rank][value='2']").check()
        page.locator("[name=input-card-suit][value=S]").check()
        page.locator("#sheet").get_by_text("P2", exact=True).click()
        page.click("#sheet-send")
        playwright.expect(page.locator(".notice.seen .card")).to_have_attribute("aria-label", "2 of spades")
        assert table.records("event")[-1][2] == ["turned", "2S", "P2", 2, "pit_supervisor"]


def test_an_unread_card_is_a_back_in_a_shown_hand_and_is_named_by_tapping_it(page, tmp_path):
    with LiveTable(tmp_path, LUCKY, DEAL) as table:
        look(page, table)
        log_in(page, "pit_supervisor")
        table.reader.faults.unread = True
        table.tell("open")
        table.tell("bet", 1, "P1", "initial", 1000)
        table.tell("close")
        table.wait_for("playing")
        table.tell("show", 1)
        cards = page.locator("[data-box='1'] button.card")
        playwright.expect(cards.nth(0)).to_have_text("?")
        playwright.expect(cards.nth(1)).to_have_text("Q♥")
        playwright.expect(page.locator("[data-box='1'] .hand-name")).to_have_count(0)
        cards.nth(0).click()
        page.click("[data-of-card=entered]")
        playwright.expect(page.locator("#sheet")).to_contain_text("It is marked in the log as entered by hand.")
        page.locator("[name=input-card-rank][value=K]").check()
        page.locator("[name=input-card-suit][value=S]").check()
        page.click("#sheet-send")
        playwright.expect(page.locator("[data-box='1'] .hand-name")).to_contain_text("Nine")
        playwright.expect(page.locator("#recent")).to_contain_text("A card is entered BY HAND for box 1")
        assert table.records("event")[-1][2] == ["entered", "KS", "pit_supervisor", 1]
        assert table.records("fault") == []


def test_what_was_explained_in_one_moment_is_not_done_in_another(page, tmp_path):
    """A sheet is left open while the table plays on, up to the same state of the next round."""
    with LiveTable(tmp_path, MBS, DEAL) as table:
        look(page, table)
        log_in(page, "dealer")
        table.tell("open")
        table.tell("bet", 1, "P1", "main", 1000)
        group(page, "Irregularities")
        press(page, "report_deck_count")
        preview, sheet = page.locator("#sheet-preview"), page.locator("#sheet")
        playwright.expect(preview).to_contain_text("$10 of P1's main on box 1 goes back")
        table.tell("bet", 2, "P2", "main", 2000)
        playwright.expect(preview).to_contain_text("$20 of P2's main on box 2 goes back")
        playwright.expect(sheet).to_be_visible()
        table.tell("close")
        playwright.expect(sheet).to_be_hidden()
        playwright.expect(page.locator(".toast")).to_contain_text("Nothing was sent: the table has moved on.")
        table.wait_for("playing")
        assert not table.records("irregularity", "void")
        # Whoever is quicker than his page is told by the host.
        late = table.moment("report_misdeal")
        for event in (["show", 1], ["show", 2], ["reveal"], ["settle"], ["open"], ["bet", 1, "P1", "main", 1000]):
            table.tell(*event)
        table.tell("close")
        table.wait_for("playing")
        answer = post_past_the_page(page, {"action": "report_misdeal", "fields": {}, "moment": late})
        assert answer == {"problem": "Something else has happened since. Look at the table, then decide again."}
        assert not table.records("irregularity", "void")


def test_an_undo_says_that_it_is_a_ruling_before_it_is_one(page, tmp_path):
    with LiveTable(tmp_path, MBS, DEAL) as table:
        look(page, table)
        log_in(page, "shift_manager")
        table.tell("open")
        table.tell("bet", 1, "P1", "main", 1000)
        table.tell("close")
        table.wait_for("playing")
        group(page, "Irregularities")
        press(page, "report_other")
        page.click("#sheet-send")
        says(page, "Please wait")
        page.click("#undo-button")
        playwright.expect(page.locator("#sheet-preview")).to_contain_text("This is a ruling on the report.")
        assert table.round.state == "frozen", "nothing happens before it is confirmed"
        page.click("#sheet-send")
        says(page, "Players look at their hands")
        ruled = ["ruling", "continue", "shift_manager", None, "reported by mistake"]
        assert table.records("event")[-1][2] == ruled


def test_what_is_foreseen_is_kept_up_however_often_the_table_moves(page, tmp_path):
    with LiveTable(tmp_path, MBS, DEAL) as table:
        look(page, table)
        log_in(page, "dealer")
        table.tell("open")
        table.tell("bet", 1, "P1", "main", 1000)
        group(page, "Irregularities")
        press(page, "report_deck_count")
        preview = page.locator("#sheet-preview")
        playwright.expect(preview).to_contain_text("$10 of P1's main on box 1 goes back")
        page.evaluate(
            """async moment => {
                const { refreshSheet } = await import("/static/sheet.js");
                setInterval(() => refreshSheet([{ action: "report_deck_count", moment }]), 50);
            }""",
            table.moment("report_deck_count"),
        )
        table.tell("bet", 2, "P2", "main", 2000)
        playwright.expect(preview).to_contain_text("$20 of P2's main on box 2 goes back")


def test_nothing_works_without_the_token(page, tmp_path):
    with LiveTable(tmp_path, MBS) as table:
        look(page, table)
        sent = """async body => {
            const answer = await fetch("/do", {method: "POST", body: JSON.stringify(body),
                headers: {"Content-Type": "application/json"}});
            return answer.status;
        }"""
        assert page.evaluate(sent, {"action": "open"}) == 401
        log_in(page, "shift_manager")
        playwright.expect(page.locator("#console")).to_be_visible()
        assert page.evaluate("document.cookie") == "", "no script can read the cookie"
        assert page.evaluate(sent, {"action": "open"}) == 403
        assert table.round.state == "idle"
        assert not table.records("event")
        press(page, "open")
        says(page, "Place your bets")


def test_no_script_or_markup_in_a_players_name_runs(page, tmp_path):
    """Also in what the page says of him: bets, choices, the sheet, the list of what happened and the undo."""
    nasty = ["<img src=x onerror=hit=1>", "<script>window.hit=1</script>", '"><svg onload=hit=1>']
    with LiveTable(tmp_path, LUCKY, DEAL) as table:
        look(page, table)
        log_in(page, "dealer")
        table.tell("open")
        for name in nasty:
            table.tell("bet", 1, name, "initial", 1000)
        for name in nasty:
            playwright.expect(page.locator("[data-box='1']")).to_contain_text(name)
            playwright.expect(page.locator("#recent")).to_contain_text(name)
        playwright.expect(page.locator("#undo")).to_contain_text(nasty[-1])
        table.tell("close")
        table.wait_for("playing")
        table.tell("turned", "KS")
        group(page, "Questions")
        press(page, "choose")
        playwright.expect(page.locator("#sheet")).to_contain_text(f"{nasty[0]} on box 1: go on")
        assert page.evaluate("window.hit") is None
        assert page.locator("main img").count() == 1, "the display's and no other"
        assert page.locator("body script, main svg").count() == 0


def test_stale_is_said_when_the_table_or_the_page_has_lost_its_link(page, tmp_path):
    with LiveTable(tmp_path, MBS) as table:
        look(page, table)
        log_in(page, "dealer")
        playwright.expect(page.locator("#console")).to_be_visible()
        table.is_switched_off = True
        stale = page.locator("#stale")
        playwright.expect(stale).to_contain_text("The table says nothing any more.")
        playwright.expect(page.locator("#link")).to_have_text("✕ stale")
        press(page, "open")
        playwright.expect(page.locator(".toast")).to_contain_text("✕ Refused: The table is not joined")
        table.is_switched_off = False
        playwright.expect(page.locator("#link")).to_have_text("● live")
        assert not table.records("event")
        table.server.stop()
        playwright.expect(stale).to_contain_text("This page has lost its link to the host.")
        press(page, "open")
        playwright.expect(page.locator(".toast")).to_have_text(f"◆ {NO_ANSWER}")


@contextmanager
def dealer_who_takes_bets(page, folder):
    with LiveTable(folder, LUCKY, DEAL) as table:
        look(page, table)
        log_in(page, "dealer")
        press(page, "open")
        says(page, "Place your bets")
        group(page, "Bets and players")
        yield table


def bet_on_box_1(page, dollars):
    press(page, "bet")
    page.get_by_text("Box 1: Initial Bet", exact=True).click()
    page.fill("[name=input-player]", "Mei Lin")
    page.fill("[name=input-cents]", dollars)
    page.click("#sheet-send")


def test_an_answer_that_is_lost_is_not_taken_for_a_no(page, tmp_path):
    """The bet lies already; whoever is told that it was not sent would lay it twice."""
    with dealer_who_takes_bets(page, tmp_path) as table:
        page.route("**/do", lambda route: (route.fetch(), route.abort()))
        bet_on_box_1(page, "25")
        playwright.expect(page.locator(".toast")).to_have_text(f"◆ {NO_ANSWER}")
        playwright.expect(page.locator("#sheet")).to_be_hidden()
        playwright.expect(page.locator("[data-box='1'] .bet")).to_contain_text("$25")
        assert [bet.cents for bet in table.round.in_play()] == [2500]
        page.click(".toast")
        playwright.expect(page.locator(".toast")).to_have_count(0)
        page.unroute("**/do")
        bet_on_box_1(page, "10")
        playwright.expect(page.locator(".toast")).to_have_text("✓ Done: Declare a bet")


def test_what_is_taken_back_is_the_amount_that_the_sheet_showed(page, tmp_path):
    with dealer_who_takes_bets(page, tmp_path) as table:
        table.tell("bet", 1, "P1", "initial", 1000)
        press(page, "take_back")
        page.get_by_text("P1: Initial Bet on box 1, $10", exact=True).click()
        table.tell("bet", 1, "P1", "initial", 9000)
        playwright.expect(page.locator("[data-box='1'] .bet")).to_contain_text("$100")
        page.click("#sheet-send")
        playwright.expect(page.locator(".toast")).to_have_text("✓ Done: Take a bet back")
        playwright.expect(page.locator("[data-box='1'] .bet")).to_contain_text("$90")
        assert [bet.cents for bet in table.round.in_play()] == [9000]


def test_an_answer_that_says_no_is_said_to_be_a_no(page, tmp_path):
    with dealer_who_takes_bets(page, tmp_path) as table:
        bet_on_box_1(page, "a lot")
        playwright.expect(page.locator(".toast")).to_contain_text("✕ Not done: ")
        playwright.expect(page.locator("#sheet")).to_be_visible()
        playwright.expect(page.locator("#sheet-problem")).not_to_be_empty()
        assert table.round.in_play() == []


def test_an_answer_of_nobodys_is_no_answer(page, tmp_path):
    """Such as from something between page and host."""
    with LiveTable(tmp_path, MBS) as table:
        look(page, table)
        log_in(page, "dealer")
        page.route("**/do", lambda route: route.fulfill(status=502, body="<h1>Bad Gateway</h1>"))
        press(page, "open")
        playwright.expect(page.locator(".toast")).to_have_text(f"◆ {NO_ANSWER}")


def test_five_seconds_without_a_word_are_stale(page, tmp_path, monkeypatch):
    """The connection stands, but nothing comes. The browser's clock is moved on by hand."""
    monkeypatch.setattr("host.page.streams.BEAT_S", 600)
    with LiveTable(tmp_path, MBS) as table:
        page.clock.install()
        look(page, table)
        page.clock.fast_forward(4000)
        playwright.expect(page.locator("#link")).to_have_text("● live")
        table.hub.wake = lambda: None  # nor is anything new told
        page.clock.fast_forward(5500)
        playwright.expect(page.locator("#stale")).to_contain_text("This page has lost its link to the host.")
