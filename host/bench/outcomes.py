"""How playing a scenario on a target can end otherwise than well, and what of it is no difference."""


class CannotPlay(Exception):
    """This target cannot do what the scenario asks for; the text says why."""


class Differs(Exception):
    """The product does otherwise than it must."""


class Broken(Exception):
    """The target itself does not work, so nothing is known of the product."""


# Records that a table writes and the rules core does not, and why each is left out of the comparison. Any other
# of its own records is a difference.
LEFT_OUT = {
    "chain": "a new journal begins",
    "boot": "the table starts",
    "wear": "once a day, how worn its flash is",
    "clock": "the time before what follows",
    "begin": "how the table stands, before a round and after a new configuration",
    "config": "part of `begin`",
    "carried": "part of `begin`",
    "command": "who told the event that follows",
    "answer": "what the teller was answered",
    "link": "the host came or went",
    "device": "what a device said",
    "fault": "a card is not where the reader saw it; any other fault is a difference",
    "cleared": "staff cleared that",
    "sensed": "no chips lie on the bench's sensors",
}
# Faults that a scenario itself can bring about.
EXPECTED_FAULTS = ("card_count", "shuffler_count", "shuffler_empty")

# What a scenario can ask of the rules core and not of a table: why, and by event.
WAITS = "a card that comes while the table waits for an answer is kept and dealt later; the core alone refuses it"
NOT_RUNNING = "between rounds a power failure decides nothing, and the table writes no event"
SAID_AGAIN = "an unread card right after a power failure is taken for the one before, said again; staff look"
NO_FACE_UP = "an Angel Eye shoe does not say that a card came face up"
NO_FOREIGN = "an Angel Eye shoe takes a foreign card for one that it could not read"
NOT_WHOLE = "a deck that is not whole before the first card is a fault that staff put right, and no event"
CANNOT_PLAY = {
    "card": (WAITS, SAID_AGAIN, NO_FACE_UP, NO_FOREIGN),
    "power_failure": (NOT_RUNNING,),
    "cards_counted": (NOT_WHOLE,),
    "cards_left": (NOT_WHOLE,),
}
