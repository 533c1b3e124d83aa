"""Whether a table fits the board that it is to run on; loaded when a configuration comes, and unloaded again."""

from shared.round.table import BadConfig


def check_fit(sensors, table):
    """BadConfig if the board's sensors cannot serve a table."""
    if sensors and table.boxes > sensors.boxes:
        raise BadConfig("too_few_sensors", "boxes", sensors.boxes)
    if sensors and len(table.book.WAGERS) > sensors.spots:
        raise BadConfig("too_few_sensors", "game", sensors.spots)
