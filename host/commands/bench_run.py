"""`felt bench run`, `replay`, `coverage` and `verify`: plays scenarios on targets."""

import time
from collections.abc import Callable
from itertools import product
from pathlib import Path

import click

from host.bench.kept import NotKept, keep, other_rules, replay
from host.bench.paragraphs import coverage_lines
from host.bench.progress import Progress
from host.bench.report_page import page
from host.bench.reports import Conditions, attempt_words, junit, result_words, target_words, total_words
from host.bench.runs import FAILED, PASSED, Result, exit_status, run
from host.bench.scenario import BadScenario, Scenario, find_files
from host.bench.summary import BadSummary, check, scenarios_digest, signed, summary_of
from host.bench.targets import AbsentTarget, Places, Target
from host.commands.arguments import FILE, FOLDER, PATH, click_errors
from host.commands.bench_options import (
    FIRMWARE,
    JOBS,
    MICROPYTHON,
    PORT,
    RIG_PORT,
    SEED,
    TARGET,
    SetUpError,
    firmware_or_say,
    open_targets,
    set_up_errors,
)
from host.files import write_whole
from host.keys import KeyFileError, read_public, read_signer
from host.pico.digests import rules_digest
from host.terminal import slow_progress

SCENARIOS = Path("tests/scenarios")
KEPT = Path("felt-bench-failures")
FILES = click.argument("paths", metavar="[FILE|FOLDER]...", nargs=-1, type=PATH)


@click.command("run")
@FILES
@TARGET
@FIRMWARE
@MICROPYTHON
@RIG_PORT
@PORT
@JOBS
@SEED
@click.option("--match", "text", default="", help="Only scenarios whose path, title or kind contains this.")
@click.option(
    "--retries", type=click.IntRange(0, 9), default=0, show_default=True, help="More tries after a failure."
)
@click.option("--progress", "progress_file", type=FILE, help="Keep what passed in a file, and go on from there.")
@click.option("--junit", "junit_file", type=FILE, help="Write the results as JUnit XML.")
@click.option("--html", "html_file", type=FILE, help="Write the results as one page.")
@click.option("--summary", "summary_file", type=FILE, help="Write a signed summary; needs --key.")
@click.option("--key", "key_file", type=PATH, help="The key that signs it, as `felt keys signer` makes one.")
@click.option(
    "--keep",
    "kept",
    type=FOLDER,
    default=KEPT,
    show_default=True,
    help="Where a folder of each failure is kept, to play it again without the hardware.",
)
@click.option("-q", "--quiet", is_flag=True, help="Of what passes tell only how many.")
def run_command(
    paths: tuple[Path, ...],
    names: tuple[str, ...],
    firmware: str | None,
    image: Path | None,
    rig_port: str | None,
    port: str | None,
    jobs: int,
    seed: int,
    text: str,
    retries: int,
    progress_file: Path | None,
    junit_file: Path | None,
    html_file: Path | None,
    summary_file: Path | None,
    key_file: Path | None,
    kept: Path,
    quiet: bool,
) -> None:
    """Play scenario files or folders on targets.

    On firmware every event's records must also be those of the rules core. The exit status is 0 if everything
    passed, 1 if something failed or passed only when tried again, 2 if the run or a file is not set up, 3 if
    everything that was played passed, but some was skipped.
    """
    if (summary_file is None) != (key_file is None):
        raise click.UsageError("--summary and --key go together; `felt keys signer FILE` makes a key")
    digest = firmware_or_say(names, firmware)
    with set_up_errors(BadScenario, KeyFileError):
        signer = read_signer(key_file) if key_file else None
        files = find_files(paths or [SCENARIOS])
        targets = open_targets(names, digest, seed, Places(image, rig_port, port))
        progress = Progress(progress_file, digest) if progress_file else None
    begun = int(time.time())

    def conditions() -> Conditions:
        """Some targets know their version only once they have been started."""
        runtimes = {target.name: target.runtime for target in targets}
        return Conditions(digest, rules_digest(), runtimes, scenarios_digest(files), seed, retries, begun)

    def keep_failure(result: Result) -> None:
        home = keep(kept, result, conditions())
        if home:
            click.echo(f"  kept: {home}")

    results = play(files, targets, retries, text, jobs, progress, quiet, keep_failure)
    tested = conditions()
    if junit_file:
        write_whole(junit_file, junit(results, tested))
    if html_file:
        write_whole(html_file, page(results, tested).encode())
    if summary_file and signer:
        write_whole(summary_file, signed(summary_of(results, tested), signer).encode())
    for target in tested.targets if results else ():
        click.echo(target_words(results, target))
    click.echo(total_words(results))
    if not results:
        raise SetUpError(f"no scenario matches {text!r}")
    raise click.exceptions.Exit(exit_status(results))


def play(
    files: list[Path],
    targets: list[Target],
    retries: int = 0,
    text: str = "",
    jobs: int = 1,
    progress: Progress | None = None,
    quiet: bool = True,
    keep_failure: Callable[[Result], None] = lambda result: None,
) -> list[Result]:
    """Every result in the order of the files, told as it comes; if `quiet` only what did not pass."""
    results = []
    by_name = {target.name: target for target in targets}

    def matches(scenario: Scenario) -> bool:
        return text.lower() in f"{scenario.path} {scenario.title} {scenario.kind} {scenario.case}".lower()

    try:
        with slow_progress(len(files) * len(targets)) as step:
            known = [progress.known] if progress else []
            for result in run(files, targets, retries, matches, jobs, *known):
                step(f"{result.path.stem} {result.target}")
                results.append(result)
                if progress and result.target:
                    progress.keep(result, by_name[result.target])
                is_told = isinstance(by_name.get(result.target), AbsentTarget)
                if not is_told and (result.verdict != PASSED or not quiet):
                    click.echo("\n".join(result_words(result)))
                keep_failure(result)
    finally:
        for target in targets:
            target.close()
    order = {(path, name): place for place, (path, name) in enumerate(product(files, by_name))}
    return sorted(results, key=lambda result: order.get((result.path, result.target), 0))


@click.command("replay")
@click.argument("home", metavar="FOLDER", type=FOLDER)
def replay_command(home: Path) -> None:
    """Compare what a failure left in FOLDER, without the hardware.

    The records that were kept are held against the rules and the scenario again. The exit status is 1 if they
    differ, 2 if the folder is not one that a run has kept.
    """
    with set_up_errors(NotKept):
        attempts = list(replay(home))
        tested = other_rules(home)
    if tested:
        click.echo(f"the rules here are {rules_digest()}; {tested} were tested")
    for number, (words, again) in enumerate(attempts, 1):
        click.echo(f"try {number}, at the time: {words}")
        click.echo(f"try {number}, its records here: {attempt_words(again)}")
    raise click.exceptions.Exit(int(any(again.outcome == FAILED for _, again in attempts)))


@click.command("verify")
@click.argument("file", metavar="SUMMARY", type=FILE)
@click.option("--signer", "signer_file", required=True, type=PATH, help="The signer's public key.")
def verify_command(file: Path, signer_file: Path) -> None:
    """Check a signed SUMMARY and print it."""
    with click_errors(BadSummary, KeyFileError, OSError, UnicodeDecodeError):
        summary = check(file.read_text(), read_public(signer_file))
    click.echo(
        f"signed as it is: {summary['date']}, firmware {summary['firmware'] or 'none'}, rules {summary['rules']}"
    )
    for one in summary["targets"]:
        told = ", ".join(f"{one[verdict]} {verdict}" for verdict in ("passed", "skipped", "flaky", "failed"))
        click.echo(f"{one['target']} ({one['runtime']}; board {', '.join(one['boards'])}): {told}")


@click.command("coverage")
@FILES
@TARGET
@FIRMWARE
@MICROPYTHON
@RIG_PORT
@PORT
@JOBS
@SEED
def coverage_command(
    paths: tuple[Path, ...],
    names: tuple[str, ...],
    firmware: str | None,
    image: Path | None,
    rig_port: str | None,
    port: str | None,
    jobs: int,
    seed: int,
) -> None:
    """Print which paragraphs the scenarios show.

    It plays them, and says on which targets they pass. Only paragraphs that the controller acts on are listed."""
    digest = firmware_or_say(names, firmware)
    with set_up_errors(BadScenario):
        files = find_files(paths or [SCENARIOS])
    targets = open_targets(names, digest, seed, Places(image, rig_port, port))
    results = play(files, targets, jobs=jobs)
    for line in coverage_lines(results, [target.name for target in targets]):
        click.echo(line)
