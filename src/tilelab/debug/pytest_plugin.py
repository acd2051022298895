"""pytest plugin: a debugger at a tile whose test has failed.

``pytest -p tilelab.debug.pytest_plugin --tilelab-debug``: a test takes the fixture ``debugged``
and gives it the tile that it is about to run. What the tile then did is run again from there, and
if the test fails on a terminal, the debugger's commands are read.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from tilelab.debug.debugger import Debugger
from tilelab.debug.session import Session
from tilelab.debug.show import here
from tilelab.debug.terminal import Terminal
from tilelab.tensix.tile.tile import Tile

FAILED = pytest.StashKey[bool]()
Debugged = Callable[..., Debugger]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the plugin's option."""
    parser.addoption(
        "--tilelab-debug",
        action="store_true",
        help="read a debugger's commands when a test fails that uses the fixture debugged",
    )


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Note whether a test has failed, for its fixtures."""
    result: Any = yield
    report = result.get_result()
    if report.when == "call":
        item.stash[FAILED] = report.failed


@pytest.fixture
def debugged(request: pytest.FixtureRequest) -> Iterator[Debugged]:
    """Make a debugger of a tile; the test drives that, and may be gone back into if it fails."""
    made: list[Debugger] = []

    def make(tile: Tile, done: Mapping[int, int] | None = None) -> Debugger:
        made.append(Debugger(tile, done))
        return made[-1]

    yield make
    if not request.node.stash.get(FAILED, False):
        return
    if not request.config.getoption("--tilelab-debug"):
        return
    capture = request.config.pluginmanager.getplugin("capturemanager")
    capture.suspend(in_=True)
    for debugger in made:
        terminal = Terminal(Session(debugger), stdin=sys.stdin, stdout=sys.stdout)
        terminal.use_rawinput = sys.stdin.isatty()
        terminal.say([f"\n{request.node.nodeid} failed; help lists the commands"])
        terminal.say(here(terminal.session))
        terminal.cmdloop()
    capture.resume()
