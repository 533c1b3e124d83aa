"""The `felt` command."""

import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any

import click

# Each command: the module and the name that hold it, and the line about it in `felt --help`. A module is loaded
# only when its command is used, so that `felt log` does not wait for the libraries of `felt odds`.
COMMANDS = {
    "audit": ("audit:audit_command", "Check a whole log and play every event again"),
    "bench": ("bench:bench_command", "Play scenarios on the rules core and on the firmware"),
    "boards": ("boards:boards_command", "List the boards, draw their wiring and check them"),
    "check": ("check:check_command", "Check a table's file and explain every mistake"),
    "checkpoint": ("verify:checkpoint_command", "Check a log and sign where it ends now"),
    "demo": ("demo:demo_command", "Deal and settle a few rounds in the terminal"),
    "display": ("display:display_command", "Try out the LED results display"),
    "doctor": ("doctor:doctor_command", "Check all that a table needs on this computer"),
    "export": ("export:export_command", "Write a list of a log as JSON lines or CSV"),
    "flash": ("flash:flash_command", "Put the firmware onto a table's Pico"),
    "image": ("image:image_command", "Make one file of MicroPython and a table, for a blank Pico"),
    "init": ("init:init_command", "Write a table's file by asking, and make its keys"),
    "keys": ("keys:keys_command", "Make a table's key, or the key that signs checkpoints"),
    "log": ("log:log_command", "Read a table's log, also while it is written"),
    "odds": ("odds:odds_command", "Count the exact odds and house edge of every wager"),
    "pico-image": ("image:pico_image_command", "Fetch MicroPython for the Pico and check it"),
    "rescue": ("rescue:rescue_command", "Save the records of a Pico that lost its filesystem"),
    "rig": ("rig:rig_command", "Play a real table on the bench, through a second Pico"),
    "round": ("round:round_command", "Play a round: events in, records out, as JSON lines"),
    "rulebooks": ("rulebooks:rulebooks_command", "List the rulebooks, or print one"),
    "rules": ("rules:rules_command", "Explain paragraphs of the rulebooks, and which tests show them"),
    "run": ("run:run_command", "Run a real table until Ctrl-C"),
    "settle": ("settle:settle_command", "Settle finished hands: JSON lines in, JSON lines out"),
    "simulate": ("simulate:simulate_command", "Run a simulated table without any hardware"),
    "staff": ("staff:staff_command", "Hash a PIN, or add a person to a table's file"),
    "support": ("support:support_command", "Write a file for the people who help you with a table"),
    "verify": ("verify:verify_command", "Check every line of a log against the table's key"),
}


class LazyGroup(click.Group):
    """Commands that are imported when they are used; the help needs none of them."""

    def __init__(self, *arguments: Any, places: dict[str, tuple[str, str]], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.places = places

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.places:
            return None
        module, name = self.places[cmd_name][0].split(":")
        return getattr(import_module(f"host.commands.{module}"), name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in self.places.items()])


@click.group(cls=LazyGroup, places=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="felt", message="felt %(version)s")
def felt() -> None:
    """Felt: the table controller for three-card casino games."""


def main() -> None:
    """Run the command; however it ends, leave with an exit status and at most one line for people."""
    try:
        status = felt.main(standalone_mode=False)
    except click.exceptions.Exit as leaving:
        status = leaving.exit_code
    except click.ClickException as error:
        error.show()
        status = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        status = 130  # stopped by Ctrl-C
    except BrokenPipeError:
        # The reader of our output has left, as `head` does: say nothing, and let no flush complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    except OSError as error:
        # A full disk, a closed terminal: the person needs the reason and not our call stack.
        with suppress(OSError, AttributeError):
            print(f"felt: cannot continue: {error}", file=sys.stderr)
        os._exit(1)  # leaving the ordinary way would try to flush what could not be written
    sys.exit(status)
