"""What the devices on the wires say and want. A driver is handed ready-made pins."""
