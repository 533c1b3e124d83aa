"""What goes on at a table besides the state of its round: who acted last; what was asked, paid, called, held."""

from collections import deque
from typing import Any, NamedTuple

from host.words.faults import ADVICE
from shared.round.bets import is_seated
from shared.round.events import Refused, read_event
from shared.round.round import Round
from shared.round.states import FROZEN

RECENT = 400
REPORTS = ("irregularity", "cards_counted")
TELLS_UNDO = ("refund", "recounted", "ask", "lies")  # what an undo must know of what a slip caused


class Recent(NamedTuple):
    """A record with what is needed to tell of it: by whose command it came, and the book it was played by."""

    number: int | None
    record: list[Any]
    staff: str | None
    book: Any


class Slip(NamedTuple):
    """The last thing that staff did and the table accepted: its record, and those that it caused."""

    number: int
    event: list[Any]
    staff: str
    caused: list[list[Any]]


class Activity:
    """Fed with every record by the view that plays them."""

    def __init__(self) -> None:
        self.recent: deque[Recent] = deque(maxlen=RECENT)
        self.lines: list[tuple[int | None, list[Any]]] = []  # box and record of what the round on view paid
        self.asked = 0  # how many questions the round has asked
        self.placed = 0  # how often a card came to a place, or was said to lie in another
        self.slip: Slip | None = None
        self.staff: str | None = None  # whose command the records belong to
        self.called = ""  # the highest post that was called and has not acted since
        self.held = ""  # the code of why nothing opens, as the table last said
        self.is_final = False  # nothing undoes the event that is being taken

    def prepare(self, round_: Round | None, event: list[Any]) -> None:
        """Called with each event before it is played."""
        self.is_final = round_ is not None and has_no_way_back(round_, event)

    def follow(self, round_: Round | None, record: list[Any], number: int | None) -> None:
        """Called with each record after it was played."""
        kind = record[0]
        if kind == "command":
            self.staff = record[2]
            if self.called and self.reaches(round_, record[2].rpartition(", ")[2]):
                self.called = ""
        elif kind == "call":
            if not self.called or self.reaches(round_, record[1]):
                self.called = record[1]
        elif kind == "answer":
            self.staff = None
        elif kind == "event":
            self.take_event(number, record[2])
        elif kind == "ask":
            self.asked += 1
        elif kind in ("dealt", "lies"):
            self.placed += 1
        elif kind in ("line", "bonus"):
            self.lines.append((record[1], record))
        elif kind == "envy":
            # It is the player's, and stands where he first has a line.
            self.lines.append((next((box for box, one in self.lines if one[2] == record[1]), None), record))
        elif kind == "reversed":
            self.lines = [line for line in self.lines if not is_reversed(*line, record[1])]
        elif kind == "held" and record[1] in ADVICE:
            self.held = record[1]
        if kind in TELLS_UNDO and self.staff and self.slip:
            self.slip.caused.append(record)
        self.recent.append(Recent(number, record, self.staff, round_.book if round_ else None))

    def reaches(self, round_: Round | None, post: str) -> bool:
        """Whether this is the post that was called, or one above it."""
        return round_ is not None and round_.table.role_reaches(post, self.called)

    def take_event(self, number: int | None, event: list[Any]) -> None:
        self.held = ""
        if event[0] == "open":
            self.lines = []
            self.called = ""
        if self.is_final:
            self.slip = None
        elif self.staff and number is not None:
            self.slip = Slip(number, event, self.staff, [])
        elif event[0] not in ("card", "cards_left"):
            self.slip = None  # the table's own keys went on from there


def is_reversed(box: int | None, line: list[Any], reversed_box: int | None) -> bool:
    """An envy bonus is the player's and of no box, wherever it is shown."""
    return reversed_box is None if line[0] == "envy" else box == reversed_box


def has_no_way_back(round_: Round, event: list[Any]) -> bool:
    """Whether nothing undoes an event, by how the round stands before it.

    What says only what is so already changes nothing, and its opposite would. A report takes the place of a
    question that is open, and ruled away it would leave that one unanswered.
    """
    try:
        name, fields = read_event(event)
    except Refused:
        return False
    if name in REPORTS:
        return round_.state == FROZEN
    if name == "seat":
        return is_seated(round_, fields["box"], fields["player"]) == fields["seated"]
    if name == "restrict" and fields["player"] is not None:
        return is_held(round_, fields["player"]) == bool(fields["limit"])
    return False


def is_held(round_: Round, player: str) -> bool:
    """Held to one position, now or from the next round on."""
    told = [limit for name, limit in round_.next_one_box if name == player]
    return bool(told[-1]) if told else player in round_.one_box_players
