"""`felt log`: the commands that read a table's log, and those that look after it."""

import click

from host.cli import LazyGroup

COMMANDS = {
    "list": ("log_list:list_command", "List rounds by any filter, newest first"),
    "last": ("log_show:last_command", "Recall the last ten rounds"),
    "show": ("log_show:show_command", "Tell one round step by step, with paragraphs"),
    "stats": ("log_stats:stats_command", "Say whether the table behaves as it should"),
    "notices": ("log_told:notices_command", "List logins, refusals, undos, outages, alarms, configurations"),
    "find": ("log_told:find_command", "Find records by any text"),
    "tail": ("log_told:tail_command", "Follow what happens, until Ctrl-C"),
    "import": ("log_keep:import_command", "Add the records of a saved journal to a log"),
    "adopt": ("log_keep:adopt_command", "Begin a new log at a table that has dropped its first records"),
    "upgrade": ("log_keep:upgrade_command", "Bring a log of an older felt up to date"),
}


@click.group("log", cls=LazyGroup, places=COMMANDS)
def log_command() -> None:
    """Read a table's log, also while it is written."""
