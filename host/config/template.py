"""Writes a table's file: the fields with their values, and a comment for each that says what it is."""

from dataclasses import dataclass
from types import ModuleType

from host.config.checks import limited_wagers
from host.config.fields import DISPLAYS, one_of
from host.config.table_file import Progressive
from host.staff.pins import StaffMember
from host.words.money import dollars
from shared.round.table import READERS

MAIN_LIMITS = (2_500, 250_000)
SIDE_LIMITS = (500, 50_000)
PROGRESSIVE = Progressive(stake=500, contribution=100, meter=1_000_000, reset=50_000)
DEFAULT_CHIP = 500


@dataclass(frozen=True)
class Answers:
    """What `felt init` asked; files are named as the table's file will name them."""

    name: str
    board: str
    port: str
    key: str
    book: ModuleType
    boxes: int
    chip_unit: int
    device: str
    reader: str
    amounts: bool
    limits: dict[str, tuple[int, int]]
    progressive: Progressive | None
    log_file: str
    checkpoints: str
    signer: str
    display: str
    picture: str  # the file of a display that is one
    page_port: int
    staff: tuple[StaffMember, ...]


def usual_limits(book: ModuleType, chip: int) -> dict[str, tuple[int, int]]:
    """Limits to begin with, as multiples of the chip unit."""
    main = book.WAGERS[0].name
    return {
        wager: multiples(MAIN_LIMITS if wager == main else SIDE_LIMITS, chip) for wager in limited_wagers(book)
    }


def multiples(pair: tuple[int, int], chip: int) -> tuple[int, int]:
    least, most = (-(-cents // chip) * chip for cents in pair)
    return least, most


def quoted(text: str) -> str:
    """A text as TOML has it between quotes."""
    letters = [f"\\{letter}" if letter in '"\\' else letter for letter in text]
    return '"' + "".join(one if one.isprintable() else f"\\U{ord(one):08x}" for one in letters) + '"'


def flag(value: bool) -> str:
    return "true" if value else "false"


def table_text(answers: Answers, file_name: str) -> str:
    """The whole file."""
    book = answers.book
    devices = one_of(tuple(sorted(deal.device for deal in book.DEALS)))
    posts = ", ".join(book.PROCEDURE.roles)
    lines = [
        f"# The table {answers.name}. `felt check {file_name}` explains every mistake in this file by its line.",
        '# Paths are relative to this file. Money is text with its sign: "$25", "$1,250" or "$2.50".',
        "",
        "[table]",
        "# As the key has it; a key is made for one table alone.",
        f"name = {quoted(answers.name)}",
        "# How its Pico is wired: `felt boards` lists the boards.",
        f"board = {quoted(answers.board)}",
        '# "auto" takes the one Pico that is plugged in. Else /dev/ttyACM0, COM5 or socket://127.0.0.1:5000.',
        f"port = {quoted(answers.port)}",
        "# Keep a copy of the key where you keep such things; without it nobody can check the log.",
        f"key = {quoted(answers.key)}",
        "",
        "[game]",
        f"# {book.TITLE}. `felt rulebooks` lists the games.",
        f"rulebook = {quoted(book.ID)}",
        "# Numbered clockwise from the dealer's left.",
        f"boxes = {answers.boxes}",
        "# The smallest chip; limits are multiples of it. Best an even number of cents.",
        f"chip_unit = {quoted(dollars(answers.chip_unit))}",
        f"# What the cards come from: {devices}.",
        f"device = {quoted(answers.device)}",
        f"# What reads them: {one_of(READERS)}, the Angel Eye II-EX shoe.",
        f"reader = {quoted(answers.reader)}",
        "# false if sensors know that chips lie there but not how much; results then carry odds and no money.",
        f"amounts = {flag(answers.amounts)}",
        f"# Posts above {posts}, lowest first.",
        "posts_above = []",
        "",
        "# For each wager its minimum and maximum.",
        "[limits]",
        *(
            f"{name} = [{quoted(dollars(low))}, {quoted(dollars(high))}]"
            for name, (low, high) in answers.limits.items()
        ),
        "",
        *progressive_lines(answers.progressive),
        "[log]",
        "# Every record of the table, for good.",
        f"file = {quoted(answers.log_file)}",
        "# Where the log stood at which time, signed; keep a copy elsewhere.",
        f"checkpoints = {quoted(answers.checkpoints)}",
        "# The key that signs them. Whoever reviews the log is given the file beside it that ends in .pub.",
        f"signer = {quoted(answers.signer)}",
        "",
        "[display]",
        f"# {one_of(DISPLAYS)}.",
        "# For LEDs also rotate, block_orientation, reverse, brightness, chain and parallel; for a png its file.",
        f"kind = {quoted(answers.display)}",
        'size = "64x32"',
        *([f"file = {quoted(answers.picture)}"] if answers.display == "png" else []),
        "",
        "[page]",
        "# 127.0.0.1 is for this computer alone. off = true leaves the page out.",
        'address = "127.0.0.1"',
        f"port = {answers.page_port}",
        "off = false",
        "",
        f"# A section for each of the staff. `felt staff add {file_name}` asks for the PIN and adds one.",
        f"# Posts, lowest first: {posts}.",
    ]
    return "\n".join(lines) + "\n" + "".join(staff_text(member) for member in answers.staff)


def progressive_lines(progressive: Progressive | None) -> list[str]:
    if progressive is None:
        return []
    return [
        "[progressive]",
        "# The stake is fixed. Of each stake the contribution goes into the meter.",
        f"stake = {quoted(dollars(progressive.stake))}",
        f"contribution = {quoted(dollars(progressive.contribution))}",
        "# What the meter starts with on this table, and what it starts again with after an award.",
        f"meter = {quoted(dollars(progressive.meter))}",
        f"reset = {quoted(dollars(progressive.reset))}",
        "",
    ]


def staff_text(member: StaffMember) -> str:
    """A section for one of the staff, with an empty line before it."""
    fields = (("name", member.name), ("post", member.post), ("pin", member.pin))
    return "\n[[staff]]\n" + "".join(f"{field} = {quoted(value)}\n" for field, value in fields)
