"""Simulated hardware: devices that speak the real protocols byte by byte, and people who use them."""
