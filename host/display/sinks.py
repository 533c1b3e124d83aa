"""Where a picture goes: the interface of all displays, and the simplest of them."""

from pathlib import Path
from typing import Protocol

from PIL import Image

from host.display.leds import png_bytes
from host.files import write_whole
from host.words.failures import Failure


class DisplayFailed(Failure):
    """The display cannot show anything."""


class Sink(Protocol):
    def show(self, image: Image.Image) -> None:
        """Show this picture, of the size that was configured; DisplayFailed if that cannot be."""
        ...

    def close(self) -> None:
        """Leave the display dark, or the terminal as it was found. May be called twice."""
        ...


class NoSink:
    """Shows nothing."""

    def show(self, image: Image.Image) -> None:
        pass

    def close(self) -> None:
        pass


class PngSink:
    """A PNG file that always holds a whole picture; it is written only when the picture changes."""

    def __init__(self, path: Path, scale: int) -> None:
        self.path = path
        self.scale = scale
        self.last: bytes | None = None

    def show(self, image: Image.Image) -> None:
        pixels = image.tobytes()
        if pixels == self.last:
            return
        try:
            write_whole(self.path, png_bytes(image, self.scale))
        except OSError as error:
            raise DisplayFailed(
                "display.not_written", path=self.path, reason=error.strerror or str(error)
            ) from None
        self.last = pixels

    def close(self) -> None:
        """The last picture stays where it is."""
