"""The second Pico of the test bench around a full table: it plays the shift registers as well.

As on `rig`, every line has the pin that it has on the table. Latch and clock come in here, and the data goes out.
"""

NAME = "rig_full"
TITLE = "Test rig around a full table"
ROLE = "rig"

BOXES = 8
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
SENSORS = ()
REGISTERS = (17, 18, 16, 5)

SHUFFLER = (0, 0, 1, 115200)
READER = (1, 4, 5, 115200)

LED = 25
# The table's jumper, so that a test can open and close its console.
JUMPER = 22
# To pin 30 of the table, so that a test can switch it off and on.
RUN = 2
