"""A few scenarios on an emulated Pico; `make bench-emulator` plays all of them."""

from functools import cache
from pathlib import Path

import pytest

from host.bench.runs import PASSED, run
from host.bench.targets import EMULATOR, Places, open_target
from host.pico.digests import firmware_digest
from tests.support.firmware.images import each_image, needs_image

pytestmark = [pytest.mark.slow, needs_image]

# One of each book: odd cents, a power cut, a fourth card, a card that could not be read, a foreign card.
FILES = [
    "mbs-royal-three-pictures-2/settlement-six-points-odd-cents.toml",
    "mbs-three-pictures-2/power-own-card.toml",
    "rws-lucky-three-pictures-2/count-too-many.toml",
    "rws-three-card-poker-2/unread-named-at-show.toml",
    "rws-three-pictures-4/deal-foreign-card.toml",
]
target_with = cache(lambda image: open_target(EMULATOR, firmware_digest(), places=Places(image)))


@each_image
@pytest.mark.parametrize("file", FILES)
def test_a_scenario_plays_on_an_emulated_pico_as_on_the_rules_core(file, image):
    (result,) = run([Path("tests/scenarios", file)], [target_with(image)])
    assert (result.verdict, result.words) == (PASSED, "")
