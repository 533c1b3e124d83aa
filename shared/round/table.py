"""A table's configuration: which book, how many boxes, limits, device, and whether money is known."""

from shared.values import const

FIELDS = ("game", "boxes", "device", "reader", "limits", "amounts", "chip", "progressive", "posts_above", "posts")

# What reads the cards: a reader that speaks Felt's own line protocol, one that sends fixed frames, or the Angel
# Eye II-EX shoe. Each with the module and the class of its driver, and its baud rate unless that is the board's.
FELT_READER = "felt"
_FIXED_FRAMES = const("fixed_frames")
_ANGEL_EYE = const("angel_eye")
READERS = {
    FELT_READER: ("reader", "CardReader", None),
    _FIXED_FRAMES: ("fixed_frames", "FixedFrames", None),
    _ANGEL_EYE: ("angel_eye", "AngelEye", 4800),
}
SHUFFLER = ("shuffler", "Shuffler", None)
MAX_POSTS = 8
# What takes a post of the operator's choice, and the post unless he names another.
CHOSEN_POSTS = {
    "cards": "pit_supervisor",  # enter cards by hand, say where they lie
    "chips": "pit_supervisor",  # count chips after closing
    "faults": "pit_supervisor",  # clear faults, but for those that a dealer may
    "log": "pit_supervisor",  # adopt a log
}


class BadConfig(ValueError):
    """What is wrong with a configuration: a code, the path of the field at fault, and details (refusals.py)."""

    def __init__(self, code, field, *detail):
        super().__init__(field)
        self.code = code
        self.field = field
        self.detail = [field] + list(detail)


class Table:
    """The configuration read and checked; BadConfig names the field at fault.

    `limits` maps a wager to (minimum, maximum) in cents. `chip` is the smallest chip in cents. With
    `amounts` false the sensors know only that chips lie there: rounds run the same and their lines
    carry odds without money. `posts_above` names posts above those of the book, lowest first; `posts` says
    which of all of them may do what CHOSEN_POSTS lists.
    """

    def __init__(self, config):
        from shared.round.table_reading import read_table  # here, as it makes room once the table runs

        (
            self.book,
            self.boxes,
            self.device,
            self.deal,
            self.reader,
            self.amounts,
            self.chip,
            self.limits,
            self.roles,
            self.posts,
            self.progressive,
            self.stake,
            self.contribution,
            self.start,
            self.reset,
        ) = read_table(config)

    def role_reaches(self, role, needed):
        """Whether this post, acting or higher, may do what `needed` may."""
        return role in self.roles and self.roles.index(role) >= self.roles.index(needed)
