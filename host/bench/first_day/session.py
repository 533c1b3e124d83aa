"""The session that a person with two Picos runs first: what to do, what to type, and what must be printed.

What felt prints is taken from its own words, with `...` for what differs from day to day. A test checks every
command against the real one, and runs what can run without hardware or with emulated Picos.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from host.bench.first_day.untried import VERSIONS, untried
from host.bench.hardware.wiring import rig_for, table_boards, wires
from host.pico.boards import board_names, find_board
from host.pico.deploy import table_files
from host.pico.images import PICO_FILES, USUAL
from host.rules.catalogue import book_ids
from host.words.sentences import read_templates

ANY = "..."
TABLE = "BENCH"  # the only table whose journal the bench clears
FIRST = "small"  # the board that is tried first
HOME = "build/first-day"  # what the day leaves, in a checkout
KEY = f"{HOME}/{TABLE}.key"
FILE = f"{HOME}/{TABLE}.toml"
LOG = f"{HOME}/{TABLE}.db"
SIGNER = f"{HOME}/signer.key"
FAILURES = f"{HOME}/failures"
PORTS = "--rig-port /dev/ttyACM0 --port /dev/ttyACM1"
OF_KEY_AND_MANIFEST = 2  # files on a table beside the firmware
# One of each book: odd cents, a power cut, a fourth card, a card that could not be read, a foreign card.
CHOSEN = tuple(
    f"{book}/{name}"
    for book, name in zip(
        book_ids(),
        (
            "settlement-six-points-odd-cents",
            "power-own-card",
            "count-too-many",
            "unread-named-at-show",
            "deal-foreign-card",
        ),
        strict=True,
    )
)

# What must be plugged in.
NOTHING = "nothing"
NETWORK = "the network"
RIG = "the rig's Pico alone"
TABLE_PICO = "the table's Pico alone"
PAIR = "both Picos"


class Step(NamedTuple):
    part: str
    do: str
    needs: str = NOTHING
    command: str = ""
    prints: tuple[str, ...] = ()
    status: int = 0
    tries: tuple[str, ...] = ()  # what is tried for the first time, by its name in the list


# What the session leaves out, and where its turn comes.
AT_A_TABLE = "boards/COMMISSIONING.md, at the first table that is built so"
LATER = {
    "input-3v3": AT_A_TABLE,
    "input-24v": AT_A_TABLE,
    "rs232": AT_A_TABLE,
    "rs485": AT_A_TABLE,
    "registers": AT_A_TABLE,
    "supply": AT_A_TABLE,
    "reset": "only if MicroPython names a cause that is neither switching on nor the watchdog",
    "max7219": "`felt display show`, on a computer with the panel",
    "ws2812": "`felt display show`, on a computer with the panel",
    "hub75": "`felt display show`, on a computer with the panel",
    "full.uf2": "as the small board's, with `--board full`",
    "rig.uf2": "the rig is flashed over USB, which is as good",
    "rig_full.uf2": "the rig is flashed over USB, which is as good",
}


def later() -> dict[str, str]:
    """Also the versions of MicroPython that the session does not use."""
    versions = [item.name for item in untried() if item.group == VERSIONS and item.name != USUAL]
    return LATER | dict.fromkeys(
        versions, "the session once more with `felt pico-image --version` and this version"
    )


def session() -> list[Step]:
    steps = [*at_the_computer(), *first_pair(FIRST)]
    for board in table_boards():
        if board != FIRST:
            steps += other_pair(board)
    return [*steps, *at_the_end()]


def said(code: str, group: str = "bench") -> str:
    """What felt says under a code, with any fields."""
    return re.sub(r"\{[^}]*\}", ANY, read_templates(group)[f"{group}.{code}"])


# -- before anything is plugged in


def at_the_computer() -> Iterator[Step]:
    part = "At the computer, in a checkout of these sources"
    yield Step(part, "Make a folder for what the day leaves.", command=f"mkdir -p {HOME}")
    yield Step(
        part,
        "Play every scenario where no hardware is needed, so that what fails later is the hardware's.",
        command="felt bench run --quiet --target core --target cpython --firmware here",
        prints=(ANY, "core: ... passed, ... s", "cpython: ... passed, ... s", "... passed, ... skipped"),
        status=3,
    )
    yield Step(
        part,
        "Check the boards.",
        command="felt boards check",
        prints=tuple(f"{name}: fine" for name in board_names()),
    )
    yield Step(
        part,
        "Fetch MicroPython for both Picos.",
        needs=NETWORK,
        command="felt pico-image",
        prints=(f".../{PICO_FILES}-...-v{USUAL}.uf2: ...; SHA-256 ...",),
    )
    yield Step(
        part,
        "Make the table's file and its keys.",
        command=f"felt init {FILE} --name {TABLE} --game lucky --board {FIRST} --yes",
        prints=(
            f"{KEY}: the key of table {TABLE}; keep a copy in a safe place",
            f"{HOME}/host.key: signs checkpoints; {HOME}/host.pub checks them",
            f"{FILE}: the table {TABLE}; `felt check {FILE}` says what is in it",
            ANY,
        ),
    )
    yield Step(
        part,
        "Make the key that signs what comes out today.",
        command=f"felt keys signer {SIGNER}",
        prints=(f"{SIGNER}: signs checkpoints", ANY),
    )


# -- a pair


def copied(board: str, count: int) -> tuple[str, ...]:
    """Onto a bare Pico all of it; later only what differs."""
    if board == FIRST:
        return (f"copied {count} files, ... bytes; all {count} are as they should be",)
    return (ANY, f"copied ..., ... bytes; all {count} are as they should be")


def flash_rig(part: str, board: str, again: str) -> Step:
    rig = rig_for(find_board(board)).NAME
    count = len(table_files(find_board(rig)))
    return Step(
        part,
        f"{again} Then flash it as the rig, unplug it, and mark it RIG.",
        needs=RIG,
        command=f"felt flash --board {rig}",
        prints=(f"rig on ...: board {rig}, MicroPython ...", *copied(board, count)),
        tries=(rig,),
    )


def flash_table(part: str, board: str, again: str) -> Step:
    count = len(table_files(find_board(board))) + OF_KEY_AND_MANIFEST
    return Step(
        part,
        f"{again} Then flash it as the table. Within a minute its LED gives two short flashes every second: it "
        "waits for a host. Unplug it.",
        needs=TABLE_PICO,
        command=f"felt flash --board {board} --key {KEY}",
        prints=(f"table {TABLE} on ...: board {board}, MicroPython ...", *copied(board, count)),
        tries=(board, *((*FIRST_FLASH, USUAL) if board == FIRST else ())),
    )


FIRST_FLASH = ("micropython.kbd_intr", "machine.Pin", "machine.WDT", "machine.reset", "rp2.Flash", "led")


def wire_up(part: str, board: str) -> Iterator[Step]:
    count = len(wires(find_board(rig_for(find_board(board)).NAME)))
    yield Step(
        part,
        f"Wire them as it says, {count} wires and ground, with both unplugged.",
        command=f"felt bench wiring --board {board}",
        prints=(f"A table of the board {board}, and a second Pico flashed with ...", ANY),
    )
    registers = [f"fine: {said('chain_fine')}"] if find_board(board).REGISTERS else []
    chain = ("rp2.PIO", "rp2.StateMachine", "rp2.asm_pio", "shift_registers")
    yield Step(
        part,
        "Plug both in. The check asks you once to pull the rig's USB cable and to plug it in again.",
        needs=PAIR,
        command="felt bench check --unplug",
        prints=(
            said("table_at"),
            said("rig_at"),
            said("unplug_now"),
            f"fine: {said('lines_fine')}",
            *registers,
            f"fine: {said('uarts_fine')}",
            f"fine: {said('reset_fine')}",
            f"fine: {said('restart_fine')}",
            f"fine: {said('off_fine')}",
            said("erases"),
            said("wired_well"),
        ),
        tries=chain if registers else ("machine.UART",),
    )


def play_all(part: str, board: str) -> Step:
    made = f"{HOME}/{board}"
    files = f"--junit {made}.xml --html {made}.html --summary {made}.json --key {SIGNER} --keep {FAILURES}"
    return Step(
        part,
        "Play every scenario. What the rules core alone can play is skipped, and so is what needs another board. "
        f"Any failure leaves a folder in {FAILURES}.",
        needs=PAIR,
        command=f"felt bench run --quiet --target pico --firmware here {files}",
        prints=(ANY, "pico: ... passed, ... skipped, ... s", "... passed, ... skipped"),
        status=3,
    )


def first_pair(board: str) -> Iterator[Step]:
    part = f"Two bare Picos and the board {board}"
    bootsel = "Hold BOOTSEL, plug {} in, and drag the file onto the drive RPI-RP2."
    yield flash_rig(part, board, bootsel.format("a first Pico"))
    yield flash_table(part, board, bootsel.format("the second Pico"))
    yield from wire_up(part, board)
    play = f"felt rig play {FILE} {PORTS} --rounds 20 --mischief 0.3"
    played = (ANY, f"20 rounds played, every record as the rules here make it; the log is ...{LOG}")
    yield Step(
        part,
        "Let simulated people play at the real table. Name the ports as the check has told them.",
        needs=PAIR,
        command=play,
        prints=played,
        tries=("inputs", "device_line", "shuffler", "reader"),
    )
    for reader in ("angel_eye", "fixed_frames"):
        device = "shoe" if reader == "angel_eye" else "shuffler"
        yield Step(
            part,
            f'The same with another reader: in {FILE} write device = "{device}" and reader = "{reader}".',
            needs=PAIR,
            command=play,
            prints=played,
            tries=(reader,),
        )
    yield Step(
        part,
        'Write device = "shuffler" and reader = "felt" again. Then look into records-in-words.txt of this file: '
        "the table started after flashing (watchdog) and when it was switched on (power).",
        command=f"felt support {FILE} -o {HOME}/first-day.zip",
        prints=(f"{HOME}/first-day.zip: ...", ANY),
        tries=("machine.reset_cause", "power", "watchdog"),
    )
    yield Step(
        part,
        "Check the log: every seal, every settlement, every total.",
        command=f"felt audit {LOG} --key {KEY}",
        prints=(f"table {TABLE}: in order...", ANY),
    )
    for name in CHOSEN:
        path = f"tests/scenarios/{name}.toml"
        yield Step(
            part,
            f"Play one scenario: {name.partition('/')[2].replace('-', ' ')}.",
            needs=PAIR,
            command=f"felt bench run {path} --target pico --firmware here --keep {FAILURES}",
            prints=(f"passed: {path} on pico (... s)", "pico: 1 passed, ... s", "1 passed"),
        )
    yield play_all(part, board)
    yield Step(
        part,
        "Play a round by hand: o, b and Enter, c, D; look at the table's LED. Pull the table's USB cable, plug "
        "it in again, and press w until the table started (power). Then press q.",
        needs=PAIR,
        command="felt bench console lucky --target pico --firmware here",
        prints=(ANY, "> place your bets", ANY, "    the table started (power)", ANY),
    )
    yield Step(
        part,
        "Make the table as one file, hold BOOTSEL, plug the table's Pico in, and drag the file onto RPI-RP2.",
        command=f"felt image --board {board} --key {KEY} -o {HOME}/{board}.uf2",
        prints=(f"{HOME}/{board}.uf2: table {TABLE}, board {board}, ...",),
        tries=(f"{board}.uf2",),
    )
    yield Step(
        part,
        "Play one scenario at the table that came as one file.",
        needs=PAIR,
        command=f"felt bench run tests/scenarios/{CHOSEN[1]}.toml --target pico --firmware here",
        prints=(f"passed: tests/scenarios/{CHOSEN[1]}.toml on pico (... s)", "pico: 1 passed, ... s", "1 passed"),
    )


def other_pair(board: str) -> Iterator[Step]:
    part = f"The same Picos and the board {board}"
    jumper = f"Join {{}}, press reset{' (pull RUN, pin 30, to GND)'}, and take every other wire off."
    yield flash_rig(part, board, "Unplug both and take the wires off. Plug the rig's Pico in.")
    yield flash_table(part, board, jumper.format("GP22 of the table's Pico to GND, plug it in"))
    yield from wire_up(part, board)
    yield play_all(part, board)


def at_the_end() -> Iterator[Step]:
    part = "At the end of the day"
    for board in (FIRST, *[name for name in table_boards() if name != FIRST]):
        yield Step(
            part,
            f"Check what was signed; keep {HOME} with all that is in it.",
            command=f"felt bench verify {HOME}/{board}.json --signer {SIGNER.replace('.key', '.pub')}",
            prints=(
                "signed as it is: ..., firmware ..., rules ...",
                f"pico (MicroPython ...; board {board}): ... passed, ... skipped, ...",
            ),
        )
