"""`felt audit`: is a log whole, and does everything in it follow from what was told to the table?"""

import os
from pathlib import Path

import click
from rich.markup import escape

from host.commands.arguments import CHECKPOINTS, KEY, LOG, SIGNER, click_errors
from host.commands.verify import signed_checkpoints
from host.keys import KeyFileError, read_table_key
from host.log.audit import CHAIN, STEP, Report, Stretch, audit
from host.log.checkpoints import BadCheckpoint
from host.log.other_rules import BadRules, OtherRules
from host.log.reading import LogReader
from host.log.schema import NotALog
from host.pico.digests import rules_digest
from host.terminal import make_console, slow_progress
from host.words.money import dollars


@click.command("audit")
@LOG
@KEY
@CHECKPOINTS
@SIGNER
@click.option(
    "--rules",
    "wheels",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="A wheel of the Felt version that plays again what was written under its rules.",
)
@click.option(
    "--jobs", type=click.IntRange(1), help="How many parts of a long log to read at once; one a core by default."
)
def audit_command(
    log: Path,
    key_file: Path,
    checkpoint_file: Path | None,
    signer_file: Path | None,
    wheels: tuple[Path, ...],
    jobs: int | None,
) -> None:
    """Check a whole log and play every event again.

    It checks the file LOG, its chain and seals, columns, sequence and totals. What was written under other rules
    than those of this Felt is played again only with --rules, which can be given several times. The exit status
    is 0 only if nothing is found.
    """
    with click_errors(NotALog, KeyFileError, BadCheckpoint, BadRules):
        key = read_table_key(key_file)
        checkpoints = signed_checkpoints(checkpoint_file, signer_file, key.table)
        with LogReader(log) as reader:
            first, last = reader.ends()
        others = [OtherRules(wheel) for wheel in wheels]
        with slow_progress((last - first) // STEP + 1) as step:

            def told(count: int) -> None:
                step(f"{count:,} records")

            done = audit(log, key, checkpoints, told, rules_digest(), others, jobs or os.cpu_count() or 1)
    if checkpoint_file and not checkpoints and done.last:
        done.add(
            CHAIN,
            None,
            f"{checkpoint_file} holds no checkpoint, and the host signs one with a table's first records; "
            "is it the right file, or was it emptied?",
        )
    report(done, key.table, checkpoint_file is not None)


def report(done: Report, table: str, has_checkpoints: bool) -> None:
    console = make_console()
    for finding in done.findings:
        console.print(escape(str(finding)), soft_wrap=True)
    if done.left_out:
        console.print(f"and {done.left_out} more of these kinds", soft_wrap=True)
    elsewhere = [stretch for stretch in done.stretches if stretch.rules != done.rules]
    for stretch in elsewhere:
        console.print(escape(stretch_words(stretch)), soft_wrap=True)
    if done.passed:
        console.print(
            f"{len(done.passed)} records between {done.passed[0]} and {done.passed[-1]} not played again: "
            "only other rules had said how the table stands",
            soft_wrap=True,
        )
    console.print(
        f"table {table}: {'NOT in order' if done.findings else 'in order'}; {checked(done)}", soft_wrap=True
    )
    if any(stretch.played_by is None for stretch in elsewhere):
        console.print(
            "--rules FILE, with the wheel of the Felt that wrote such records, plays them again.",
            style="dim",
            soft_wrap=True,
        )
    if not has_checkpoints:
        console.print("Without checkpoints nobody can tell whether the end was cut off.", style="dim")
    if done.findings:
        raise SystemExit(1)


def stretch_words(stretch: Stretch) -> str:
    where = f"records {stretch.first} to {stretch.last}"
    rules = f"rules {stretch.rules}" if stretch.rules else "rules that they do not name"
    if stretch.played_by is None:
        return f"{where} not played again: written under {rules}"
    choice = "" if stretch.rules else "; that these are the rules is your choice"
    return f"{where} played again by {stretch.played_by}: written under {rules}{choice}"


def checked(done: Report) -> str:
    if not done.last:
        return "no records"
    money = f"staked {dollars(done.staked)}, returned {dollars(done.returned)}"
    return (
        f"records {done.first} to {done.last}: file, chain, seals, sequence and columns; "
        f"{done.replayed} of {done.last - done.first + 1} records played again; rounds: {done.rounds}, "
        f"{done.settled} with totals added up ({money}); "
        f"checkpoints passed: {done.checkpoints}"
    )
