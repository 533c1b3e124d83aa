"""What to do about a fault. The texts are loaded when needed, as a Pico has better use for its memory."""

from firmware.module_unload import forget


def advice(code):
    from shared.link.faults import ADVICE

    found = ADVICE.get(code, "Call for service.")
    forget("shared.link.faults")
    return found
