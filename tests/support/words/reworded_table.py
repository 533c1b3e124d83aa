"""A whole table in virtual time, with all that can be said about it, as JSON on the standard output.

    python -m tests.support.words.reworded_table FOLDER GAME [--reworded]

With `--reworded` every sentence of host and firmware is another one. Nothing else may differ.
"""

import json
import sys
from pathlib import Path

from tests.support.words import rewording

if "--reworded" in sys.argv:
    rewording.install()

# Only now, so that these are reworded as well.
from click.testing import CliRunner

from host.cli import felt
from host.log.reading import LogReader
from host.page.hub import Hub
from host.page.orders import Orders, Wanted
from host.page.state import undo_now
from host.words.refusals import refusal_words
from tests.support.serviced import Serviced

MISCHIEF = 0.9
ROUNDS = 6


def plain(value):
    """What JSON can hold of a value."""
    return json.loads(json.dumps(value, default=str))


class Run:
    def __init__(self, folder: Path, game: str) -> None:
        self.table = Serviced(folder, game)
        self.hub = Hub()
        self.hub.watch(["dealer", "pit_supervisor", "shift_manager"], True)
        self.table.service.observers.append(self.hub)
        self.orders = Orders(self.table.service)
        self.facts: list[object] = []
        self.values: list[object] = []  # codes and fields, in which no sentence may be

    def order(self, action: str, post: str, **fields: object) -> None:
        """Somebody does something on the page; what is kept is its answer."""
        self.table.run_until(lambda: not self.table.service.is_moving(), act=False)
        slip = self.table.service.keeper.activity.slip
        moment = ""
        for offer in json.loads(self.hub.picture.consoles[post])["offers"]:
            if offer["action"] == action:
                moment = offer["moment"]
        wanted = Wanted(action, fields, slip.number if slip else None, post, moment)
        try:
            answer = self.orders.send(wanted, f"Somebody, {post}")
        except ValueError as problem:
            self.facts.append([action, post, "not sent", str(problem)])
            return
        self.table.run_until(answer.done, act=False)
        done = answer.result()
        words = "" if done.done else refusal_words(done.code, done.detail)
        self.facts.append([action, post, plain(done), words])

    def play(self) -> None:
        table, service = self.table, self.table.service
        table.run_until(lambda: service.keeper.round is not None, act=False)
        table.floor.press("open")
        table.run_until(lambda: service.keeper.round.state == "betting", act=False)
        main = service.keeper.round.book.WAGERS[0].name
        self.order("bet", "dealer", box=1, player="Ann", wager=main, cents="$25")
        self.facts.append(["undo offered", undo_now(service.keeper) is not None])
        self.order("undo", "dealer")
        self.order("bet", "dealer", box=1, player="Ann", wager=main, cents="26.01")
        self.order("bet", "dealer", box=9, player="Ann", wager=main, cents="25")
        self.order("settle", "dealer")
        self.order("no such thing", "dealer")
        ruling = ["event", ["ruling", "void", "dealer"]]
        for command in (ruling, ["config", [["game", "none"]]], ["clear", ["x", "y"]]):
            answer = service.command("Somebody, dealer", *command)
            table.run_until(answer.done, act=False)
            self.facts.append([command, plain(answer.result())])
        # Devices and people with faults of every kind, some rounds long.
        table.floor.mischief = table.desk.people.mischief = MISCHIEF
        table.run_until(lambda: table.rounds_ended() >= ROUNDS, at_most=3_600_000)
        table.unplug()
        table.run(10_000, act=False)
        table.plug_in()
        table.run_until(lambda: table.link.is_up and table.agree(), act=False)
        self.lose_log()
        consoles = {post: json.loads(text) for post, text in self.hub.picture.consoles.items()}
        self.facts.append(["page", json.loads(self.hub.picture.public), consoles])
        self.values.append(plain(table.heard.told))
        self.facts.append(["told", [one.words for one in table.heard.told]])
        table.close()

    def lose_log(self) -> None:
        """Somebody moves the log away for a while."""
        table, log = self.table, self.table.config.log.file
        away = log.with_name("away.db")
        log.rename(away)
        table.service.notice("display", ("display.no_answer", {"reason": "errno 5"}))
        table.floor.press("open")
        table.run_until(lambda: table.service.bridge.failure is not None)
        self.values.append(plain(table.service.stale_why()))
        away.rename(log)
        table.run_until(lambda: table.link.is_up and table.agree(), act=False)

    def review(self) -> None:
        config = self.table.config
        with LogReader(config.log.file) as log:
            self.facts.append(["notices", [plain(notice) for notice in log.notices()]])
            rounds = [row.round for row in log.last_rounds(3)]
        commands = [["audit", str(config.log.file), "--key", str(config.key)]]
        commands += [["log", "show", str(number), str(config.log.file)] for number in rounds]
        commands += [["log", "last", str(config.log.file)], ["check", str(self.table.folder / "t1.toml")]]
        commands += [["doctor", "--json", str(file)] for file in (self.table.folder / "t1.toml", *self.spoiled())]
        commands += [["run", "nowhere.toml"], ["run", str(self.table.folder / "no_log.toml")]]
        for command in commands:
            done = CliRunner().invoke(felt, command)
            said: object = done.output
            if command[0] == "doctor":
                # What it found by code; its fields hold the time, and whether a port is free is the machine's.
                found = [one for one in json.loads(done.output)["findings"] if one["check"] != "page"]
                said = [[one["check"], one["mark"], one["code"], sorted(one["fields"])] for one in found]
                self.values.append([[one["code"], one["fields"]] for one in found])
            self.facts.append([command[:2], done.exit_code if command[0] != "doctor" else None, said])

    def spoiled(self) -> list[Path]:
        """The table's file with a board, a game and a port that are not there; without its log; and without
        its checkpoints."""
        folder = self.table.folder
        text = (folder / "t1.toml").read_text()
        (folder / "spoiled").write_text("no log at all\n")
        changes = {
            "not_there": [('"small"', '"medium"'), (f'"{self.table.config.game.rulebook}"', '"no such game"')],
            "no_log": [('"t1.db"', '"spoiled"')],
            "no_checkpoints": [('"t1.checkpoints"', '"spoiled"')],
        }
        files = []
        for name, replacements in changes.items():
            changed = text.replace('port = "auto"', 'port = "/dev/ttyNone"')
            for old, new in replacements:
                assert old in changed, old
                changed = changed.replace(old, new)
            files.append(folder / f"{name}.toml")
            files[-1].write_text(changed)
            files[-1].chmod(0o600)
        return files


def main() -> None:
    folder, game = Path(sys.argv[1]), sys.argv[2]
    run = Run(folder, game)
    run.play()
    run.review()
    # No two tables have the nonce of a new chain alike, and the time is the computer's.
    records = [record for record in run.table.heard.records if record[0] not in ("chain", "clock")]
    json.dump({"records": records, "values": run.values, "facts": run.facts}, sys.stdout)


if __name__ == "__main__":
    main()
