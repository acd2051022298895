"""The vendor's own performance tests (tt-llk's ``perf_*.py``), unmodified, with a tile as device.

They are built by what stands in for the vendor's compiler (``tilelab sfpi``), so a figure of them
tests both: how many words the kernel has, and how long these take.
"""

import csv
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from tilelab.calibrate.checkouts import Kernels
from tilelab.calibrate.llk_report import BUILDS, OPTIONS, REPORT
from tilelab.calibrate.machine import NotRunError

TESTS = "tests/python_tests"
SFPU = "perf_eltwise_unary_sfpu.py"
ISOLATE = "MATH_ISOLATE"
SECONDS = 600
ARGUMENTS = (
    *("-p", "tilelab.tensix.llk.pytest_plugin", "-p", "tilelab.calibrate.llk_report"),
    *("--run-simulator", "--tilelab-clock", "cycle"),
)
ASSERTS_OFF = "TT_LLK_DISABLE_ASSERTS"
"""As the vendor's performance runs have it."""


@dataclass
class Llk:
    """tt-llk's tests in one of the checkouts; each is collected once for each chip."""

    kernels: Kernels
    collected: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    @cached_property
    def tests(self) -> Path:
        """The folder of the tests; NotRunError if no checkout has it."""
        for checkout in self.kernels.checkouts:
            if (checkout.folder / TESTS / SFPU).is_file():
                return checkout.folder / TESTS
        raise NotRunError(f"needs {TESTS}/{SFPU}: --kernels with a checkout of tt-llk")

    def sfpu(self, arch: str, operation: str, *, approximate: bool) -> float:
        """Cycles of a tile of an operation of the vector unit alone, bfloat16, Dst of 16 bits."""
        wanted = operation.replace("_", "").lower()
        for name in self._ids(arch, SFPU):
            found = dict(re.findall(r"(?:\[|-)(\w+):([^-\]]+)", name))
            if found.get("mathop", "").lower() == wanted and _is_plain(name, found, approximate):
                return self._measured(arch, name)
        raise NotRunError(f"{SFPU} has no variant of {operation}")

    def _ids(self, arch: str, file: str) -> list[str]:
        if (arch, file) not in self.collected:
            with TemporaryDirectory() as folder:
                done = self._pytest(arch, Path(folder), "--collect-only", "-q", file)
            self.collected[arch, file] = [line for line in done.splitlines() if "::" in line]
        return self.collected[arch, file]

    def _measured(self, arch: str, name: str) -> float:
        """The least that reports of a variant say of its loop, in cycles a tile."""
        return min(self._built(arch, name, options) for options in BUILDS[arch])

    def _built(self, arch: str, name: str, options: str) -> float:
        """What the report says of a variant that is built with these options."""
        with TemporaryDirectory() as folder:
            self._pytest(arch, Path(folder), name, options=options)
            for report in Path(folder).rglob("*.post.csv"):
                for row in csv.DictReader(report.read_text().splitlines()):
                    if row["marker"] == "TILE_LOOP":
                        return float(row[f"mean({ISOLATE})"])
        raise NotRunError(f"{name.partition('[')[0]} gave no report")

    def _pytest(self, arch: str, folder: Path, *arguments: str, options: str = "") -> str:
        own = {"CHIP_ARCH": arch, "RUNNER_TEMP": str(folder), REPORT: str(folder / "report")}
        own[OPTIONS] = options
        environment = {**os.environ, **own, "LLK_PERF_RUN_TYPES": ISOLATE, ASSERTS_OFF: "1"}
        command = [sys.executable, "-m", "pytest", *ARGUMENTS, *arguments]
        try:
            done = subprocess.run(
                command,
                cwd=self.tests,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=SECONDS,
            )
        except subprocess.TimeoutExpired:
            raise NotRunError(f"the vendor's test did not end in {SECONDS} seconds") from None
        if done.returncode:
            lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
            errors = [line for line in lines if line.startswith(("E  ", "ERROR", "ModuleNotFound"))]
            said = (errors or lines or ["no message"])[0].strip()
            raise NotRunError(f"the vendor's test does not run: {said[:120]}")
        return done.stdout


def _is_plain(name: str, found: dict[str, str], approximate: bool) -> bool:
    """Whether a variant is bfloat16, or an operation of integers, in Dst of 16 bits."""
    mode = "Yes" if approximate else "No"
    if found.get("approx_mode") != mode or found.get("fast_mode") != "No":
        return False
    if "int32" in found["mathop"].lower():
        return True
    return "formats:Float16_b->Float16_b" in name and found.get("dest_acc") == "No"
