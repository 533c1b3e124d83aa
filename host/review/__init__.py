"""Reviewing a table: whether it behaves as it should."""
