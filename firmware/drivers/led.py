"""The status LED: the table's state, seen from across the pit.

fault           three flashes a second; five would be too much for some eyes
no link         two short flashes a second
in a round      on
between rounds  one short flash every two seconds
"""

# (period, then from when to when it is lit) in milliseconds
PATTERNS = {
    "fault": (333, ((0, 166),)),
    "no_link": (1000, ((0, 80), (200, 280))),
    "round": (1000, ((0, 1000),)),
    "idle": (2000, ((0, 80),)),
}


class StatusLed:
    def __init__(self, pin):
        self.pin = pin

    def show(self, what, now):
        period, lit = PATTERNS[what]
        phase = now % period
        on = 0
        for begin, end in lit:
            if begin <= phase < end:
                on = 1
        self.pin.value(on)
