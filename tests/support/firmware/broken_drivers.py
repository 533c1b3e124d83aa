"""Drivers that are each wrong in one way, to test the conformance kit. Runs on CPython and MicroPython alike."""

from firmware.drivers.angel_eye import AngelEye
from firmware.drivers.device_line import NOTHING, with_check
from firmware.drivers.fixed_frames import LENGTH, START, SYNC, FixedFrames
from firmware.drivers.reader import CardReader
from firmware.drivers.shuffler import Shuffler


class TakesRepetitions(CardReader):
    """Takes a line that comes again for a new card."""

    def take_line(self, line, now, said):
        self.last_number = None
        super().take_line(line, now, said)


class Blocks(FixedFrames):
    """Waits until a whole frame is there."""

    def poll(self, now):
        while self.port.any() < LENGTH:
            pass
        return super().poll(now)


class ReadsMore(CardReader):
    """Reads as much as its buffer holds, so that the port waits for more."""

    def take_lines(self, now, said):
        count = self.port.readinto(self.buffer)
        for line in bytes(self.buffer[:count]).split(b"\n"):
            self.take_line(line, now, said)


class TrustsAnyFrame(FixedFrames):
    """Does not look at the CRC."""

    def take(self, data, now, said):
        place = 0
        while len(data) - place >= LENGTH:
            if data[place] == SYNC:
                self.take_frame(data[place : place + LENGTH], now, said)
                place += LENGTH
            else:
                place += 1
        self.held = data[place:]


class LosesHalves(FixedFrames):
    """Forgets half a frame when a pass is over."""

    def poll(self, now):
        said = super().poll(now)
        self.held = b""
        return said


class IgnoresGaps(AngelEye):
    """Takes the card after a lost one as if nothing were missing."""

    def take_good(self, sequence, data, said):
        before = len(said)
        super().take_good(sequence, data, said)
        said[before:] = [one for one in said[before:] if one[:2] != ("fault", "reader_gap")]


class MakesLists(FixedFrames):
    """Makes a new list in every pass."""

    def poll(self, now):
        return list(super().poll(now))


class Grows(CardReader):
    """Keeps every line for later."""

    def __init__(self, port, now=0):
        self.history = []
        super().__init__(port, now)

    def take_line(self, line, now, said):
        self.history.append(line)
        super().take_line(line, now, said)


class RaisesOnNoise(CardReader):
    """Expects every line to be a text with a space."""

    def take_line(self, line, now, said):
        line.decode().index(" ")
        super().take_line(line, now, said)


class AnswersTooSoon(CardReader):
    """Answers a line before what it caused is on flash."""

    def poll(self, now):
        said = super().poll(now)
        while self.unanswered:
            self.port.write(with_check("OK " + self.unanswered.pop(0)))
        return said


class AsksOnce(Shuffler):
    """Does not repeat a command that was not heard."""

    def send(self, now):
        super().send(now)
        self.sent_at = now + 1_000_000


class Reverses(FixedFrames):
    """Says last what came first."""

    def poll(self, now):
        said = super().poll(now)
        return list(reversed(list(said))) if said else said


class CountsOn(FixedFrames):
    """Does not know that numbers begin again."""

    def take_frame(self, frame, now, said):
        if self.number == 255:
            self.number = -2
        super().take_frame(frame, now, said)


class NeverMisses(FixedFrames):
    """Takes every pass for a sign of life."""

    def poll(self, now):
        self.heard_at = now
        return super().poll(now)


class TakesAll(FixedFrames):
    """Reads until nothing is left, however much that is."""

    def poll(self, now):
        said = super().poll(now)
        while self.port.any():
            said = list(said) + list(super().poll(now))
        return said


class LocksInEveryPass(AngelEye):
    """Sends the command whenever it is told."""

    def lock(self, locked, now):
        self.wanted = None
        super().lock(locked, now)


class DropsUnread(AngelEye):
    """Takes no notice of a card that could not be read."""

    def meaning(self, data):
        found = super().meaning(data)
        return ("note", "unread") if found[:2] == ("card", "??") else found


class FaceDown(FixedFrames):
    """Says every card face down."""

    def take_frame(self, frame, now, said):
        before = len(said)
        super().take_frame(frame, now, said)
        said[before:] = [one[:2] + (False,) if one[0] == "card" else one for one in said[before:]]


class JamNote(Shuffler):
    """Takes what stops the shuffler for a note."""

    def meaning(self, words):
        found = super().meaning(words)
        return ("note", words[0]) if words[0] in ("JAM", "DOOR", "EMPTY") else found


class WrapBlind(FixedFrames):
    """Misses nothing where the numbers begin again."""

    def take_frame(self, frame, now, said):
        if self.number is not None and self.number > 200 and frame[2] in (0, 1):
            self.number = frame[2] - 1 & 255
        super().take_frame(frame, now, said)


class GapOnce(FixedFrames):
    """Says the first lost report only."""

    is_gap_said = False

    def take_frame(self, frame, now, said):
        before = len(said)
        super().take_frame(frame, now, said)
        for one in said[before:]:
            if one[:2] == ("fault", "reader_gap"):
                if self.is_gap_said:
                    said.remove(one)
                self.is_gap_said = True


class DeadAfterSilence(CardReader):
    """Gives a silent reader up: after that no card counts."""

    is_given_up = False

    def meaning(self, words):
        if words[0] == "SILENT":
            self.is_given_up = True
        if self.is_given_up and words[0] == "CARD":
            return "note", words[1]
        return super().meaning(words)


class LosesAfterRestart(FixedFrames):
    """Takes the first report after a restart for one from before it."""

    starts = 0

    def take_frame(self, frame, now, said):
        if frame[1] == START:
            self.starts += 1
        elif self.starts > 1:
            self.starts = 1
            self.number = frame[2]
        super().take_frame(frame, now, said)


class OneCommand(Shuffler):
    """Forgets a command while another one waits for its answer."""

    def command(self, text, now):
        if not self.waiting:
            super().command(text, now)


class NoTurn(FixedFrames):
    """Compares times as if they never began again."""

    def poll(self, now):
        if now < self.heard_at and not self.port.any():
            return NOTHING
        return super().poll(now)
