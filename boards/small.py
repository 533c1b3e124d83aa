"""A two-box table on a bare Pico: every sensor has a pin of its own."""

NAME = "small"
TITLE = "Two-box table on a bare Pico"
ROLE = "table"

BOXES = 2
SPOTS = 5

KEYS = (
    ("open", 6),
    ("close", 7),
    ("reveal", 8),
    ("settle", 9),
    ("supervisor", 10),
    ("exposed", 11),
    ("play", 12),
    ("fold", 13),
)
SENSORS = (
    (14, 15, 16, 17, 18),
    (19, 20, 21, 26, 27),
)
REGISTERS = None

SHUFFLER = (0, 0, 1, 115200)
READER = (1, 4, 5, 115200)

LED = 25
JUMPER = 22
