"""A table and a rig wired to each other."""
