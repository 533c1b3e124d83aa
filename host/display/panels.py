"""LED panels: MAX7219 cascades and WS2812 matrices through luma.led_matrix, HUB75 through rgbmatrix.

The libraries that drive the hardware are imported only here and only when needed, because they exist only on a
computer that has the panel.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from types import ModuleType
from typing import Any

from PIL import Image

from host.display.config import DisplayConfig
from host.display.leds import monochrome
from host.display.sinks import DisplayFailed
from host.display.wiring import arranged, led_order, turned

BLOCK = 8  # LEDs along the side of a MAX7219's block
SPI_HZ = 1_000_000  # slow enough for the long chains that a whole display needs


class LumaSink:
    """A panel that luma drives."""

    def __init__(self, device: Any, config: DisplayConfig) -> None:
        self.config = config
        self.device = device
        device.contrast(config.brightness * 255 // 100)

    def show(self, image: Image.Image) -> None:
        with luma_at_work():
            self.device.display(turned(image, self.config.rotate))

    def close(self) -> None:
        if self.device:
            with suppress(DisplayFailed), luma_at_work():
                self.device.cleanup()
            self.device._ws = None  # or luma would clean up WS2812 a second time when the object goes
            self.device = None


class Max7219Sink(LumaSink):
    """A cascade of MAX7219. `serial` is luma's interface to the bus."""

    def __init__(self, serial: Any, config: DisplayConfig) -> None:
        from luma.led_matrix.device import max7219

        # luma can reverse the blocks of one row only, so their order is ours and only their turn is luma's.
        with luma_at_work():
            device = max7219(serial, *config.mounted(), block_orientation=config.block_orientation)
            super().__init__(device, config)

    def show(self, image: Image.Image) -> None:
        lit = turned(monochrome(image), self.config.rotate)
        with luma_at_work():
            self.device.display(arranged(lit, BLOCK, self.config.reverse, self.config.rows))


def open_spi(port: int, device: int) -> Any:
    """luma's interface to the SPI bus of this computer; DisplayFailed says what it lacks."""
    from luma.core.error import DeviceNotFoundError, Error
    from luma.core.interface.serial import noop, spi

    name = f"/dev/spidev{port}.{device}"
    try:
        return spi(gpio=noop(), port=port, device=device, bus_speed_hz=SPI_HZ)
    except ImportError:
        raise DisplayFailed("display.needs_spidev") from None
    except DeviceNotFoundError:
        raise DisplayFailed("display.needs_spi", path=name) from None
    except PermissionError:
        raise DisplayFailed("display.spi_refused", path=name) from None
    except (OSError, Error) as error:
        raise DisplayFailed("display.spi_not_opened", path=name, reason=str(error)) from None


class Ws2812Sink(LumaSink):
    """Panels of WS2812 in one chain. `driver` is rpi_ws281x or stands for it."""

    def __init__(self, driver: Any, config: DisplayConfig) -> None:
        from luma.led_matrix.device import ws2812

        size = config.mounted()
        order = led_order(size, config.panel_pixels(), config.wiring, config.corner, config.reverse, config.rows)
        try:
            with luma_at_work():
                super().__init__(ws2812(driver, *size, mapping=order), config)
        except RuntimeError as error:
            raise DisplayFailed("display.leds_not_driven", reason=str(error)) from None


def ws2812_driver() -> ModuleType:
    try:
        return import_module("_rpi_ws281x")
    except ImportError:
        raise DisplayFailed("display.needs_ws281x") from None


class Hub75Sink:
    """HUB75 panels. `library` is rgbmatrix or stands for it."""

    def __init__(self, library: Any, config: DisplayConfig) -> None:
        self.config = config
        width, height = config.mounted()
        options = library.RGBMatrixOptions()
        options.cols = width // config.chain
        options.rows = height // config.parallel
        options.chain_length = config.chain
        options.parallel = config.parallel
        options.brightness = config.brightness
        options.hardware_mapping = config.hardware
        options.gpio_slowdown = config.slowdown
        options.drop_privileges = False  # the log and its keys are read after the display is opened
        self.matrix: Any = library.RGBMatrix(options=options)
        self.canvas = self.matrix.CreateFrameCanvas()

    def show(self, image: Image.Image) -> None:
        self.canvas.SetImage(turned(image, self.config.rotate))
        self.canvas = self.matrix.SwapOnVSync(self.canvas)

    def close(self) -> None:
        if self.matrix:
            self.matrix.Clear()
            self.matrix = None


def hub75_library() -> ModuleType:
    try:
        return import_module("rgbmatrix")
    except ImportError:
        raise DisplayFailed("display.needs_rgbmatrix") from None


@contextmanager
def luma_at_work() -> Iterator[None]:
    """luma reads pixels in a way that Pillow is going to give up; until then it works."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            yield
        except OSError as error:
            raise DisplayFailed("display.no_answer", reason=str(error)) from None
