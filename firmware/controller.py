"""The table's one loop: read inputs, step, write outputs. Time is passed in.

Keys, sensors, shuffler and reader become events of the round; the recorder has each on flash before anything
follows from it; the link carries the records. A fault holds the table until staff clear it.
"""

from firmware.module_unload import forget
from firmware.shuffler_control import Dealing
from shared.journal.chain import BrokenChain
from shared.journal.journal import JournalFull
from shared.round.bets import bets_on
from shared.round.deal import undecided, unshown
from shared.round.states import BETTING, CLOSED, DEALING, DECIDING, FROZEN, NO_ROUND, PLAYING, TELL
from shared.round.table import READERS, SHUFFLER
from shared.rules.cards import DECK_SIZE, UNREAD
from shared.values import const, since

_DAY_MS = const(86400000)
_IN_DEAL = const(("closed", "dealing"))  # states in which cards are dealt, or may be
_INPUT_MS = const(10)  # between looks at keys, which is often enough for fingers
_CHIP_MS = const(30)  # and for chips, which take longer to read
_SURE_MS = const(3000)  # a fold of a hand that pays counts when the key is pressed again so soon
_SENSOR_PLAYER = const("box %d")  # who bets where sensors are all that is known
_UNSTEADY = const("sensor_unsteady")
_ANSWER_MS = const(50)  # within which the shuffler answers what it was told
_USB_LINES = const(8)  # lines sent in one pass, so that no device waits long
_CARD_LINES = const(3)  # of them for a card


class Controller:
    def __init__(self, recorder, link, hardware, now):
        self.recorder = recorder
        self.link = link
        self.hardware = hardware
        self.dealing = Dealing()
        self.shuffler = None
        self.reader = None
        self.devices_for = None  # the configuration that the devices were opened for
        self.card_before = recorder.last_card  # the start; the reader may say it again
        self.face_up = None  # the number of the round of which the shuffler announced the next card so
        self.gap = None  # the detail of a lost report, while cards that came before it still wait
        self.gaps = []  # (card, detail) of those that wait behind one
        self.fold_asked_at = None  # when a fold was asked about
        self.unsent = b""
        self.written = 0  # the last record when garbage was last collected, None once something was said
        self.looked_at = now  # at keys and sensors
        self.is_checking = True  # the journal's older segments
        self.wear_told = -_DAY_MS  # when the wear of the flash was last recorded
        self.cleared = 0  # how many faults had been cleared in the last pass
        self.fold_box = None  # whose fold was asked about
        self.steady_since = None  # (round, faults cleared) that changes of the sensors are counted for
        self.stopped = None  # the code of the fault by which it did
        self.state = None  # of the round, that room was last made for
        recorder.sensed = self.compare_sensors
        recorder.sensors = hardware.sensors
        self.open_devices(now)

    def open_devices(self, now):
        """Have the drivers that the configuration asks for."""
        config = self.recorder.config
        if config is None or config is self.devices_for:
            return
        self.devices_for = config
        table = self.recorder.round.table
        hardware = self.hardware
        self.shuffler = open_driver(SHUFFLER, hardware.open_shuffler, now) if table.device == "shuffler" else None
        self.reader = open_driver(READERS[table.reader], hardware.open_reader, now)
        self.dealing.reset()
        self.miss_devices()

    def miss_devices(self):
        """Say what the configuration asks for and the board does not have."""
        if self.devices_for and self.recorder.round.table.device == "shuffler" and self.shuffler is None:
            self.recorder.fault("shuffler_silent", "absent")
        if self.devices_for and self.reader is None:
            self.recorder.fault("reader_silent", "absent")

    # -- the loop

    def step(self, now):
        """One pass. Anything that goes wrong in it stops the table, with a fault that says so."""
        try:
            self.recorder.tick(now)
            data = self.hardware.usb.read()
            if data:
                if not self.is_dealt():
                    self.hardware.take_time()
                self.link.receive(data, now)
            if not self.stopped:
                self.hear_devices(now)
                self.deal(now)
        except MemoryError:
            raise
        except Exception as problem:
            self.stop(problem, now)
        try:
            self.talk(now)
            # A card's record is out; fingers, chips and eyes can wait for it, and the journal for all of them.
            if not self.stopped:
                self.look_around(now)
        except MemoryError:
            raise
        except Exception as problem:
            self.stop(problem, now)
        if self.stopped:
            self.hardware.led.show("fault", now)
        # What was made for records is thrown away before the next thing happens.
        number = self.recorder.journal.chain.number
        self.hardware.rest(number != self.written)
        self.written = number

    def look_around(self, now):
        if since(self.looked_at, now) >= _INPUT_MS:
            self.looked_at = now
            self.open_devices(now)
            self.look_at_inputs(now)
            self.check_journal()
            self.hardware.led.show(self.mood(), now)
        round_ = self.recorder.round
        if round_ and round_.state != self.state:
            self.state = round_.state
            self.hardware.make_room(self.state)
        self.recorder.journal.settle_down(self.is_dealt())

    def check_journal(self):
        """While no card can come, have flash erased for the next round; between rounds, check older segments."""
        recorder = self.recorder
        round_ = recorder.round
        is_over = round_ is None or round_.is_over()
        if (is_over or round_.state == BETTING) and not self.is_answer_due() and recorder.journal.prepare():
            return
        if is_over and not 0 <= recorder.now - self.wear_told < _DAY_MS:
            self.wear_told = recorder.now
            from firmware.wear import tell_wear  # here, as it comes once a day

            tell_wear(recorder)
            forget("firmware.wear")
        if self.is_checking and is_over:
            try:
                self.is_checking = recorder.journal.check_some()
            except BrokenChain as problem:
                recorder.fault("journal_broken", str(problem))
            if not self.is_checking:
                forget("shared.journal.journal_opening")

    def is_answer_due(self):
        """Whether the shuffler was just told something. While flash is erased a UART holds one line of a device,
        and not an answer as well."""
        shuffler = self.shuffler
        return shuffler and shuffler.waiting and since(shuffler.sent_at, self.recorder.now) < _ANSWER_MS

    def stop(self, problem, now):
        """The journal does not take a record, or the program is wrong: nothing more is done at this table."""
        if self.stopped:
            return
        if isinstance(problem, JournalFull):
            self.stopped = "journal_full"
        elif isinstance(problem, BrokenChain):
            self.stopped = "journal_broken"
        else:
            self.stopped = "journal_failed" if isinstance(problem, OSError) else "crashed"
        self.recorder.stop(self.stopped, repr(problem))
        self.hardware.report(problem)
        self.hardware.led.show("fault", now)

    def mood(self):
        if self.stopped or self.recorder.faults:
            return "fault"
        if not self.link.is_up():
            return "no_link"
        round_ = self.recorder.round
        return "idle" if round_ is None or round_.is_over() else "round"

    def talk(self, now):
        usb = self.hardware.usb
        for count in range(_USB_LINES):
            if not self.unsent:
                self.unsent = self.link.output(now)
            if not self.unsent:
                return
            self.written = None  # there is something to throw away
            if count == _CARD_LINES:
                self.hardware.take_time()
            sent = usb.write(self.unsent)
            self.unsent = self.unsent[sent:] if sent else self.unsent
            if self.unsent:
                return

    # -- keys and sensors

    def look_at_inputs(self, now):
        pressed, stuck = self.hardware.keys.poll(now)
        if pressed:
            self.hardware.take_time()
        if stuck:
            self.recorder.fault("key_stuck", stuck)
        for key in pressed:
            self.press(key, now)
        sensors = self.hardware.sensors
        if sensors and since(sensors.looked_at, now) >= _CHIP_MS:
            sensors.looked_at = now
            changes, unplugged = sensors.poll(now)
            if unplugged:
                self.recorder.fault("sensors_unplugged", "")
            for box, spot, there in changes:
                self.chips(box, spot, there, now)

    def press(self, key, now):
        recorder = self.recorder
        round_ = recorder.round
        if key == "supervisor":
            recorder.keep_if_room([["call", "pit_supervisor"]])
        elif key == "close" and round_ and round_.state == FROZEN and round_.question.kind == TELL:
            recorder.apply(["all_told"])
        elif round_ is None or key in ("open", "close", "settle"):
            recorder.apply([key])
        elif key == "reveal":
            self.reveal()
        elif key == "exposed":
            number, card = recorder.last_card
            # By a slip: if a player turned it, the host says who.
            recorder.apply(["turned", card] if number == round_.number else ["turned"])
        elif key in ("play", "fold"):
            self.decide(key, now)

    def reveal(self):
        """The dealer's key says that the hands lie face up where the book wants that first."""
        round_ = self.recorder.round
        if round_.book.PROCEDURE.shown_first and round_.verify(["reveal"]) and not undecided_in(round_):
            for box in unshown(round_):
                if self.recorder.apply(["show", box, "dealer"])[0][0] == "refused":
                    return
        self.recorder.apply(["reveal"])

    def decide(self, choice, now):
        """For the box whose turn it is. Folding a hand that pays takes a second press."""
        waiting = undecided_in(self.recorder.round)
        box = waiting[0] if waiting else 1
        asked_at = self.fold_asked_at
        is_asked = asked_at is not None and since(asked_at, now) < _SURE_MS and box == self.fold_box
        sure = True if choice == "fold" and is_asked else None
        self.fold_box = box
        self.fold_asked_at = None
        records = self.recorder.apply(["decide", box, choice, None, sure])
        if choice == "fold" and not sure and records[0][0] == "refused" and records[0][3] == "fold_would_pay":
            self.fold_asked_at = now

    def chips(self, box, spot, there, now):
        """Where amounts are not known a chip sensed is a bet; else it is only compared at the close.

        After the close it is no more than a word in the log: a hand over the chips or a loose wire looks like
        chips taken away, and whether they were is for staff to say.
        """
        round_ = self.recorder.round
        if round_ is None or round_.table.amounts or box > round_.table.boxes or spot >= len(round_.book.WAGERS):
            return
        wager = round_.book.WAGERS[spot]
        if wager.on_decision or round_.is_over():
            return
        if not self.is_steady(box, spot, wager):
            return
        if round_.state == BETTING or (there and not bets_on(round_, box, spot)):
            self.recorder.apply(["bet" if there else "take_back", box, _SENSOR_PLAYER % box, wager.name])
        else:
            said = "box %d %s %s" % (box, wager.name, "back" if there else "gone")
            self.recorder.note(["device", "layout", said], now)

    def is_steady(self, box, spot, wager):
        """A spot that changes too often in a round is a fault, and says nothing more until that is cleared."""
        recorder = self.recorder
        if _UNSTEADY not in recorder.faults:
            self.steady_since = (recorder.round.number, recorder.times_cleared)
        if not self.hardware.sensors.is_unsteady(box, spot, self.steady_since):
            return True
        recorder.fault(_UNSTEADY, "%d %s" % (box, wager.name))
        return False

    def compare_sensors(self):
        """The records of where chips lie and nothing is declared, and the other way round."""
        sensors = self.hardware.sensors
        round_ = self.recorder.round
        records = []
        if sensors is None:
            return records
        for box in range(1, min(round_.table.boxes, sensors.boxes) + 1):
            for place in range(min(len(round_.book.WAGERS), sensors.spots)):
                wager = round_.book.WAGERS[place]
                declared = sum([bet.cents for bet in bets_on(round_, box, place)])
                there = sensors.is_there(box, place)
                if not wager.on_decision and there != (declared > 0):
                    records.append(["sensed", box, wager.name, there, round_.money(declared)])
        return records

    # -- shuffler and reader

    def hear_devices(self, now):
        if self.recorder.times_cleared != self.cleared:
            # What is still wrong says so anew.
            self.cleared = self.recorder.times_cleared
            self.miss_devices()
            for device in (self.shuffler, self.reader):
                if device:
                    device.listen_again(now)
            self.hardware.keys.look_again(now)
            if self.hardware.sensors:
                self.hardware.sensors.look_again(now)
        self.deal_late_cards()
        if self.shuffler:
            for happening in self.shuffler.poll(now):
                self.happened("shuffler", happening, now)
        if self.reader:
            if self.is_dealt():
                self.hardware.hurry()
            for happening in self.reader.poll(now):
                self.happened("reader", happening, now)
            self.reader.lock(not self.is_dealt() or bool(self.recorder.faults), now)

    def must_wait(self):
        """Whether a card must wait: for an answer, or in the deal with a shoe until no fault is left.

        A shuffler is asked for nothing more while there is a fault. A dealer may draw on, and then the card after
        one that the reader missed would lie in its place.
        """
        round_ = self.recorder.round
        if round_.state == FROZEN:
            return round_.resume in (CLOSED, DEALING, PLAYING, DECIDING)
        return self.shuffler is None and bool(self.recorder.faults) and round_.state in _IN_DEAL

    def deal_late_cards(self):
        recorder = self.recorder
        while recorder.late and recorder.round.state != FROZEN and not self.must_wait():
            waiting = recorder.late
            if self.gaps and self.gaps[0][0] is waiting[0]:
                recorder.fault("reader_gap", self.gaps.pop(0)[1])
                continue
            self.card(*waiting[0])
            if recorder.late is waiting:
                recorder.late = waiting[1:]  # nothing that the round could have made sense of

    def happened(self, device, happening, now):
        kind = happening[0]
        recorder = self.recorder
        if kind == "card":
            up = happening[2] or self.face_up == recorder.round.number
            self.face_up = None
            if self.is_said_again(happening[1]):
                recorder.note(["device", device, "AGAIN " + happening[1]], now)
                if happening[1] == UNREAD:
                    # It may be another one, as none of them has a name: staff look how many lie there.
                    recorder.fault("card_count", UNREAD)
            else:
                self.card(happening[1], up)
        elif kind == "dealt":
            self.dealing.was_dealt(happening[1], now)
        elif kind == "faceup":
            self.face_up = recorder.round.number
        elif kind in ("count", "ready"):
            self.counted(kind, happening[1])
        elif kind == "fault":
            self.device_fault(device, happening[1], happening[2])
        else:
            recorder.note(["device", device, happening[1]], now)

    def counted(self, kind, count):
        """The shuffler says how many cards it has.

        The books speak of the cards of a round. Before the first of them is asked for a deck that is not whole
        is put right, and shuffled again. Between rounds nobody has asked, and at the next one it is.
        """
        recorder = self.recorder
        round_ = recorder.round
        is_due = not round_.hands and not self.dealing.asked
        if is_due and count != DECK_SIZE and (kind == "count" or round_.state not in NO_ROUND):
            self.dealing.shuffled_for = None
            self.device_fault("shuffler", "shuffler_count", str(count))
            return
        self.dealing.was_shuffled(round_)
        if kind == "count":
            recorder.apply(["cards_counted", count])
        elif self.is_dealt():
            recorder.apply(["cards_left", count])

    def is_dealt(self):
        """Whether cards are dealt, or will be as soon as the shuffler is ready."""
        round_ = self.recorder.round
        return round_ is not None and round_.state in _IN_DEAL and not round_.is_over()

    def device_fault(self, device, code, detail):
        recorder = self.recorder
        is_new = recorder.fault(code, detail)
        if code == "reader_gap" and (recorder.late or not is_new):
            self.gap = detail
            if not is_new:
                recorder.fault(
                    "card_count", detail
                )  # also after a power cut staff know that another card may be missing
        if device == "shuffler":
            self.face_up = None  # the next one is another card
            self.dealing.reset()
            self.shuffler.forget()
        if code == "shuffler_empty" and self.is_dealt():
            recorder.apply(["cards_left", 0])

    def is_said_again(self, text):
        """If the power went when a card was on flash and not yet answered, the reader says it again."""
        before = self.card_before
        self.card_before = None
        return self.reader.SAYS_AGAIN and before == (self.recorder.round.number, text)

    def card(self, text, up):
        gap, self.gap = self.gap, None
        if self.must_wait():
            self.recorder.keep_late(text, up)
            if gap and self.recorder.late:
                self.gaps.append((self.recorder.late[-1], gap))
            return
        self.dealing.was_read()
        records = self.recorder.apply(["card", text, True] if up else ["card", text])
        if records[0][0] == "event" and records[-1][0] == "ask" and records[-1][2] == "foreign_card":
            # A card lies there and is in no hand: nothing more is dealt before staff have said what it is.
            self.recorder.fault("card_count", text)

    def deal(self, now):
        if self.shuffler is None or self.recorder.faults:
            return
        fault = self.dealing.step(self.recorder.round, self.shuffler, now)
        if fault:
            self.face_up = None
            self.recorder.fault(fault[0], fault[1])


def open_driver(row, open_port, now):
    """The driver that a row of the table names, loaded now; None if the board has no port for it."""
    module, name, baud = row
    port = open_port(baud)
    if port is None:
        return None
    return getattr(__import__("firmware.drivers." + module, None, None, (name,)), name)(port, now)


def undecided_in(round_):
    return undecided(round_) if round_.book.PROCEDURE.deciding else []
