"""The conformance kit: a driver is played against a scripted device."""
