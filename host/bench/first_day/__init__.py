"""The first day with real Picos."""
