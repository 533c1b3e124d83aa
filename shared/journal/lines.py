"""Cuts a stream of bytes into lines, with a bound on what it holds."""

from shared.journal.wire import MAX_LINE


class LineSplitter:
    """Lines end with a newline; a carriage return before it is dropped. What is longer than a line may be is
    thrown away up to the next newline and counted in `overlong`."""

    def __init__(self):
        self.held = b""
        self.skipping = False
        self.overlong = 0

    def feed(self, data):
        """The whole lines, without newline, that these bytes complete."""
        lines = []
        pieces = (self.held + data).split(b"\n")
        for piece in pieces[:-1]:
            if self.skipping:
                self.skipping = False
            elif len(piece) > MAX_LINE:
                self.overlong += 1
            elif piece:
                lines.append(piece[:-1] if piece[-1] == 13 else piece)
        self.held = pieces[-1]
        if self.skipping or len(self.held) > MAX_LINE:
            self.overlong += not self.skipping
            self.skipping = True
            self.held = b""
        return lines

    def clear(self):
        """Forget half a line: its sender is gone."""
        self.held = b""
        self.skipping = False
