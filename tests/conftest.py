"""What holds for every test."""

import os
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from thorough import THOROUGH

# A busy machine is no failure: no test here is about how long an example takes.
settings.register_profile("tilelab", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tilelab")

# Most tests run an engine for too short a time to earn its thorough compilation. CI compiles
# thoroughly at once, but for the README's commands.
os.environ.setdefault("TILELAB_PATIENCE", "30")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("passed", "a file with names of tests, one a line, that need not run again")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the thorough tests, and leave out those that have passed."""
    for item in items:
        if any(fnmatchcase(item.nodeid, pattern) for pattern in THOROUGH):
            item.add_marker(pytest.mark.thorough)
    if config.getini("passed"):
        before = set(Path(config.getini("passed")).read_text(encoding="utf-8").splitlines())
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in before])
        items[:] = [item for item in items if item.nodeid not in before]


@pytest.fixture(autouse=True, scope="session")
def _no_word_of_compiling() -> Iterator[None]:
    """What a test finds on stderr does not depend on what the cache has."""
    from tilelab.tensix.run.speed import fast  # noqa: PLC0415  not before options are read

    warn = fast._warn
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fast, "_warn", lambda text: text.startswith("compiling ") or warn(text))
        yield
