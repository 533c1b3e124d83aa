"""The second Pico of the test bench: it plays shuffler, reader, sensors and keys to a small table.

Every line has the pin that it has on the small board, here as an output, so that a wire goes from pin n to
pin n. Only TX and RX cross: each TX goes to the table's RX, and the table's TX comes to the RX here.
"""

NAME = "rig"
TITLE = "Test rig around a small table"
ROLE = "rig"

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
# The table's jumper, so that a test can open and close its console.
JUMPER = 22
# To pin 30 of the table, so that a test can switch it off and on.
RUN = 2
