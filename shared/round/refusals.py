"""Every code by which the table refuses something, with the names of its details in order.

The table never loads this: it is the host that makes words of codes (host/words/refusals.py). A detail called
`field` names the field of the event or of the configuration that is at fault.
"""

REFUSALS = {
    # the shape of an event
    "not_event": (),
    "no_such_event": ("event",),
    "too_many_fields": ("event", "count"),
    "no_such_field": ("field", "of"),
    "missing": ("field",),
    "not_number": ("field", "least", "most"),
    "not_flag": ("field",),
    "not_text": ("field", "most"),
    # any event
    "not_now": ("state",),
    "not_in_book": (),
    "waiting": ("question", "situation", "post"),
    "no_such_post": ("post",),
    "post_too_low": ("post",),
    "no_such_wager": ("wager",),
    "no_such_bet": (),
    "no_such_choice": ("choice",),
    "no_hand": ("box",),
    "face_up": (),
    "decided": (),
    # betting
    "jackpot_unpaid": (),
    "no_jackpot_due": (),
    "no_staff_bets": (),
    "bets_closed": ("ruling",),
    "made_by_deciding": ("wager",),
    "needs_main": (),
    "box_taken": ("ruling",),
    "one_position": (),
    "area_full": ("wagers",),
    "amounts_unknown": ("field",),
    "not_multiple": ("field", "cents", "chip"),
    "progressive_stake": ("cents",),
    "progressive_placed": (),
    "progressive_whole": (),
    "over_maximum": ("cents",),
    "under_minimum": ("cents",),
    "box_full": ("cents",),
    # corrections
    "more_than_bet": ("cents",),
    "chips_gone": (),
    "stays_at_stake": ("ruling",),
    "amount_fixed": (),
    "cards_out": (),
    # playing
    "not_seated": (),
    "other_looks": (),
    "looked_once": (),
    "show_after_play": (),
    "decides_first": ("box",),
    "play_equals_ante": (),
    "fold_pays": (),
    "undecided": ("box", "ruling"),
    "not_face_up": ("boxes",),
    # irregularities and their answers
    "no_such_kind": ("irregularity",),
    "not_dealt": ("field",),
    "no_misdeal": (),
    "same_card": (),
    "not_asked": (),
    "no_such_decision": ("decision",),
    # the configuration
    "not_object": ("field",),
    "given_twice": ("field",),
    "no_such_book": ("field", "book"),
    "not_one_of": ("field", "choices"),
    "not_posts": ("field", "most"),
    "not_limits": ("field",),
    "too_few_sensors": ("field", "count"),
    # other commands
    "no_such_command": ("command",),
    "number_used": ("number",),
    "bad_arguments": (),
    "no_such_fault": ("fault",),
    "round_running": (),
    "cut_off": (),
    "before_update": (),
}

# The fields that other codes are about.
AT_FAULT = {
    "no_such_post": ("by",),
    "post_too_low": ("by",),
    "no_staff_bets": ("by",),
    "no_such_wager": ("wager",),
    "amount_fixed": ("wager",),
    "no_such_choice": ("choice",),
    "progressive_stake": ("cents",),
    "more_than_bet": ("cents",),
    "no_such_kind": ("kind",),
    "face_up": ("card",),
    "same_card": ("with",),
    "no_such_decision": ("decision",),
}


def fields_at_fault(code, detail):
    """The names of the fields that a refusal is about; none where it is about the moment."""
    if REFUSALS.get(code, ())[:1] == ("field",):
        return (detail[0],)
    return AT_FAULT.get(code, ())
