"""What is wrong with a table's file, by the code of the problem."""

import re
from pathlib import Path
from typing import Any

from host.words.keys import KEYS
from host.words.money import AMOUNTS
from host.words.sentences import fill

PIN_ADVICE = "`felt staff pin` asks for the PIN and prints the line to put here"
LIKE_A_PIN = re.compile(r"\bpin\b|[0-9]{6}", re.IGNORECASE)  # in a line that is then not shown

SENTENCES = {
    **AMOUNTS,
    **{code: words.replace(" | ", "; ") for code, words in KEYS.items()},
    # The file as a whole
    "missing_file": "there is no such file; `felt init {path}` makes one",
    "unreadable": "cannot be read: {reason}",
    "too_long": "longer than {most} bytes; is it a table's file?",
    "not_utf8": "not UTF-8; save the file as UTF-8",
    "byte_order_mark": "the file begins with a byte order mark; save it as UTF-8 without one",
    "syntax": "not valid TOML: {reason}",
    "syntax_value": "not valid TOML: {reason}; text needs quotes",
    "too_deep": "a number is too long or lists are too deep to read",
    "anyone_writes": "anyone can change this file, with its limits and staff; make it private: chmod 600 {path}",
    "others_read": "others can read the hashed PINs in this file; make it private: chmod 600 {path}",
    "core_refused": "{reason}",
    # Sections and fields
    "missing_section": "the section [{section}] is missing; it needs {needs:list}",
    "unknown_section": "no such section; there are {known:list}",
    "misspelt_section": "no such section; did you mean {meant:header}?",
    "not_a_section": "expected a section [{section}]; this is {value:kind}",
    "stray_field": "not in a section, and no section has such a field",
    "field_above_sections": "not in a section; put it below {belongs:header}",
    "staff_brackets": "write each member of the staff as a section [[staff]], with double brackets",
    "missing_field": "missing in {section:header}; it is {what}",
    "unknown_field": "no such field in {section:header}; there are {known:list}",
    "misspelt_field": "no such field in {section:header}; did you mean {meant}?",
    "misplaced_field": "no such field in {section:header}; it belongs in {belongs:header}",
    # One value
    "not_text": 'expected text in quotes, such as "{value:value}"; this is {value:kind}',
    "empty": "expected text; this is empty",
    "not_a_name": "expected printable ASCII without spaces at either end, at most {most} characters",
    "name_with_spaces": "expected a name without spaces, as in the table's key",
    "not_a_rulebook": "expected a rulebook's id or a part of it; `felt rulebooks` lists them",
    "not_a_path": "expected the name of a file, at most {most} bytes long",
    "unknown_port_kind": "there are no ports {value:value}://; pySerial opens {known:list}",
    "not_a_port": 'expected "auto", a port such as /dev/ttyACM0 or COM5, or socket://HOST:PORT',
    "not_a_flag": "expected true or false without quotes; this is {value:kind}",
    "not_a_number": "expected a whole number from {least} to {most}; this is {value:kind}",
    "out_of_range": "{value:value} is not from {least} to {most}",
    "not_a_choice": "{value:option} is not one of {choices:or}",
    "not_limits": 'expected a minimum and a maximum, such as ["$25", "$1,000"]; this is {value:kind}',
    "limits_crossed": "the minimum of {least:money} is above the maximum of {most:money}",
    "not_a_list": 'expected a list of names, such as ["casino_manager"]; this is {value:kind}',
    "repeated": "{value:value} appears twice",
    "not_an_address": '{value:value} is not an address; "127.0.0.1" is for this computer alone',
    "not_a_size": "{value:value} is not a size; write width and height, such as 32x8",
    # Board and game
    "no_board": "{reason}",
    "board_faulty": "the board {board}: {reason}",
    "not_a_table_board": "{board} is not a table's board; it simulates what a table is wired to",
    "no_rulebook": "{reason}",
    "boxes_of_book": "{boxes} is more than {book} allows ({most})",
    "boxes_of_board": "{boxes} is more than the board {board} has ({most})",
    "no_shuffler": "the board {board} has no shuffler",
    "no_reader": "the board {board} has no card reader, so no card could be seen",
    "angel_eye_shuffler": 'the Angel Eye is a shoe and reads the cards it deals: device = "shoe"?',
    "post_of_book": "{value:value} is a post of the rulebook already",
    "too_many_posts": "{count} posts are too many; at most {most} may be added",
    "half_cents": "{chip:money} on {wager} wins {odds}, which is not a whole number of cents and is rounded down "
    "({reading}); an even number of cents is better",
    # Limits and progressive
    "unknown_wager": "{book} has no such wager; there are {known:list}",
    "misspelt_wager": "{book} has no such wager; did you mean {meant}?",
    "equal_wager": "equals {main} and has no limits of its own",
    "fixed_wager": "its stake is fixed; set it in [progressive]",
    "no_limits": 'has no limits; write {wager} = ["$...", "$..."] below [limits]',
    "not_a_multiple": "{cents:money} is not a multiple of the {chip:money} chip",
    "no_progressive": "{book} has no progressive wager; remove the section",
    "needs_progressive": "the section is missing; {book} needs its stake and meter",
    "contribution_above_stake": "more goes into the meter than is staked",
    # Staff
    "same_name": "{name} appears twice; each member of the staff needs a name of their own",
    "unknown_post": "there is no post {value:value}; there are {known:list}",
    "misspelt_post": "there is no post {value:value}; did you mean {meant}?",
    "same_pin": "the same PIN as above; each member of the staff needs their own",
    "pin_in_clear": f"a PIN is never written in clear; {PIN_ADVICE}. Choose another, as this one has been seen",
    "pin_form": f"not of the form scrypt$n$r$p$salt$hash; {PIN_ADVICE}",
    "pin_numbers": f"its n, r and p are not numbers; {PIN_ADVICE}",
    "pin_work": f"its n is not a power of two, or its r or p is 0; {PIN_ADVICE}",
    "pin_costly": f"checking it would take too much memory or time; {PIN_ADVICE}",
    "pin_damaged": f"its salt or hash is damaged; {PIN_ADVICE}",
    "pin_weak": f"too easily guessed; n must be at least {{n}}, r {{r}} and p {{p}}. {PIN_ADVICE}",
    # Files
    "no_table_key": "there is no {path}; `felt keys table {table} {path}` makes it",
    "no_signer": "there is no {path}; `felt keys signer {path}` makes it",
    "other_table_key": "{path} is the key of table {owner}, not of {table}",
    "is_folder": "{path} is a folder; name a file",
    "no_folder": "there is no folder {folder}; make it first: mkdir -p {folder}",
    "folder_not_writable": "you may not write in the folder {folder}",
    "file_not_writable": "you may not write {path}",
    "file_itself": "{value} is this file itself; each needs a file of its own",
    "same_file": "{value} is also the {field} of {section:header}; each needs a file of its own",
    # Display and page
    "png_without_file": "a display of the kind png needs a file to write",
    "panel_does_not_fit": "a display of {width}x{height} is not made of whole panels of {panel}",
    "chain_does_not_fit": "a display of {width}x{height} is not {count} panels wide",
    "parallel_does_not_fit": "a display of {width}x{height} is not {count} panels high; one has {rows:or} rows",
    "page_exposed": "{address} lets other computers open the page, and PINs reach it unencrypted; keep "
    "127.0.0.1, or put a proxy with TLS in front of it",
}


def sentence(code: str, fields: dict[str, Any]) -> str:
    return fill(SENTENCES[code], fields)


def problem_words(problem: Any) -> str:
    """A Problem of host.config: `boxes: 9 is more than the board small has (2)`."""
    field = f"{problem.key}: " if problem.field else ""
    return f"{field}{sentence(problem.code, problem.details)}"


def problem_text(path: Path, problem: Any) -> str:
    """`t1.toml:12: boxes: 9 is more than the board small has (2)`."""
    place = f"{path}:{problem.line}" if problem.line else str(path)
    return f"{place}: {'warning: ' if problem.is_warning else ''}{problem_words(problem)}"


def shown_line(text: str, problem: Any) -> list[str]:
    """The line with the problem, and a caret below it; nothing if it may hold a PIN or cannot be printed."""
    if not problem.line or problem.is_secret:
        return []
    line = text.split("\n")[problem.line - 1 : problem.line]
    if not line or LIKE_A_PIN.search(line[0]):
        return []
    if not line[0].strip() or not line[0].replace("\t", " ").isprintable() or len(line[0]) > 160:
        return []
    caret = ["    " + re.sub(r"[^\t]", " ", line[0][: problem.column - 1]) + "^"] if problem.column else []
    return ["    " + line[0], *caret]
