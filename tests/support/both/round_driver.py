"""What both runtimes run to replay a round. This file uses only what both have."""

import json

from shared.round.round import Round


def replay(request):
    """[configuration, events] -> the records of a fresh round, as JSON."""
    config, events = json.loads(request)
    round_ = Round(config)
    records = []
    for event in events:
        records.extend(round_.apply(event))
    return json.dumps(records)
