"""The vendor's own performance tests (tt-llk's ``perf_*.py``), unmodified, with a tile as device.

They are built by what stands in for the vendor's compiler (``tilelab sfpi``), so a figure of them
tests both: how many words the kernel has, and how long these take.
"""

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from tilelab.calibrate.checkouts import Checkout, Kernels
from tilelab.calibrate.llk_report import BUILDS, LOOPS, OPTIONS, REPORT, VARIANTS
from tilelab.calibrate.machine import NotRunError

TESTS = "tests/python_tests"
METAL = "tt_metal/tt-llk"
"""Where tt-metal has tt-llk."""
KNOWN = "perf_matmul.py"
SECONDS = 600
ARGUMENTS = (
    *("-p", "tilelab.tensix.llk.pytest_plugin", "-p", "tilelab.calibrate.llk_report"),
    *("--run-simulator", "--tilelab-clock", "cycle"),
)
LIGHT, COUNTERS = "--speed-of-light", "--enable-perf-counters"
NO_READOUT = "-DTT_METAL_TTSIM=1"
"""Between zones the tests of today read all counters, for 6,000 cycles, also where nobody wants
them. Those that gave published figures did not."""
ASSERTS_OFF = "TT_LLK_DISABLE_ASSERTS"
"""As the vendor's performance runs have it."""
PLAIN = {
    "format": "Float16_b->Float16_b",
    "dest_acc": "No",
    "dest_sync": "Half",
    "approx_mode": "No",
    "fast_mode": "No",
    "l1_acc": "No",
    "acc_to_dest": "False",
    "transpose_srca": "No",
    "unpack_transpose_faces": "No",
    "tile_dimensions": "(32, 32)",
    "bcast_dim": "None_",
    "throttle": "0",
    "num_blocks": "1",
    "in0_r": "32",
    "kt": "1",
}
"""What is meant where a figure's text does not name a parameter of the test."""
Lines = tuple[Mapping[str, str], ...]
"""Lines of a report: values by column."""


@dataclass(frozen=True)
class Variant:
    """One parametrization of a test."""

    name: str
    parameters: Mapping[str, str]

    def unlike(self, wanted: Mapping[str, str]) -> int:
        """How many parameters are not as PLAIN says, of those that are not asked for."""
        plain = {**PLAIN, **wanted}
        own = self.parameters
        return sum(own.get(name, value).lower() != value.lower() for name, value in plain.items())

    def has(self, wanted: Mapping[str, str]) -> bool:
        """Whether all that is asked for, and that the test has as parameters, is as asked."""
        own = self.parameters
        return all(own.get(name, value).lower() == value.lower() for name, value in wanted.items())


class PendingError(Exception):
    """A row needs of the vendor's tests what has not been run yet; :meth:`Llk.run` runs it."""


@dataclass(frozen=True)
class How:
    """How reports are made; tests that share it run in one session."""

    arch: str
    run_types: tuple[str, ...]
    loops: str = ""
    """How often kernels repeat their work, if not as the tests say."""
    light: bool = True
    """All parameters are known when a kernel is built, as in the vendor's own runs."""
    counters: bool = False
    """With what the hardware's counters count."""


def tests_of(checkout: Checkout) -> Path | None:
    """The folder of the tests in a checkout; None if it has none."""
    for folder in (checkout.folder, checkout.folder / METAL):
        if (folder / TESTS / KNOWN).is_file():
            return (folder / TESTS).resolve()
    return None


@dataclass
class Llk:
    """tt-llk's tests in one of the checkouts.

    A session of pytest imports torch, and collects thousands of variants. So what is asked for is
    first noted, with PendingError, and then run together: each file is collected once for each
    chip, and all variants whose reports are made in one way run in one session.
    """

    kernels: Kernels
    collected: dict[tuple[str, str], list[Variant] | NotRunError] = field(default_factory=dict)
    reported: dict[tuple[How, str], list[Lines] | NotRunError] = field(default_factory=dict)
    """Lines of a variant's report in each way of building; or why there are none."""
    files: list[tuple[str, str]] = field(default_factory=list)
    """What is to be collected next: chips and files."""
    names: dict[How, list[str]] = field(default_factory=dict)
    """What is to be run next."""

    @cached_property
    def tests(self) -> Path:
        """The folder of the tests; NotRunError if no checkout has it."""
        for checkout in self.kernels.checkouts:
            if tests := tests_of(checkout):
                return tests
        raise NotRunError(f"needs {TESTS}/{KNOWN}: --kernels with a checkout of tt-llk")

    @property
    def metal(self) -> Path:
        """The folder ``tt_metal`` that the tests are in; NotRunError if they are alone."""
        metal = self.tests.parents[2]
        if not (metal / "hw/inc/api/compute").is_dir():
            raise NotRunError(f"{metal} is no tt_metal: its compute API is needed")
        return metal

    def has(self, file: str) -> bool:
        """Whether there is such a file of tests; NotRunError if there are none at all."""
        return (self.tests / file).is_file()

    def variants(self, arch: str, *files: str) -> list[Variant]:
        """All variants of files of tests; NotRunError if there is no such file."""
        for file in files:
            if not self.has(file):
                raise NotRunError(f"{TESTS} has no {file}")
        missing = [(arch, file) for file in files if (arch, file) not in self.collected]
        if missing:
            self.files += missing
            raise PendingError
        found: list[Variant] = []
        for file in files:
            variants = self.collected[arch, file]
            if isinstance(variants, NotRunError):
                raise variants
            found += variants
        return found

    def plainest(self, arch: str, file: str, wanted: Mapping[str, str]) -> Variant:
        """The variant that has what is asked for, and else is as PLAIN says.

        NotRunError if none has.
        """
        found = [variant for variant in self.variants(arch, file) if variant.has(wanted)]
        if not found:
            asked = ", ".join(f"{name} {value}" for name, value in wanted.items())
            raise NotRunError(f"{file} has no variant with {asked}")
        return min(found, key=lambda variant: variant.unlike(wanted))

    def reports(self, how: How, names: Sequence[str]) -> list[Lines]:
        """What the reports of variants say, of each way in which the chip's kernels are built.

        NotRunError if a test fails or gives no report.
        """
        missing = [name for name in names if (how, name) not in self.reported]
        if missing:
            self.names.setdefault(how, []).extend(missing)
            raise PendingError
        found = []
        for name in names:
            report = self.reported[how, name]
            if isinstance(report, NotRunError):
                raise report
            found.append(report)
        return [
            tuple(line for lines in build for line in lines) for build in zip(*found, strict=True)
        ]

    def run(self, note: Callable[[str], None]) -> None:
        """Run all that was asked for and is pending; ``note`` is told what."""
        for arch in dict.fromkeys(arch for arch, _ in self.files):
            files = list(dict.fromkeys(file for chip, file in self.files if chip == arch))
            note(f"tt-llk's variants on {arch}: {', '.join(files)}")
            self._collect(arch, files)
        for how, names in self.names.items():
            once = list(dict.fromkeys(names))
            note(f"{len(once)} of tt-llk's variants on {how.arch}: {' '.join(how.run_types)}")
            self._report(how, once)
        self.files, self.names = [], {}

    def _collect(self, arch: str, files: Sequence[str]) -> None:
        with TemporaryDirectory() as place:
            listed = Path(place) / "variants.json"
            own = {VARIANTS: str(listed)}
            why = self._pytest(arch, Path(place), ["--collect-only", "-q", *files], own, SECONDS)
            told = json.loads(listed.read_text()) if listed.is_file() else []
        found: dict[str, list[Variant]] = {file: [] for file in files}
        for name, given in told:
            found[name.partition("::")[0]].append(Variant(name, given))
        for file, variants in found.items():
            self.collected[arch, file] = variants or NotRunError(why)

    def _report(self, how: How, names: Sequence[str]) -> None:
        ways = BUILDS[how.arch][: 1 if how.counters else None]  # a share has no least of two
        builds = [self._session(how, names, options) for options in ways]
        for name in names:
            reports = [build[name] for build in builds]
            failed = [report for report in reports if isinstance(report, NotRunError)]
            lines = [report for report in reports if not isinstance(report, NotRunError)]
            self.reported[how, name] = failed[0] if failed else lines

    def _session(
        self, how: How, names: Sequence[str], options: str
    ) -> dict[str, Lines | NotRunError]:
        """The lines of each variant's report, or why it has none, of one way of building."""
        own = {OPTIONS: options if how.counters else f"{options} {NO_READOUT}", LOOPS: how.loops}
        own["LLK_PERF_RUN_TYPES"] = ",".join(how.run_types)
        with TemporaryDirectory() as place:
            report = Path(place) / "report"
            own[REPORT] = str(report)
            arguments = [*names, *[LIGHT] * how.light, *[COUNTERS] * how.counters]
            ended = self._pytest(how.arch, Path(place), arguments, own, SECONDS * len(names))
            told = report.read_text().splitlines() if report.is_file() else []
        found: dict[str, Lines | NotRunError] = {}
        for line in told:
            name, table, error = json.loads(line)
            lines = tuple(csv.DictReader(io.StringIO(table)))
            if name not in found and not error and not lines:
                error = f"{name.partition('[')[0]} gave no report"
            if error:
                found[name] = NotRunError(f"the vendor's test does not run: {error}")
            else:
                found.setdefault(name, lines)
        return {name: found.get(name, NotRunError(ended)) for name in names}

    def _pytest(
        self, arch: str, folder: Path, arguments: Sequence[str], own: Mapping[str, str], limit: int
    ) -> str:
        """Run pytest; returns why a test that has told nothing has not run."""
        said = dict.fromkeys((OPTIONS, LOOPS, VARIANTS, REPORT), "") | dict(own)
        said |= {"CHIP_ARCH": arch, "RUNNER_TEMP": str(folder)}
        try:
            done = subprocess.run(
                [sys.executable, "-m", "pytest", *ARGUMENTS, *arguments],
                cwd=self.tests,
                env={**os.environ, **said, ASSERTS_OFF: "1"},
                capture_output=True,
                text=True,
                check=False,
                timeout=limit,
            )
        except subprocess.TimeoutExpired:
            return f"the vendor's tests did not end in {limit} seconds"
        lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        errors = [line for line in lines if line.startswith(("E  ", "ERROR", "ModuleNotFound"))]
        told = (errors or lines or ["no message"])[0].strip()
        return f"the vendor's test does not run: {told[:120]}"
