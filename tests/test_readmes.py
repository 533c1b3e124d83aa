"""The documents are true: their commands and examples are run, and their tables match the declarations."""

import doctest
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from boards import small
from host.cli import felt
from host.words.faults import ADVICE
from shared.link.messages import MESSAGES, fields_of
from shared.round.events import EVENTS
from shared.round.records import RECORDS, TABLE_RECORDS
from shared.round.round import Round
from tests.support.documents import DOCUMENTS, ROOT, rows_of

CONSOLE_BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
ROUND_BLOCK = re.compile(r"^```round\n(.*?)^```", re.MULTILINE | re.DOTALL)
ANYTHING = "..."
ROUNDS = ROOT / "shared" / "ROUNDS.md"
PROTOCOL = ROOT / "shared" / "PROTOCOL.md"
DEVICE = ROOT / "firmware" / "DEVICE.md"
COMMANDS = ROOT / "host" / "COMMANDS.md"
COMMAND_NAMES = felt.list_commands(None)  # type: ignore[arg-type]


def name_of(document):
    return str(document.relative_to(ROOT))


def console_blocks():
    """The commands of each document in turn, with the lines that follow each as what it must print."""
    for document in DOCUMENTS:
        commands = []
        for block in CONSOLE_BLOCK.findall(document.read_text()):
            parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
            commands += [(part.partition("\n")[0], part.partition("\n")[2]) for part in parts]
        if commands:
            yield pytest.param(commands, id=name_of(document))


def matches(printed, expected):
    """Whether lines agree but for spaces at their ends; a line of three dots stands for any lines."""
    lines = "".join(line.rstrip() + "\n" for line in printed.splitlines())
    parts = ["(?:.*\n)*?" if line == ANYTHING else re.escape(line) + "\n" for line in expected.splitlines()]
    return re.fullmatch("".join(parts), lines) is not None


@pytest.mark.slow
@pytest.mark.parametrize("commands", list(console_blocks()))
def test_printed_commands_print_what_the_document_shows(commands, tmp_path):
    """In a folder of this run: another run on the same machine may use the same names in /tmp."""
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "COLUMNS": "80"}
    for command, output in commands:
        done = subprocess.run(
            ["bash", "-c", command.replace("/tmp/", f"{tmp_path}/")],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        printed = done.stdout.replace(f"{tmp_path}/", "/tmp/")
        assert done.stderr == "", command
        assert matches(printed, output), f"{command}\n{printed}"


def played_rounds():
    """Each round written out: its table, and its events with the records that must follow."""
    for document in DOCUMENTS:
        for block in ROUND_BLOCK.findall(document.read_text()):
            table, *lines = block.strip().splitlines()
            steps = []
            for line in lines:
                said = json.loads(line[2:])
                if line.startswith("> "):
                    steps.append((said, []))
                else:
                    steps[-1][1].append(said)
            yield json.loads(table.removeprefix("table ")), steps


@pytest.mark.parametrize(("table", "steps"), list(played_rounds()), ids=lambda part: str(part)[:40])
def test_rounds_written_out_play_as_written(table, steps):
    round_ = Round(table)
    for event, expected in steps:
        records = [record for record in round_.apply(event) if record[0] != "event"]
        assert records == expected, event


def test_every_event_and_record_is_in_a_round_written_out_and_in_a_table():
    events, records = set(), set()
    for _, steps in played_rounds():
        for event, following in steps:
            events.add(event["event"] if isinstance(event, dict) else event[0])
            records |= {record[0] for record in following}
    assert events == set(EVENTS)
    assert records == set(RECORDS) - {"event"}
    rounds, protocol = ROUNDS.read_text(), PROTOCOL.read_text()
    for text, declared in ((rounds, EVENTS), (rounds, RECORDS), (protocol, TABLE_RECORDS)):
        for name, fields in declared.items():
            listed = ", ".join(fields)
            assert f"| `{name}` | {listed} |" in text or (not fields and f"| `{name}` | |" in text), name


def test_every_message_is_in_the_table_as_it_is_declared():
    text = PROTOCOL.read_text()
    for name, (sender, sealed, _) in MESSAGES.items():
        fields = ", ".join(field.split(" ")[0] for field in fields_of(name))
        assert f"| `{name}` | {sender} | {sealed} | {fields + ' ' if fields else ''}|" in text, name


def test_every_fault_is_in_the_manual_with_its_advice_and_no_other():
    rows = rows_of(DEVICE.read_text(), "## Faults")
    assert [(row[0], row[-1]) for row in rows] == [(f"`{code}`", advice) for code, advice in ADVICE.items()]
    assert all(len(row) == 3 and row[1] for row in rows)


def test_every_key_of_a_board_is_in_the_manual_and_no_other():
    rows = rows_of(DEVICE.read_text(), "The keys, and what each does:")
    assert [key for row in rows for key in re.findall(r"`(\w+)`", row[0])] == [key for key, _ in small.KEYS]


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_python_examples_run(document):
    failed, _ = doctest.testfile(str(document), module_relative=False, encoding="utf-8")
    assert failed == 0


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_make_targets_links_files_and_commands_exist(document):
    text = document.read_text()
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    if document.name != "CHANGELOG.md":  # which also names what was there before
        assert set(re.findall(r"`?make ([a-z-]+)", code_of(text))) <= targets
    for link in re.findall(r"\]\(([^)#]+)\)", text):
        assert (document.parent / link).exists(), link
    for path in re.findall(r"`((?:shared|firmware|boards|host|tests)/[a-z\d_/.]*)`", text):
        assert (ROOT / path).exists() or (document.parent / path).exists(), path
    if document.name == "README.md":
        for path in set(re.findall(r"`([a-z\d_/]+\.py)`", text)) - {"main.py"}:  # which lies on the Pico
            assert (ROOT / path).exists() or (document.parent / path).exists(), path
    assert set(re.findall(r"`felt ([a-z][a-z-]*)", text)) <= set(COMMAND_NAMES)


def code_of(text):
    """What stands between backticks or in a shell block, where `make` is a command and not a verb."""
    return "\n".join(re.findall(r"`make [a-z-]+", text) + re.findall(r"^make [a-z-]+", text, re.MULTILINE))


def test_every_command_is_in_the_manual():
    for name in COMMAND_NAMES:
        assert f"`felt {name}" in COMMANDS.read_text()


def test_matching_can_fail():
    assert matches("a\nb\nc\n", "a\n...\nc\n")
    assert matches("a\n", "a\n...\n")
    assert not matches("a\nb\n", "a\n")
    assert not matches("a\nb\n", "a\n...\nc\n")


def test_the_picture_is_what_its_command_draws(tmp_path):
    drawn = tmp_path / "demo.svg"
    command = re.search(r"felt (demo .*) --svg", (ROOT / "Makefile").read_text())
    assert command
    felt_command = Path(sys.executable).parent / "felt"
    subprocess.run([felt_command, *command[1].split(), "--svg", drawn], check=True, capture_output=True)
    number = re.compile(r"terminal-\d+")  # rich numbers its styles by their content
    kept = (ROOT / "host/pictures/demo.svg").read_text()
    assert number.sub("", drawn.read_text()) == number.sub("", kept)
