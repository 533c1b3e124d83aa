"""`felt doctor`: checks all that a table needs on this computer, and says how to fix it."""

import json
import sys
from pathlib import Path

import click

from host.commands.arguments import FILE
from host.doctor.findings import WRONG
from host.doctor.report import as_json, examine_table, finding_lines, summary


@click.command("doctor")
@click.argument("file", metavar="TABLE", type=FILE)
@click.option("--json", "for_programs", is_flag=True, help="For programs: codes and fields.")
def doctor_command(file: Path, for_programs: bool) -> None:
    """Check all that a table needs on this computer.

    TABLE is a table's file. Configuration, versions, port, keys, clock, disk, log, flash, display and page are
    checked, and each problem is reported with what to do. Nothing is changed. The port is listened to for up to
    three seconds, unless another program has it. The exit status is 1 if anything is wrong.
    """
    findings = examine_table(file)
    if for_programs:
        click.echo(json.dumps(as_json(findings), indent=1, default=str))
    else:
        for line in (line for finding in findings for line in finding_lines(finding)):
            click.echo(writable(line))
        click.echo(writable(f"{file}: {summary(findings)}"))
    if any(finding.mark == WRONG for finding in findings):
        raise SystemExit(1)


def writable(line: str) -> str:
    """The line in characters that this terminal has; a file may have any name."""
    encoding = sys.stdout.encoding or "utf-8"
    return line.encode(encoding, "backslashreplace").decode(encoding)
