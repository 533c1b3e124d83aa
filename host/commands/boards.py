"""`felt boards`: which boards there are, how one is wired, and whether it can work."""

from types import ModuleType

import click
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from host.commands.arguments import BookArgument, click_errors
from host.pico import boards
from host.pico.boards import Board, BoardError, find_board
from host.terminal import make_console, make_table

USE_WIDTH = 24
LED_ROW = 1  # where the LED is on a Pico: beside the USB socket


class BoardName(click.ParamType):
    """The name of a board that there is, readable or not."""

    name = "board"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            boards.refuse_unknown(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)
        return value


@click.group("boards", invoke_without_command=True)
@click.pass_context
def boards_command(context: click.Context) -> None:
    """List the boards, draw their wiring and check them."""
    if context.invoked_subcommand:
        return
    headings = ("board", "what it is", "boxes x spots", "sensors")
    table = make_table(headings, "<w<<", pad_edge=False, show_edge=False)
    for board in map(readable_board, boards.board_names()):
        spots = f"{board.BOXES} x {board.SPOTS}"
        table.add_row(escape(board.NAME), escape(board.TITLE), spots, sensed_text(board))
    make_console().print(table)


@boards_command.command("show")
@click.argument("board", type=BoardName())
def show_command(board: str) -> None:
    """Draw the wiring of BOARD: the Pico from above, pin by pin."""
    shown = readable_board(board)
    console = make_console()
    console.print(Text.assemble((shown.NAME, "bold"), f": {shown.TITLE}, {shown.BOXES} x {shown.SPOTS} spots\n"))
    for line in drawing(shown):
        console.print(line)
    console.print()
    if shown.REGISTERS:
        print_registers(console, shown)
    for line in wiring_lines(shown):
        console.print(line)
    for problem in boards.problems(shown):
        console.print(f"wrong: {problem}", markup=False, style="red", soft_wrap=True)


@boards_command.command("check")
@click.argument("board", type=BoardName(), required=False)
@click.option("--game", type=BookArgument(), help="Check also that this game can be played on it.")
def check_command(board: str | None, game: ModuleType | None) -> None:
    """Say what is wrong with BOARD, or with every board.

    The exit status is 1 if anything is wrong."""
    wrong = False
    for name in [board] if board else boards.board_names():
        try:
            found = boards.problems(find_board(name), game)
        except BoardError as error:
            found = [error]
        for problem in found or [f"fine for {game.ID}" if game else "fine"]:
            click.echo(f"{name}: {problem}")
        wrong = wrong or bool(found)
    if wrong:
        raise SystemExit(1)


def readable_board(name: str) -> ModuleType:
    with click_errors(BoardError):
        board = find_board(name)
    malformed = boards.constant_problems(board)
    if malformed:
        raise click.ClickException(f"boards/{name}.py: {malformed[0]}")
    return board


def sensed_text(board: Board) -> str:
    if board.REGISTERS:
        return f"{board.REGISTERS[3]} x 74HC165"
    pins = sum(map(len, board.SENSORS))
    return f"drives {pins} pins" if board.ROLE == "rig" else f"{pins} pins"


def drawing(board: Board) -> list[Text]:
    """The Pico from above, its USB socket at the top: pins 1 to 20 on the left, 40 to 21 on the right."""
    rows = boards.pin_rows(board)
    width = max(USE_WIDTH, *(len(row.use) for row in rows[:20]))
    margin = " " * (width + 7)
    lines = [Text(f"{margin}┌────┤ USB ├────┐")]
    for step, (left, right) in enumerate(zip(rows[:20], reversed(rows[20:]))):
        middle = f"LED GP{boards.PICO_LED}" if step == LED_ROW and board.LED == boards.PICO_LED else ""
        line = Text.assemble(
            (f"{left.use:>{width}}", "bold"),
            (f"  {left.name:>4} ", "" if left.use else "dim"),
            f"│{left.number:>2} {middle:^9} {right.number:>2}│",
            (f" {right.name:<8}", "" if right.use else "dim"),
            (f"  {right.use}", "bold"),
        )
        line.rstrip()
        lines.append(line)
    return [*lines, Text(f"{margin}└───────────────┘")]


def print_registers(console: Console, board: Board) -> None:
    console.print("Inputs of the 74HC165, as box.spot; the bits come as one reads this:\n")
    headings = ("register", *boards.REGISTER_INPUTS, "QH goes to")
    table = make_table(headings, "<" * len(headings), pad_edge=False, show_edge=False)
    data, count = board.REGISTERS[2:]
    for register, places in boards.register_rows(board):
        inputs = [f"{place[0]}.{place[1]}" if place else "3V3" for place in places]
        table.add_row(str(register), *inputs, f"GP{data}" if register == count else f"SER of {register + 1}")
    console.print(table)
    console.print()


def wiring_lines(board: Board) -> list[str]:
    if board.ROLE == "rig":
        chain = ["The rig plays the registers: SH/LD and CLK come from the table, QH goes there."]
        return [
            *(chain if board.REGISTERS else []),
            "Each line goes to the same pin of the table; it is pulled to GND or let go.",
            "TX goes to the table's RX, and RX to its TX.",
            "GND goes to GND; each Pico has its own USB power.",
            "`felt bench wiring` has the resistors, wire by wire.",
        ]
    devices = "TX goes to the device's RX, and RX to its TX, at 3.3 V."
    if not board.REGISTERS:
        return ["Keys, sensors and jumper close to GND; the Pico's own pull-ups hold them high.", devices]
    return [
        "Every register: VCC on 3V3(OUT), CLK INH on GND, SH/LD and CLK from the Pico.",
        "SER of register 1 is on GND: a low bit at the end shows the chain is there.",
        "Sensors close to GND; a pull-up of 10 kΩ to 3V3 holds each input high.",
        "Keys and jumper close to GND; the Pico's own pull-ups hold them high.",
        devices,
    ]
