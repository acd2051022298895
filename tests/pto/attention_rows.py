"""pto-isa's flash attention on PTO's clock, beside the times that its pages state.

    python tests/pto/attention_rows.py PTO_ISA [--first FOLDER]

Compiles the kernels, unmodified, and runs a block of 128 queries. A whole sequence on a 910B2 is a
block for each 128 queries: its 24 cores take them in turn, after a launch. The demo of
demos/torch_jit/flash_atten states all its settings, and was warm: each core takes one block. The
README's table by cores is older than TPUSH and TPOP: ``--first`` names that kernel's folder
(kernels/manual/a2a3/flash_atten at 6cc68238), which is run with each tile size that it allows.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from itertools import combinations, product
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np

NOW = "kernels/manual/common/flash_atten"
DEMO = "demos/torch_jit/flash_atten/fa_kernel.cpp"
HOST = Path(__file__).parent / "native" / "attention_demo_host.cpp"
ROWS, CORES, HEAD = 128, 24, 128
TILES = (128, 256, 512)  # TILE_S1, as the first README allows it
CLOCK = 1850  # MHz
LAUNCH = 10_904.841  # cycles: launch_overhead_cycles in its scripts/fa_cost_model.py
SEQUENCES = {1024: 20.96, 4096: 88.902, 16384: 909.058}  # microseconds on a 910B2, all cores
ONE_CORE = {1024: 42.08, 2048: 51.44, 4096: 43.8, 8192: 74.54}  # microseconds, 128 queries
DEMOS = {  # microseconds on 910B2s, by the host's processor and the number of cores
    ("aarch64", 1): {1024: 19.2, 2048: 23.42, 4096: 38.317, 8192: 68.778},
    ("aarch64", 4): {1024: 18.603, 2048: 24.787, 4096: 41.475, 8192: 74.903},
    ("aarch64", 8): {1024: 19.439, 2048: 26.221, 4096: 43.127, 8192: 76.855},
    ("x86_64", 1): {1024: 16.54, 2048: 23.98, 4096: 40.94, 8192: 72.14},
    ("x86_64", 4): {1024: 18.03, 2048: 25.02, 4096: 41.21, 8192: 73.93},
    ("x86_64", 8): {1024: 18.70, 2048: 26.76, 4096: 44.20, 8192: 77.65},
}


def _compiled(kernel: Path, isa: Path, *options: str) -> dict[str, Any]:
    """What ``tilelab pto cc --json`` says of a kernel."""
    asked = ["tilelab", "pto", "cc", str(kernel), "--pto-isa", str(isa), "--cycles", "--json"]
    ran = subprocess.run([sys.executable, "-m", *asked, "--timeout=600", *options], check=True,
                         capture_output=True, text=True)  # fmt: skip
    told: dict[str, Any] = json.loads(ran.stdout)
    return told


def cycles(kernel: Path, isa: Path, keys: int, tile: int = 256) -> float:
    """What a block of 128 queries takes, its result compared by the kernel's own host."""
    case = f"--gen=--cases={HEAD},{ROWS},{keys},{ROWS},{tile}"
    told = _compiled(kernel / "fa_performance_kernel.cpp", isa, case)
    assert "test success" in told["output"], told["output"][-500:]
    assert "Failed to get file" not in told["output"], "the kernel's host had no data to compare"
    return float(told["cycles"]["total"])


def demo(isa: Path, keys: int) -> tuple[float, float]:
    """What the demo's kernel takes for a block, and how far its result is from NumPy's."""
    rng = np.random.default_rng(7)
    q, k, v = (rng.standard_normal((n, HEAD)).astype(np.float16) for n in (ROWS, keys, keys))
    with tempfile.TemporaryDirectory() as folder:
        for name, array in (("q", q), ("kt", k), ("v", v)):
            array.tofile(f"{folder}/{name}.bin")
        words = [f"--host={HOST}", f"--data={folder}", f"-I{isa / NOW}"]
        told = _compiled(isa / DEMO, isa, *words, f"--arg={ROWS}", f"--arg={keys}")
        out = np.fromfile(f"{folder}/out.bin", np.float32).reshape(ROWS, HEAD)
    scores = q.astype(np.float64) @ k.T.astype(np.float64) / np.sqrt(HEAD)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    right = (weights / weights.sum(axis=1, keepdims=True)) @ v.astype(np.float64)
    return float(told["cycles"]["total"]), float(np.abs(out - right).max())


def sequence(block: float, keys: int) -> float:
    """Cycles of as many queries as keys on all cores, ``block`` for each block."""
    return LAUNCH + ceil(keys / ROWS / CORES) * block


def misplaced(ours: dict[int, float], stated: dict[int, float]) -> list[tuple[int, int]]:
    """The pairs of rows that do not stand in the stated order."""
    pairs = combinations(stated, 2)
    return [(a, b) for a, b in pairs if (ours[a] < ours[b]) != (stated[a] < stated[b])]


def table(what: str, ours: dict[int, float], stated: dict[int, float]) -> None:
    """Print rows beside what is stated."""
    for keys, silicon in stated.items():
        found = ours[keys] / CLOCK
        print(f"{what}, {keys} keys: {found:.1f} us, stated {silicon}, {found / silicon - 1:+.1%}")
    print(f"pairs not in the stated order: {misplaced(ours, stated) or 'none'}", flush=True)


def by_tile(first: Path, isa: Path) -> None:
    """The README's table by cores: each row with each tile size, and which choices rank it."""
    found = {(keys, t): cycles(first, isa, keys, t) for keys in ONE_CORE for t in TILES}
    for keys, silicon in ONE_CORE.items():
        row = ", ".join(f"{t}: {found[keys, t] / CLOCK:.1f}" for t in TILES)
        print(f"the first kernel, {keys} keys, us by TILE_S1: {row}; stated {silicon}")
    choices = [dict(zip(ONE_CORE, c, strict=True)) for c in product(TILES, repeat=len(ONE_CORE))]
    wrong = [misplaced({k: found[k, t] for k, t in one.items()}, ONE_CORE) for one in choices]
    print(f"{sum(not one for one in wrong)} of {len(choices)} choices of TILE_S1 rank all pairs; "
          f"{sum(one == [(2048, 4096)] for one in wrong)} all but 2,048 and 4,096")  # fmt: skip


def main() -> None:
    """Run them and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("isa", type=Path)
    parser.add_argument("--first", type=Path)
    given = parser.parse_args()
    now = given.isa / NOW
    whole = {keys: sequence(cycles(now, given.isa, keys), keys) for keys in SEQUENCES}
    table("a sequence on 24 cores", whole, SEQUENCES)
    block = {keys: demo(given.isa, keys)[0] for keys in ONE_CORE}
    for (host, cores), stated in DEMOS.items():
        table(f"the demo, {host}, {cores} core(s)", block, stated)
    if given.first:
        by_tile(given.first, given.isa)


if __name__ == "__main__":
    main()
