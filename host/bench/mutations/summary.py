"""What a campaign found, as text: how many mutants were caught, by room, and each survivor with what it is."""

import tomllib
from collections import Counter
from pathlib import Path

from host.bench.mutations.campaign import CAUGHT, NOT_REACHED, Verdict

JUDGED = Path(__file__).with_name("survivors.toml")
# What people found out about survivors.
EQUIVALENT = "equivalent"
ELSEWHERE = "caught by other tests"
GAP = "gap"
JUDGEMENTS = (EQUIVALENT, ELSEWHERE, GAP)
PROMISED_PERCENT = 90  # of the mutants that are not equivalent


class BadJudgement(ValueError):
    """The file of survivors cannot be used; the text says what is wrong with it."""


def read_judged(file: Path = JUDGED) -> dict[str, tuple[str, str]]:
    """By the name of a mutation: what it is, and why."""
    judged = {}
    for one in tomllib.loads(file.read_text()).get("survivor", []):
        if set(one) != {"mutation", "is", "why"} or one["is"] not in JUDGEMENTS or one["mutation"] in judged:
            raise BadJudgement(
                f"{file}: a survivor is named once, with mutation, is ({', '.join(JUDGEMENTS)}), why: {one}"
            )
        judged[one["mutation"]] = one["is"], one["why"]
    return judged


def share(caught: int, of: int) -> float:
    return 100 * caught / of if of else 100.0


def survivors_of(verdicts: list[Verdict]) -> list[Verdict]:
    found = [one for one in verdicts if one.verdict != CAUGHT]
    return sorted(found, key=lambda one: (one.site.module, one.site.line, one.site.place))


def shares(verdicts: list[Verdict], judged: dict[str, tuple[str, str]]) -> tuple[float, float]:
    """(percent of all that were caught, percent of those that are not equivalent)"""
    survivors = survivors_of(verdicts)
    equivalent = sum(judged.get(one.site.name, ("",))[0] == EQUIVALENT for one in survivors)
    caught = len(verdicts) - len(survivors)
    return share(caught, len(verdicts)), share(caught, len(verdicts) - equivalent)


def summary(verdicts: list[Verdict], judged: dict[str, tuple[str, str]]) -> list[str]:
    """Lines of Markdown."""
    of_all, of_others = shares(verdicts, judged)
    survivors = survivors_of(verdicts)
    caught = len(verdicts) - len(survivors)
    lines = [
        f"{caught} of {len(verdicts)} mutants caught: {of_all:.1f} %; {of_others:.1f} % without equivalent ones",
        "",
        "| room | mutants | caught | survived | not reached |",
        "|---|---|---|---|---|",
    ]
    count = Counter((room_of(one), one.verdict) for one in verdicts)
    for room in sorted({room_of(one) for one in verdicts}):
        of_room = {verdict: number for (place, verdict), number in count.items() if place == room}
        not_reached = of_room.get(NOT_REACHED, 0)
        caught, every = of_room.get(CAUGHT, 0), sum(of_room.values())
        lines.append(f"| {room} | {every} | {caught} | {every - caught - not_reached} | {not_reached} |")
    kinds = Counter(judged.get(one.site.name, ("not judged yet",))[0] for one in survivors)
    lines += ["", *(f"{number} survivors: {kind}" for kind, number in sorted(kinds.items())), ""]
    for one in survivors:
        lines += told(one, *judged.get(one.site.name, ("not judged yet", "")))
    gone = set(judged) - {one.site.name for one in survivors}
    lines += [f"- judged in {JUDGED.name}, but not among these survivors: `{name}`" for name in sorted(gone)]
    return lines


def told(one: Verdict, kind: str, why: str) -> list[str]:
    site = one.site
    reached = f"reached by {one.reached} plays" if one.reached else "not reached"
    function = f" in {site.function}" if site.function else ""
    return [
        f"- {site.module}:{site.line}{function}, {site.kind}, {reached}",
        f"  `{site.before}` -> `{site.after}`",
        *([f"  {kind}: {why}"] if why else [f"  {kind}"]),
    ]


def room_of(one: Verdict) -> str:
    return Path(one.site.module).parent.as_posix()
