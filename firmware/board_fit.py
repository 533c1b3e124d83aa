"""Whether a table fits the board that it is to run on; loaded when a configuration comes, and forgotten again."""


def misfit(sensors, table):
    """Why the board's sensors cannot serve a table, or None."""
    if sensors and table.boxes > sensors.boxes:
        return "boxes: this board has sensors for %d" % sensors.boxes
    if sensors and len(table.book.WAGERS) > sensors.spots:
        return "game: this board has %d sensors a box" % sensors.spots
    return None
