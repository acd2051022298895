"""What holds for every test."""

from hypothesis import HealthCheck, settings

# A busy machine is no failure: no test here is about how long an example takes.
settings.register_profile("tilelab", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tilelab")
