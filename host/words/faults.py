"""Faults in words: what to do about each code that a table latches or is held by."""

ADVICE = {
    # devices
    "shuffler_silent": "The shuffler says nothing. Check its power and its cable, then clear.",
    "shuffler_nonsense": "The shuffler's line is disturbed. Check cable and baud rate, then clear.",
    "shuffler_jam": "The shuffler is jammed. Free the cards, count them, then clear.",
    "shuffler_door": "The shuffler's door is open. Close it, then clear.",
    "shuffler_empty": "The shuffler is out of cards. Load it, then clear.",
    "shuffler_count": "The shuffler's deck is not 52 cards. Count it, put it right or change it, then clear.",
    "shuffler_late": "The shuffler did not deal what it was told to. Look at it, then clear.",
    "reader_silent": "The card reader says nothing. Check its power and its cable, then clear.",
    "reader_nonsense": "The card reader's line is disturbed. Check cable and baud rate, then clear.",
    "reader_error": "The card reader reports an error. See its display, then clear.",
    "card_unread": "A card could not be read. Enter it by hand or report it, then clear.",
    "card_count": "More or fewer cards were read than dealt. Enter or report what lies there, then clear.",
    "sensors_unplugged": "The bet sensors do not answer. Check the cable to the layout, then clear.",
    "sensor_unsteady": "A bet sensor comes and goes. Free it, say by hand what lies there, then clear.",
    "key_stuck": "A dealer's key is held down. Free it, then clear.",
    # the table itself
    "journal_full": "The journal is full of records that the host has not taken. Connect the host and wait.",
    "journal_tight": "This round has nearly filled the journal. Finish it, or report `other` and have it voided.",
    "journal_broken": "The journal is not whole. Save it by `felt flash --new-journal FOLDER`; name a new log.",
    "journal_failed": "The flash does not take records. Switch off and on; if it comes again, change the Pico.",
    "files_changed": "The files on the table are not those that were flashed. Flash it again.",
    "no_key": "The table has no key of its own. Flash it with `felt flash`.",
    "mismatch": "Table and host run different versions. Update the older one.",
    "log_mismatch": "The host's log is not this table's. Name the right log, or begin one with `felt log adopt`.",
    "unconfigured": "The table has no configuration. Send one from the host.",
    "crashed": "The firmware stopped by a mistake. Switch off and on, save the log for its makers, then clear.",
}

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
