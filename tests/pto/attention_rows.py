"""pto-isa's flash attention on PTO's clock, beside the times that its README states.

    python tests/pto/attention_rows.py PTO_ISA [--first FOLDER]

Compiles the kernel, unmodified, and runs a block of 128 queries by the command of
docs/pto-kernels.md. A whole sequence on a 910B2 is a block for each 128 queries: its 24 cores take
them in turn, after a launch. The README's other table, of one core, is older than TPUSH and TPOP:
``--first`` names that kernel's folder (kernels/manual/a2a3/flash_atten at 6cc68238).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from itertools import combinations
from math import ceil
from pathlib import Path

NOW = "kernels/manual/common/flash_atten"
ROWS, CORES = 128, 24
LAUNCH = 10_904.841  # cycles: launch_overhead_cycles in its scripts/fa_cost_model.py
SEQUENCES = {1024: 20.96, 4096: 88.902, 16384: 909.058}  # microseconds on a 910B2, all cores
ONE_CORE = {1024: 42.08, 2048: 51.44, 4096: 43.8, 8192: 74.54}  # microseconds, 128 queries


def cycles(kernel: Path, isa: Path, keys: int) -> float:
    """What a block of 128 queries takes, its result compared by the kernel's own host."""
    asked = [
        "tilelab",
        "pto",
        "cc",
        str(kernel / "fa_performance_kernel.cpp"),
        "--pto-isa",
        str(isa),
    ]
    options = [f"--gen=--cases=128,{ROWS},{keys},128,256", "--cycles", "--json", "--timeout=600"]
    ran = subprocess.run([sys.executable, "-m", *asked, *options], check=True,
                         capture_output=True, text=True)  # fmt: skip
    told = json.loads(ran.stdout)
    assert "test success" in told["output"], told["output"][-500:]
    assert "Failed to get file" not in told["output"], "the kernel's host had no data to compare"
    return float(told["cycles"]["total"])


def sequence(block: float, keys: int) -> float:
    """Cycles of as many queries as keys on all cores, ``block`` for each block."""
    return LAUNCH + ceil(keys / ROWS / CORES) * block


def order(ours: dict[int, float], stated: dict[int, float]) -> str:
    """How many pairs of rows stand in the stated order, and which do not."""
    pairs = list(combinations(stated, 2))
    wrong = [(a, b) for a, b in pairs if (ours[a] < ours[b]) != (stated[a] < stated[b])]
    return f"{len(pairs) - len(wrong)} of {len(pairs)} pairs in the stated order; not {wrong}"


def table(what: str, ours: dict[int, float], stated: dict[int, float]) -> None:
    """Print rows beside what is stated."""
    for keys, silicon in stated.items():
        found = ours[keys] / 1850
        print(f"{what}, {keys} keys: {found:.1f} us, stated {silicon}, {found / silicon - 1:+.1%}")
    print(order(ours, stated), flush=True)


def main() -> None:
    """Run them and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("isa", type=Path)
    parser.add_argument("--first", type=Path)
    given = parser.parse_args()
    now = given.isa / NOW
    whole = {keys: sequence(cycles(now, given.isa, keys), keys) for keys in SEQUENCES}
    table("a sequence on 24 cores", whole, SEQUENCES)
    if given.first:
        one = {keys: cycles(given.first, given.isa, keys) for keys in ONE_CORE}
        table("the first kernel, one core", one, ONE_CORE)


if __name__ == "__main__":
    main()
