"""pytest plugin: the vendor's performance tests as the published figures were measured.

Their reports go into the folder that REPORT names, and not into the checkout. Blackhole's cores
gather adjacent instruction words, as they did under the harness of the time: since then its
start-up code switches that off, unless ENABLE_GATHERING is defined.

The vendor's compiler keeps the words of an unrolled loop in the replay buffer, so that a core
fetches few instructions of it (tt-metal#55061). The stand-in pushes them all, from a loop that,
unrolled, Wormhole's TRISC1 may have no cache for: there kernels are built with loops as loops, too.
"""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

REPORT = "TILELAB_CALIBRATE_REPORT"
OPTIONS = "TILELAB_CALIBRATE_OPTIONS"
BUILDS = {"blackhole": ("-DENABLE_GATHERING",), "wormhole": ("", "-fno-unroll-loops")}
"""Options with which each chip's kernels are built. What takes less time is nearer to a kernel that
replays: it pays neither for fetching nor for the loop."""


def pytest_collection_finish(session: pytest.Session) -> None:
    """Before the first test runs: where reports go, and how kernels are built."""
    config: Any = sys.modules["helpers.test_config"].TestConfig
    folder = Path(os.environ[REPORT])
    config.perf_run_dir = staticmethod(lambda: folder)
    for name in ("INITIAL_OPTIONS_COMPILE", "OPTIONS_COMPILE"):
        options = getattr(config, name)
        if options is not None:
            setattr(config, name, f"{options} {os.environ[OPTIONS]}")
