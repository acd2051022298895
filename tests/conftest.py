"""What holds for every test."""

from hypothesis import settings

# A busy machine is no failure: no test here is about how long an example takes.
settings.register_profile("tilelab", deadline=None)
settings.load_profile("tilelab")
