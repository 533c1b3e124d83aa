"""The console: what happens at a table, told key by key, and what follows of it in words.

A target with the firmware plays the table's records again: what the rules here would not write is said at once.
"""

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

from host.bench.console.choice import SHORT, NotMeant, key_name, keys, phrases_of, trouble_keys, words_for
from host.bench.console.proposals import Proposals
from host.bench.firmware_target import FirmwareTarget
from host.bench.from_log import NotAScenario, text_of
from host.bench.outcomes import LEFT_OUT, Broken, CannotPlay, Differs
from host.bench.phrases import TROUBLE_PHRASES, UnknownPhrase, read_step
from host.bench.scenario import kind_names
from host.bench.targets import Target
from host.bench.troubles.phrases import ACTS
from host.display.display import Display
from host.display.picture import PAGE_MS
from host.files import write_new
from host.words.records import record_words, rule_words

WIDTH = 100
JOINED = "\N{NO-BREAK SPACE}"  # a key and its name stay on one line
HELP, QUIT, SAY, SAVE, DEAL, WAIT = "?", "q", ":", "=", "D", "w"
OWN_KEYS = {
    DEAL: "deal the rest",
    SAY: "say a phrase in full",
    SAVE: "save as a scenario: FILE KIND",
    HELP: "all keys",
    QUIT: "quit",
}
BY_ITSELF = ("card", "power_failure")  # what happens without anybody telling it
SELDOM = ("restrict", "new_day")  # what stands last in the line of keys
# The table's own records that nobody looks for at the bench.
HIDDEN = set(LEFT_OUT) - {"boot", "link", "device", "fault", "cleared", "sensed", "answer"}
NO_TABLE = "the rules core has neither keys nor devices; play on a target with the firmware, such as cpython"


class Console:
    """`say` takes each line for people; `display` draws the table after everything that happens."""

    def __init__(
        self, target: Target, config: dict[str, Any], say: Callable[[str], None], display: Display, seed: int = 1
    ) -> None:
        self.target = target
        self.config = config
        self.say = say
        self.display = display
        self.seed = seed
        self.firmware = target if isinstance(target, FirmwareTarget) else None
        if self.firmware:
            self.firmware.by_hand = True
        self.told = 0  # records
        self.looked = 0  # milliseconds of looking on, in which the display turns its pages
        self.problems = 0
        self.is_said = False  # whether the lines name already what happened
        self.state = ""

    def start(self) -> None:
        self.target.start(self.config)
        self.told = len(self.target.records)
        self.draw()
        self.help()

    @property
    def round(self) -> Any:
        return self.target.keeper.round

    @property
    def has_ears(self) -> bool:
        """Whether what staff tell reaches the table."""
        return not self.firmware or (self.firmware.has_host and self.firmware.has_cable)

    @property
    def wagers(self) -> list[str]:
        return [wager.name for wager in self.round.book.WAGERS]

    # -- what can be pressed

    def is_possible(self, key: str) -> bool:
        """Whether the rules allow, as the round stands, what the key alone proposes."""
        try:
            (event, *_) = read_step(self.words(key, ""))
        except (NotMeant, UnknownPhrase):
            return False
        return self.round.verify(event) is None

    def possible(self) -> list[str]:
        return [key for key in keys() if self.is_possible(key)]

    def help_line(self) -> str:
        possible = sorted(self.possible(), key=lambda key: phrases_of(key)[0].event in SELDOM)
        named = {key: key_name(key) for key in possible} | {key: OWN_KEYS[key] for key in (HELP, QUIT)}
        now = [f"{key} {name}".replace(" ", JOINED) for key, name in named.items()]
        return f"{self.round.state}: {', '.join(now)}"

    def help(self) -> None:
        self.state = self.round.state
        for line in textwrap.wrap(self.help_line(), WIDTH, subsequent_indent="    ", break_on_hyphens=False):
            self.say(line.replace(JOINED, " "))

    def all_keys(self) -> list[str]:
        possible = self.possible()
        lines = ["what happens at the table (* is possible now):"]
        for key in keys():
            mark = "*" if key in possible else " "
            lines.append(f" {mark} {key}  {key_name(key):22} {phrases_of(key)[0].template}")
        for key, (other, typed) in SHORT.items():
            mark = "*" if other in possible else " "
            lines.append(f" {mark} {key}  {key_name(key):22} as {other} {typed}")
        lines.append("what happens to the table:" if self.firmware else f"not here: {NO_TABLE}")
        if self.firmware:
            lines += [f"   {key}  {key_name(key):22} {phrases_of(key)[0].template}" for key in trouble_keys()]
            lines.append(f"and in full, behind {SAY}:")
            lines += [f"      {phrase.template}" for phrase in TROUBLE_PHRASES if not phrase.key]
        lines.append("the console:")
        return lines + [f"   {key}  {about}" for key, about in OWN_KEYS.items()]

    def words(self, key: str, typed: str) -> str:
        propose = Proposals(self.round, self.seed, self.target.keeper.replay.faults).propose
        return words_for(key, typed, propose, self.wagers, self.round.table.amounts)

    def prompt(self, key: str) -> str | None:
        """What to ask after this key; None if there is nothing to be said."""
        if key == SAVE:
            return "FILE KIND"
        if key == SAY:
            return "phrase"
        if key in (*keys(), *trouble_keys()) and "{" in phrases_of(key)[0].template:
            return self.words(key, "")
        return None

    # -- what is pressed

    def press(self, key: str, typed: str) -> None:
        """Do what the key says, and tell what followed."""
        typed = typed.strip()
        self.is_said = False
        try:
            self.do(key, typed)
        except (NotMeant, UnknownPhrase, NotAScenario) as problem:
            self.say(f"nothing happened: {problem}")
        except CannotPlay as why:
            self.say(f"not at this table: {why}")
        except (Differs, Broken) as problem:
            self.problems += 1
            self.say(f"{'the product' if isinstance(problem, Differs) else 'the instrument'}: {problem}")
        self.tell()
        self.draw()
        if self.round.state != self.state:
            self.help()

    def do(self, key: str, typed: str) -> None:
        if key == HELP:
            for line in self.all_keys():
                self.say(line)
        elif key == SAVE:
            self.save(typed)
        elif key == SAY:
            self.happen(typed)
        elif key == WAIT and not self.firmware:
            self.looked += PAGE_MS  # nothing but the display has a clock
        elif key == DEAL:
            self.deal_rest(typed)
        elif key in (*keys(), *trouble_keys(), *SHORT):
            self.happen(self.words(key, typed))
        else:
            raise NotMeant(f"there is no key {key!r}; {self.help_line().replace(JOINED, ' ')}")

    def deal_rest(self, typed: str) -> None:
        cards = Proposals(self.round, self.seed).rest()
        if typed or not cards:
            raise NotMeant("no card is due" if not typed else "this key takes no words")
        self.happen(f"cards {cards}")

    def happen(self, words: str) -> None:
        """A phrase of scenarios."""
        events = read_step(words)
        for event in events:
            if event["event"] not in (*ACTS, *BY_ITSELF) and not self.has_ears:
                raise NotMeant("nobody can tell the table anything, as the host or its cable is away")
            if event["event"] == "power_failure" and self.firmware and self.round.is_over():
                event["event"] = "restart"  # between rounds no event follows
        self.say(f"> {words}")
        self.is_said = not any(event["event"] in ACTS for event in events)
        for event in events:
            self.target.apply(event)
        if self.firmware:
            self.firmware.rest()  # devices say what they have to say

    # -- what followed

    def tell(self) -> None:
        records = self.target.records[self.told :]
        self.told = len(self.target.records)  # fewer than before if the host has lost some
        is_refused = any(record[0] == "refused" for record in records)
        for record in records:
            if self.is_told(record) and not (is_refused and record[0] == "answer"):
                rule = rule_words(record)
                self.say(f"    {record_words(record, self.round.book)}" + (f"  [{rule}]" if rule else ""))

    def is_told(self, record: list[Any]) -> bool:
        if record[0] == "answer":
            return not record[2] and record[3] is not None
        return record[0] not in HIDDEN and not (record[0] == "event" and self.is_said)

    def look(self) -> None:
        """Time passes at a table whose time nobody else moves on."""
        if self.firmware:
            self.is_said = False
            self.firmware.step()
            self.tell()
            self.draw()

    def draw(self) -> None:
        now = self.looked + (self.firmware.now if self.firmware else 0)
        self.display.step(self.target.keeper.view(), now)

    # -- saving

    def save(self, typed: str) -> None:
        name, _, kind = typed.partition(" ")
        if not name or kind not in kind_names():
            raise NotMeant(f"type a file and a kind of situation: one of {'; '.join(kind_names())}")
        text, notes = text_of(self.target.records, self.config, kind, "Played by hand")
        try:
            write_new(Path(name), text.encode())
        except FileExistsError:
            raise NotMeant(f"{name} is there already; choose another name") from None
        except OSError as problem:
            raise NotMeant(f"{name} cannot be written: {problem.strerror}") from None
        for note in notes:
            self.say(f"left out: {note}")
        self.say(f"{name}: plays to the same records. Write its title, and work out what must come out.")
