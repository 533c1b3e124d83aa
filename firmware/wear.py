"""Records how worn the flash of the journal is; loaded once a day, and forgotten again."""


def tell_wear(recorder):
    """After a start, and then once a day, where the storage is a ring that counts its erases."""
    ring = recorder.journal.storage
    if hasattr(ring, "erases"):
        sectors = len(ring.blocks)
        failed = sectors - ring.capacity
        erases = [ring.erases(place) for place in range(sectors)]
        recorder.keep_if_room([["wear", max(erases), sum(erases), failed, sectors]])
