"""The MicroPython images that tests on the emulated Pico need."""

import pytest

from host.pico.images import cache_folder, cached_images
from tests.support.campaign import LONG

IMAGES = cached_images(cache_folder(), board=None)
needs_image = pytest.mark.skipif(
    not IMAGES, reason=f"no MicroPython image in {cache_folder()}; `felt pico-image` gets one"
)
# The newest in `make test`, all in `make test-long`.
each_image = pytest.mark.parametrize("image", IMAGES if LONG else IMAGES[-1:], ids=lambda path: path.stem)
