"""Finds the boards by listing `boards/`, says what is wrong with one, and knows the Pico's pins.

The functions take a board as anything that has a board module's constants.
"""

import reprlib
from collections import Counter
from collections.abc import Callable
from keyword import iskeyword
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

from host.words.failures import Failure

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
INTERNAL = (23, 24, PICO_LED, 29)

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
RIG_REGISTERS = (5, 6, 7)  # how long a chain a rig can play (firmware/rig/chain.py)
REGISTER_INPUTS = "HGFEDCBA"  # in the order in which a 74HC165 shifts them out


class BoardError(Failure, ValueError):
    """A board that is not there, cannot be read, or cannot work."""


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
        raise BoardError("board.unknown", name=name, known=known)


def find_board(name: str) -> ModuleType:
    """The board of this name; BoardError if there is none, or it cannot be read."""
    refuse_unknown(name)
    path = FOLDER / f"{name}.py"
    board = ModuleType(f"boards.{name}")
    try:
        exec(compile(path.read_bytes(), path, "exec"), vars(board))  # what stands there now, not what is cached
    except (Exception, SystemExit) as error:  # anything that an unfinished file may do
        reason = " ".join(str(error).split())
        raise BoardError("board.unreadable", name=name, error=type(error).__name__, reason=reason) from None
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


# Each constant of a board, and whether a value is right.
CONSTANTS: dict[str, Callable[[Any], bool]] = {
    "NAME": is_module_name,
    "TITLE": is_text,
    "ROLE": lambda value: value in ROLES,
    "BOXES": is_count,
    "SPOTS": is_count,
    "KEYS": are_keys,
    "SENSORS": are_sensors,
    "REGISTERS": are_four_numbers,
    "SHUFFLER": are_four_numbers,
    "READER": are_four_numbers,
    "LED": is_number,
    "JUMPER": is_number,
}
# What only a rig has, and need not have.
RIG_CONSTANTS = {"RUN": is_number}


# Checking


def problems(board: Board, book: ModuleType | None = None) -> list[BoardError]:
    """What is wrong with a board; with a book, also what the board lacks for that game."""
    malformed = constant_problems(board)
    if malformed:
        return malformed  # the other checks rely on every constant being what it should be
    found = [*key_problems(board), *sensor_problems(board), *uart_problems(board), *pin_problems(board)]
    return found + (book_problems(board, book) if book else [])


def constant_problems(board: Board) -> list[BoardError]:
    found = []
    for constant, will_do in (CONSTANTS | RIG_CONSTANTS).items():
        wanted = f"board.{constant}"
        if not hasattr(board, constant) and constant in CONSTANTS:
            found.append(BoardError("board.constant_missing", constant=constant, wanted=wanted))
            continue
        value = getattr(board, constant, None)
        if constant in RIG_CONSTANTS and value is None:
            continue
        if not will_do(value):
            shown = reprlib.repr(value)
            found.append(BoardError("board.constant_wrong", constant=constant, wanted=wanted, found=shown))
        elif constant in RIG_CONSTANTS and getattr(board, "ROLE", "") == "table":
            found.append(BoardError("board.constant_of_rig", constant=constant))
    file_name = getattr(board, "__name__", "").removeprefix("boards.")
    if not found and file_name and file_name != board.NAME:
        found.append(BoardError("board.other_name", name=board.NAME, file=file_name))
    return found


def key_problems(board: Board) -> list[BoardError]:
    counts = Counter(key for key, _ in board.KEYS)
    known = REQUIRED_KEYS + DECISION_KEYS
    return [
        *(BoardError("board.key_missing", key=key) for key in REQUIRED_KEYS if key not in counts),
        *(BoardError("board.key_unknown", key=key, known=known) for key in counts if key not in known),
        *(BoardError("board.key_repeated", key=key, count=count) for key, count in counts.items() if count > 1),
    ]


def sensor_problems(board: Board) -> list[BoardError]:
    spots = board.BOXES * board.SPOTS
    if board.SENSORS and board.REGISTERS:
        return [BoardError("board.sensors_twice")]
    if board.REGISTERS:
        count = board.REGISTERS[3]
        if board.ROLE == "rig" and count not in RIG_REGISTERS:
            return [BoardError("board.rig_registers", count=count, able=RIG_REGISTERS)]
        if count * 8 < spots:
            sizes = {"inputs": count * 8, "spots": spots, "needed": -(-spots // 8)}
            return [BoardError("board.registers_short", count=count, **sizes)]
        if count > MOST_REGISTERS:
            return [BoardError("board.registers_long", count=count, most=MOST_REGISTERS)]
        return []
    if not board.SENSORS:
        return [BoardError("board.no_sensors")]
    found = []
    if len(board.SENSORS) != board.BOXES:
        found.append(BoardError("board.sensor_boxes", count=len(board.SENSORS), boxes=board.BOXES))
    found += [
        BoardError("board.sensor_spots", count=len(pins), box=box, spots=board.SPOTS)
        for box, pins in enumerate(board.SENSORS, 1)
        if len(pins) != board.SPOTS
    ]
    return found


def uart_problems(board: Board) -> list[BoardError]:
    found = []
    for device, (uart, tx, rx, baud) in devices(board):
        if not LEAST_BAUD <= baud <= MOST_BAUD:
            found.append(BoardError("board.baud", device=device, baud=baud, least=LEAST_BAUD, most=MOST_BAUD))
        if uart not in (0, 1):
            found.append(BoardError("board.no_uart", device=device, uart=uart))
            continue
        for side, gpio in (("TX", tx), ("RX", rx)):
            able = UART_PINS[uart, side]
            if gpio not in able:
                about = {"device": device, "gpio": gpio, "side": side, "uart": uart, "able": able}
                found.append(BoardError("board.uart_pin", **about))
    uarts = Counter(settings[0] for _, settings in devices(board))
    return found + [BoardError("board.uart_shared", uart=uart) for uart, count in uarts.items() if count > 1]


def pin_problems(board: Board) -> list[BoardError]:
    found = []
    uses = pin_uses(board)
    for gpio, what in uses:
        if gpio in USABLE or (gpio == PICO_LED and what == "LED"):
            continue
        if gpio in INTERNAL:
            found.append(BoardError("board.pin_internal", use=what, gpio=gpio, purpose=f"board.GP{gpio}"))
        else:
            found.append(BoardError("board.no_pin", use=what, gpio=gpio))
    for gpio in sorted({gpio for gpio, _ in uses}):
        sharing = [use.what for use in uses if use.gpio == gpio]
        if len(sharing) > 1:
            found.append(BoardError("board.pin_shared", gpio=gpio, count=len(sharing), uses=sharing))
    if board.JUMPER != JUMPER_PIN:
        found.append(BoardError("board.jumper", gpio=board.JUMPER, wanted=JUMPER_PIN))
    return found


def book_problems(board: Board, book: ModuleType) -> list[BoardError]:
    found = []
    if board.BOXES > book.MAX_BOXES:
        about = {"boxes": board.BOXES, "book": book.ID, "most": book.MAX_BOXES}
        found.append(BoardError("board.too_many_boxes", **about))
    if len(book.WAGERS) > board.SPOTS:
        wagers = [wager.name for wager in book.WAGERS]
        about = {"spots": board.SPOTS, "book": book.ID, "count": len(wagers), "wagers": wagers}
        found.append(BoardError("board.too_few_spots", **about))
    if any(wager.on_decision for wager in book.WAGERS):
        missing = [key for key in DECISION_KEYS if key not in dict(board.KEYS)]
        found += [BoardError("board.decision_key_missing", key=key, book=book.ID) for key in missing]
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
        uses["3V3(OUT)"] += ["registers VCC"] if board.ROLE == "table" else []
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
