"""Clients of the page's server, as browsers are: logged in, and listening to its stream."""

import json
from contextlib import contextmanager

import httpx

from tests.support.page.live_table import NAMES, PINS

TAB = "0123456789abcdef"


def client_of(table):
    """A client that sends what a browser on the page sends."""
    return httpx.Client(base_url=table.url, headers={"Origin": table.url})


def log_in(client, post="dealer"):
    answer = client.post("/login", json={"name": NAMES[post], "pin": PINS[post]})
    assert answer.status_code == 200, answer.text
    client.headers["X-Felt-Change"] = answer.json()["change"]
    return answer


@contextmanager
def listening(client):
    with client.stream("GET", f"/events?tab={TAB}", timeout=10) as answer:
        yield answer


def messages(answer):
    """(event, data) of a stream as they come."""
    event = None
    for line in answer.iter_lines():
        if line.startswith("event: "):
            event = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield event, line.removeprefix("data: ")


def first_state(client, is_wanted=lambda state: not state["me"] or state["console"]):
    """The first state that a new stream says; for staff, the first with their console."""
    with listening(client) as answer:
        states = (json.loads(data) for event, data in messages(answer) if event == "state")
        return next(state for state in states if is_wanted(state))


def last_notices(table, count):
    table.service.call(lambda: None).result(5)  # after whatever was noted before
    return [(kind, text) for kind, text, _ in table.notebook.notices[-count:]]
