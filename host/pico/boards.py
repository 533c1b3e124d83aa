"""Finds the boards by listing `boards/`, says what is wrong with one, and knows the Pico's pins.

The functions take a board as anything that has a board module's constants.
"""

import reprlib
from collections import Counter
from collections.abc import Callable
from importlib.machinery import SourceFileLoader
from keyword import iskeyword
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

Board = ModuleType | SimpleNamespace

# Beside host/, in a checkout and where it is installed.
FOLDER = Path(__file__).parents[2] / "boards"

# What is at pins 1 to 40: down the left side from the USB socket, then up the right side.
PICO_PINS = (
    *("GP0", "GP1", "GND", "GP2", "GP3", "GP4", "GP5", "GND", "GP6", "GP7"),
    *("GP8", "GP9", "GND", "GP10", "GP11", "GP12", "GP13", "GND", "GP14", "GP15"),
    *("GP16", "GP17", "GND", "GP18", "GP19", "GP20", "GP21", "GND", "GP22", "RUN"),
    *("GP26", "GP27", "AGND", "GP28", "ADC_VREF", "3V3(OUT)", "3V3_EN", "GND", "VSYS", "VBUS"),
)
USABLE = (*range(23), 26, 27, 28)
PICO_LED = 25
JUMPER_PIN = 22  # on every board: main.py looks at it before any other file is read
INTERNAL = {
    23: "it sets the mode of the power supply",
    24: "it senses USB power",
    PICO_LED: "it drives the LED",
    29: "it measures the supply",
}

# The RP2040 can have each side of a UART on these pins only; (UART, side) to GPIOs that a Pico brings out.
UART_PINS = {
    (0, "TX"): (0, 12, 16, 28),
    (0, "RX"): (1, 13, 17),
    (1, "TX"): (4, 8, 20),
    (1, "RX"): (5, 9, 21),
}

REQUIRED_KEYS = ("open", "close", "reveal", "settle", "supervisor", "exposed")
DECISION_KEYS = ("play", "fold")
ROLES = ("table", "rig")

LEAST_BAUD, MOST_BAUD = 300, 1_000_000
MOST_REGISTERS = 16  # more than the most boxes with the most wagers need; every pass reads all of them
REGISTER_INPUTS = "HGFEDCBA"  # in the order in which a 74HC165 shifts them out


class BoardError(ValueError):
    """A board module that cannot be read; the text names the file and why."""


class PinRow(NamedTuple):
    number: int  # 1 to 40
    name: str
    use: str  # empty if the board leaves it alone


class Use(NamedTuple):
    gpio: int
    what: str


# Finding and loading


def board_names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "__init__")


def refuse_unknown(name: str) -> None:
    known = board_names()
    if name not in known:
        raise ValueError(f"there is no board {name!r}; choose one of: {', '.join(known)}")


def find_board(name: str) -> ModuleType:
    """The board of this name. A ValueError names the boards there are, or why this one cannot be read."""
    refuse_unknown(name)
    loader = SourceFileLoader(f"boards.{name}", str(FOLDER / f"{name}.py"))
    board = ModuleType(loader.name)
    try:
        loader.exec_module(board)
    except (Exception, SystemExit) as error:  # anything that an unfinished file may do
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise BoardError(f"boards/{name}.py cannot be read: {reason}") from None
    return board


# What the constants are


def is_text(value: Any) -> bool:
    return isinstance(value, str) and value.strip() != "" and "\n" not in value


def is_module_name(value: Any) -> bool:
    """A Pico imports its board by this name."""
    return isinstance(value, str) and value.isascii() and value.isidentifier() and not iskeyword(value)


def is_number(value: Any) -> bool:
    return type(value) is int


def is_count(value: Any) -> bool:
    return is_number(value) and value > 0


def are_numbers(value: Any) -> bool:
    return isinstance(value, tuple) and all(map(is_number, value))


def are_keys(value: Any) -> bool:
    return isinstance(value, tuple) and all(
        isinstance(pair, tuple) and len(pair) == 2 and is_text(pair[0]) and is_number(pair[1]) for pair in value
    )


def are_sensors(value: Any) -> bool:
    return isinstance(value, tuple) and all(map(are_numbers, value))


def are_four_numbers(value: Any) -> bool:
    return value is None or (are_numbers(value) and len(value) == 4)


# Each constant of a board: whether a value is right, and what it should be, in words.
CONSTANTS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "NAME": (is_module_name, "the name of its file without .py, of letters, digits and _"),
    "TITLE": (is_text, "one line on what it is"),
    "ROLE": (lambda value: value in ROLES, '"table" or "rig"'),
    "BOXES": (is_count, "the number of betting boxes"),
    "SPOTS": (is_count, "the number of sensors a box"),
    "KEYS": (are_keys, "a tuple of (key, GPIO) pairs"),
    "SENSORS": (are_sensors, "a tuple with one tuple of GPIOs a box, or ()"),
    "REGISTERS": (are_four_numbers, "(latch, clock, data, count) or None"),
    "SHUFFLER": (are_four_numbers, "(UART, TX, RX, baud) or None"),
    "READER": (are_four_numbers, "(UART, TX, RX, baud) or None"),
    "LED": (is_number, "a GPIO"),
    "JUMPER": (is_number, "a GPIO"),
}
# What only a rig has, and need not have.
RIG_CONSTANTS: dict[str, tuple[Callable[[Any], bool], str]] = {"RUN": (is_number, "a GPIO")}


# Checking


def problems(board: Board, book: ModuleType | None = None) -> list[str]:
    """What is wrong with a board, one line each; with a book, also what the board lacks for that game."""
    malformed = constant_problems(board)
    if malformed:
        return malformed  # the other checks rely on every constant being what it should be
    found = [*key_problems(board), *sensor_problems(board), *uart_problems(board), *pin_problems(board)]
    return found + (book_problems(board, book) if book else [])


def constant_problems(board: Board) -> list[str]:
    found = []
    for constant, (will_do, words) in CONSTANTS.items():
        if not hasattr(board, constant):
            found.append(f"{constant} is missing; it should be {words}")
        elif not will_do(getattr(board, constant)):
            found.append(f"{constant} should be {words}; it is {reprlib.repr(getattr(board, constant))}")
    for constant, (will_do, words) in RIG_CONSTANTS.items():
        value = getattr(board, constant, None)
        if value is not None and not will_do(value):
            found.append(f"{constant} should be {words}; it is {reprlib.repr(value)}")
        elif value is not None and getattr(board, "ROLE", "") == "table":
            found.append(f"{constant} is for a rig; a table has none")
    file_name = getattr(board, "__name__", "").removeprefix("boards.")
    if not found and file_name and file_name != board.NAME:
        found.append(f"NAME is {board.NAME!r}, but the file is boards/{file_name}.py; make them the same")
    return found


def key_problems(board: Board) -> list[str]:
    counts = Counter(key for key, _ in board.KEYS)
    known = REQUIRED_KEYS + DECISION_KEYS
    return [
        *(f"KEYS lacks {key!r}" for key in REQUIRED_KEYS if key not in counts),
        *(
            f"KEYS has {key!r}, which is not a key; there are {joined(known)}"
            for key in counts
            if key not in known
        ),
        *(f"KEYS has {key!r} {times(count)}" for key, count in counts.items() if count > 1),
    ]


def sensor_problems(board: Board) -> list[str]:
    spots = board.BOXES * board.SPOTS
    if board.SENSORS and board.REGISTERS:
        return ["has both SENSORS and REGISTERS; sensors are on pins or on registers, so clear one of them"]
    if board.REGISTERS:
        if board.ROLE == "rig":
            return ["is a rig with REGISTERS; a rig drives single lines, so give it SENSORS"]
        count = board.REGISTERS[3]
        if count * 8 < spots:
            return [
                f"REGISTERS has a chain of {count} with {count * 8} inputs, but BOXES x SPOTS is {spots}; "
                f"it takes {-(-spots // 8)} registers"
            ]
        if count > MOST_REGISTERS:
            return [f"REGISTERS has a chain of {count}; a table reads {MOST_REGISTERS} at most"]
        return []
    if not board.SENSORS:
        return ["has neither SENSORS nor REGISTERS; no bet could be seen"]
    found = []
    if len(board.SENSORS) != board.BOXES:
        found.append(f"SENSORS has pins for {boxes_text(len(board.SENSORS))}, but BOXES is {board.BOXES}")
    found += [
        f"SENSORS has {pins_text(len(pins))} for box {box}, but SPOTS is {board.SPOTS}"
        for box, pins in enumerate(board.SENSORS, 1)
        if len(pins) != board.SPOTS
    ]
    return found


def uart_problems(board: Board) -> list[str]:
    found = []
    for device, (uart, tx, rx, baud) in devices(board):
        if not LEAST_BAUD <= baud <= MOST_BAUD:
            rates = f"{LEAST_BAUD} to {MOST_BAUD:,}"
            found.append(f"{device}: {baud} is not a baud rate from {rates}; 115200 is usual")
        if uart not in (0, 1):
            found.append(f"{device}: a Pico has no UART{uart}; it has UART0 and UART1")
            continue
        for side, gpio in (("TX", tx), ("RX", rx)):
            able = UART_PINS[uart, side]
            if gpio not in able:
                can = joined([f"GP{pin}" for pin in able])
                found.append(f"{device}: GP{gpio} cannot be {side} of UART{uart}; {can} can")
    uarts = Counter(settings[0] for _, settings in devices(board))
    found += [
        f"shuffler and reader are both on UART{uart}; each needs its own"
        for uart, count in uarts.items()
        if count > 1
    ]
    return found


def pin_problems(board: Board) -> list[str]:
    found = []
    uses = pin_uses(board)
    for gpio, what in uses:
        if gpio in USABLE or (gpio == PICO_LED and what == "LED"):
            continue
        if gpio in INTERNAL:
            reason = f"GP{gpio} is internal to the Pico ({INTERNAL[gpio]})"
        else:
            reason = f"a Pico has no GP{gpio}"
        found.append(f"{what}: {reason}; choose from GP0 to GP22 and GP26 to GP28")
    for gpio in sorted({gpio for gpio, _ in uses}):
        sharing = [use.what for use in uses if use.gpio == gpio]
        if len(sharing) > 1:
            found.append(f"GP{gpio} is used {times(len(sharing))}: {joined(sharing)}")
    if board.JUMPER != JUMPER_PIN:
        found.append(f"JUMPER is {board.JUMPER}; every table has it at GP{JUMPER_PIN}")
    return found


def book_problems(board: Board, book: ModuleType) -> list[str]:
    found = []
    if board.BOXES > book.MAX_BOXES:
        found.append(f"BOXES is {board.BOXES}, but {book.ID} allows {book.MAX_BOXES} at most")
    if len(book.WAGERS) > board.SPOTS:
        wagers = joined([wager.name for wager in book.WAGERS])
        found.append(f"SPOTS is {board.SPOTS}, but {book.ID} has {len(book.WAGERS)} wagers a box: {wagers}")
    if any(wager.on_decision for wager in book.WAGERS):
        keys = [key for key, _ in board.KEYS]
        found += [
            f"KEYS lacks {key!r}, and in {book.ID} players decide" for key in DECISION_KEYS if key not in keys
        ]
    return found


# What is where


def devices(board: Board) -> list[tuple[str, tuple[int, int, int, int]]]:
    """The devices on UARTs, each with its UART, TX, RX and baud."""
    both = (("shuffler", board.SHUFFLER), ("reader", board.READER))
    return [(device, settings) for device, settings in both if settings]


def pin_uses(board: Board) -> list[Use]:
    """Every use that the board makes of a GPIO; a GPIO used twice is there twice."""
    uses = [Use(pin, f"{key} key") for key, pin in board.KEYS]
    for box, pins in enumerate(board.SENSORS, 1):
        uses += [Use(pin, f"box {box} spot {spot}") for spot, pin in enumerate(pins, 1)]
    if board.REGISTERS:
        latch, clock, data, _ = board.REGISTERS
        uses += [Use(latch, "registers SH/LD"), Use(clock, "registers CLK"), Use(data, "registers QH")]
    for device, (uart, tx, rx, _) in devices(board):
        uses += [Use(tx, f"{device} TX (UART{uart})"), Use(rx, f"{device} RX (UART{uart})")]
    if getattr(board, "RUN", None) is not None:
        uses.append(Use(board.RUN, "table's RUN"))
    return [*uses, Use(board.LED, "LED"), Use(board.JUMPER, "service jumper")]


def pin_rows(board: Board) -> list[PinRow]:
    """The Pico's pins 1 to 40, each with its name and what the board uses it for."""
    uses: dict[str, list[str]] = {name: [] for name in PICO_PINS}
    for gpio, what in pin_uses(board):
        uses.setdefault(f"GP{gpio}", []).append(what)
    if board.REGISTERS:
        uses["3V3(OUT)"].append("registers VCC")
    return [PinRow(number, name, " + ".join(uses[name])) for number, name in enumerate(PICO_PINS, 1)]


def register_rows(board: Board) -> list[tuple[int, list[tuple[int, int] | None]]]:
    """What is on the registers, in the order in which the bits come: the last register first, its input H first.

    Each register is its number in the chain and, for H to A, the box and spot, or None where nothing is.
    """
    count = board.REGISTERS[3]
    places: list[tuple[int, int] | None] = [
        (box, spot) for box in range(1, board.BOXES + 1) for spot in range(1, board.SPOTS + 1)
    ]
    places += [None] * (count * 8 - len(places))
    return [(count - step, places[step * 8 : step * 8 + 8]) for step in range(count)]


# Words


def joined(words: list[str] | tuple[str, ...]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)


def times(count: int) -> str:
    return "twice" if count == 2 else f"{count} times"


def pins_text(count: int) -> str:
    return "1 pin" if count == 1 else f"{count} pins"


def boxes_text(count: int) -> str:
    return "1 box" if count == 1 else f"{count} boxes"
