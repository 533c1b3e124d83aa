"""`make mutations`: mutates the table's code at random places, and says which mutants the scenarios catch."""

import sys
import tempfile
from pathlib import Path

import click

from host.bench.mutations import campaign
from host.bench.mutations.reach import kept_reach
from host.bench.mutations.summary import PROMISED_PERCENT, read_judged, shares, summary
from host.bench.mutations.tree import Tree

ROOT = Path(__file__).parents[3]


@click.command()
@click.option("--count", default=200, show_default=True, help="How many mutants.")
@click.option("--seed", default=1, show_default=True, help="Which ones.")
@click.option(
    "--folder",
    type=click.Path(path_type=Path),
    default=ROOT / "build",
    help="Where progress and summary are kept (default: build).",
)
def main(count: int, seed: int, folder: Path) -> None:
    """Mutate the table's code at random places, and say which mutants the scenarios catch."""
    with tempfile.TemporaryDirectory() as place:
        tree = Tree(ROOT, Path(place) / "tree")
        print("playing every scenario without a mutation ...", file=sys.stderr, flush=True)
        reach = kept_reach(tree, folder / "mutations-reach.json")
        verdicts = []
        for verdict in campaign.run(tree, reach, count, seed, folder / "mutations.jsonl"):
            verdicts.append(verdict)
            print(f"{len(verdicts)} {verdict.verdict}: {verdict.site.name}", file=sys.stderr, flush=True)
    judged = read_judged()
    lines = summary(verdicts, judged)
    (folder / "mutations.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))
    if shares(verdicts, judged)[1] < PROMISED_PERCENT:
        print(f"fewer than {PROMISED_PERCENT} % of the mutants that are not equivalent were caught")
        raise SystemExit(1)


if __name__ == "__main__":
    main()
