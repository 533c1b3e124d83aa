"""The round as a state machine: events in, records out."""
