"""What the page's server refuses, and what every answer carries. The firmware runs behind it, in real time."""

import json
import socket
import threading

import httpx
import pytest

from host.page.server import PageFailed, PageServer, is_loopback
from host.staff.logins import IDLE_S, WHOLE_S
from tests.support.page.clients import TAB, client_of, first_state, last_notices, listening, log_in, messages
from tests.support.page.live_table import PINS, LiveTable
from tests.support.tables import MBS

pytestmark = pytest.mark.slow

# -- what everybody gets


@pytest.mark.parametrize("path", ["/", "/static/page.js", "/static/page.css", "/display.png", "/nowhere"])
def test_every_answer_carries_the_policy(browser, table, path):
    with listening(browser):  # it is drawn while somebody looks
        table.wait_until(lambda: table.hub.png)
    answer = browser.get(path)
    assert answer.status_code == (404 if path == "/nowhere" else 200)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cache-control"] == "no-store"
    assert "server" not in answer.headers


def test_the_page_has_no_inline_script_or_style(browser):
    text = browser.get("/").text
    assert text.count("<script") == 1
    assert "style=" not in text
    assert "<style" not in text
    assert "onclick" not in text


def test_scripts_never_make_markup_of_text(browser):
    for name in ("page", "dom", "table", "console", "sheet", "link", "send"):
        text = browser.get(f"/static/{name}.js").text
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function("):
            assert word not in text, (name, word)


@pytest.mark.parametrize(
    "path", ["/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd"]
)
def test_nothing_but_the_pages_own_files_is_served(table, path):
    with socket.create_connection(("127.0.0.1", table.server.port)) as raw:
        raw.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: raw.recv(4096), b""))
    assert answer.startswith(b"HTTP/1.1 404")


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "a b", "", "::1:"])
def test_another_name_for_this_machine_is_not_served(table, host):
    """So no page of somebody else's, whose name leads here, can become this page's origin."""
    answer = httpx.get(table.url + "/", headers={"Host": host})
    assert answer.status_code in (400, 421)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST:8080", "[::1]:8080", "192.168.1.9:8080"])
def test_an_address_is_a_name_that_nobody_else_can_give(table, host):
    assert httpx.get(table.url + "/", headers={"Host": host}).status_code == 200


# -- changes


@pytest.mark.parametrize("path", ["/login", "/logout", "/do", "/preview"])
@pytest.mark.parametrize(
    "origin", [None, "null", "http://evil.example", "http://127.0.0.1", "http://127.0.0.1:1", "file://"]
)
def test_a_change_comes_from_this_page_or_not_at_all(table, path, origin):
    headers = {} if origin is None else {"Origin": origin}
    answer = httpx.post(table.url + path, json={}, headers=headers)
    assert answer.status_code == 403
    assert "Only the page itself" in answer.json()["problem"]


def test_another_site_cannot_read_the_stream_either(table):
    for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        assert httpx.get(f"{table.url}/events?tab={TAB}", headers=headers).status_code == 403


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_a_form_of_another_page_is_no_change(browser, kind):
    answer = browser.post("/do", content=b'{"action": "open"}', headers={"Content-Type": kind})
    assert answer.status_code == 415


def test_nothing_is_done_without_a_login_or_without_its_token(browser, table):
    before = len(table.log.lines)
    wanted = {"action": "open", "fields": {}}
    assert browser.post("/do", json=wanted).status_code == 401
    log_in(browser)
    token = browser.headers.pop("X-Felt-Change")
    for path in ("/do", "/preview", "/logout"):
        assert browser.post(path, json=wanted).status_code == 403
        for wrong in ("", "0" * 64, token[:-1], token.upper() + "x"):
            assert browser.post(path, json=wanted, headers={"X-Felt-Change": wrong}).status_code == 403
    cookies = dict(browser.cookies)
    browser.cookies.clear()
    assert browser.post("/do", json=wanted, headers={"X-Felt-Change": token}).status_code == 401
    with client_of(table) as other:
        log_in(other, "pit_supervisor")
        assert other.post("/do", json=wanted, headers={"X-Felt-Change": token}).status_code == 403
    assert table.round.state == "idle"
    assert not [record for record in table.log.records()[before:] if record[0] == "command"]
    assert len(cookies) == 1


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{",
        b"[" * 4000,
        b'{"action": 1}',
        b'{"action": "open", "fields": []}',
        b'{"action": "open", "number": "1"}',
        b'{"action": "open", "moment": 1}',
        b'{"action": "open", "pad": "' + b"x" * 5000 + b'"}',
        b"\xff\xfe",
    ],
)
def test_what_is_no_request_of_this_page_is_refused_in_words(browser, body):
    log_in(browser)
    for path in ("/do", "/preview"):
        answer = browser.post(path, content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code == 400
        assert answer.json()["problem"].startswith("The request is not as this page sends it")


# -- login


def test_a_login_is_a_cookie_that_scripts_and_other_sites_never_see(browser, table):
    cookie = log_in(browser).headers["set-cookie"].lower()
    assert cookie.startswith(f"felt_{table.server.port}=")
    for part in ("httponly", "samesite=strict", "path=/"):
        assert part in cookie
    assert last_notices(table, 1) == [("staff", "Dealer One, dealer, logged in from 127.0.0.1.")]
    state = first_state(browser)
    assert state["me"]["title"] == "Dealer"
    assert state["console"]["offers"]


def test_nobody_can_say_that_he_is_at_another_address(browser, table):
    for header in ("X-Forwarded-For", "X-Real-IP"):
        browser.headers[header] = "203.0.113.7"
    log_in(browser)
    assert last_notices(table, 1) == [("staff", "Dealer One, dealer, logged in from 127.0.0.1.")]


def test_logging_out_ends_it_at_once_and_is_noticed(browser, table):
    log_in(browser)
    saved = browser.cookies.get(f"felt_{table.server.port}")
    assert browser.post("/logout", json={}).status_code == 200
    assert last_notices(table, 1) == [("staff", "Dealer One, dealer, logged out.")]
    browser.cookies.set(f"felt_{table.server.port}", saved)
    assert browser.post("/do", json={"action": "open"}).status_code == 401
    assert first_state(browser)["me"] is None


@pytest.mark.parametrize("seconds", [IDLE_S + 1, WHOLE_S + 1])
def test_a_session_expires_and_the_stream_says_so_by_itself(browser, table, seconds):
    log_in(browser)
    try:
        with listening(browser) as answer:
            said = messages(answer)
            assert json.loads(next(data for event, data in said if event == "state"))["me"]
            table.offset += seconds
            later = (json.loads(data) for event, data in said if event == "state")
            assert next(state for state in later if state["me"] is None)["console"] is None
        assert browser.post("/do", json={"action": "open"}).status_code == 401
    finally:
        table.offset = 0.0


@pytest.mark.parametrize(("path", "keeps_it_open"), [("/preview", False), ("/do", True)])
def test_an_open_sheet_that_looks_by_itself_does_not_keep_a_session_open(browser, table, path, keeps_it_open):
    log_in(browser)
    wanted = {"action": "settle", "fields": {}}
    try:
        table.offset += IDLE_S - 30
        assert browser.post(path, json=wanted).status_code == 200
        table.offset += 60
        assert browser.post("/do", json=wanted).status_code == (200 if keeps_it_open else 401)
    finally:
        table.offset = 0.0


def test_a_wrong_pin_and_a_wrong_name_sound_alike_are_limited_and_noticed(tmp_path):
    with LiveTable(tmp_path, MBS) as table, client_of(table) as client:
        wrong = client.post("/login", json={"name": "Dealer One", "pin": "000000"})
        nobody = client.post("/login", json={"name": "402817", "pin": "000000"})
        assert (wrong.status_code, wrong.json()) == (nobody.status_code, nobody.json())
        assert wrong.json() == {"problem": "Name or PIN is wrong."}
        noticed = last_notices(table, 2)
        assert noticed[0][1] == "A login as Dealer One from 127.0.0.1 was refused: name or PIN is wrong."
        assert noticed[1][1].startswith("A login as an unknown name")
        for _ in range(4):
            client.post("/login", json={"name": "Dealer One", "pin": "000000"})
        right = client.post("/login", json={"name": "Dealer One", "pin": PINS["dealer"]})
        assert right.status_code == 429
        assert "too many wrong PINs" in right.json()["problem"].lower() or "try again" in right.json()["problem"]
        assert 0 < int(right.headers["retry-after"]) <= 60
        assert "set-cookie" not in right.headers
        for _ in range(40):  # a flood is counted, not written
            client.post("/login", json={"name": "Dealer One", "pin": "000000"})
        refusals = [text for kind, text, _ in table.notebook.notices if "refused" in text]
        assert len(refusals) <= 21


@pytest.mark.parametrize("given", [{}, {"name": "x"}, {"name": 1, "pin": 2}, {"name": "x", "pin": None}])
def test_a_login_of_another_shape_is_refused(browser, given):
    assert browser.post("/login", json=given).status_code == 400


# -- the stream


def test_a_stream_needs_a_tab_and_is_refused_in_words_when_there_are_too_many(browser, table):
    assert browser.get("/events").status_code == 400
    assert browser.get("/events?tab=<script>").status_code == 400
    streams = table.app.state.page.streams
    table.wait_until(lambda: not streams.by_tab)
    opened = []
    try:
        for number in range(8):
            client = httpx.Client(base_url=table.url)
            answer = client.send(client.build_request("GET", f"/events?tab={number:016x}"), stream=True)
            opened.append((client, answer))
            assert answer.status_code == 200
        refused = httpx.get(f"{table.url}/events?tab=ffffffffffffffff")
        assert refused.status_code == 503
        assert "Close one" in refused.json()["problem"]
    finally:
        for client, answer in opened:
            answer.close()
            client.close()
    table.wait_until(lambda: not streams.by_tab)


def test_beats_come_though_nothing_happens(browser, monkeypatch):
    monkeypatch.setattr("host.page.streams.BEAT_S", 0.05)
    with listening(browser) as answer:
        events = [event for (event, _), _ in zip(messages(answer), range(6))]
    assert events[0] == "state"
    assert set(events) <= {"state", "display", "beat"}
    assert events.count("beat") >= 3


def test_a_table_that_is_gone_is_stale_and_nothing_is_done(tmp_path):
    with LiveTable(tmp_path, MBS) as table, client_of(table) as client:
        log_in(client)
        table.is_switched_off = True
        with listening(client) as answer:
            states = (json.loads(data)["table"]["link"] for event, data in messages(answer) if event == "state")
            link = next(link for link in states if not link["up"])
        assert link["why"].startswith("The table says nothing any more.")
        answer = client.post("/do", json={"action": "open"}).json()
        assert answer["done"] is False
        assert "not joined" in answer["words"]


# -- the server


def test_a_port_that_is_taken_is_said_so(table):
    with pytest.raises(PageFailed, match=r"in use by another program.*\[page\]"):
        PageServer(table.app, "127.0.0.1", table.server.port).start()
    other = PageServer(table.app, "127.0.0.1", table.server.port, any_port=True)
    other.start()
    other.stop()
    assert other.port != table.server.port


@pytest.mark.parametrize("address", ["203.0.113.7", "nonsense address", "x" * 300])
def test_an_address_that_is_not_ours_is_said_so(table, address):
    with pytest.raises(PageFailed, match=r"\[page\]"):
        PageServer(table.app, address, 0).start()


def test_the_server_says_who_can_see_it(table):
    assert table.server.reach == f"The page is at {table.url}, for this machine only."
    everywhere = PageServer(table.app, "0.0.0.0", 8080).reach
    assert "Others on the network" in everywhere
    assert "0.0.0.0" not in everywhere, "no tablet can use that"
    assert [is_loopback(one) for one in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "10.0.0.1")] == [
        True,
        True,
        True,
        False,
        False,
    ]


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="this system ends no connection by itself")
def test_a_client_that_takes_nothing_does_not_stay(tmp_path, monkeypatch):
    """Its stream ends while it waits to send: neither task nor connection is left."""
    monkeypatch.setattr("host.page.server.STALLED_S", 1)
    monkeypatch.setattr("host.page.streams.BEAT_S", 0.001)
    with LiveTable(tmp_path, MBS) as table, socket.socket() as client:
        server = table.server._server
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        client.connect(("127.0.0.1", table.server.port))
        client.sendall(b"GET /events?tab=0123456789abcdef HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        table.wait_until(lambda: table.app.state.page.streams.by_tab)
        assert (len(server.server_state.tasks), len(server.server_state.connections)) == (1, 1)
        table.wait_until(lambda: not table.app.state.page.streams.by_tab, 30)
        table.wait_until(lambda: not server.server_state.tasks)
        assert not server.server_state.connections


def test_no_thread_is_left_behind(tmp_path):
    before = {thread.name for thread in threading.enumerate()}
    with LiveTable(tmp_path, MBS) as table, httpx.Client(base_url=table.url) as client:
        first_state(client)
    left = {thread.name for thread in threading.enumerate() if thread.is_alive()} - before
    assert not left & {"page", "table", "service"}
