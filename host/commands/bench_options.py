"""Options that several commands of the bench take, and mistakes in what they are given."""

from collections.abc import Iterator
from contextlib import contextmanager

import click

from host.bench.hardware.identity import PairError
from host.bench.targets import TARGETS, AbsentTarget, CoreTarget, Places, Target, open_target
from host.commands.arguments import PATH
from host.pico.digests import firmware_digest
from host.pico.images import ImageError

HERE = "here"
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
RIG_PORT = click.option("--rig-port", metavar="PORT", help="The rig's serial port; else it is found.")
PORT = click.option("--port", metavar="PORT", help="The serial port of the rig's table; else it is found.")
JOBS = click.option(
    "--jobs", type=click.IntRange(1), default=1, show_default=True, help="How many emulated Picos at once."
)
SEED = click.option("--seed", type=int, default=1, show_default=True, help="Repeat a run: the same nonces.")


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


def open_targets(names: tuple[str, ...], firmware: str, seed: int, places: Places) -> list[Target]:
    """Those that are not there are told, and skip everything."""
    with set_up_errors(ImageError, PairError, OSError):
        targets = [open_target(name, firmware, seed, places) for name in dict.fromkeys(names)]
    for target in targets:
        if isinstance(target, AbsentTarget):
            click.echo(f"skipped: everything on {target.name}: {target.why}")
    return targets
