"""pytest plugin: the vendor's performance tests as the published figures were measured.

What each test reports goes into the file that REPORT names. Blackhole's cores gather adjacent
instruction words, as they did under the harness of the time: since then its start-up code switches
that off, unless ENABLE_GATHERING is defined.

The vendor's compiler keeps the words of an unrolled loop in the replay buffer, so that a core
fetches few instructions of it (tt-metal#55061). The stand-in pushes them all, from a loop that,
unrolled, Wormhole's TRISC1 may have no cache for: there kernels are built with loops as loops, too.
"""

import dataclasses
import json
import os
import re
import sys
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from tilelab.build.standin.backends import ONCE

REPORT = "TILELAB_CALIBRATE_REPORT"
"""A file for a line of JSON for each test: its name, its report as CSV, and why it has none."""
OPTIONS = "TILELAB_CALIBRATE_OPTIONS"
LOOPS = "TILELAB_CALIBRATE_LOOPS"
"""How often a kernel is to repeat its work; empty: as often as the test says."""
VARIANTS = "TILELAB_CALIBRATE_VARIANTS"
"""A file for the variants of the tests and their parameters; empty: none."""
BUILDS = {
    "blackhole": (f"-DENABLE_GATHERING {ONCE}",),
    "wormhole": (ONCE, f"{ONCE} -fno-unroll-loops"),
}
"""Options with which each chip's kernels are built. What takes less time is nearer to a kernel that
replays: it pays neither for fetching nor for the loop."""
NAMES = {
    "dest_accumulation": "dest_acc",
    "formats": "format",
    "in0_tile_r_dim": "in0_r",
    "math_op": "mathop",
    "full_rt_dim": "rt",
    "full_ct_dim": "ct",
    "rt_dim": "rt",
    "ct_dim": "ct",
    "kt_dim": "kt",
}
"""One name for parameters that the tests name differently."""


tables: list[str] = []
"""What the present test has reported."""


def pytest_collection_finish(session: pytest.Session) -> None:
    """Before the first test runs: where reports go, and how kernels are built."""
    config: Any = sys.modules["helpers.test_config"].TestConfig
    for name in ("INITIAL_OPTIONS_COMPILE", "OPTIONS_COMPILE"):
        options = getattr(config, name)
        if options is not None:
            setattr(config, name, f"{options} {os.environ[OPTIONS]}")
    if loops := os.environ[LOOPS]:
        for item in session.items:
            module: Any = item.getparent(pytest.Module)
            factor = sys.modules["helpers.test_variant_parameters"].LOOP_FACTOR
            vars(module.obj)["LOOP_FACTOR"] = lambda said, factor=factor: factor(int(loops))
    if file := os.environ[VARIANTS]:
        listed = [[item.nodeid, _parameters(item)] for item in session.items]
        Path(file).write_text(json.dumps(listed))
    reports: Any = sys.modules["helpers.perf.core"].PerfReport
    append = reports.append

    def noted(report: Any, frame: Any, *given: Any, **named: Any) -> None:
        tables.append(frame.to_csv(index=False))
        append(report, frame, *given, **named)

    reports.append = noted
    folder = Path(os.environ["RUNNER_TEMP"]) / "perf_data"
    config.perf_run_dir = staticmethod(lambda: folder)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """After a test: note what it has reported."""
    if report.passed and report.when != "call":
        return
    if report.when == "teardown":
        return  # of a module, which is of no test; and its reports are not read
    lines = [line for line in report.longreprtext.splitlines() if line.startswith("E  ")]
    why = (lines or report.longreprtext.splitlines() or [""])[0].strip()
    with Path(os.environ[REPORT]).open("a") as file:
        file.write(json.dumps([report.nodeid, "".join(tables), why[:120]]) + "\n")
    tables.clear()


def _parameters(item: pytest.Item) -> dict[str, str]:
    """A variant's parameters, those within others too, as texts."""
    found: dict[str, str] = {}
    for name, value in getattr(getattr(item, "callspec", None), "params", {}).items():
        _add(found, name, value)
    return found


def _add(found: dict[str, str], name: str, value: Any) -> None:
    if hasattr(value, "input_format") and hasattr(value, "output_format"):
        found["format"] = f"{value.input_format.name}->{value.output_format.name}"
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            _add(found, field.name, getattr(value, field.name))
    elif isinstance(value, tuple) and any(isinstance(one, Enum) for one in value):
        for one in value:
            kind = re.sub(r"(?<!^)(?=[A-Z])", "_", type(one).__name__).lower()
            _add(found, "dimensions" if isinstance(one, tuple) else kind, one)
    else:
        said = value.name if isinstance(value, Enum) else str(value)
        found[NAMES.get(name, name)] = said
