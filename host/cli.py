"""The `felt` command."""

import os
import sys
from contextlib import suppress
from importlib import import_module

import click

# Each command by the module that holds it, loaded only when it is asked for: `felt settle` should not
# wait for the libraries that `felt odds` calculates with.
COMMANDS = {
    "audit": "host.commands.audit:audit_command",
    "boards": "host.commands.boards:boards_command",
    "check": "host.commands.check:check_command",
    "checkpoint": "host.commands.verify:checkpoint_command",
    "demo": "host.commands.demo:demo_command",
    "display": "host.commands.display:display_command",
    "doctor": "host.commands.doctor:doctor_command",
    "flash": "host.commands.flash:flash_command",
    "image": "host.commands.image:image_command",
    "init": "host.commands.init:init_command",
    "keys": "host.commands.keys:keys_command",
    "log": "host.commands.log:log_command",
    "odds": "host.commands.odds:odds_command",
    "pico-image": "host.commands.image:pico_image_command",
    "rig": "host.commands.rig:rig_command",
    "round": "host.commands.round:round_command",
    "rulebooks": "host.commands.rulebooks:rulebooks_command",
    "rules": "host.commands.rules:rules_command",
    "run": "host.commands.run:run_command",
    "settle": "host.commands.settle:settle_command",
    "simulate": "host.commands.simulate:simulate_command",
    "staff": "host.commands.staff:staff_command",
    "support": "host.commands.support:support_command",
    "verify": "host.commands.verify:verify_command",
}


class LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name].split(":")
        return getattr(import_module(module), name)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="felt", message="felt %(version)s")
def felt() -> None:
    """Felt: the table controller for three-card casino games."""


def main() -> None:
    """Run the command and turn whatever ends it into an exit status and, at most, a line for people."""
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
        # Whoever read our output has left, as `head` does; say nothing and let no flush complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    except OSError as error:
        # A full disk, a closed terminal: the person needs the reason and not our call stack.
        with suppress(OSError, AttributeError):
            print(f"felt: cannot go on: {error}", file=sys.stderr)
        os._exit(1)  # leaving the ordinary way would try to flush what could not be written
    sys.exit(status)
