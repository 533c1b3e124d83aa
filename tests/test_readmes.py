"""Everything the READMEs print is run, and prints what they say."""

import doctest
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from boards import small
from host.cli import COMMANDS, felt
from shared.link.faults import ADVICE
from shared.link.messages import MESSAGES, fields_of
from shared.round.events import EVENTS
from shared.round.records import RECORDS, TABLE_RECORDS
from shared.round.round import Round

ROOT = Path(__file__).parent.parent
READMES = [ROOT / "README.md"] + sorted(ROOT.glob("[a-z]*/README.md"))
CONSOLE_BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
ROUND_BLOCK = re.compile(r"^```round\n(.*?)^```", re.MULTILINE | re.DOTALL)
ANYTHING = "..."


def console_blocks():
    """The commands of each README in turn, with the lines that follow each as what it must print."""
    for readme in READMES:
        commands = []
        for block in CONSOLE_BLOCK.findall(readme.read_text()):
            parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
            commands += [(part.partition("\n")[0], part.partition("\n")[2]) for part in parts]
        if commands:
            yield pytest.param(commands, id=readme.parent.name)


def matches(printed, expected):
    """Whether lines agree but for spaces at their ends; a line of three dots stands for any lines."""
    lines = "".join(line.rstrip() + "\n" for line in printed.splitlines())
    parts = ["(?:.*\n)*?" if line == ANYTHING else re.escape(line) + "\n" for line in expected.splitlines()]
    return re.fullmatch("".join(parts), lines) is not None


@pytest.mark.slow
@pytest.mark.parametrize("commands", list(console_blocks()))
def test_printed_commands_print_what_the_readme_shows(commands):
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "COLUMNS": "80"}
    for command, output in commands:
        done = subprocess.run(
            ["bash", "-c", command], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120
        )
        assert done.stderr == "", command
        assert matches(done.stdout, output), f"{command}\n{done.stdout}"


def played_rounds():
    """Each round written out in a README: its table, and its events with the records that must follow."""
    for readme in READMES:
        for block in ROUND_BLOCK.findall(readme.read_text()):
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
    text = (ROOT / "shared" / "README.md").read_text()
    for name, fields in [*EVENTS.items(), *RECORDS.items(), *TABLE_RECORDS.items()]:
        listed = ", ".join(fields)
        assert f"| `{name}` | {listed} |" in text or (not fields and f"| `{name}` | |" in text), name


def test_every_message_is_in_the_table_as_it_is_declared():
    text = (ROOT / "shared" / "README.md").read_text()
    for name, (sender, sealed, _) in MESSAGES.items():
        fields = ", ".join(field.split(" ")[0] for field in fields_of(name))
        assert f"| `{name}` | {sender} | {sealed} | {fields + ' ' if fields else ''}|" in text, name


def rows_of(text, heading):
    """The cells of each row of the first table after a heading."""
    after = f"\n{text}".partition(f"\n{heading}\n")[2]
    table = re.search(r"^\|.*\n\|[-|]+\n((?:\|.*\n)+)", after, re.MULTILINE)
    assert table, heading
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in table[1].splitlines()]


def test_every_fault_is_in_the_firmware_readme_with_its_advice_and_no_other():
    rows = rows_of((ROOT / "firmware" / "README.md").read_text(), "## Faults")
    assert [(row[0], row[-1]) for row in rows] == [(f"`{code}`", advice) for code, advice in ADVICE.items()]
    assert all(len(row) == 3 and row[1] for row in rows)


def test_every_module_of_the_firmware_is_in_its_readme_and_no_other():
    rows = rows_of((ROOT / "firmware" / "README.md").read_text(), "# firmware: what is flashed onto the Pico")
    room = ROOT / "firmware"
    modules = {f"`{path.relative_to(room)}`" for path in room.rglob("*.py") if path.name != "__init__.py"}
    assert {row[0] for row in rows} == modules
    assert len(rows) == len(modules)


def test_every_key_of_a_board_is_in_the_firmware_readme_and_no_other():
    rows = rows_of((ROOT / "firmware" / "README.md").read_text(), "The keys, and what each does:")
    assert [key for row in rows for key in re.findall(r"`(\w+)`", row[0])] == [key for key, _ in small.KEYS]


@pytest.mark.parametrize("readme", READMES, ids=lambda path: path.parent.name)
def test_python_examples_run(readme):
    failed, _ = doctest.testfile(str(readme), module_relative=False, encoding="utf-8")
    assert failed == 0


@pytest.mark.parametrize("readme", READMES, ids=lambda path: path.parent.name)
def test_make_targets_links_and_commands_exist(readme):
    text = readme.read_text()
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"`?make ([a-z-]+)", code_of(text))) <= targets
    for link in re.findall(r"\]\(([^)#]+)\)", text):
        assert (readme.parent / link).exists(), link
    assert set(re.findall(r"`felt ([a-z-]+)", text)) <= set(COMMANDS)


def code_of(text):
    """What stands between backticks or in a shell block, where `make` is a command and not a verb."""
    return "\n".join(re.findall(r"`make [a-z-]+", text) + re.findall(r"^make [a-z-]+", text, re.MULTILINE))


def test_every_command_is_documented_in_the_host_readme():
    text = (ROOT / "host" / "README.md").read_text()
    for name in felt.list_commands(None):  # type: ignore[arg-type]
        assert f"`felt {name}" in text


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
