"""What is flashed onto the table's Pico."""
