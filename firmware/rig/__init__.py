"""The second Pico on a test bench, which plays the devices to a table."""
