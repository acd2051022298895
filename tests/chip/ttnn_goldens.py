"""What NumPy gives for functions of ttnn, in float64 or in integers: for ``ttnn_survey.py``."""

import math
from collections.abc import Callable

import numpy as np

Array = np.ndarray
Golden = Callable[..., Array]
erf = np.vectorize(math.erf, otypes=[float])
erfc = np.vectorize(math.erfc, otypes=[float])
lgamma = np.vectorize(math.lgamma, otypes=[float])


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def softplus(x: Array) -> Array:
    return np.logaddexp(0, x)


def inverse_erf(x: Array) -> Array:
    """By Newton's method."""
    y = np.zeros_like(x)
    for _step in range(60):
        y -= (erf(y) - x) / (2 / math.sqrt(math.pi) * np.exp(-y * y))
    return y


def digamma(x: Array) -> Array:
    """By the asymptotic series, from ten places to the right."""
    below = sum(1 / (x + i) for i in range(10))
    z = x + 10
    return np.log(z) - 1 / (2 * z) - 1 / (12 * z**2) + 1 / (120 * z**4) - 1 / (252 * z**6) - below


def polygamma(x: Array) -> Array:
    """Of order 1."""
    return sum(1 / (x + i) ** 2 for i in range(20000)) + 1 / (x + 20000)


def bessel(order: int) -> Golden:
    """Of the first kind, modified, by its series."""

    def value(x: Array) -> Array:
        terms = (
            (x / 2) ** (2 * k + order) / (math.factorial(k) * math.factorial(k + order))
            for k in range(40)
        )
        return sum(terms, np.zeros_like(x))

    return value


def round_half_even(x: Array) -> Array:
    return np.round(x)


def floor_div(a: Array, b: Array) -> Array:
    return np.floor_divide(a, b)


def quotient_or_zero(a: Array, b: Array) -> Array:
    return np.where(b == 0, 0, a / np.where(b == 0, 1, b))


def xlogy(a: Array, b: Array) -> Array:
    return a * np.log(b)


def gelu(x: Array) -> Array:
    return x / 2 * (1 + erf(x / math.sqrt(2)))


ANY, POSITIVE, SMALL, ABOVE_ONE, WITHIN = "any", "positive", "small", "above one", "within"
"""What numbers a function takes: beyond 0.125, within ±0.95, above 1.125, 0.05 to 0.95."""

UNARY: dict[str, tuple[Golden, str]] = {
    "abs": (np.abs, ANY),
    "acos": (np.arccos, SMALL),
    "acosh": (np.arccosh, ABOVE_ONE),
    "asin": (np.arcsin, SMALL),
    "asinh": (np.arcsinh, ANY),
    "atan": (np.arctan, ANY),
    "atanh": (np.arctanh, SMALL),
    "cbrt": (np.cbrt, ANY),
    "ceil": (np.ceil, ANY),
    "celu": (lambda x: np.where(x > 0, x, np.expm1(x)), ANY),
    "cos": (np.cos, ANY),
    "cosh": (np.cosh, ANY),
    "deg2rad": (np.deg2rad, ANY),
    "digamma": (digamma, POSITIVE),
    "eqz": (lambda x: x == 0, ANY),
    "erf": (erf, ANY),
    "erfc": (erfc, ANY),
    "erfinv": (inverse_erf, SMALL),
    "exp": (np.exp, ANY),
    "exp2": (np.exp2, ANY),
    "expm1": (np.expm1, ANY),
    "floor": (np.floor, ANY),
    "frac": (lambda x: x - np.trunc(x), ANY),
    "gelu": (gelu, ANY),
    "gez": (lambda x: x >= 0, ANY),
    "gtz": (lambda x: x > 0, ANY),
    "hardmish": (lambda x: x * np.clip(x + 2, 0, 2) / 2, ANY),
    "hardshrink": (lambda x: np.where(np.abs(x) > 0.5, x, 0), ANY),
    "hardsigmoid": (lambda x: np.clip(x / 6 + 0.5, 0, 1), ANY),
    "hardswish": (lambda x: x * np.clip(x / 6 + 0.5, 0, 1), ANY),
    "hardtanh": (lambda x: np.clip(x, -1, 1), ANY),
    "i0": (bessel(0), ANY),
    "i1": (bessel(1), ANY),
    "identity": (lambda x: x, ANY),
    "isfinite": (np.isfinite, ANY),
    "isinf": (np.isinf, ANY),
    "isnan": (np.isnan, ANY),
    "isneginf": (np.isneginf, ANY),
    "isposinf": (np.isposinf, ANY),
    "lez": (lambda x: x <= 0, ANY),
    "lgamma": (lgamma, POSITIVE),
    "log": (np.log, POSITIVE),
    "log10": (np.log10, POSITIVE),
    "log1p": (np.log1p, POSITIVE),
    "log2": (np.log2, POSITIVE),
    "log_sigmoid": (lambda x: -softplus(-x), ANY),
    "logical_not": (lambda x: x == 0, ANY),
    "logit": (lambda x: np.log(x / (1 - x)), WITHIN),
    "ltz": (lambda x: x < 0, ANY),
    "mish": (lambda x: x * np.tanh(softplus(x)), ANY),
    "multigammaln": (
        lambda x: 3 * math.log(math.pi) + sum(lgamma(x - i / 2) for i in range(4)),
        "above two",
    ),
    "neg": (np.negative, ANY),
    "nez": (lambda x: x != 0, ANY),
    "rad2deg": (np.rad2deg, ANY),
    "reciprocal": (np.reciprocal, ANY),
    "relu": (lambda x: np.maximum(x, 0), ANY),
    "relu6": (lambda x: np.clip(x, 0, 6), ANY),
    "round": (round_half_even, ANY),
    "rsqrt": (lambda x: 1 / np.sqrt(x), POSITIVE),
    "selu": (
        lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x)),
        ANY,
    ),
    "sigmoid": (sigmoid, ANY),
    "sigmoid_accurate": (sigmoid, ANY),
    "sign": (np.sign, ANY),
    "signbit": (np.signbit, ANY),
    "silu": (lambda x: x * sigmoid(x), ANY),
    "sin": (np.sin, ANY),
    "sinh": (np.sinh, ANY),
    "softplus": (softplus, ANY),
    "softshrink": (lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.5, 0), ANY),
    "softsign": (lambda x: x / (1 + np.abs(x)), ANY),
    "sqrt": (np.sqrt, POSITIVE),
    "square": (np.square, ANY),
    "swish": (lambda x: x * sigmoid(x), ANY),
    "tan": (np.tan, SMALL),
    "tanh": (np.tanh, ANY),
    "tanhshrink": (lambda x: x - np.tanh(x), ANY),
    "tril": (np.tril, ANY),
    "triu": (np.triu, ANY),
    "trunc": (np.trunc, ANY),
}
"""Of one operand; those that take a number or two more are in ``WITH_NUMBERS``."""

WITH_NUMBERS: dict[str, tuple[tuple[object, ...], Golden, str]] = {
    "clamp": ((-0.5, 0.75), lambda x: np.clip(x, -0.5, 0.75), ANY),
    "clip": ((-0.5, 0.75), lambda x: np.clip(x, -0.5, 0.75), ANY),
    "elu": ((1.5,), lambda x: np.where(x > 0, x, 1.5 * np.expm1(x)), ANY),
    "fill": ((2.5,), lambda x: np.full_like(x, 2.5), ANY),
    "heaviside": ((0.5,), lambda x: np.heaviside(x, 0.5), ANY),
    "leaky_relu": ((0.25,), lambda x: np.where(x > 0, x, 0.25 * x), ANY),
    "polygamma": ((1,), polygamma, POSITIVE),
    "pow": ((3.0,), lambda x: x**3, ANY),
    "prelu": ((0.25,), lambda x: np.where(x > 0, x, 0.25 * x), ANY),
    "rdiv": ((2.0,), lambda x: 2 / x, POSITIVE),
    "relu_max": ((0.75,), lambda x: np.clip(x, 0, 0.75), ANY),
    "relu_min": ((0.25,), lambda x: np.maximum(x, 0.25), ANY),
    "rpow": ((2.0,), lambda x: 2.0**x, ANY),
    "threshold": ((0.25, 9.0), lambda x: np.where(x > 0.25, x, 9.0), ANY),
    **{
        name: ((1.5,), golden, ANY)
        for name, golden in {
            "add": lambda x: x + 1.5,
            "sub": lambda x: x - 1.5,
            "mul": lambda x: x * 1.5,
            "div": lambda x: x / 1.5,
            "rsub": lambda x: 1.5 - x,
            "maximum": lambda x: np.maximum(x, 1.5),
            "minimum": lambda x: np.minimum(x, 1.5),
            "gt": lambda x: x > 1.5,
            "le": lambda x: x <= 1.5,
            "ne": lambda x: x != 1.5,
            "eq": lambda x: x == 1.5,
            "fmod": lambda x: np.fmod(x, 1.5),
            "remainder": lambda x: np.mod(x, 1.5),
            "squared_difference": lambda x: (x - 1.5) ** 2,
        }.items()
    },
}
"""One operand and numbers."""

BINARY: dict[str, tuple[Golden, str]] = {
    "add": (np.add, ANY),
    "addalpha": (lambda a, b: a + 0.5 * b, ANY),
    "atan2": (np.arctan2, ANY),
    "bias_gelu": (lambda a, b: gelu(a + b), ANY),
    "div": (np.true_divide, POSITIVE),
    "div_no_nan": (quotient_or_zero, POSITIVE),
    "divide": (np.true_divide, POSITIVE),
    "eq": (np.equal, ANY),
    "floor_div": (floor_div, POSITIVE),
    "fmod": (np.fmod, POSITIVE),
    "ge": (np.greater_equal, ANY),
    "gt": (np.greater, ANY),
    "hypot": (np.hypot, ANY),
    "isclose": (lambda a, b: np.isclose(a, b, 1e-5, 1e-8), ANY),
    "ldexp": (lambda a, b: a * 2.0**b, ANY),
    "le": (np.less_equal, ANY),
    "lerp": (lambda a, b: a + 0.25 * (b - a), ANY),
    "logaddexp": (np.logaddexp, ANY),
    "logaddexp2": (np.logaddexp2, ANY),
    "logical_and": (lambda a, b: (a != 0) & (b != 0), ANY),
    "logical_or": (lambda a, b: (a != 0) | (b != 0), ANY),
    "logical_xor": (lambda a, b: (a != 0) ^ (b != 0), ANY),
    "lt": (np.less, ANY),
    "maximum": (np.maximum, ANY),
    "minimum": (np.minimum, ANY),
    "mul": (np.multiply, ANY),
    "multiply": (np.multiply, ANY),
    "ne": (np.not_equal, ANY),
    "outer": (None, "outer"),
    "polyval": (None, "coefficients"),
    "pow": (np.power, POSITIVE),
    "prelu": (lambda a, b: np.where(a > 0, a, b * a), ANY),
    "remainder": (np.mod, POSITIVE),
    "rsub": (lambda a, b: b - a, ANY),
    "squared_difference": (lambda a, b: (a - b) ** 2, ANY),
    "sub": (np.subtract, ANY),
    "subalpha": (lambda a, b: a - 0.5 * b, ANY),
    "subtract": (np.subtract, ANY),
    "xlogy": (xlogy, POSITIVE),
}  # type: ignore[dict-item]
"""Of two operands."""

INTEGER_UNARY: dict[str, Golden] = {
    "abs": np.abs,
    "bitwise_not": np.invert,
    "eqz": lambda x: x == 0,
    "gez": lambda x: x >= 0,
    "gtz": lambda x: x > 0,
    "identity": lambda x: x,
    "lez": lambda x: x <= 0,
    "logical_not": lambda x: x == 0,
    "ltz": lambda x: x < 0,
    "neg": np.negative,
    "nez": lambda x: x != 0,
    "relu": lambda x: np.maximum(x, 0),
    "sign": np.sign,
    "signbit": lambda x: x < 0,
    "square": np.square,
}
INTEGER_WITH_NUMBERS: dict[str, tuple[tuple[int, ...], Golden]] = {
    "add": ((7,), lambda x: x + 7),
    "sub": ((7,), lambda x: x - 7),
    "mul": ((7,), lambda x: x * 7),
    "bitwise_and": ((42,), lambda x: x & 42),
    "bitwise_or": ((42,), lambda x: x | 42),
    "bitwise_xor": ((42,), lambda x: x ^ 42),
    "bitwise_left_shift": ((3,), lambda x: x << 3),
    "bitwise_right_shift": ((3,), lambda x: x >> 3),
    "clamp": ((-20, 30), lambda x: np.clip(x, -20, 30)),
    "eq": ((7,), lambda x: x == 7),
    "fill": ((7,), lambda x: np.full_like(x, 7)),
    "ge": ((7,), lambda x: x >= 7),
    "gt": ((7,), lambda x: x > 7),
    "le": ((7,), lambda x: x <= 7),
    "lt": ((7,), lambda x: x < 7),
    "ne": ((7,), lambda x: x != 7),
    "maximum": ((7,), lambda x: np.maximum(x, 7)),
    "minimum": ((7,), lambda x: np.minimum(x, 7)),
    "rsub": ((7,), lambda x: 7 - x),
    "threshold": ((7, 90), lambda x: np.where(x > 7, x, 90)),
}


def shifted(shift: np.ufunc, a: Array, b: Array) -> Array:
    """A shift by another tensor's numbers: 0 by less than 0, or more than 31."""
    return np.where(
        (b >= 0) & (b < 32), shift(a.astype(np.int64), np.clip(b.astype(np.int64), 0, 31)), 0
    )


INTEGER_BINARY: dict[str, Golden] = {
    "add": np.add,
    "bitwise_and": np.bitwise_and,
    "bitwise_left_shift": lambda a, b: shifted(np.left_shift, a, b),
    "bitwise_or": np.bitwise_or,
    "bitwise_right_shift": lambda a, b: shifted(np.right_shift, a, b),
    "bitwise_xor": np.bitwise_xor,
    "div": np.true_divide,
    "eq": np.equal,
    "floor_div": np.floor_divide,
    "fmod": np.fmod,
    "gcd": np.gcd,
    "ge": np.greater_equal,
    "gt": np.greater,
    "lcm": np.lcm,
    "le": np.less_equal,
    "logical_and": lambda a, b: (a != 0) & (b != 0),
    "logical_left_shift": lambda a, b: shifted(np.left_shift, a, b),
    "logical_or": lambda a, b: (a != 0) | (b != 0),
    "logical_right_shift": lambda a, b: shifted(np.right_shift, a, b),
    "logical_xor": lambda a, b: (a != 0) ^ (b != 0),
    "lt": np.less,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "mul": np.multiply,
    "ne": np.not_equal,
    "remainder": np.mod,
    "rsub": lambda a, b: b - a,
    "squared_difference": lambda a, b: (a - b) ** 2,
    "sub": np.subtract,
}

FOLDS: dict[str, Golden] = {
    "sum": np.sum,
    "mean": np.mean,
    "max": np.max,
    "min": np.min,
    "prod": np.prod,
    "var": lambda x, **about: np.var(x, ddof=1, **about),
    "std": lambda x, **about: np.std(x, ddof=1, **about),
}
RUNNING: dict[str, Golden] = {"cumsum": np.cumsum, "cumprod": np.cumprod}
PLACES: dict[str, Golden] = {"argmax": np.argmax}


def slope(f: Golden) -> Golden:
    """The derivative of a function of one operand, by differences.

    Where it has a jump or a corner, that of its steeper side that is none of a jump.
    """

    def value(x: Array) -> Array:
        h = 1e-6
        below, here, above = (np.asarray(f(x + by), float) for by in (-h, 0.0, h))
        left, right = (here - below) / h, (above - here) / h
        corner = np.abs(right - left) > 0.01 * (1 + np.abs(left))
        sides = [np.where(np.abs(side) > 0.1 / h, 0.0, side) for side in (left, right)]
        steeper = np.where(np.abs(sides[0]) > np.abs(sides[1]), *sides)
        return np.where(corner, steeper, (above - below) / (2 * h))

    return value
