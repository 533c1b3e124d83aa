"""`felt bench conformance`: plays drivers against scripted devices."""

import time
from collections import Counter

import click

from host.bench.conformance.checks import NAMES
from host.bench.conformance.loading import NotFound, Place, find_class
from host.bench.conformance.runtimes import (
    CHECK_SECONDS,
    NotAScript,
    OnCPython,
    OnMicroPython,
    Outcome,
    Runtime,
    outcomes,
    shipped_drivers,
)
from host.bench.conformance.scripted_devices import SCRIPTS
from host.commands.arguments import FiniteRange
from host.commands.bench_options import set_up_errors

SHIPPED = {script: (script, module, name) for script, module, name in shipped_drivers()}
RUNTIMES = ("cpython", "micropython")
PASSED, FAILED, NOT_PLAYED = "passed", "failed", "not played"
WIDTH = max(map(len, NAMES))


@click.command("conformance")
@click.argument("names", metavar="[NAME]...", nargs=-1, type=click.Choice(list(SHIPPED)))
@click.option("--driver", metavar="FILE.py:Class", help="A driver of your own, or module:Class.")
@click.option(
    "--script", metavar="NAME|FILE.py:Class", help=f"What its device does: {', '.join(SCRIPTS)}, or your own."
)
@click.option("--runtime", "runtimes", multiple=True, type=click.Choice(RUNTIMES), default=RUNTIMES)
@click.option(
    "--timeout",
    type=FiniteRange(0.1, 3600),
    default=CHECK_SECONDS,
    show_default=True,
    help="Seconds within which a check must end.",
)
def conformance_command(
    names: tuple[str, ...], driver: str | None, script: str | None, runtimes: tuple[str, ...], timeout: float
) -> None:
    """Play drivers of shufflers and readers against scripts of their devices.

    Plays the drivers NAME, all shipped ones by default, or one of your own with --driver and --script. The exit
    status is 0 if every check passed, 1 if one failed, 2 for a mistake in the command line."""
    if driver and names:
        raise click.UsageError("give names of shipped drivers, or --driver, and not both")
    if (driver is None) != (script is None):
        raise click.UsageError(
            "--driver and --script go together: a driver is played against the script of its device"
        )
    places: list[Place] = []
    with set_up_errors(NotFound):
        if driver and script:
            own = find_class(driver)
            places.append(own)
            if script not in SCRIPTS:
                device = find_class(script)
                places.append(device)
                script = f"{device.module}:{device.name}"
            drivers = {driver: (script, own.module, own.name)}
        else:
            drivers = {name: SHIPPED[name] for name in dict.fromkeys(names or SHIPPED)}
    begun = time.perf_counter()
    count: Counter[str] = Counter()
    with set_up_errors(NotAScript, OSError):
        for runtime in dict.fromkeys(runtimes):
            with opened(runtime, places, timeout) as playing:
                for label, (device_script, module, name) in drivers.items():
                    count += play(playing, label, device_script, module, name)
    click.echo(f"all: {total(count)}, {time.perf_counter() - begun:.1f} s")
    if count[FAILED]:
        raise click.exceptions.Exit(1)


def opened(runtime: str, places: list[Place], seconds: float) -> Runtime:
    if runtime == RUNTIMES[0]:
        return OnCPython(places, seconds)
    files = {place.path: place.file.read_bytes() for place in places if not place.is_everywhere()}
    return OnMicroPython(files, seconds)


def play(runtime: Runtime, label: str, script: str, module: str, name: str) -> Counter[str]:
    """Tell each check as it comes; how many passed, failed, and were not played."""
    click.echo(f"{label} on {runtime.name}")
    count: Counter[str] = Counter()
    seconds = 0.0
    for one in outcomes(runtime, script, module, name):
        click.echo(line(one))
        count[PASSED if one.problem is None else FAILED] += 1
        seconds += one.seconds
    left = len(NAMES) - sum(count.values())
    if left:
        count[NOT_PLAYED] = left
    click.echo(f"{label} on {runtime.name}: {total(count)}, {seconds:.1f} s")
    return count


def line(one: Outcome) -> str:
    verdict = PASSED if one.problem is None else FAILED
    problem = " ".join((one.problem or "").split())
    return f"  {verdict}  {one.check:{WIDTH}}  {one.seconds:6.2f} s  {problem}".rstrip()


def total(count: Counter[str]) -> str:
    return ", ".join(
        f"{count[name]} {name}" for name in (PASSED, FAILED, NOT_PLAYED) if count[name] or name != NOT_PLAYED
    )
