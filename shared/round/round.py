"""A round at a table: events in, records out.

    idle -> betting -> closed -> dealing -> playing -> revealed -> settled
                                         \\-> deciding -/
    and from any of them void, or frozen while players choose or staff must rule.

What people may not do is refused. What happened all the same is a fact: it can be told from closing to the next
opening, frozen or not, and changes what is known, not what was decided (X-20).

`Round.apply(event)` first verifies that the event may happen now, and only then changes anything. A
refused event leaves the state as it was and is itself recorded. There is no clock and no chance in
here, so the same events give the same records anywhere. One Round plays round after round, because
some rules reach across: the meter, a player's one allowance, what a Pit Manager set.
"""

from shared.round import deal
from shared.round.events import Refused, as_given, plain_event, read_event
from shared.round.states import CLOSED, FROZEN, IDLE, NO_ROUND
from shared.round.table import Table

# Where each event is dealt with.
MODULES = {
    "betting": "open bet close",
    "dealing": "card cards_left",
    "playing": "look handled show decide reveal",
    "ending": "settle hand_paid",
    "corrections": "take_back seat counted restrict new_day",
    "irregularities": "irregularity cards_counted power_failure all_told",
    "answers": "misread choose choices_done withdraw ruling",
    "facts": "lies entered turned chips_gone",
}
HANDLERS = {}  # of the modules that are loaded


def handlers_of(name):
    """(verify, act) of an event. Its module is loaded when it is needed: a Pico has little room."""
    if name not in HANDLERS:
        for module in MODULES:
            if name in MODULES[module].split(" "):
                HANDLERS.update(__import__("shared.round." + module, None, None, ("HANDLERS",)).HANDLERS)
    return HANDLERS[name]


# What reaches from one round into the next.
CARRIED = (
    "number",
    "meter",
    "allowed_once",
    "area_limit",
    "one_box_players",
    "next_area_limit",
    "next_one_box",
    "hand_pays",
)


class Round:
    def __init__(self, config, carried=None):
        self.table = config if isinstance(config, Table) else Table(config)
        self.book = self.table.book
        self.number = 0
        self.meter = self.table.start
        self.allowed_once = []  # players who have used their one allowance
        self.area_limit = self.book.PROCEDURE.wagers_an_area
        self.one_box_players = []  # held to one position
        self.next_area_limit = None
        self.next_one_box = []
        self.hand_pays = []  # players whose jackpot waits to be paid by hand
        if carried:
            if len(carried) != len(CARRIED):
                raise ValueError("carried: expected %d values" % len(CARRIED))
            for name, value in zip(CARRIED, carried):
                setattr(self, name, list(value) if isinstance(value, (list, tuple)) else value)
        self.state = IDLE
        self.clear()

    def carry(self):
        """What a fresh Round needs to go on after this one, as plain values for the log."""
        values = [getattr(self, name) for name in CARRIED]
        return [list(value) if isinstance(value, (list, tuple)) else value for value in values]

    def clear(self):
        """Forget the last round's table."""
        self.bets = []  # in the order of placing
        self.by_box = {}  # the same, by box
        self.seating = {}  # (box, player): what staff said
        self.contributed = 0  # cents of this round in the meter
        # cards
        self.order = []  # boxes that get cards
        self.removed = []  # those of them whose hand went out
        self.hands = {}  # cards by box, 0 for the dealer
        self.loose = []  # cards that were read and lie in no hand
        self.doubtful = None  # the one of them that staff are asked about
        self.first_card = None
        self.first_place = None
        self.unread_open = []  # places of unknown cards that came face up
        self.seen = []  # cards the table saw singly
        self.shown = []  # places whose hand lies face up
        # players
        self.looked = {}  # the one box a player looked at
        self.handled = False  # some player touched cards
        self.decisions = {}  # play or fold by box
        # irregularities
        self.exposures = 0
        self.may_withdraw = False
        self.question = None  # what a frozen round waits for
        self.resume = None  # the state it goes back to
        self.pending = []  # (box, player) asked to choose
        self.committed = []  # those who chose to go on
        self.postponed = []  # (situation, place, card) of what happened while the round waited
        # settlement
        self.paid = []  # (box, player, number of the bet, stake, cents back)
        self.used_now = []  # (player, box) whose allowance this settlement used
        self.meter_before_award = None

    def verify(self, event):
        """None if the event may happen now, else (paragraph, code, detail)."""
        try:
            name, fields = read_event(event)
            handlers_of(name)[0](self, fields)
        except Refused as refusal:
            return refusal.paragraph, refusal.code, refusal.detail
        return None

    def apply(self, event):
        """The records that an event causes: itself and what follows from it, or its refusal."""
        plain = None
        try:
            name, fields = read_event(event)
            plain = plain_event(name, fields)
            verify, act = handlers_of(name)
            verify(self, fields)
        except Refused as refusal:
            # A name that no event has, so that a replay can never take it for one.
            plain = plain or ["malformed"] + as_given(event)
            return [["refused", plain, refusal.paragraph, refusal.code, refusal.detail]]
        event_record = ["event", self.number, plain]
        out = [event_record]
        act(self, fields, out)
        event_record[1] = self.number  # opening begins the next number
        return out

    # What the modules of events share.

    def stage(self):
        """The state that the round is in, or was in when it froze."""
        return self.resume if self.state == FROZEN else self.state

    def is_over(self):
        """Whether the next round may open: there is no round, or one without a bet (X-24)."""
        return self.state in NO_ROUND or (self.state == CLOSED and not self.order)

    def enter(self, state, paragraph, out):
        self.state = state
        out.append(["state", state, paragraph])

    def need_state(self, states, paragraph):
        if self.state not in states:
            raise Refused(paragraph, "not_possible_now", self.state)

    def need_box(self, box):
        if not 1 <= box <= self.table.boxes:
            raise Refused(None, "number_expected", "box", 1, self.table.boxes)

    def need_role(self, role, needed, paragraph):
        if role is not None and role not in self.table.roles:
            raise Refused(None, "no_such_post", role)
        if role is None or not self.table.role_reaches(role, needed):
            raise Refused(paragraph, "post_too_low", needed)

    def money(self, cents):
        """Cents as a record has them: None where the table knows no amounts."""
        return cents if self.table.amounts else None

    def next_place(self):
        """The box that the next card belongs to, 0 for the dealer, None when the deal is complete."""
        return deal.next_place(self)

    def in_play(self):
        return [bet for bet in self.bets if bet.cents]
