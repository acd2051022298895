"""One element of a matrix product, step by step, as the matrix unit computes it.

``A @ B``: rows of A go to SrcB, columns of B to SrcA (MVMUL.md). Each MVMUL multiplies 16 pairs of
slices, adds them in two groups of eight, and adds both sums to the element in Dst. The arithmetic
is told again here, with every intermediate kept; a test holds its results against the tile's, bit
by bit.
"""

from dataclasses import dataclass
from typing import Any

from tilelab.formats.layout import FACE
from tilelab.formats.scalars import Values
from tilelab.numerics.operands import (
    Data,
    OperandFormat,
    dst_kind,
    encode,
    number,
    operand_format,
    phases_of,
    schedule,
    value_of,
)
from tilelab.numerics.rounding import (
    align_dst,
    align_product,
    align_sum,
    round_to_dst,
)
from tilelab.sim.errors import BadInputError
from tilelab.tensix.arch import Arch
from tilelab.tensix.arch import arch as arch_named
from tilelab.tensix.backend.matrix_unit.numerics import (
    DST_BF16,
    DST_FP16,
    DST_FP32,
    phase_bits_a,
    phase_bits_b,
    phase_exponent,
)

GROUP = 8
FRACTION = 10
"""Fraction bits of a product of two slices."""
TERM_FRACTION = 23
"""Fraction bits of the terms that are added to Dst."""
DST_NAMES = {DST_FP32: "fp32", DST_BF16: "bf16", DST_FP16: "fp16"}


@dataclass(frozen=True)
class Operand:
    """One datum and the slice of it that a phase multiplies.

    ``significand`` shows all 11 bits, the slice in brackets; a zero datum has none.
    """

    value: float
    sign: int
    exponent: int
    significand: str
    slice: int


@dataclass(frozen=True)
class Product:
    """``product`` (10 fraction bits) at ``exponent``, shifted right to its group's exponent.

    A product with a zero datum has no exponent.
    """

    k: int
    a: Operand
    b: Operand
    product: int
    exponent: int | None
    shift: int | None
    rounded: int


@dataclass(frozen=True)
class Group:
    """Eight products at one exponent, and their sum."""

    products: tuple[Product, ...]
    exponent: int
    total: int
    value: float


@dataclass(frozen=True)
class Step:
    """One MVMUL: two groups and Dst, aligned to ``exponent`` (23 fraction bits), added, rounded."""

    phase: int
    first_k: int
    groups: tuple[Group, Group]
    exponent: int
    terms: tuple[int, int, int]
    total: int
    dst_before: float
    dst_after: float
    dst_bits: str
    exact: float
    """What exact arithmetic makes of the same operands, all phases, up to here."""


@dataclass(frozen=True)
class Explanation:
    """All MVMULs behind one element; ``bits`` is the element in Dst, in fp32's bit layout."""

    arch: str
    data_format: str
    fidelity: str
    dst: str
    bias: int
    """What to take off the exponents of products, groups and steps."""
    row: int
    column: int
    steps: tuple[Step, ...]
    result: float
    bits: int
    exact: float
    error: float


def _slice(datum: int, phase: int, second: bool) -> tuple[int, str]:
    """The slice of a datum of SrcB (A's) or SrcA (B's) in a phase, and how it sits in it."""
    bits = format((datum >> 13 & 0x3FF) | 0x400, "011b")
    if second:
        cut = (5, 10) if phase & 1 else (0, 5)
        chosen = phase_bits_a(datum, phase)
    else:
        cut = (7, 11) if phase & 2 else (0, 7)
        chosen = phase_bits_b(datum, phase)
    return chosen, f"{bits[: cut[0]]}[{bits[cut[0] : cut[1]]}]{bits[cut[1] :]}"


def _operand(datum: int, phase: int, second: bool, five: bool) -> Operand:
    exponent = datum >> 23 & 255
    sign = datum >> 31
    if not exponent:
        return Operand(0.0, sign, 0, "", 0)
    chosen, shown = _slice(datum, phase, second)
    return Operand(value_of(datum, five), sign, exponent, shown, chosen)


def _group(pairs: list[tuple[int, Operand, Operand]], adjust: int, bias: int) -> Group:
    """Multiply eight pairs of slices, align and add."""
    exponents = [a.exponent + b.exponent + adjust for _, a, b in pairs]
    real = [bool(a.exponent and b.exponent) for _, a, b in pairs]
    top = max([adjust, 0, *(e for e, used in zip(exponents, real, strict=True) if used)])
    products = []
    for (k, a, b), exponent, used in zip(pairs, exponents, real, strict=True):
        product = a.slice * b.slice * (-1 if a.sign != b.sign else 1)
        if used:
            rounded = align_product(product, top - exponent) if top > 0 else 0
            products.append(Product(k, a, b, product, exponent, top - exponent, rounded))
        else:
            products.append(Product(k, a, b, 0, None, None, 0))
    total = sum(product.rounded for product in products)
    return Group(tuple(products), top, total, total * 2.0 ** (top - bias - FRACTION))


class _Accumulator:
    """The element in Dst."""

    def __init__(self, arch: Arch, kind: int) -> None:
        self.arch = arch
        self.kind = kind
        self.bits = 0

    def add(self, groups: tuple[Group, Group]) -> tuple[int, tuple[int, int, int], int]:
        """Add two sums: the common exponent, the aligned terms (Dst's last), their sum."""
        exponent = self.bits >> 23 & 255
        top = max(exponent, groups[0].exponent, groups[1].exponent)
        if top <= 0:
            self.bits = 0
            return 0, (0, 0, 0), 0
        first, second = (align_sum(g.total << 13, top - g.exponent, self.kind) for g in groups)
        terms = (first, second, align_dst(self.bits, top - exponent, self.kind))
        self.bits = round_to_dst(sum(terms), top, self.kind, self.arch)
        return top, terms, sum(terms)


def exponent_bias(data_format: OperandFormat, kind: int) -> int:
    """The bias of the exponents of products: Dst's."""
    return 15 if data_format.five_bit_exponent and kind == DST_FP16 else 127


def explain_data(
    a: Data, b: Data, data_format: OperandFormat, phases: int, kind: int, arch: Arch
) -> tuple[tuple[Step, ...], int]:
    """Explain the product of a row and a column of data (``k`` a multiple of 16)."""
    five = data_format.five_bit_exponent
    accumulator = _Accumulator(arch, kind)
    bias = exponent_bias(data_format, kind)
    steps: list[Step] = []
    done: set[int] = set()
    for phase, first in schedule(len(a), phases):
        adjust = phase_exponent(kind, int(five), phase)
        pairs = [
            (k, _operand(int(a[k]), phase, False, five), _operand(int(b[k]), phase, True, five))
            for k in range(first, first + FACE)
        ]
        groups = (_group(pairs[:GROUP], adjust, bias), _group(pairs[GROUP:], adjust, bias))
        before = number(accumulator.bits, kind)
        exponent, terms, total = accumulator.add(groups)
        done.update(range(first, first + FACE))
        exact = sum(value_of(int(a[k]), five) * value_of(int(b[k]), five) for k in sorted(done))
        after = number(accumulator.bits, kind)
        bits = f"{accumulator.bits:#010x}"
        step = Step(phase, first, groups, exponent, terms, total, before, after, bits, exact)
        steps.append(step)
    return tuple(steps), accumulator.bits


def explain_matmul(
    a: Values,
    b: Values,
    row: int = 0,
    column: int = 0,
    *,
    data_format: str = "bf16",
    fidelity: str = "hifi4",
    dst_bits: int = 16,
    arch: str = "blackhole",
) -> Explanation:
    """Explain one element of ``a @ b`` as the matrix unit computes it from an empty Dst.

    ``a`` is ``(m, k)``, ``b`` ``(k, n)``; both are rounded to ``data_format`` (bf16, tf32, bfp8,
    bfp4, fp16, fp8) and, where needed, padded with zeros to a multiple of 16 in k. ``fidelity`` is
    lofi, hifi2, hifi3 or hifi4; ``exact`` and ``error`` compare with the exact product of the
    rounded operands. Raises BadInputError for what does not fit.
    """
    chosen, profile = operand_format(data_format), arch_named(arch)
    phases, kind = phases_of(fidelity), dst_kind(chosen, dst_bits)
    data_a, data_b = encode(a, chosen, "a"), encode(b, chosen, "b")
    if data_a.shape[1] != data_b.shape[0]:
        raise BadInputError(f"a is {data_a.shape} and b is {data_b.shape}: they do not multiply")
    if not (0 <= row < data_a.shape[0] and 0 <= column < data_b.shape[1]):
        shape = (data_a.shape[0], data_b.shape[1])
        raise BadInputError(f"the product is {shape}: it has no element {row}, {column}")
    pad = [0] * (-data_a.shape[1] % FACE)
    left: Any = [*data_a[row].tolist(), *pad]
    right: Any = [*data_b[:, column].tolist(), *pad]
    steps, bits = explain_data(left, right, chosen, phases, kind, profile)
    result, exact = number(bits, kind), steps[-1].exact
    return Explanation(
        profile.name,
        data_format,
        fidelity,
        DST_NAMES[kind],
        exponent_bias(chosen, kind),
        row,
        column,
        steps,
        result,
        bits,
        exact,
        result - exact,
    )
