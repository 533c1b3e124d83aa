"""The MicroPython images that tests on the emulated Pico need."""

import pytest

from host.pico.images import cache_folder, cached_images

IMAGES = cached_images(cache_folder(), board=None)
needs_image = pytest.mark.skipif(
    not IMAGES, reason=f"no MicroPython image in {cache_folder()}; `felt pico-image` gets one"
)
each_image = pytest.mark.parametrize("image", IMAGES, ids=lambda path: path.stem)
