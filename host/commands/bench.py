"""`felt bench`: the commands of the test bench."""

import click

from host.cli import LazyGroup

COMMANDS = {
    "console": ("bench_console:console_command", "Play a table by hand, key by key"),
    "run": ("bench_run:run_command", "Play scenarios, and say where they differ"),
    "replay": ("bench_run:replay_command", "Compare the records of a failure, without the hardware"),
    "soak": ("bench_soak:soak_command", "Play random rounds with random troubles"),
    "coverage": ("bench_run:coverage_command", "Print which paragraphs the scenarios show"),
    "verify": ("bench_run:verify_command", "Check the signature of a summary"),
    "conformance": ("bench_conformance:conformance_command", "Play drivers against scripted devices"),
    "wiring": ("bench_hardware:wiring_command", "Show how a rig is wired to its table, pin by pin"),
    "check": ("bench_hardware:check_command", "Prove the wiring between a rig and its table"),
    "first-day": ("bench_first_day:first_day_command", "Print the first session with two real Picos"),
    "explain": ("bench_scenarios:explain_command", "Tell a scenario in words"),
    "new": ("bench_scenarios:new_command", "Make a scenario from a round of a log"),
}


@click.group("bench", cls=LazyGroup, places=COMMANDS)
def bench_command() -> None:
    """Play scenarios on the rules core and on the firmware."""
