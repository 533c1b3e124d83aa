"""The host: the `felt` command and everything that runs on CPython."""
