"""What happened to a table between two starts: its console was open, its files changed. Small files tell it.

main.py leaves a mark when it opens the console. The last start left the digest of its manifest. Both are changed
only once the records are in the journal, so a power cut in between tells it twice rather than never.
"""

import os

from shared.link.manifest import DIGEST_LENGTH
from shared.values import const, is_hex

_CONSOLE_MARK = const("felt/console")  # as in main.py
_FILES_MARK = const("felt/files")


def news(files, is_new):
    """The records of what happened before this start; `files` is the manifest's digest."""
    records = []
    try:
        os.stat(_CONSOLE_MARK)
        records.append(["console"])
    except OSError:
        pass
    before = last_files()
    if before != files and (before or not is_new):
        records.append(["files", before, files])
    return records


def last_files():
    """The digest that the last start left, or "" if there is none."""
    try:
        with open(_FILES_MARK, "rb") as file:
            said = file.read(2 * DIGEST_LENGTH + 1).decode()
    except (OSError, ValueError):
        return ""
    return said if is_hex(said, DIGEST_LENGTH) else ""


def told(files):
    """It is in the journal."""
    try:
        if last_files() != files:
            with open(_FILES_MARK, "w") as file:
                file.write(files)
    except OSError:
        pass  # if the flash takes nothing more, the next start tells it again
    try:
        os.remove(_CONSOLE_MARK)
    except OSError:
        pass  # there was none
