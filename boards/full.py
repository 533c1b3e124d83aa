"""An eight-box table: forty sensors are too many for a Pico's pins, so they come through shift registers."""

NAME = "full"
TITLE = "Eight-box table with shift registers"
ROLE = "table"

BOXES = 8
SPOTS = 5

# Keys, devices, LED and jumper are where the small board has them, so that one harness fits both.
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
SENSORS = ()
# Clock and data are pins that SPI0 can have (SCK, RX), so that hardware may shift the bits in.
REGISTERS = (17, 18, 16, 5)

SHUFFLER = (0, 0, 1, 115200)
READER = (1, 4, 5, 115200)

LED = 25
JUMPER = 22
