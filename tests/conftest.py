"""What every test stands on: property tests take the time they need, also on a busy machine."""

from hypothesis import HealthCheck, settings

settings.register_profile("felt", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("felt")
