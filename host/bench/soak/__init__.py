"""Soaks the whole firmware: random play and random troubles in virtual time, and everything checked."""
