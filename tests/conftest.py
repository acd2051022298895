"""What holds for every test."""

from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is no failure: no test here is about how long an example takes.
settings.register_profile("tilelab", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tilelab")

THOROUGH = [
    line
    for line in Path(__file__).with_name("thorough.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
"""Which tests are thorough, by patterns of their names."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the thorough tests."""
    for item in items:
        if any(fnmatchcase(item.nodeid, pattern) for pattern in THOROUGH):
            item.add_marker(pytest.mark.thorough)
