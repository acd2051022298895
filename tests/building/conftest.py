"""What is compiled here needs Clang out of the extra ``build``."""

from importlib.util import find_spec

import pytest


@pytest.fixture(scope="session", autouse=True)  # before fixtures that compile
def needs_ziglang() -> None:
    if not find_spec("ziglang"):
        pytest.skip("needs ziglang: pip install 'tilelab[build]'")
