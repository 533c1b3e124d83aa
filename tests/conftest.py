"""What every test stands on: property tests take the time they need, also on a busy machine."""

from hypothesis import HealthCheck, settings

from tests.support.campaign import fewer

settings.register_profile(
    "felt", deadline=None, max_examples=fewer(100), suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("felt")


def pytest_collection_modifyitems(items):
    """The emulated Pico first: one of its tests takes minutes, and the others run beside it."""
    items.sort(key=lambda item: "emulator" not in item.nodeid)
