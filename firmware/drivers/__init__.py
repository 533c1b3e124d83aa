"""The devices on the wires, one driver each. A driver is handed ready pins, a port and the time."""
