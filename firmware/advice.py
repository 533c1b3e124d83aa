"""What to do about a fault. The texts are loaded when first needed, as a Pico has better use for its memory."""


def advice(code):
    from shared.faults import ADVICE

    return ADVICE.get(code, "Call for service.")
