"""The test rig: the lines and UARTs that lead to a table, by remote control. It knows nothing of games.

The host says a line (shared/journal/wire.py) with a number of its own, and the rig answers it under that number:

    ["who",n]               ["rig",n,version,board]
    ["keys",n,[levels]]     ["ok",n] or ["no",n,why]; one level a key, in the board's order: 0 pulls the line to
                            ground, 1 lets go of it
    ["sensors",n,[levels]]  likewise; one level a spot, box by box; around a table with shift registers one level
                            an input, and last that of the far end, which is 0 while the cable is in
    ["jumper",n,level]      likewise
    ["reset",n,ms]          likewise; pulls the table's RUN to ground for so long
    ["send",n,uart,hex]     likewise; the bytes go to the table after those that went before
    ["baud",n,uart,baud]    likewise; bytes on their way then may be lost

What the rig says of itself:

    ["got",uart,hex]        the table sent these bytes
    ["lost",uart]           it sent more than the buffer holds, and some are lost
    ["released"]            before the answer to the first line after a silence: all lines had been let go

What it does when the host is silent for 2 s: every line is let go, so that no key stays pressed, and what the
table says is thrown away until the host is back. When the host talks nonsense: ["no",0,why], and nothing else;
only a whole line counts as a sign of life. When the host does not read: bytes of the table wait in the buffer of
their UART. When the table does not read: nobody can know, for its UARTs have no handshake. When the host sends
faster than the UART: ["no",n,"full"], and it should say the same again.
"""

from binascii import hexlify, unhexlify
from collections import namedtuple

from shared.journal.wire import BadLine, LineSplitter, checked, decode, encode

VERSION = 2
SILENT_MS = 2000
RECEIVE_BYTES = 8192  # of each UART's own buffer: 700 ms at 115200 baud
TRANSMIT_BYTES = 1024  # likewise; a write of more would wait until the line has taken it
UNSENT_BYTES = 2048  # for each UART, waiting behind that
PIECE_BYTES = 240  # of a UART's bytes in one line
UNSENT_LINE_BYTES = 2048  # while more waits for the host, neither it nor the table is listened to
MAX_NUMBER = 999999999
MAX_RESET_MS = 5000
FULL = "full"
NO_RUN = "no wire to the table's RUN"

# What the rig says; heard, it is an echo.
OWN_WORDS = ("rig", "ok", "no", "got", "lost", "released")
# Commands, and how many arguments follow the number.
COMMANDS = {"who": 0, "keys": 1, "sensors": 1, "jumper": 1, "reset": 1, "send": 2, "baud": 2}

# Open-drain pins, but for the LED, which is lit while the host is there; `run` is None if no wire goes to the
# table's RUN. `chain` plays shift registers in place of `sensors`, or is None.
Pins = namedtuple("Pins", ("keys", "sensors", "chain", "jumper", "run", "led"))


def is_within(value, lowest, highest):
    return type(value) is int and lowest <= value <= highest


class RigBox:
    """`uarts` by their numbers, None where there is none; `port` reads and writes what it can without waiting."""

    def __init__(self, pins, uarts, port, board):
        self.pins = pins
        self.uarts = uarts
        self.port = port
        self.board = board
        self.splitter = LineSplitter()
        self.unsent_lines = b""  # for the host
        self.unsent = [b""] * len(uarts)  # for the table
        self.overrun = [False] * len(uarts)
        self.heard_at = 0
        self.run_until = None  # when the table's RUN is let go
        self.release()

    def step(self, now):
        """One pass; whether there was anything to do."""
        busy = self.hear_table()
        if len(self.unsent_lines) < UNSENT_LINE_BYTES:
            data = self.port.read()
            if data:
                busy = True
                for line in self.splitter.feed(data):
                    self.take(line, now)
        if not self.is_alone and now - self.heard_at >= SILENT_MS:
            self.release()
        if self.run_until is not None and now >= self.run_until:
            self.run_until = None
            self.pins.run.value(1)
        self.talk_to_table()
        if self.pins.chain:
            self.pins.chain.refresh()
        if self.unsent_lines:
            self.unsent_lines = self.unsent_lines[self.port.write(self.unsent_lines) or 0 :]
        return busy

    def release(self):
        """Let go of everything: the host is gone, or has not come yet."""
        self.is_alone = True
        for pin in self.pins.keys + self.pins.sensors:
            pin.value(1)
        if self.pins.chain:
            self.pins.chain.release()
        self.pins.jumper.value(1)
        if self.pins.run:
            self.pins.run.value(1)
            self.run_until = None
        self.pins.led.value(0)
        self.unsent_lines = b""

    # -- the table

    def hear_table(self):
        heard = False
        for number in range(len(self.uarts)):
            uart = self.uarts[number]
            waiting = uart.any() if uart else 0
            if not waiting or len(self.unsent_lines) >= UNSENT_LINE_BYTES:
                continue
            heard = True
            # Never more than there is: a read of more would wait for it.
            data = uart.read(min(waiting, PIECE_BYTES))
            if self.is_alone:
                continue
            if waiting >= RECEIVE_BYTES and not self.overrun[number]:
                self.unsent_lines += encode(["lost", number])
            self.overrun[number] = waiting >= RECEIVE_BYTES
            self.unsent_lines += checked(b'["got",%d,"%s"]' % (number, hexlify(data)))
        return heard

    def talk_to_table(self):
        for number in range(len(self.uarts)):
            # The whole transmit buffer is free, so that this cannot wait.
            if self.unsent[number] and self.uarts[number].txdone():
                sent = self.uarts[number].write(self.unsent[number][:TRANSMIT_BYTES])
                self.unsent[number] = self.unsent[number][sent or 0 :]

    # -- the host

    def take(self, line, now):
        try:
            message = decode(line)
        except BadLine as problem:
            if len(self.unsent_lines) < UNSENT_LINE_BYTES:
                self.unsent_lines += encode(["no", 0, str(problem)])
            return
        name = message[0] if message else None
        if name in OWN_WORDS:
            return
        if self.is_alone:
            self.is_alone = False
            self.pins.led.value(1)
            self.unsent_lines += encode(["released"])
        self.heard_at = now
        number = message[1] if len(message) > 1 else None
        if not is_within(number, 0, MAX_NUMBER):
            self.unsent_lines += encode(["no", 0, "a number from 0 to %d comes second" % MAX_NUMBER])
            return
        why = self.refusal(name, message[2:], now)
        if why:
            answer = ["no", number, why]
        elif name == "who":
            answer = ["rig", number, VERSION, self.board]
        else:
            answer = ["ok", number]
        self.unsent_lines += encode(answer)

    def refusal(self, name, arguments, now):
        """Do what is said; why not, if it cannot be done."""
        if not isinstance(name, str) or name not in COMMANDS:
            return "unknown command"
        if len(arguments) != COMMANDS[name]:
            return "takes %d arguments" % COMMANDS[name]
        if name == "keys":
            return self.set_levels(self.pins.keys, arguments[0])
        if name == "sensors":
            return self.set_levels(self.pins.chain or self.pins.sensors, arguments[0])
        if name == "jumper":
            return self.set_levels([self.pins.jumper], arguments)
        if name == "reset":
            return self.reset_table(arguments[0], now)
        if name == "send":
            return self.send(arguments[0], arguments[1])
        if name == "baud":
            return self.set_baud(arguments[0], arguments[1])
        return None

    def set_levels(self, pins, levels):
        if not isinstance(levels, list) or len(levels) != len(pins):
            return "%d levels" % len(pins)
        for level in levels:
            if not is_within(level, 0, 1):
                return "a level is 0 or 1"
        if pins is self.pins.chain:
            pins.set(levels)
            return None
        for place in range(len(pins)):
            pins[place].value(levels[place])
        return None

    def reset_table(self, milliseconds, now):
        if not self.pins.run:
            return NO_RUN
        if not is_within(milliseconds, 1, MAX_RESET_MS):
            return "1 to %d ms" % MAX_RESET_MS
        self.pins.run.value(0)
        self.run_until = now + milliseconds
        return None

    def has_uart(self, number):
        return is_within(number, 0, len(self.uarts) - 1) and self.uarts[number] is not None

    def send(self, number, text):
        if not self.has_uart(number):
            return "no such UART"
        try:
            data = unhexlify(text)
        except (ValueError, TypeError):
            return "not hex"
        if len(self.unsent[number]) + len(data) > UNSENT_BYTES:
            return FULL
        self.unsent[number] += data
        return None

    def set_baud(self, number, baud):
        if not self.has_uart(number):
            return "no such UART"
        if not is_within(baud, 300, 921600):
            return "300 to 921600 baud"
        # MicroPython 1.23 makes new buffers here, small ones unless it is told.
        self.uarts[number].init(baudrate=baud, rxbuf=RECEIVE_BYTES, txbuf=TRANSMIT_BYTES)
        return None
