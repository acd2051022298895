"""pytest plugin: the vendor's kernel tests (tt-llk) with a tilelab tile as their device.

``pytest -p tilelab.tensix.llk.pytest_plugin --run-simulator test_matmul.py``, in the tests' folder;
see docs/vendor-tests.md. The vendor's own tt-exalens and tt-umd reach the tile, which a process of
its own serves. Every test gets a fresh one, so that what one leaves cannot fail another. The chip
is ``CHIP_ARCH`` (default ``blackhole``), as for the tests themselves.
"""

import atexit
import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Generator
from dataclasses import dataclass, field
from hashlib import sha1, sha256
from pathlib import Path
from typing import Any

import pytest

from tilelab.sim.errors import BadInputError
from tilelab.vendor.llk.harness import (
    COMMAND0,
    COMMAND1,
    KERNEL_COMPLETE,
    MAILBOXES,
    RUNTIME_PARAMETERS,
    START_TRISCS,
    UPDATE_AND_START_TRISCS,
)
from tilelab.vendor.llk.served import ServedTiles

NAME = "tilelab.tensix.llk.pytest_plugin"
SIMULATOR = "--run-simulator"
COMPILE_ONLY = "--compile-producer"
"""With it the tests only compile, and need no device."""
"""The vendor's option for a device that is no silicon."""
MESSAGE_CHARACTERS = 2000
WATCHED = "_tilelab_watches"
OPTIONS = "_compose_compile_options"
NO_COUNTERS = "-DTT_METAL_TTSIM "
"""With this the vendor's kernels leave out all accesses to performance counters."""
NO_TILE: dict[str, Any] = {"problem": None, "retired": []}
"""What became of the tile of a test that was skipped before it had one."""
MEASURED = (
    *("src-a-clear-not-valid", "src-b-clear-not-valid"),
    "performance-counter-not-modelled",
)
"""Checks that only warn in a test that is built with the profiler. Its kernels leave a thread out,
so that banks are cleared which nobody gave (SETRWC.md says what that does). And its host reads
every counter: one that is not modelled reads as what that host takes for missing."""
READINGS = {"blackhole": {"mop_count_bits": 10, "movb2d_fp32": 1}, "wormhole": {}}
"""What tt-llk's tests, which run on cards, say of a chip where the documents leave it open."""
START = {"addresses": [COMMAND0, COMMAND1], "values": [START_TRISCS, UPDATE_AND_START_TRISCS]}
"""The command with which the vendor's harness starts a kernel."""


@dataclass
class Host:
    """The suite's tiles: the process that serves them, and how they are made."""

    arch: str = "blackhole"
    engine: str = "fast"
    clock: str | None = None
    """The clock of every tile; None: the functional one, and for a test built with the profiler,
    which counts cycles, the cycle clock."""
    options: dict[str, Any] = field(default_factory=dict)
    """Options of the tile."""
    warn: list[str] = field(default_factory=list)
    """Checks that only warn."""
    keep: Path | None = None
    """Where the tile is written as it is when a kernel starts."""
    tiles: ServedTiles | None = None
    tested: str = ""
    """The test that has the present tile; one that is skipped gets none."""
    counts: bool = False
    """The present tile is for a test that is built with the profiler."""

    def start(self) -> str:
        """Start the process; returns the folder of its socket."""
        self.tiles = ServedTiles(self.arch)
        atexit.register(self.tiles.close)
        return self.tiles.folder

    def renew(self, *, counts: bool = False) -> None:
        """Put a fresh tile in place of the present one; ``counts``: the test counts cycles."""
        assert self.tiles is not None
        self.counts = counts
        start = None if self.keep is None else START
        clock = self.clock or ("cycle" if counts else "functional")
        warn = [*self.warn, *(MEASURED if counts else ())]
        made = {"arch": self.arch, "engine": self.engine, "clock": clock}
        self.tiles.renew({**made, "options": self.options, "warn": warn, "start": start})

    def write_kept(self, nodeid: str) -> None:
        """Write the tile as it was when the test's kernels started."""
        assert self.tiles is not None
        assert self.keep is not None
        loaded = Path(sys.modules["helpers.test_config"].TestConfig.LAST_LOADED_ELFS or "")
        found = {
            f"trisc{core}": str((loaded / f"{name}.elf").absolute())
            for core, name in enumerate(("unpack", "math", "pack"))
            if (loaded / f"{name}.elf").is_file()
        }
        test = function(nodeid).replace(".py::", ".").replace("/", ".")
        name = f"{test}.{sha1(nodeid.encode()).hexdigest()[:8]}"
        done = {MAILBOXES + 4 * core: KERNEL_COMPLETE for core in range(3)}
        self.tiles.keep(str(self.keep), name, found, done, (RUNTIME_PARAMETERS, 0))

    def report(self) -> dict[str, Any]:
        """What became of the tile."""
        assert self.tiles is not None
        return self.tiles.report()


host = Host()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the plugin's options; serve a tile, before any conftest is imported."""
    host.arch = os.environ.setdefault("CHIP_ARCH", "blackhole")
    os.environ["TT_METAL_SIMULATOR"] = host.start()
    # workers of pytest-xdist import what this names, and not what -p named, before any conftest
    os.environ.setdefault("PYTEST_PLUGINS", NAME)
    given = os.environ.get("PYTEST_ADDOPTS", "").split()
    if SIMULATOR in given and SIMULATOR not in sys.argv:
        sys.argv.append(SIMULATOR)  # the vendor's conftest looks there alone
    group = parser.getgroup("tilelab")
    group.addoption("--tilelab-engine", choices=("fast", "reference"), default="fast")
    group.addoption("--tilelab-clock", choices=("functional", "cycle"), default=None)
    group.addoption(
        "--tilelab-sample",
        type=int,
        metavar="N",
        help="run at most N variants of each test function, the same at every run",
    )
    group.addoption(
        "--tilelab-warn",
        action="append",
        default=[],
        metavar="CHECK",
        help="let a failed check pass with a warning; may be repeated",
    )
    group.addoption(
        "--tilelab-option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the tile, a reading where the documents disagree; may be repeated",
    )
    group.addoption(
        "--tilelab-keep",
        type=Path,
        metavar="FOLDER",
        help="write the tile as it is when a kernel starts, for tilelab check and debug",
    )
    group.addoption("--tilelab-seed", default="0", help="choose another sample")
    group.addoption(
        "--tilelab-results", type=Path, metavar="FILE", help="append a line of JSON for each test"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to run without --run-simulator: the tests would expect silicon."""
    runs = not config.getoption(COMPILE_ONLY, default=False)
    if runs and not config.getoption(SIMULATOR) and not hasattr(config, "workerinput"):
        raise pytest.UsageError(f"-p {NAME} needs {SIMULATOR}: the device is a simulated tile")
    host.engine = config.getoption("--tilelab-engine")
    host.clock = config.getoption("--tilelab-clock")
    host.warn = config.getoption("--tilelab-warn")
    host.keep = config.getoption("--tilelab-keep")
    if host.keep is not None:
        host.keep = host.keep.absolute()
        host.keep.mkdir(parents=True, exist_ok=True)
    try:
        given = dict(map(_option, config.getoption("--tilelab-option")))
        host.options = READINGS.get(host.arch, {}) | given
        host.renew()
    except BadInputError as error:
        raise pytest.UsageError(str(error)) from error


def _option(text: str) -> tuple[str, int]:
    name, _, value = text.partition("=")
    if not value.isdecimal():
        raise BadInputError(f"--tilelab-option takes NAME=VALUE with a number, not {text!r}")
    return name, int(value)


def sample(nodeids: list[str], count: int, seed: str) -> list[str]:
    """Choose at most ``count`` variants of each test function.

    The choice, and its order, depend on the seed and the variants' names alone. The first of every
    function come first, then the second of every function, and functions are in a random order, so
    that a run that is cut short is a sample too.
    """

    def drawn(name: str) -> bytes:
        return sha256(f"{seed} {name}".encode()).digest()

    functions: dict[str, list[str]] = defaultdict(list)
    for nodeid in nodeids:
        functions[function(nodeid)].append(nodeid)
    ranked = [sorted(functions[each], key=drawn)[:count] for each in sorted(functions, key=drawn)]
    return [chosen[rank] for rank in range(count) for chosen in ranked if rank < len(chosen)]


def function(nodeid: str) -> str:
    """The test function of a variant: ``file.py::name``."""
    return nodeid.partition("[")[0]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the sample that --tilelab-sample asks for."""
    count = config.getoption("--tilelab-sample")
    if count is None:
        return
    by_name = {item.nodeid: item for item in items}
    chosen = sample(list(by_name), count, config.getoption("--tilelab-seed"))
    kept = set(chosen)
    config.hook.pytest_deselected(items=[i for i in items if i.nodeid not in kept])
    items[:] = [by_name[nodeid] for nodeid in chosen]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Give the test a fresh tile, and tell the vendor's harness that nothing is loaded yet."""
    host.renew()
    host.tested = item.nodeid
    if "helpers.test_config" in sys.modules:
        watch_builds(sys.modules["helpers.test_config"])
        _forget_loaded()


def _forget_loaded() -> None:
    """Tell the vendor's harness that nothing is loaded yet."""
    harness = sys.modules["helpers.test_config"].TestConfig
    harness.BRISC_ELF_LOADED, harness.LAST_LOADED_ELFS = False, Path()
    device: Any = sys.modules["helpers.device"]
    device.common_counter = 0


def watch_builds(harness: Any) -> None:
    """Hear of it when the vendor's harness names what it is about to build and run.

    It names every variant before the first word of it is written. One with the profiler counts
    cycles, so it gets a tile that has them. And the harness takes a simulator for one that models
    no performance counters; this one does.
    """
    config = harness.TestConfig
    if getattr(config, WATCHED, False):
        return
    setattr(config, WATCHED, True)
    named, options = config.generate_variant_hash, getattr(config, OPTIONS, None)

    def generate_variant_hash(self: Any) -> Any:
        with_profiler = getattr(self, "profiler_build", None) == harness.ProfilerBuild.Yes
        if with_profiler and not host.counts:
            host.renew(counts=True)
            _forget_loaded()
        return named(self)

    config.generate_variant_hash = generate_variant_hash
    if options is not None:
        setattr(
            config,
            OPTIONS,
            lambda *given: tuple(each.replace(NO_COUNTERS, "") for each in options(*given)),
        )


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, Any, None]:
    """Let what the tile says about a failure be the failure; keep results if that is asked for."""
    outcome = yield
    report: pytest.TestReport = outcome.get_result()
    if report.when != "call" and report.passed:
        return
    if report.when == "call" and host.keep is not None:
        host.write_kept(item.nodeid)
    tile = host.report() if host.tested == item.nodeid else NO_TILE
    error = call.excinfo
    kind, message = (error.typename, str(error.value)) if error else ("", "")
    if tile["problem"] is not None:
        kind, message = tile["kind"], tile["problem"]
        report.sections.append(("what the tile says", message))
        if report.passed:
            report.outcome, report.longrepr = "failed", message
    path = item.config.getoption("--tilelab-results")
    if path is not None:
        result = {
            "test": item.nodeid,
            "outcome": report.outcome,
            "phase": report.when,
            "kernels": int(any(tile["retired"][:3])),
            "seconds": round(call.duration, 2),
            "finished": round(time.time()),
            "error": kind,
            "message": shortened(message),
        }
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(result) + "\n")


def shortened(message: str) -> str:
    """The beginning and the end of a long message."""
    if len(message) <= MESSAGE_CHARACTERS:
        return message
    half = MESSAGE_CHARACTERS // 2
    return f"{message[:half]}\n...\n{message[-half:]}"
