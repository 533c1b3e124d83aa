"""A driver on a port, and what its device says to it."""

from host.simulator.virtual_pico import Port


class Heard:
    def __init__(self, driver_class):
        self.port = Port()
        self.driver = driver_class(self.port, 0)

    def hear(self, data, now=0):
        """What happened, by the polls that it takes to read all that the device said."""
        self.port.incoming += data
        said = list(self.driver.poll(now))
        while self.port.incoming:
            said += self.driver.poll(now)
        return said
