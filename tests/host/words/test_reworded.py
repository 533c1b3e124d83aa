"""No sentence is a protocol: if every sentence of host and firmware is another one, nothing but words changes."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.campaign import LONG
from tests.support.tables import GAMES, LUCKY, POKER
from tests.support.words.rewording import MARK, is_sentence

ROOT = Path(__file__).parents[3]
TIME = re.compile(r"\d\d\d\d-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?(\+\d\d:\d\d)?|\b\d\d:\d\d:\d\d\b")
MOMENT = re.compile(r"\"moment\": \"[0-9a-f]+")


def run(folder, game, *more):
    folder.mkdir()
    command = [sys.executable, "-m", "tests.support.words.reworded_table", str(folder), game, *more]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def without_words(fact, folder):
    """What was said, without what differs between two runs: marks, line breaks, the folder, the time of day. A
    moment is a digest of what was explained to somebody, so it changes with the words."""
    text = json.dumps(fact, ensure_ascii=False, sort_keys=True).replace("\\\\u00a4", MARK[0]).replace(MARK, "")
    text = text.replace(str(folder), "FOLDER").replace("\\n", " ").replace("─", "")
    return re.sub(r"\s+", " ", MOMENT.sub("", TIME.sub("", text))).lower()


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES if LONG else [LUCKY, POKER])
def test_only_words_change_when_every_sentence_is_another(game, tmp_path):
    plain = run(tmp_path / "plain", game)
    reworded = run(tmp_path / "other", game, "--reworded")
    assert MARK not in json.dumps(plain, ensure_ascii=False)
    assert json.dumps(reworded, ensure_ascii=False).count(MARK) > 100
    # What programs go by: every record of the table, to the letter.
    assert reworded["records"] == plain["records"]
    kinds = {record[0] for record in plain["records"]}
    assert {"fault", "cleared", "refused", "answer", "line", "total", "link"} <= kinds
    # What is announced and found, as codes with fields: no sentence is among them.
    values = json.dumps(reworded["values"], ensure_ascii=False)
    assert MARK not in values
    assert len(reworded["values"]) == len(plain["values"])
    failures = ("log.replaced", "log.works", "pico.gone", "board.unknown", "rules.unknown", "log.sqlite")
    assert [code for code in (*failures, "log.checkpoint_line") if f'"{code}"' not in values] == []
    # What people see, but for the words.
    assert len(plain["facts"]) == len(reworded["facts"])
    for one, other in zip(plain["facts"], reworded["facts"]):
        assert without_words(other, tmp_path / "other") == without_words(one, tmp_path / "plain")


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("The table is joined.", True),
        ("bets are closed; chips laid now go back", True),
        ("not_possible_now", False),
        ("DOOR OPEN", False),
        ("SELECT number FROM records", False),
        ("round = ? AND kind = 'event'", False),
        ("default-src 'self'", False),
        ("import os\nfor name in os.listdir(): print(name)", False),
    ],
)
def test_what_a_sentence_is(text, is_one):
    assert is_sentence(text) == is_one
