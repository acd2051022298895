"""Matrix products of ``ttnn`` on a whole chip, as tt-metal's GEMM_FLOPS configures and counts them.

A tuned product has a block of the result on each tile of a grid; how it is divided is a row of the
vendor's test (``tests/ttnn/unit_tests/benchmarks/test_benchmark.py``), by the block's size. Its
utilisation is that of the grid: the cycles that the matrix units need at least, of those that the
program takes. The second of two products counts, as in a trace that is played again.
"""

import json
import re
import subprocess
import sys
from importlib.resources import as_file, files
from typing import Any, Final

from tilelab.calibrate.machine import NotRunError
from tilelab.calibrate.perfbench import Perfbench

PATTERN: Final = (
    r"matmul (?P<m>\d+)x(?P<k>\d+)x(?P<n>\d+) (?P<type>BFLOAT\w+) (?P<fidelity>\w+) tuned, "
    r"grid (?P<columns>\d+)x(?P<rows>\d+).*: device utili[sz]ation"
)
TYPES: Final = {"BFLOAT16": "bfloat16", "BFLOAT8_B": "bfloat8_b", "BFLOAT4_B": "bfloat4_b"}
TILE_CYCLES: Final = {"LoFi": 16, "HiFi2": 32, "HiFi3": 48, "HiFi4": 64}
"""What a product of two tiles takes a matrix unit at least."""
DIVIDED: Final = {
    "bfloat16": {
        (256, 384, 384): (1, 2, 1, 1),
        (384, 384, 384): (1, 4, 1, 1),
        (384, 384, 512): (0, 2, 1, 1),
        (384, 512, 512): (0, 2, 1, 1),
        (416, 320, 320): (0, 1, 1, 1),
        (512, 512, 512): (0, 1, 2, 2),
        (1024, 1024, 1024): (0, 2, 4, 4),
        (2048, 2048, 2048): (0, 4, 8, 8),
    },
    "bfloat8_b": {
        (384, 384, 384): (1, 2, 1, 1),
        (384, 384, 512): (1, 2, 1, 1),
        (416, 320, 320): (0, 1, 1, 1),
        (512, 512, 512): (0, 1, 2, 2),
        (1024, 1024, 1024): (0, 2, 4, 4),
        (2048, 2048, 2048): (0, 4, 8, 8),
    },
    "bfloat4_b": {
        (384, 512, 512): (1, 2, 1, 1),
        (416, 320, 320): (0, 1, 1, 1),
        (512, 512, 512): (1, 2, 1, 1),
        (1024, 1024, 1024): (0, 2, 2, 2),
        (2048, 2048, 2048): (0, 4, 4, 4),
    },
}
"""By type, and rows, inner dimension and columns of a tile: whether the first operand and the
result are in L1, how often the inner dimension, rows and columns of its block are divided."""
WHOLE: Final = (1, 1, 1, 1)
"""All others are in L1, undivided."""
SUBBLOCKS: Final = (
    *((4, 2), (2, 4), (8, 1), (1, 8), (7, 1), (1, 7), (3, 2), (2, 3), (6, 1), (1, 6), (5, 1)),
    *((1, 5), (2, 2), (4, 1), (1, 4), (3, 1), (1, 3), (2, 1), (1, 2), (1, 1)),
)
LARGEST: Final = 60_000_000
"""Cycles of all tiles together that a product may need; more take an hour."""
SECONDS: Final = 3600


def utilisation(bench: Perfbench, arch: str, found: re.Match[str]) -> float:
    """Percent of the matrix units' time that the product of a row needs; NotRunError as it says."""
    m, k, n, columns, rows = (int(found[name]) for name in ("m", "k", "n", "columns", "rows"))
    if found["type"] not in TYPES or found["fidelity"] not in TILE_CYCLES:
        raise NotRunError(f"no product of {found['type']} at {found['fidelity']} is known")
    if m % (32 * rows) or k % (32 * columns) or n % (32 * columns):
        raise NotRunError(f"{m}x{k}x{n} is not whole tiles on each of {columns}x{rows}")
    kind = TYPES[found["type"]]
    block = m // rows, k // columns, n // columns
    needed = m * k * n // 32**3 * TILE_CYCLES[found["fidelity"]]
    if needed > LARGEST:
        raise NotRunError(f"it needs {needed / 1e6:,.0f} million cycles of tiles, which take hours")
    divided = DIVIDED[kind].get(block, WHOLE)
    high, wide = _subblock(block[0] // 32 // divided[2], block[2] // 32 // divided[3], divided[0])
    shape = (m, k, n, kind, found["fidelity"], columns, rows, *divided, high, wide)
    taken = bench.once(("gemm", arch, shape), lambda: _run(bench.python, arch, shape))
    return 100 * needed / (columns * rows) / taken


def _subblock(rows: int, columns: int, in_l1: int) -> tuple[int, int]:
    """The first of SUBBLOCKS that divides a block; of one in L1, one of a single row."""
    return next(
        (high, wide)
        for high, wide in SUBBLOCKS
        if not rows % high and not columns % wide and (high == 1 or not in_l1)
    )


def _run(python: str, arch: str, shape: tuple[Any, ...]) -> int:
    """Cycles of the second product, run by ``tilelab ttnn``."""
    with as_file(files("tilelab.calibrate").joinpath("standin_ttnn/gemm.py")) as program:
        command = [sys.executable, "-m", "tilelab", "ttnn", "--macros", "--cycles", "--json"]
        command += ["--arch", arch, *(["--python", python] if python else [])]
        command += [str(program), *map(str, shape)]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=SECONDS
            )
        except subprocess.TimeoutExpired:
            raise NotRunError(f"ttnn did not end in {SECONDS} seconds") from None
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.strip()] or ["no message"]
        raise NotRunError(f"ttnn does not run it: {said[-1][:120]}")
    return int(json.loads(done.stdout)["programs"][-1]["cycles"])
