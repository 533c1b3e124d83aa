"""What a soak found, in words; and a folder of each failure, with the command that plays it again."""

import json
import statistics
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

from host.bench.soak.chaos import DEVICE_KINDS, OTHER_KINDS
from host.bench.soak.shifts import Report
from host.files import free_folder
from shared.journal.wire import decode, spell

MOST_GROWTH = 4 * 1024  # bytes between the medians of the first quarter and the last
MOST_LASTING = 12 * 1024  # bytes between the least and the most that three rounds in a row have in use
MOST_AT_ONCE = 32 * 1024  # and that one round has
JUDGED_ROUNDS = 200  # of a shift; in fewer a table has not yet held all that it holds later
STARTING = 5  # the first part of a shift that does not count, as 1 of so many
WHAT_TOLD = {
    "boot": "starts",
    "torn": "of them with a torn record",
    "power_failure": "rounds that the power cut into",
    "held": "held back",
    "late": "cards that had to wait",
    "sensed": "chips that disagree with the bets",
    "denied": "messages denied",
    "line_refused": "lines of the table refused",
    "quiet": "times with records left out for want of room",
    "debt": "debts",
    "reversed": "taken back",
    "hand_pay": "paid by hand",
}


def report_lines(reports: list[Report]) -> list[str]:
    """A block of lines for each target."""
    lines = []
    for target in dict.fromkeys(report.target for report in reports):
        lines += target_lines(target, [report for report in reports if report.target == target])
    for shift, first, second in unlike(reports):
        lines.append(f"{shift}: the records on {first} and {second} are not the same")
    return lines


def target_lines(target: str, reports: list[Report]) -> list[str]:
    counts = total(report.counts for report in reports)
    troubles = total(report.troubles for report in reports)
    faults = total(report.faults for report in reports)
    refused = total(report.refused for report in reports)
    ended = f"{counts['settled']:,} settled, {counts['void']:,} void; {counts['with_bets']:,} with bets"
    told = ", ".join(f"{counts[kind]:,} {words}" for kind, words in WHAT_TOLD.items() if counts[kind])
    rows = [
        ("rounds", f"{counts['rounds']:,} on {target}, in {shifts_text(len(reports))}: {ended}"),
        ("records", f"{counts['records']:,}; digest {digest_of(reports)}"),
        ("lost", f"{counts['lost']:,}"),
        ("differing", f"{counts['differing']:,}"),
        ("failed", shifts_text(sum(bool(report.failure) for report in reports))),
        ("troubles", counted(troubles, OTHER_KINDS)),
        ("devices", counted(troubles, DEVICE_KINDS)),
        ("faults", summed(faults)),
        ("refused", summed(refused)),
        ("told", told),
    ]
    heaps = [report.heap for report in reports if len(report.heap) > STARTING]
    if heaps:
        rows.append(("heap", heap_words(heaps)))
    return [f"{name:<11} {words}" for name, words in rows]


def shifts_text(count: int) -> str:
    return f"{count:,} shift{'s' * (count != 1)}"


def digest_of(reports: list[Report]) -> str:
    """Of every record of all shifts, so that two runs can be compared at a glance."""
    return sha256("".join(report.digest for report in reports).encode()).hexdigest()[:16]


def total(counters: Iterable[Counter[str]]) -> Counter[str]:
    return sum(counters, Counter())


def counted(found: Counter[str], kinds: Iterable[str] | None = None) -> str:
    """Each kind with its count, also 0; without kinds those that there are, the most frequent first."""
    shown = [(kind, found[kind]) for kind in kinds] if kinds else found.most_common()
    return ", ".join(f"{kind.replace('_', ' ')} {count:,}" for kind, count in shown)


def summed(found: Counter[str]) -> str:
    return f"{found.total():,}: {counted(found)}" if found else "0"


def unlike(reports: list[Report]) -> list[tuple[str, str, str]]:
    """Shifts whose records differ between two targets on which they came to their end."""
    whole: dict[str, list[Report]] = {}
    for report in reports:
        if not report.failure:
            whole.setdefault(report.shift.name, []).append(report)
    pairs = [(name, *pair) for name, played in whole.items() for pair in pairwise(played)]
    return [(name, one.target, other.target) for name, one, other in pairs if one.digest != other.digest]


# -- the heap


def quarters(heap: list[int]) -> tuple[list[int], list[int]]:
    """The first quarter and the last of what was measured once a table had started."""
    settled = started(heap)
    quarter = max(1, len(settled) // 4)
    return settled[:quarter], settled[-quarter:]


def started(heap: list[int]) -> list[int]:
    return heap[len(heap) // STARTING :]


def growth(heap: list[int]) -> int:
    first, last = quarters(heap)
    return int(statistics.median(last) - statistics.median(first))


def is_flat(heap: list[int]) -> bool:
    """No growth, and no more at any time than rounds differ by and a conservative collector may take for alive.

    A word on the stack that looks like a pointer may keep a freed segment for some rounds; a leak stays.
    """
    settled = started(heap)
    lasting = [min(near) for near in zip(settled, settled[1:], settled[2:], strict=False)]
    swings = max(lasting) - min(lasting), max(settled) - min(settled)
    return growth(heap) < MOST_GROWTH and swings[0] < MOST_LASTING and swings[1] < MOST_AT_ONCE


def heap_words(heaps: list[list[int]]) -> str:
    sides = zip(*map(quarters, heaps), strict=True)
    first, last = (statistics.median(map(statistics.median, side)) for side in sides)
    most = max(map(max, heaps))
    words = f"{first:,.0f} bytes in a shift's first quarter, {last:,.0f} in its last, at most {most:,}"
    if has_grown(heaps):
        return f"{words}: it grows"
    if judged(heaps):
        return f"{words}: flat in {shifts_text(len(judged(heaps)))}"
    return f"{words}; shifts of less than {JUDGED_ROUNDS} rounds are not judged"


def judged(heaps: list[list[int]]) -> list[list[int]]:
    return [heap for heap in heaps if len(heap) >= JUDGED_ROUNDS]


def has_grown(heaps: list[list[int]]) -> bool:
    return not all(map(is_flat, judged(heaps)))


# -- failures


def has_failed(reports: list[Report]) -> bool:
    heaps = [report.heap for report in reports if not report.failure]
    return any(report.failure for report in reports) or bool(unlike(reports)) or has_grown(heaps)


def failure_lines(report: Report) -> list[str]:
    shift = report.shift
    return [
        f"failed: shift {shift.number} of {shift.game} on {report.target}, {report.failure}",
        f"Play it again: {again(report)}",
    ]


def again(report: Report) -> str:
    """The command that plays this shift alone, with the same events."""
    shift = report.shift
    what = f"--game {shift.game} --shift {shift.number} --rounds {shift.rounds}"
    return f"felt bench soak --seed {shift.seed} {what} --target {report.target}"


def keep(folder: Path, report: Report, firmware: str) -> Path:
    """A folder with the records of a failure."""
    shift = report.shift
    home = free_folder(folder, f"soak-{shift.seed}-{shift.game}-{shift.number}-{report.target}")
    words = [f"{number} {spell(decode(line)[3])}\n" for number, line in enumerate(report.lines, 1)]
    (home / "records.txt").write_text("".join(words))
    about = {
        "seed": shift.seed,
        "game": shift.game,
        "shift": shift.number,
        "rounds": shift.rounds,
        "target": report.target,
        "firmware": firmware,
        "failure": report.failure,
        "counts": report.counts,
        "troubles": report.troubles,
        "replay": again(report),
    }
    (home / "about.json").write_text(json.dumps(about, indent=2) + "\n")
    if report.crash:
        (home / "crash.txt").write_text(report.crash)
    told = [*failure_lines(report)[:1], "", "Play it again:", "", f"    {again(report)}", ""]
    (home / "README.txt").write_text("\n".join(told))
    return home
