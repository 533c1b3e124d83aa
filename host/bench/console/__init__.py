"""The console of the bench."""
