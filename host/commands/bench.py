"""`felt bench`: plays scenarios on the rules core and on the firmware, and says what they show."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

import click

from host.bench.from_log import NotAScenario, scenario_text
from host.bench.kept import keep
from host.bench.paragraphs import coverage_lines
from host.bench.progress import Progress
from host.bench.reports import Conditions, junit, page, result_words, total_words
from host.bench.runs import PASSED, Result, exit_status, run
from host.bench.scenario import BadScenario, Scenario, find_files, kind_names, read_scenario
from host.bench.summary import BadSummary, check, scenarios_digest, signed, summary_of
from host.bench.targets import TARGETS, CoreTarget, Target, open_target
from host.bench.telling import explain
from host.commands.arguments import FILE, FOLDER, PATH, click_errors
from host.files import write_new, write_whole
from host.keys import KeyFileError, read_public, read_signer
from host.log.reading import LogReader
from host.log.schema import NotALog
from host.pico.digests import firmware_digest, rules_digest
from host.pico.images import ImageError
from host.terminal import slow_progress
from shared.link.messages import _MAX_NUMBER

HERE = "here"
SCENARIOS = Path("tests/scenarios")
TARGET = click.option(
    "--target", "names", multiple=True, type=click.Choice(TARGETS), default=["core"], help="What to play on."
)
FIRMWARE = click.option(
    "--firmware",
    metavar="DIGEST|here",
    help="Which firmware this tests; `here` is what is built from these sources.",
)
MICROPYTHON = click.option(
    "--micropython", "image", type=PATH, help="The image on emulated Picos; else the newest in the cache."
)
JOBS = click.option(
    "--jobs", type=click.IntRange(1), default=1, show_default=True, help="How many emulated Picos at once."
)
SEED = click.option("--seed", type=int, default=1, show_default=True, help="Repeat a run: the same nonces.")
FILES = click.argument("paths", metavar="[FILE|FOLDER]...", nargs=-1, type=PATH)


@click.group("bench")
def bench_command() -> None:
    """Play scenarios on the rules core and on the firmware."""


@bench_command.command("run")
@FILES
@TARGET
@FIRMWARE
@MICROPYTHON
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
@click.option("--keep", "kept", type=FOLDER, help="Keep a folder of each failure, to play it again.")
def run_command(
    paths: tuple[Path, ...],
    names: tuple[str, ...],
    firmware: str | None,
    image: Path | None,
    jobs: int,
    seed: int,
    text: str,
    retries: int,
    progress_file: Path | None,
    junit_file: Path | None,
    html_file: Path | None,
    summary_file: Path | None,
    key_file: Path | None,
    kept: Path | None,
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
        targets = open_targets(names, digest, seed, image)
        progress = Progress(progress_file, digest) if progress_file else None
    begun = int(time.time())
    results = play(files, targets, retries, text, jobs, progress)
    runtimes = {target.name: target.runtime for target in targets}
    tested = Conditions(digest, rules_digest(), runtimes, scenarios_digest(files), seed, retries, begun)
    for result in results:
        home = keep(kept, result, tested) if kept else None
        if home:
            click.echo(f"kept: {home}")
    if junit_file:
        write_whole(junit_file, junit(results, tested))
    if html_file:
        write_whole(html_file, page(results, tested).encode())
    if summary_file and signer:
        write_whole(summary_file, signed(summary_of(results, tested), signer).encode())
    click.echo(total_words(results))
    if not results:
        raise SetUpError(f"no scenario matches {text!r}")
    raise click.exceptions.Exit(exit_status(results))


def open_targets(names: tuple[str, ...], firmware: str, seed: int, image: Path | None) -> list[Target]:
    with set_up_errors(ImageError, OSError):
        return [open_target(name, firmware, seed, image) for name in dict.fromkeys(names)]


def play(
    files: list[Path],
    targets: list[Target],
    retries: int = 0,
    text: str = "",
    jobs: int = 1,
    progress: Progress | None = None,
) -> list[Result]:
    """Every result in the order of the files, told as it comes; of passed ones only how many."""
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
                if result.verdict != PASSED or len(files) == 1:
                    click.echo("\n".join(result_words(result)))
    finally:
        for target in targets:
            target.close()
    order = {(path, name): place for place, (path, name) in enumerate(product(files, by_name))}
    return sorted(results, key=lambda result: order.get((result.path, result.target), 0))


def firmware_or_say(names: tuple[str, ...], firmware: str | None) -> str:
    """The digest of the firmware under test; a run that was not told which one does not start."""
    if set(names) == {CoreTarget.name}:
        return ""
    if firmware is None:
        raise click.UsageError(f"say which firmware this tests: --firmware DIGEST, or --firmware {HERE}")
    built = firmware_digest()
    if firmware not in (HERE, built):
        raise click.UsageError(f"the firmware built from these sources is {built}, not {firmware}")
    return built


class SetUpError(click.ClickException):
    """A run that is not set up."""

    exit_code = 2


@contextmanager
def set_up_errors(*kinds: type[Exception]) -> Iterator[None]:
    """These errors end the command with their words and exit status 2."""
    try:
        yield
    except kinds as problem:
        raise SetUpError(str(problem)) from None


@bench_command.command("verify")
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


@bench_command.command("coverage")
@FILES
@TARGET
@FIRMWARE
@MICROPYTHON
@JOBS
@SEED
def coverage_command(
    paths: tuple[Path, ...],
    names: tuple[str, ...],
    firmware: str | None,
    image: Path | None,
    jobs: int,
    seed: int,
) -> None:
    """Print which paragraphs the scenarios show.

    It plays them, and says on which targets they pass. Only paragraphs that the controller acts on are listed."""
    digest = firmware_or_say(names, firmware)
    with set_up_errors(BadScenario):
        files = find_files(paths or [SCENARIOS])
    targets = open_targets(names, digest, seed, image)
    results = play(files, targets, jobs=jobs)
    for line in coverage_lines(results, [target.name for target in targets]):
        click.echo(line)


@bench_command.command("explain")
@click.argument("file", type=FILE)
def explain_command(file: Path) -> None:
    """Tell the scenario in FILE in words.

    The table, what happens, and why it ends as it does."""
    with set_up_errors(BadScenario):
        scenario = read_scenario(file)
    click.echo("\n".join(explain(scenario)))


@bench_command.command("new")
@click.argument("log", type=PATH)
@click.argument("number", metavar="ROUND", type=click.IntRange(1, _MAX_NUMBER))
@click.option("-o", "--output", "file", required=True, type=FILE, help="The scenario file to write.")
@click.option("--kind", required=True, type=click.Choice(kind_names()), help="What kind of situation it is.")
def new_command(log: Path, number: int, file: Path, kind: str) -> None:
    """Make a scenario from round ROUND of LOG.

    So a problem at a table becomes a test. The file plays to the records of the log, which is checked.
    Players are called P1, P2 and so on."""
    with click_errors(NotALog, NotAScenario), LogReader(log) as reader:
        text, notes = scenario_text(reader, number, kind)
    try:
        write_new(file, text.encode())
    except FileExistsError:
        raise click.ClickException(f"{file} is there already; choose another name") from None
    for note in notes:
        click.echo(f"left out: {note}")
    click.echo(f"{file}: plays to the same records as round {number}.")
    click.echo("Write its title, and work out what must come out.")
