"""How far the headers' activations are from exact, and the table of it in docs/activations.md.

usage: python tests/docs/activations.py --update    (writes the table)

One kernel runs all of them, a tile of 1,024 numbers for each operand, with fp32 in circular
buffers and in Dst. The numbers are such as SrcA holds (tf32), so that nothing is lost on the way
in.
"""

import math
import re
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from kernel_maker import Buffer, build_and_run, write_kernel
from tilelab.kernels.formula import FUNCTIONS as EXACT

PAGE = Path(__file__).resolve().parents[2] / "docs" / "activations.md"
TABLE = re.compile(r"\| function \|.*?\n\n", re.DOTALL)

Numbers = npt.NDArray[np.float64]
Range = tuple[float, float]


@dataclass(frozen=True)
class Function:
    """A function: what is exact, how numbers are drawn and from which range, its call.

    ``how``: ``even``, or else exponents of ten: of ``any`` sign, ``positive``, or of any sign and
    every other one 0 (``zeros``). ``operands`` are tiles of Dst; where there is more than one, the
    call names them and then tile 0 for the result. ``parameter`` is the call's last argument.
    """

    exact: Callable[..., Numbers]
    how: str
    bounds: Range
    operands: int = 1
    parameter: str = ""

    def call(self, name: str) -> str:
        """The C++ that prepares and calls it."""
        tiles = [str(i) for i in range(self.operands)] + ["0"] * (self.operands > 1)
        arguments = ", ".join(tiles + [self.parameter] * bool(self.parameter))
        return f"{name}_tile_init(); {name}_tile({arguments});"

    def numbers(self) -> str:
        """The range, as the page has it."""
        low, high = self.bounds
        if self.how == "even":
            return f"{low:g} to {high:g}"
        sign = "" if self.how == "positive" else "±"
        others = ", every other one 0" if self.how == "zeros" else ""
        return f"{sign}10^{low:g} to {sign}10^{high:g}{others}"


def bits(number: float) -> str:
    """A number as the API takes it."""
    return f"{np.float32(number).view(np.uint32):#x}"


def mish(x: Numbers) -> Numbers:
    """Its limit at -∞ is 0."""
    return np.where(x == -np.inf, 0, x * np.tanh(np.logaddexp(0, x)))


def softsign(x: Numbers) -> Numbers:
    """Its limits at ±∞ are ±1."""
    return np.where(np.isinf(x), np.sign(x), x / (1 + np.abs(x)))


def gelu_derivative(x: Numbers) -> Numbers:
    """Φ(x) + x φ(x), without a difference for x < 0 but the one that is its zero."""
    density = np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    return np.vectorize(math.erfc)(-x / math.sqrt(2)) / 2 + x * density


TOGETHER = 27
"""So many functions are in one kernel: a core has room for no more."""
LIMITS = f"{bits(-1)}, {bits(1.5)}"
QUESTIONS: dict[str, Callable[..., Numbers]] = {
    **{"eq": np.equal, "ne": np.not_equal, "lt": np.less},
    **{"le": np.less_equal, "gt": np.greater, "ge": np.greater_equal},
}

FUNCTIONS: dict[str, Function] = {
    "abs": Function(np.abs, "any", (-9, 9)),
    "cos": Function(np.cos, "even", (-30, 30)),
    "erf": Function(EXACT["erf"], "even", (-5, 5)),
    "exp": Function(np.exp, "even", (-87, 88)),
    "gelu": Function(EXACT["gelu"], "even", (-8, 8)),
    "log": Function(np.log, "positive", (-37, 38)),
    "negative": Function(np.negative, "any", (-9, 9)),
    "recip": Function(lambda x: 1 / x, "any", (-37, 37)),
    "relu": Function(lambda x: np.maximum(x, 0), "any", (-9, 9)),
    "rsqrt": Function(lambda x: 1 / np.sqrt(x), "positive", (-37, 38)),
    "sigmoid": Function(EXACT["sigmoid"], "even", (-30, 30)),
    "sign": Function(np.sign, "any", (-9, 9)),
    "silu": Function(EXACT["silu"], "even", (-30, 30)),
    "sin": Function(np.sin, "even", (-30, 30)),
    "sqrt": Function(np.sqrt, "positive", (-37, 38)),
    "square": Function(np.square, "any", (-18, 18)),
    "tanh": Function(np.tanh, "even", (-9, 9)),
    "power": Function(lambda x: x**7, "any", (-5, 5), parameter="7"),
    "unary_max": Function(lambda x: np.maximum(x, 1.5), "even", (-8, 8), parameter="0x3FC00000"),
    "unary_min": Function(lambda x: np.minimum(x, 1.5), "even", (-8, 8), parameter="0x3FC00000"),
    "binary_max": Function(np.maximum, "any", (-9, 9), 2),
    "binary_min": Function(np.minimum, "any", (-9, 9), 2),
    "add_binary": Function(np.add, "any", (-3, 3), 2),
    "sub_binary": Function(np.subtract, "any", (-3, 3), 2),
    "mul_binary": Function(np.multiply, "any", (-18, 18), 2),
    "div_binary": Function(np.divide, "any", (-18, 18), 2),
    "ceil": Function(np.ceil, "any", (-2, 9)),
    "erfc": Function(np.vectorize(math.erfc), "even", (-5, 9)),
    "exp2": Function(np.exp2, "even", (-125, 127)),
    "expm1": Function(np.expm1, "any", (-9, 1.9)),
    "floor": Function(np.floor, "any", (-2, 9)),
    "frac": Function(lambda x: x - np.trunc(x), "any", (-2, 9)),
    "hardsigmoid": Function(lambda x: np.clip(x / 6 + 0.5, 0, 1), "even", (-5, 5)),
    "identity": Function(lambda x: x, "any", (-37, 37)),
    "isfinite": Function(np.isfinite, "any", (-37, 37)),
    "isinf": Function(np.isinf, "any", (-37, 37)),
    "isnan": Function(np.isnan, "any", (-37, 37)),
    "isneginf": Function(np.isneginf, "any", (-37, 37)),
    "isposinf": Function(np.isposinf, "any", (-37, 37)),
    "log1p": Function(np.log1p, "positive", (-37, 38)),
    "mish": Function(mish, "even", (-30, 30)),
    "signbit": Function(np.signbit, "any", (-37, 37)),
    "softsign": Function(softsign, "any", (-9, 9)),
    "tanh_derivative": Function(lambda x: 1 / np.cosh(x) ** 2, "even", (-30, 30)),
    "gelu_derivative": Function(gelu_derivative, "even", (-8, 8)),
    "lgamma_stirling": Function(np.vectorize(math.lgamma), "even", (0.5, 60)),
    "logsigmoid": Function(lambda x, _: -np.logaddexp(0, -x), "even", (-60, 60), 2),
    "trunc": Function(np.trunc, "any", (-2, 9)),
    "selu": Function(
        lambda x: 1.5 * np.where(x > 0, x, 1.75 * np.expm1(x)),
        "any",
        (-9, 1.9),
        parameter=f"0x3FC00000, {bits(1.75)}",
    ),
    "celu": Function(
        lambda x: np.where(x > 0, x, 1.5 * np.expm1(x / 1.5)),
        "any",
        (-9, 1.9),
        parameter=f"0x3FC00000, {bits(1 / 1.5)}",
    ),
    "clamp": Function(lambda x: np.clip(x, -1, 1.5), "even", (-8, 8), parameter=LIMITS),
    "elu": Function(
        lambda x: np.where(x > 0, x, 1.5 * np.expm1(x)), "any", (-9, 1.9), parameter="0x3FC00000"
    ),
    "hardshrink": Function(
        lambda x: np.where(np.abs(x) > 1.5, x, 0), "even", (-8, 8), parameter="0x3FC00000"
    ),
    "hardtanh": Function(lambda x: np.clip(x, -1, 1.5), "even", (-8, 8), parameter=LIMITS),
    "heaviside": Function(lambda x: np.heaviside(x, 1.5), "zeros", (-9, 9), parameter="0x3FC00000"),
    "leaky_relu": Function(
        lambda x: np.where(x > 0, x, 1.5 * x), "any", (-9, 9), parameter="0x3FC00000"
    ),
    "prelu": Function(
        lambda x: np.where(x > 0, x, 1.5 * x), "any", (-9, 9), parameter="0x3FC00000"
    ),
    "relu_max": Function(lambda x: np.clip(x, 0, 1.5), "even", (-8, 8), parameter="0x3FC00000"),
    "relu_min": Function(lambda x: np.maximum(x, 1.5), "even", (-8, 8), parameter="0x3FC00000"),
    "softplus": Function(
        lambda x: np.where(1.5 * x > 20, x, np.log1p(np.exp(1.5 * x)) / 1.5),
        "even",
        (-30, 30),
        parameter=f"0x3FC00000, {bits(1 / 1.5)}, {bits(20)}",
    ),
    "softshrink": Function(
        lambda x: np.sign(x) * np.maximum(np.abs(x) - 1.5, 0),
        "even",
        (-8, 8),
        parameter="0x3FC00000",
    ),
    "threshold": Function(lambda x: np.where(x > -1, x, 1.5), "even", (-8, 8), parameter=LIMITS),
    **{
        f"unary_{name}": Function(lambda x, of=of: of(x, 0.0), "zeros", (-9, 9), parameter="0")
        for name, of in QUESTIONS.items()
    },
    **{f"{name}_binary": Function(of, "zeros", (-1, 1), 2) for name, of in QUESTIONS.items()},
    "rsub_binary": Function(lambda a, b: b - a, "any", (-3, 3), 2),
    "addcmul": Function(lambda a, b, c: a + 1.5 * b * c, "even", (1, 2), 3, parameter="0x3FC00000"),
    "addcdiv": Function(lambda a, b, c: a + 1.5 * b / c, "even", (1, 2), 3, parameter="0x3FC00000"),
    "lerp": Function(lambda a, b, c: a + c * (b - a), "even", (1, 2), 3),
    "mac": Function(lambda a, b, c: a * b + c, "even", (1, 2), 3),
    "where": Function(lambda c, yes, no: np.where(c != 0, yes, no), "zeros", (-9, 9), 3),
}

SOURCE = """
#include <tilelab/special.h>
namespace NAMESPACE {
void MAIN {
    constexpr auto in = tt::CBIndex::c_0, out = tt::CBIndex::c_16;
    constexpr uint8_t operands[] = {%s};
    copy_tile_init(in, out);
    for (uint32_t i = 0; i < functions; ++i) {
        tile_regs_acquire();
        cb_wait_front(in, operands[i]);
        for (uint32_t tile = 0; tile < operands[i]; ++tile) copy_tile(in, tile, tile);
        cb_pop_front(in, operands[i]);
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
        x = 10.0**x * (1 if how == "positive" else rng.choice([-1, 1], x.shape))
    if how == "zeros":
        x[:, ::2] = 0
    return (x.astype(np.float32).view(np.uint32) & 0xFFFFE000).view(np.float32)


def measured(arch: str) -> dict[str, tuple[float, float]]:
    """Largest and mean distance from the exact result in ulp of fp32, by function."""
    rng = np.random.default_rng(11)
    found: dict[str, tuple[float, float]] = {}
    names = [*FUNCTIONS]
    for first in range(0, len(names), TOGETHER):
        found |= _measured(names[first : first + TOGETHER], arch, rng)
    return found


def _measured(
    names: list[str], arch: str, rng: np.random.Generator
) -> dict[str, tuple[float, float]]:
    functions = [FUNCTIONS[name] for name in names]
    tiles = [
        [drawn(function.how, function.bounds, rng) for _ in range(function.operands)]
        for function in functions
    ]
    calls = [
        f"            case {i}: {function.call(name)} break;"
        for i, (name, function) in enumerate(zip(names, functions, strict=True))
    ]
    operands = ", ".join(str(function.operands) for function in functions)
    x = np.concatenate([tile for group in tiles for tile in group])
    results = np.zeros((32 * len(functions), 32), np.float32)
    with tempfile.TemporaryDirectory() as name:
        inputs = [Buffer(0, x, "fp32")]
        outputs = [Buffer(16, results, "fp32", tolerance=1e38)]
        constants = {"functions": len(functions)}
        build = "fp32_dest_acc_en = true"
        source = SOURCE % (operands, "\n".join(calls))
        write_kernel(Path(name), source, inputs, outputs, arch, constants, build)
        got = build_and_run(Path(name)).arrays[0]
    found = {}
    for i, (name, function) in enumerate(zip(names, functions, strict=True)):
        exact = function.exact(*(tile.astype(np.float64) for tile in tiles[i])).astype(np.float64)
        ulp = np.spacing(np.abs(exact.astype(np.float32))).astype(np.float64)
        away = np.abs(got[32 * i : 32 * i + 32].astype(np.float64) - exact) / ulp
        found[name] = float(away.max()), float(away.mean())
    return found


def table(arch: str = "blackhole") -> str:
    """The table of docs/activations.md."""
    lines = ["| function | numbers | largest error, ulp | mean |", "|---|---|---|---|"]
    for name, (largest, mean) in measured(arch).items():
        function = FUNCTIONS[name]
        given = f"(…, {function.parameter})" if function.parameter else ""
        row = f"| `{name}_tile{given}` | {function.numbers()} | {largest:.2f} | {mean:.2f} |"
        lines.append(row)
    return "\n".join(lines) + "\n\n"


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        sys.exit(__doc__)
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(TABLE.sub(lambda _: table(), page, count=1), encoding="utf-8")
