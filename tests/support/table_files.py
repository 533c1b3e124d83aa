"""A table's file as tests write it, and what is found wrong with it."""

from host.config.table_file import examine
from host.staff.pins import LEAST_WORK, hash_pin
from host.words.config import problem_text

PIN_LINE = hash_pin("402817", LEAST_WORK)
OTHER_PIN_LINE = hash_pin("918273", LEAST_WORK)

LUCKY_FILE = f"""\
[table]
name = "T1"
board = "small"
port = "/dev/ttyACM0"
key = "t1.key"

[game]
rulebook = "lucky"
boxes = 2
chip_unit = "$5"

[limits]
initial = ["$25", "$1,000"]
lucky_tie = ["$5", "$100"]
lucky_pictures = ["$5", "$100"]
player_lucky_6 = ["$5", "$100"]
dealer_lucky_6 = ["$5", "$100"]

[log]
file = "t1.db"
checkpoints = "t1.checkpoints"
signer = "host.key"

[[staff]]
name = "Dealer One"
post = "dealer"
pin = "{PIN_LINE}"
"""

POKER_FILE = LUCKY_FILE.replace(
    LUCKY_FILE[LUCKY_FILE.index("[game]") : LUCKY_FILE.index("[log]")],
    """\
[game]
rulebook = "poker"
boxes = 1
chip_unit = "$2.50"
device = "shoe"
reader = "angel_eye"
amounts = false
posts_above = ["casino_manager"]

[limits]
ante = ["$10", "$500"]
pair_plus = ["$5", "$100"]

[progressive]
stake = "$5"
contribution = "$1.25"
meter = "$10,000"

[posts]
chips = "dealer"
log = "casino_manager"

""",
)


def write(folder, text):
    path = folder / "t1.toml"
    path.write_text(text)
    path.chmod(0o600)
    return path


def changed(*replacements, text=LUCKY_FILE):
    for old, new in replacements:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


def said(folder, text):
    """Every problem as `line field code(details)`, without the folder."""
    path = write(folder, text)
    problems = examine(path).problems
    assert all("{" not in problem_text(path, problem) for problem in problems), "every code has its words"
    return [spelled(problem).replace(f"{folder}/", "") for problem in problems]


def spelled(problem):
    fields = {name: value for name, value in problem.details.items() if name not in ("what", "reason")}  # words
    fields |= {"failure": fields["failure"][0]} if "failure" in fields else {}  # its code
    details = ", ".join(f"{name}={listed(value)}" for name, value in fields.items())
    warning = "warning " if problem.is_warning else ""
    return f"{problem.line} {warning}{problem.field} {problem.code}({details})"


def listed(value):
    return "/".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
