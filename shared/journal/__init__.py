"""One line format, its seals and chain, and the journal that is replayed from it."""
