"""Before a new firmware comes: the table writes down how it stands, and the new one has nothing else to replay.

Records are what the rules made of events. Other rules may make others of the same events, and a table whose
journal is not what its rules say does not start. So `felt flash` has the firmware that is there run this, at the
open console, before it changes a file of it.
"""

from firmware.recorder import Recorder
from shared.journal.chain import BrokenChain
from shared.journal.journal import Journal, JournalFull
from shared.journal.replay import Replay
from shared.journal.snapshot import IDLE, reconfigured

CAUSE = "flash"  # of the start that this is


def hand_over(storage, sealer, table, random, rules, files=""):
    """A word and what it is about: "idle" if any firmware will now find the table idle; "round" if one is in the
    middle, and then nothing is written; "full" or "broken" if the journal is."""
    try:
        journal = Journal(storage, sealer, table)
        replay = Replay()
        for _ in replay.take_journal(journal):
            pass
        round_ = replay.round
        if round_ and not round_.is_over():
            return "round", "%d, %s" % (round_.number, round_.state)
        # The power may have gone in the middle of what is to be written; a recorder knows what is missing.
        recorder = Recorder(journal, CAUSE, random, rules, (), files)
        if recorder.starting:
            return "full", ""
        if recorder.round:
            recorder.round = reconfigured(recorder.round, recorder.config)
            recorder.write(recorder.standing(IDLE, recorder.last_command, recorder.last_answer))
    except JournalFull:
        return "full", ""
    except (BrokenChain, ValueError) as problem:
        return "broken", str(problem)
    return "idle", ""


def main():
    """Say it in a line for the host."""
    import os

    import rp2

    from firmware.boot import finding_time, read_key
    from shared.journal.ring_making import open_ring
    from shared.link.manifest import MANIFEST_FILE, BadManifest, content_digest, read_manifest

    table, sealer = read_key()
    try:
        with open(MANIFEST_FILE, "rb") as file:
            content = file.read()
        rules, files = read_manifest(sealer, content).rules, content_digest(content)
    except (OSError, BadManifest):
        rules = files = ""  # not known, and never the name of any
    ring = open_ring(rp2.Flash(), os, open, os.urandom, lambda: None, finding_time)
    print(*hand_over(ring, sealer, table, os.urandom, rules, files))
