"""Bet sensors and dealer's keys: levels packed into bytes, debounced.

A driver is handed ready pins. Sensors and keys pull their line to ground, so low means active.

A direct line that is cut reads as inactive. A source that does not answer (shift_registers.py) leaves the levels
as they were. A line that bounces changes nothing until it has been quiet. A spot that comes and goes without end
is found by its count.
"""

from shared.values import const, since

_START_MS = const(30)  # of looks at keys before anything counts
_KEY_QUIET_MS = const(20)
_CHIP_QUIET_MS = const(100)
_STUCK_MS = const(10000)
_UNPLUGGED_READS = const(5)  # in a row, so that one disturbed read is not a fault
_MOST_CHANGES = const(20)  # of one spot in one round: more is not a player's hand

# What most polls return; made once, because objects made on every pass soon fill the heap.
NOTHING: tuple = ()
_QUIET = const(((), None))
_UNCHANGED = const(((), False))


class DirectPins:
    """Up to eight active-low pins to a byte, in the order given."""

    def __init__(self, pins):
        self.pins = pins
        self.size = (len(pins) + 7) // 8

    def read(self, levels):
        for place in range(self.size):
            levels[place] = 0
        for place in range(len(self.pins)):
            if not self.pins[place].value():
                levels[place >> 3] |= 1 << (place & 7)
        return True


class Debouncer:
    """Accepts a level once it has not changed for `quiet_ms`; each input by itself."""

    def __init__(self, size, quiet_ms):
        self.quiet_ms = quiet_ms
        self.stable = bytearray(size)
        self.seen = bytearray(size)
        self.since = [0] * (8 * size)

    def start(self, levels, now):
        """What is active at any look before the first update was so before: it can only go."""
        for byte in range(len(levels)):
            self.stable[byte] |= levels[byte]
        self.seen[:] = levels
        for place in range(len(self.since)):
            self.since[place] = now

    def update(self, levels, now):
        """(place, is active) of every input that has changed for good."""
        if levels == self.seen and levels == self.stable:
            return NOTHING
        changes = NOTHING  # made a list with the first change
        for byte in range(len(self.stable)):
            level = levels[byte]
            if level != self.seen[byte]:
                self.note(byte, level ^ self.seen[byte], now)
                self.seen[byte] = level
            if level != self.stable[byte]:
                changes = list(changes)
                self.settle(byte, level ^ self.stable[byte], now, changes)
        return changes

    def note(self, byte, moved, now):
        for bit in range(8):
            if moved >> bit & 1:
                self.since[byte * 8 + bit] = now

    def settle(self, byte, moved, now, changes):
        for bit in range(8):
            place = byte * 8 + bit
            if moved >> bit & 1 and since(self.since[place], now) >= self.quiet_ms:
                self.stable[byte] ^= 1 << bit
                changes.append((place, bool(self.stable[byte] >> bit & 1)))


class Keys:
    """The dealer's keys by name. A press counts once; a key held down too long is stuck and reported once.

    A key that is down when the table starts is not a press: it was not meant for what the table shows now. Nor is
    a line that was just pulled up and reads low until it has charged.
    """

    def __init__(self, names, pins):
        self.names = names
        self.source = DirectPins(pins)
        self.levels = bytearray(self.source.size)
        self.debouncer = Debouncer(self.source.size, _KEY_QUIET_MS)
        self.down = {}  # name: since when, or None once it was reported as stuck
        self.first_look = None
        self.is_started = False

    def start(self, now):
        self.debouncer.start(self.levels, now)
        if self.first_look is None:
            self.first_look = now
        if since(self.first_look, now) < _START_MS:
            return
        self.is_started = True
        for place in range(len(self.names)):
            if self.debouncer.stable[place >> 3] >> (place & 7) & 1:
                self.down[self.names[place]] = self.first_look

    def look_again(self, now):
        """Staff cleared a fault: a key that is still down will be stuck again."""
        for name in self.down:
            self.down[name] = now

    def poll(self, now):
        """(names pressed, name of a key that is stuck or None)"""
        self.source.read(self.levels)
        if not self.is_started:
            self.start(now)
            return _QUIET
        changes = self.debouncer.update(self.levels, now)
        if not changes and not self.down:
            return _QUIET
        pressed = []
        for place, active in changes:
            name = self.names[place]
            if active:
                self.down[name] = now
                pressed.append(name)
            else:
                self.down.pop(name, None)
        for name in self.names:
            down_at = self.down.get(name)
            if down_at is not None and since(down_at, now) >= _STUCK_MS:
                self.down[name] = None
                return pressed, name
        return pressed, None


class BetSensors:
    """Chips on the layout, by box and spot."""

    def __init__(self, source, boxes, spots):
        self.source = source
        self.boxes = boxes
        self.spots = spots
        self.levels = bytearray(source.size)
        self.debouncer = Debouncer(source.size, _CHIP_QUIET_MS)
        self.failed = 0
        self.looked_at = 0  # by who polls it
        self.counted_for = None
        self.changes = bytearray(boxes * spots)  # of each spot since then

    def poll(self, now):
        """((box, spot, is there) of every change, whether the sensors have just stopped answering)"""
        if not self.source.read(self.levels):
            self.failed += 1
            return (), self.failed == _UNPLUGGED_READS
        self.failed = 0
        found = self.debouncer.update(self.levels, now)
        if not found:
            return _UNCHANGED
        changes = []
        for place, there in found:
            if place < self.boxes * self.spots:
                changes.append((place // self.spots + 1, place % self.spots, there))
        return changes, False

    def look_again(self, now):
        """Staff cleared a fault: sensors that still do not answer are reported again."""
        self.failed = 0

    def is_unsteady(self, box, spot, counted_for):
        """Whether this change of a spot is one too many; the count starts again `for` every new value."""
        if counted_for != self.counted_for:
            self.counted_for = counted_for
            self.changes = bytearray(len(self.changes))
        place = (box - 1) * self.spots + spot
        if self.changes[place] >= _MOST_CHANGES:
            return True
        self.changes[place] += 1
        return False

    def is_there(self, box, spot):
        place = (box - 1) * self.spots + spot
        return bool(self.debouncer.stable[place >> 3] >> (place & 7) & 1)
