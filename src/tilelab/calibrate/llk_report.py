"""pytest plugin: the vendor's performance tests as the published figures were measured.

Their reports go into the folder that REPORT names, and not into the checkout. Blackhole's cores
gather adjacent instruction words, as they did under the harness of the time: since then its
start-up code switches that off, unless ENABLE_GATHERING is defined.
"""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

REPORT = "TILELAB_CALIBRATE_REPORT"
GATHERING = " -DENABLE_GATHERING"


def pytest_collection_finish(session: pytest.Session) -> None:
    """Before the first test runs: where reports go, and how kernels are built."""
    config: Any = sys.modules["helpers.test_config"].TestConfig
    folder = Path(os.environ[REPORT])
    config.perf_run_dir = staticmethod(lambda: folder)
    for name in ("INITIAL_OPTIONS_COMPILE", "OPTIONS_COMPILE"):
        options = getattr(config, name)
        if options is not None and os.environ["CHIP_ARCH"] == "blackhole":
            setattr(config, name, options + GATHERING)
