"""A table's TOML file."""
