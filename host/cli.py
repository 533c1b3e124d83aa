"""The `felt` command."""

import os
import sys

import click

from host.commands.demo import demo_command
from host.commands.odds import odds_command
from host.commands.rulebooks import rulebooks_command
from host.commands.settle import settle_command


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="felt", message="felt %(version)s")
def felt() -> None:
    """Felt: the table controller for three-card casino games."""


for command in (demo_command, odds_command, rulebooks_command, settle_command):
    felt.add_command(command)


def main() -> None:
    try:
        felt()
    except BrokenPipeError:
        # Whoever read our output has left, as `head` does; say nothing and let no flush complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(1) from None
