"""Faults in words: what to do about each code that a table latches or is held by."""

from host.words.sentences import read_templates

ADVICE = read_templates("faults")
CALL_FOR_SERVICE = "Call for service."
# What the fields of a fault's detail are, where it has several.
DETAILS = {
    "card_count": "asked for {}, dealt {}, read {}",
    "shuffler_late": "asked for {}",
    "sensor_unsteady": "box {}, {}",
}


def detail_words(code: str, detail: str) -> str:
    """A fault's detail for people; logs of before have a sentence there, which is left as it is."""
    try:
        words, fields = DETAILS[code], detail.split()
        return words.format(*fields) if len(fields) == words.count("{}") else detail
    except KeyError:
        return detail


def advice(code: str) -> str:
    return ADVICE.get(code, CALL_FOR_SERVICE)
