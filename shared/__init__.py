"""The rules core: pure Python that runs unchanged on MicroPython and on CPython."""
