"""The boards: one module each, constants only."""
