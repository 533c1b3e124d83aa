"""`felt round`: plays events through the round and prints the records they cause."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from firmware.recorder import Recorder
from host.commands.arguments import FOLDER, PATH, click_errors
from host.keys import KeyFileError, read_table_key
from host.log.folder_storage import FolderInUse, FolderStorage
from host.pico.digests import rules_digest
from host.rules.json_lines import RequestError, read_json
from host.words.faults import broken_words
from host.words.refusals import config_words, refusal_words
from shared.journal.chain import BrokenChain
from shared.journal.journal import Journal, JournalFull
from shared.journal.snapshot import plain_config
from shared.round.records import RECORDS, TABLE_RECORDS
from shared.round.round import Round
from shared.round.table import BadConfig

PLAY_AT_ONE = "`felt bench run {path} --target cpython --firmware here` plays it"


def named(record: list[Any]) -> dict[str, Any]:
    """A record as an object, for people."""
    fields = RECORDS.get(record[0]) or TABLE_RECORDS[record[0]]
    words = {"words": refusal_words(record[3], record[4])} if record[0] == "refused" else {}
    return {"record": record[0]} | dict(zip(fields, record[1:])) | words


def read_table(path: Path) -> dict[str, Any]:
    try:
        config = read_json(path.read_bytes())
        Round(config)
    except OSError as error:
        raise click.ClickException(f"cannot read {path}: {error.strerror}") from None
    except BadConfig as error:
        raise click.ClickException(f"{path}: {error.field}: {config_words(error)}") from None
    except ValueError as error:
        raise click.ClickException(f"{path}: {error}") from None
    return config


@contextmanager
def open_recorder(folder: Path, key_file: Path, config: dict[str, Any]) -> Iterator[Recorder]:
    """A table's journal in a folder; a round that was cut off stands where it stood."""
    try:
        key = read_table_key(key_file)
        storage = FolderStorage(folder)
        recorder = Recorder(Journal(storage, key.sealer, key.table), "start", os.urandom, rules_digest())
    except (KeyFileError, FolderInUse) as problem:
        raise click.ClickException(str(problem)) from None
    except BrokenChain as problem:
        why = f"the journal in {folder} is not whole: {broken_words(problem)}"
        raise click.ClickException(f"{why}. `felt verify {folder} --key {key_file}` says more.") from None
    if recorder.config != config:
        answer: Any = recorder.command(recorder.last_command + 1, "felt round", "config", plain_config(config))
        done, code, _, detail = answer
        if not done:
            why = refusal_words(code, detail)
            raise click.ClickException(f"the journal's table has another configuration: {why}")
    try:
        yield recorder
    finally:
        storage.close()


@click.command("round")
@click.argument("paths", metavar="TABLE", nargs=-1, required=True, type=PATH)
@click.option(
    "--scenario",
    is_flag=True,
    help="TABLE is a scenario file instead, or several, or folders of them: play each and say what differs.",
)
@click.option("--lines", is_flag=True, help="Print records as the lists that the log keeps.")
@click.option(
    "--journal",
    type=FOLDER,
    help="Keep the records in this folder, sealed, as a table does; the round goes on from there next time.",
)
@click.option("--key", type=PATH, help="The table's key file, for the journal.")
def round_command(
    paths: tuple[Path, ...], scenario: bool, lines: bool, journal: Path | None, key: Path | None
) -> None:
    """Play a round: events in, records out, as JSON lines.

    Events come on standard input, the records they cause go to standard output.

    TABLE is a JSON file with the table's configuration. An event is an object with its name under
    "event", or a list with its name first. A refused event is answered with why, and changes nothing.

    With --scenario a round is played that is written down in a file, and compared with what must come out.
    The exit status is 1 if one comes out otherwise.
    """
    if scenario:
        if lines or journal or key:
            raise click.UsageError("--scenario takes no other option")
        play_scenarios(paths)
        return
    if len(paths) != 1:
        raise click.UsageError("give one table, or --scenario and several scenario files")
    table = paths[0]
    if sys.stdin is None or sys.stdout is None:
        raise click.ClickException("standard input or output is closed; `felt round` needs both")
    if (journal is None) != (key is None):
        raise click.ClickException("--journal and --key go together; `felt keys table NAME FILE` makes a key")
    config = read_table(table)
    if journal and key:
        with open_recorder(journal, key, config) as recorder:
            play(recorder.apply, lines)
    else:
        play(Round(config).apply, lines)


def play_scenarios(paths: tuple[Path, ...]) -> None:
    """One alone is told step by step, of several only the result."""
    from host.bench.course import course_words  # here, as a round from standard input needs none of it
    from host.bench.course import play as play_course
    from host.bench.scenario import BadScenario, find_files, read_scenario
    from host.bench.troubles.phrases import ONLY_A_TABLE

    differing = elsewhere = 0
    with click_errors(BadScenario):
        files = find_files(paths)
        for path in files:
            scenario = read_scenario(path)
            if scenario.needs_table:
                elsewhere += 1
                click.echo(f"needs a table: {path}: {ONLY_A_TABLE}; {PLAY_AT_ONE.format(path=path)}")
                continue
            course = play_course(scenario, Round(scenario.config).apply)
            if len(files) == 1:
                click.echo("\n".join(course_words(scenario, course)))
            differing += course.difference is not None
            if course.difference:
                click.echo(f"differs: {path}: {course.difference}")
                click.echo(f"         because: {scenario.expect.because}")
            else:
                click.echo(f"as expected: {path}: {scenario.title}")
    if len(files) > 1:
        told = f", {elsewhere} need a table" if elsewhere else ""
        click.echo(f"{len(files)} scenarios, {differing} differ{told}")
    if differing:
        raise click.exceptions.Exit(1)


def play(apply: Callable[[Any], list[list[Any]]], lines: bool) -> None:
    """Apply each event as it comes and print what it causes."""
    for raw in sys.stdin.buffer:
        if not raw.strip():
            continue
        try:
            records = apply(read_json(raw))
        except RequestError as error:
            records = [["refused", ["malformed"], None, "bad_json", [str(error)]]]
        except JournalFull:
            raise click.ClickException(
                "the journal is full and nobody has taken its records; use another folder"
            ) from None
        for record in records:
            sys.stdout.write(json.dumps(record if lines else named(record)) + "\n")
        sys.stdout.flush()
