"""The signed summary of a run: what was tested, on what, and how it came out.

JSON with two fields. `summary` says everything; `signature` is the Ed25519 signature over its spelling, by a key
like that of the checkpoints, so that anybody with the public key sees whether it was changed.
"""

import json
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from host.bench.reports import VERDICTS, Conditions, boards_of
from host.bench.runs import Result, exit_status
from host.source_digest import source_digest


class BadSummary(ValueError):
    """A file that is no summary, or not as it was signed."""


def scenarios_digest(files: Sequence[Path]) -> str:
    """Of the scenario files, by name and content; one that cannot be read counts as empty."""
    return source_digest(
        {PurePosixPath(path.as_posix()): path.read_bytes() if path.is_file() else b"" for path in files}
    )


def summary_of(results: Sequence[Result], tested: Conditions) -> dict[str, Any]:
    targets = []
    for target, runtime in tested.targets.items():
        mine = [result for result in results if result.target == target]
        count = Counter(result.verdict for result in mine)
        boards = boards_of(mine)
        told = {verdict: count[verdict] for verdict in VERDICTS if verdict != "unread"}
        targets.append({"target": target, "runtime": runtime, "boards": boards} | told)
    not_passed = [
        {"scenario": str(result.path), "target": result.target, "verdict": result.verdict, "words": result.words}
        for result in results
        if result.verdict != "passed"
    ]
    return {
        "date": datetime.fromtimestamp(tested.begun, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "firmware": tested.firmware,
        "rules": tested.rules,
        "scenarios": tested.scenarios,
        "seed": tested.seed,
        "retries": tested.retries,
        "targets": targets,
        "not passed": not_passed,
        "exit status": exit_status(list(results)),
    }


def spelled(summary: Any) -> bytes:
    """What is signed: one spelling for the same content."""
    return json.dumps(summary, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def signed(summary: dict[str, Any], signer: Ed25519PrivateKey) -> str:
    whole = {"summary": summary, "signature": signer.sign(spelled(summary)).hex()}
    return json.dumps(whole, indent=2) + "\n"


def check(content: str, signer: Ed25519PublicKey) -> dict[str, Any]:
    """The summary in a file, if this key signed it as it is; else BadSummary."""
    try:
        whole = json.loads(content)
        summary, signature = whole["summary"], bytes.fromhex(whole["signature"])
    except (ValueError, KeyError, TypeError):
        raise BadSummary("this is not the summary of a run on the bench") from None
    try:
        signer.verify(signature, spelled(summary))
    except InvalidSignature:
        raise BadSummary("this key has not signed the summary as it is") from None
    return summary
