"""A browser, and the matmul's page and recording, for all tests of pages.

Skipped by name where Chromium or Playwright is missing.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from page_browser import CHROMIUM, EXAMPLES, opened
from tilelab.cli.main import main
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.run import run_kernel
from tilelab.tensix import Tile
from tilelab.trace.recording import Recording


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    assert main(["view", str(EXAMPLES / "matmul"), "-o", str(path)]) == 0
    return path


@pytest.fixture(scope="module")
def recording() -> Recording:
    tile = Tile(clock="cycle")
    made = Recording(tile, "matmul")
    assert run_kernel(read_kernel_file(EXAMPLES / "matmul"), tile).passed
    return made


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
    if CHROMIUM is None:
        pytest.skip("chromium is not installed (Debian: apt-get install chromium)")
    with api.sync_playwright() as playwright:
        made = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield made
        made.close()


@pytest.fixture
def shown(browser: Any, report: Path) -> Iterator[Any]:
    yield from opened(browser, report)
