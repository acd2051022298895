"""How far the headers' activations are from exact, and the table of it in docs/activations.md.

usage: python tests/docs/activations.py --update    (writes the table)

One kernel runs all of them, a tile of 1,024 numbers each, with fp32 in circular buffers and in Dst.
The numbers are such as SrcA holds (tf32), so that nothing is lost on the way in.
"""

import math
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from kernel_maker import Buffer, build_and_run, write_kernel

PAGE = Path(__file__).resolve().parents[2] / "docs" / "activations.md"
TABLE = re.compile(r"\| function \|.*?\n\n", re.DOTALL)

Numbers = npt.NDArray[np.float64]
Range = tuple[float, float]
erf, erfc = np.vectorize(math.erf), np.vectorize(math.erfc)


def sigmoid(x: Numbers) -> Numbers:
    return 1 / (1 + np.exp(-x))


FUNCTIONS: dict[str, tuple[Callable[[Numbers], Numbers], str, Range]] = {
    "abs": (np.abs, "any", (-9, 9)),
    "cos": (np.cos, "even", (-30, 30)),
    "erf": (erf, "even", (-5, 5)),
    "exp": (np.exp, "even", (-87, 88)),
    "gelu": (lambda x: 0.5 * x * erfc(-x / math.sqrt(2)), "even", (-8, 8)),
    "log": (np.log, "positive", (-37, 38)),
    "negative": (np.negative, "any", (-9, 9)),
    "recip": (lambda x: 1 / x, "any", (-37, 37)),
    "relu": (lambda x: np.maximum(x, 0), "any", (-9, 9)),
    "rsqrt": (lambda x: 1 / np.sqrt(x), "positive", (-37, 38)),
    "sigmoid": (sigmoid, "even", (-30, 30)),
    "sign": (np.sign, "any", (-9, 9)),
    "silu": (lambda x: x * sigmoid(x), "even", (-30, 30)),
    "sin": (np.sin, "even", (-30, 30)),
    "sqrt": (np.sqrt, "positive", (-37, 38)),
    "square": (np.square, "any", (-18, 18)),
    "tanh": (np.tanh, "even", (-9, 9)),
}
"""The exact function, how numbers are drawn, and from which range: ``even``, or else exponents of
ten."""

SOURCE = """
#include "compute_kernel_api/eltwise_unary/eltwise_unary.h"
namespace NAMESPACE {
void MAIN {
    constexpr auto in = tt::CBIndex::c_0, out = tt::CBIndex::c_16;
    copy_tile_init(in, out);
    for (uint32_t i = 0; i < functions; ++i) {
        tile_regs_acquire();
        cb_wait_front(in, 1);
        copy_tile(in, 0, 0);
        cb_pop_front(in, 1);
        switch (i) {
%s
        }
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(out, 1);
        pack_tile(0, out);
        cb_push_back(out, 1);
        tile_regs_release();
    }
}
}
"""


def drawn(how: str, bounds: Range, rng: np.random.Generator) -> npt.NDArray[np.float32]:
    """A tile of numbers that tf32 holds."""
    x = rng.uniform(*bounds, (32, 32))
    if how != "even":
        x = 10.0**x * (rng.choice([-1, 1], x.shape) if how == "any" else 1)
    return (x.astype(np.float32).view(np.uint32) & 0xFFFFE000).view(np.float32)


def measured(arch: str) -> dict[str, tuple[float, float]]:
    """Largest and mean distance from the exact result in ulp of fp32, by function."""
    rng = np.random.default_rng(11)
    tiles = [drawn(how, bounds, rng) for _, how, bounds in FUNCTIONS.values()]
    calls = [
        f"            case {i}: {name}_tile_init(); {name}_tile(0); break;"
        for i, name in enumerate(FUNCTIONS)
    ]
    x = np.concatenate(tiles)
    with tempfile.TemporaryDirectory() as name:
        inputs = [Buffer(0, x, "fp32")]
        outputs = [Buffer(16, np.zeros_like(x), "fp32", tolerance=1e38)]
        constants = {"functions": len(FUNCTIONS)}
        build = "fp32_dest_acc_en = true"
        source = SOURCE % "\n".join(calls)
        write_kernel(Path(name), source, inputs, outputs, arch, constants, build)
        got = build_and_run(Path(name)).arrays[0]
    found = {}
    for i, (name, (function, _, _)) in enumerate(FUNCTIONS.items()):
        exact = function(tiles[i].astype(np.float64))
        ulp = np.spacing(np.abs(exact.astype(np.float32))).astype(np.float64)
        away = np.abs(got[32 * i : 32 * i + 32].astype(np.float64) - exact) / ulp
        found[name] = float(away.max()), float(away.mean())
    return found


def table(arch: str = "blackhole") -> str:
    """The table of docs/activations.md."""
    lines = ["| function | numbers | largest error, ulp | mean |", "|---|---|---|---|"]
    for name, (largest, mean) in measured(arch).items():
        _, how, (low, high) = FUNCTIONS[name]
        numbers = f"{low:g} to {high:g}"
        if how != "even":
            sign = "±" if how == "any" else ""
            numbers = f"{sign}10^{low:g} to {sign}10^{high:g}"
        lines.append(f"| `{name}_tile` | {numbers} | {largest:.2f} | {mean:.2f} |")
    return "\n".join(lines) + "\n\n"


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        sys.exit(__doc__)
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(TABLE.sub(lambda _: table(), page), encoding="utf-8")
