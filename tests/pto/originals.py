"""pto-isa's own kernels under many orders of their cores: none may be told anything.

    python tests/pto/originals.py PTO_ISA [--schedules N] [--attention N] [--jobs N] [--all]

The kernels whose mutants `mutants.py` runs, with the same case, run under N orders chosen by
chance (default 1,000); with `--all` every NPU kernel of the TPUSH/TPOP tests, all its cases in each
run. Flash attention (`manual/common`, no mask, 128×1024) runs under as many as `--attention` says.
Prints for each how many orders were distinct and what was told; exit code 1 if anything was. Flags
left standing (H11) are the scheme's own leftovers and no report. A5 runs under `sparse_fixed`,
because the vendor's own credits overrun (docs/pto-kernels.md).
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

from flash_attention import attend, compiled
from mutants import KERNELS

from tilelab.pto import schedules as ways
from tilelab.pto.native.build import build
from tilelab.pto.native.run import Options, Outcome, run


class Many(NamedTuple):
    """What a kernel's runs gave."""

    name: str
    cases: int
    runs: int
    orders: int
    told: Counter[str]


def reports(outcome: Outcome) -> list[str]:
    """What a run tells."""
    found = [f"{f.code} {f.message}" for f in outcome.findings if f.code != "H11"]
    if outcome.error is not None:
        found.append(outcome.error.summary)
    failed = re.findall(r"^FAILED (\S+)$", outcome.output, re.MULTILINE)
    return found + [f"{case}: the host's own check failed" for case in failed]


def of_kernel(isa: Path, kernel: Path, case: str, count: int) -> Many:
    """One kernel of the tests, all the cases of a pattern in each run."""
    arch = kernel.parts[-6]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        subprocess.run([sys.executable, str(kernel.parent / "gen_data.py")], cwd=folder,
                       check=True, stdout=subprocess.DEVNULL)  # fmt: skip
        (folder / "run").mkdir()
        built = build(kernel, [kernel.parent / "main.cpp"], isa, arch)
        protocol = "sparse" if arch == "a2a3" else "sparse_fixed"
        options = Options(arch, protocol, arguments=[f"--gtest_filter={case}"],
                          folder=folder / "run", trace=False)  # fmt: skip
        orders, told, cases = set(), Counter[str](), 0
        for seed in range(count):
            outcome = run(built, options, ways.at_random(seed))
            orders.add(tuple(outcome.choices))
            told.update(reports(outcome))
            cases = len(re.findall(r"^(?:ok|FAILED) ", outcome.output, re.MULTILINE))
    return Many(f"{arch}/{kernel.parent.name}", cases, count, len(orders), told)


def of_attention(isa: Path, count: int) -> Many:
    """Flash attention, its result compared with NumPy's each time."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        one = compiled(isa, "common", False, ((128, 1024),), folder)
        orders, told = set(), Counter[str]()
        for seed in range(count):
            done = attend(one, 128, 1024, folder, ways.at_random(seed))
            orders.add(tuple(done.outcome.choices))
            told.update(reports(done.outcome))
            if not done.error < 1e-3:
                told["its result differs from NumPy's"] += 1
    return Many("flash attention", 1, count, len(orders), told)


def main() -> None:
    """Run them and print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("isa", type=Path)
    parser.add_argument("--schedules", type=int, default=1000)
    parser.add_argument("--attention", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--all", action="store_true")
    given = parser.parse_args()
    found = sorted(given.isa.glob("tests/npu/*/src/st/testcase/tpushpop*/*_kernel.cpp"))
    cases = {f"{arch}/{name}": case for arch, name, case, _ in KERNELS}
    names = [f"{file.parts[-6]}/{file.parent.name}" for file in found]
    kernels = [
        (file, "*" if given.all else cases[name])
        for file, name in zip(found, names, strict=True)
        if given.all or name in cases
    ]
    if not kernels:
        sys.exit(
            f"{given.isa}: no tests/npu/*/src/st/testcase/tpushpop*; is it a pto-isa checkout?"
        )
    bad = 0
    with ProcessPoolExecutor(given.jobs) as pool:
        waiting = [pool.submit(of_kernel, given.isa, *one, given.schedules) for one in kernels]
        if given.attention:
            waiting.append(pool.submit(of_attention, given.isa, given.attention))
        for future in waiting:
            many = future.result()
            said = "silent" if not many.told else f"told {sum(many.told.values())} times"
            print(f"{many.name}: {many.cases} cases, {many.runs} runs, "
                  f"{many.orders} distinct orders, {said}", flush=True)  # fmt: skip
            for text, times in many.told.most_common(5):
                print(f"    {times}x {text}")
            bad += bool(many.told)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
