"""Where a table stood when its power went, by its journal; loaded for starting, and forgotten again."""

from firmware.recorder import card_in, is_running
from shared.journal.replay import Replay

CUT_OFF = (False, "cut_off_by_power", None, [])  # the answer to a command that the power cut short


def recover(recorder):
    """Replay from where that is possible; what the power cut short is to be written first."""
    replay = Replay()
    is_told = False  # all that a start has to tell, and nothing has happened since
    for record in replay.take_journal(recorder.journal):
        recorder.last_card = card_in(record, replay.round) or recorder.last_card
        if record[0] == "boot":
            is_told = not is_running(replay.round)
        elif record[0] == "event":
            is_told = record[2][0] == "power_failure"
    recorder.config = replay.config
    recorder.round = replay.round
    recorder.last_command = replay.last_command
    recorder.last_answer = replay.last_answer
    recorder.faults = list(replay.faults)
    recorder.late = replay.late
    missing = replay.expected
    if replay.command is not None:
        outcome = replay.outcome or CUT_OFF
        recorder.last_command = replay.command
        recorder.last_answer = outcome + (replay.check,)
        missing = missing + [["answer", recorder.last_command] + list(outcome)]
    if is_told and recorder.room() < 0:
        recorder.starting = missing  # one start after the other could fill the journal
        recorder.told = None
        return
    recorder.starting = missing + recorder.starting
    recorder.power_failed = is_running(recorder.round)
