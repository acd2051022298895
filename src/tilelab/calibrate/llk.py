"""The vendor's own performance tests (tt-llk's ``perf_*.py``), unmodified, with a tile as device.

They are built by what stands in for the vendor's compiler (``tilelab sfpi``), so a figure of them
tests both: how many words the kernel has, and how long these take.
"""

import csv
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from tilelab.calibrate.checkouts import Kernels
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


@dataclass
class Llk:
    """tt-llk's tests in one of the checkouts; each file is collected once for each chip."""

    kernels: Kernels
    collected: dict[tuple[str, str], list[Variant]] = field(default_factory=dict)

    @cached_property
    def tests(self) -> Path:
        """The folder of the tests; NotRunError if no checkout has it."""
        for checkout in self.kernels.checkouts:
            for folder in (checkout.folder, checkout.folder / METAL):
                if (folder / TESTS / KNOWN).is_file():
                    return (folder / TESTS).resolve()
        raise NotRunError(f"needs {TESTS}/{KNOWN}: --kernels with a checkout of tt-llk")

    @property
    def metal(self) -> Path:
        """The folder ``tt_metal`` that the tests are in; NotRunError if they are alone."""
        metal = self.tests.parents[2]
        if not (metal / "hw/inc/api/compute").is_dir():
            raise NotRunError(f"{metal} is no tt_metal: its compute API is needed")
        return metal

    def variants(self, arch: str, file: str) -> list[Variant]:
        """All variants of a file of tests; NotRunError if there is no such file."""
        if (arch, file) not in self.collected:
            if not (self.tests / file).is_file():
                raise NotRunError(f"{TESTS} has no {file}")
            with TemporaryDirectory() as place:
                listed = Path(place) / "variants.json"
                own = {VARIANTS: str(listed)}
                self._pytest(arch, Path(place), ["--collect-only", "-q", file], own)
                found = json.loads(listed.read_text())
            self.collected[arch, file] = [Variant(name, given) for name, given in found]
        return self.collected[arch, file]

    def plainest(self, arch: str, file: str, wanted: Mapping[str, str]) -> Variant:
        """The variant that has what is asked for, and else is as PLAIN says.

        NotRunError if none has.
        """
        found = [variant for variant in self.variants(arch, file) if variant.has(wanted)]
        if not found:
            asked = ", ".join(f"{name} {value}" for name, value in wanted.items())
            raise NotRunError(f"{file} has no variant with {asked}")
        return min(found, key=lambda variant: variant.unlike(wanted))

    def reports(
        self,
        arch: str,
        names: Sequence[str],
        run_types: Sequence[str],
        *,
        loops: str = "",
        light: bool = True,
        counters: bool = False,
    ) -> list[Lines]:
        """What the reports of variants say, of each way in which the chip's kernels are built.

        ``loops``: how often kernels repeat their work, if not as the tests say. ``light``: all
        parameters are known when a kernel is built, as in the vendor's own runs ("speed of light").
        ``counters``: with what the hardware's counters count. NotRunError if a test fails or gives
        no report.
        """
        found = []
        for options in BUILDS[arch]:
            own = {OPTIONS: options if counters else f"{options} {NO_READOUT}", LOOPS: loops}
            own["LLK_PERF_RUN_TYPES"] = ",".join(run_types)
            with TemporaryDirectory() as place:
                arguments = [*names, *[LIGHT] * light, *[COUNTERS] * counters]
                self._pytest(arch, Path(place), arguments, own)
                found.append(_lines(Path(place) / "report"))
        if not all(found):
            raise NotRunError(f"{names[0].partition('[')[0]} gave no report")
        return found

    def _pytest(
        self, arch: str, folder: Path, arguments: Sequence[str], own: Mapping[str, str]
    ) -> None:
        said = dict.fromkeys((OPTIONS, LOOPS, VARIANTS), "") | dict(own)
        said |= {"CHIP_ARCH": arch, "RUNNER_TEMP": str(folder), REPORT: str(folder / "report")}
        try:
            done = subprocess.run(
                [sys.executable, "-m", "pytest", *ARGUMENTS, *arguments],
                cwd=self.tests,
                env={**os.environ, **said, ASSERTS_OFF: "1"},
                capture_output=True,
                text=True,
                check=False,
                timeout=SECONDS * max(1, sum("::" in name for name in arguments)),
            )
        except subprocess.TimeoutExpired:
            raise NotRunError(f"the vendor's test did not end in {SECONDS} seconds") from None
        if done.returncode:
            lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
            errors = [line for line in lines if line.startswith(("E  ", "ERROR", "ModuleNotFound"))]
            told = (errors or lines or ["no message"])[0].strip()
            raise NotRunError(f"the vendor's test does not run: {told[:120]}")


def _lines(folder: Path) -> Lines:
    """All lines of the raw reports in a folder: cycles of whole zones."""
    files = (path for path in folder.rglob("*.csv") if not path.name.endswith(".post.csv"))
    return tuple(line for path in sorted(files) for line in csv.DictReader(path.open()))
