"""A Pico in software: real MicroPython on an emulated RP2040, in device time."""
