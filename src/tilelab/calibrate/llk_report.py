"""pytest plugin: the vendor's performance tests as the published figures were measured.

Their reports go into the folder that REPORT names, and not into the checkout. Blackhole's cores
gather adjacent instruction words, as they did under the harness of the time: since then its
start-up code switches that off, unless ENABLE_GATHERING is defined.

The vendor's compiler keeps the words of an unrolled loop in the replay buffer, so that a core
fetches few instructions of it (tt-metal#55061). The stand-in pushes them all, from a loop that,
unrolled, Wormhole's TRISC1 has no cache for: there loops stay loops.
"""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

REPORT = "TILELAB_CALIBRATE_REPORT"
AS_MEASURED = {"blackhole": " -DENABLE_GATHERING", "wormhole": " -fno-unroll-loops"}
"""Options of each chip's kernels."""


def pytest_collection_finish(session: pytest.Session) -> None:
    """Before the first test runs: where reports go, and how kernels are built."""
    config: Any = sys.modules["helpers.test_config"].TestConfig
    folder = Path(os.environ[REPORT])
    config.perf_run_dir = staticmethod(lambda: folder)
    for name in ("INITIAL_OPTIONS_COMPILE", "OPTIONS_COMPILE"):
        options = getattr(config, name)
        if options is not None:
            setattr(config, name, options + AS_MEASURED[os.environ["CHIP_ARCH"]])
