"""Figures of speed and memory (`make measure`)."""
