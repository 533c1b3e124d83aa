"""Troubles: what happens to a table beside the game, such as a jam, a lost host or a power cut."""
