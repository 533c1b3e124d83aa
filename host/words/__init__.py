"""Codes and fields as words: the one place where sentences for people are made."""
