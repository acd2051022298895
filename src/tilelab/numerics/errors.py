"""How far matrix products are from exact ones, by fidelity, over random operands."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tilelab.formats.layout import FACE
from tilelab.numerics.operands import (
    FIDELITIES,
    Floats,
    encode,
    number,
    operand_format,
    phases_of,
    values_of,
)
from tilelab.numerics.product import ROWS, MatrixUnit
from tilelab.sim.errors import BadInputError

DISTRIBUTIONS: dict[str, Callable[[np.random.Generator, tuple[int, int]], Floats]] = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "uniform": lambda rng, shape: rng.uniform(-1, 1, shape),
    "positive": lambda rng, shape: rng.uniform(0, 1, shape),
    "lognormal": lambda rng, shape: rng.lognormal(0, 2, shape) * rng.choice([-1, 1], shape),
}
"""Ways to draw operands."""

BINS = np.arange(-26, 1)
"""Edges of the histogram, in binary orders of magnitude; smaller errors are in its first bin."""


@dataclass(frozen=True)
class Errors:
    """Errors of one fidelity, each relative to the sum of the magnitudes of its products.

    That measure does not blow up where positive and negative products cancel. ``histogram`` counts
    errors between powers of two, from 2**-26 to 1; what is below is in its first bin, exact
    results in ``exact``.
    """

    fidelity: str
    samples: int
    exact: int
    median: float
    mean: float
    largest: float
    bias: float
    """Mean of the errors away from zero: negative where results are too small as a rule."""
    histogram: tuple[int, ...]


def _summary(fidelity: str, signed: Floats) -> Errors:
    size = np.abs(signed)
    some = size[size > 0]
    orders = np.log2(np.clip(some, 2.0 ** BINS[0], 2.0 ** BINS[-1] * 0.999))
    return Errors(
        fidelity,
        len(size),
        int(len(size) - len(some)),
        float(np.median(size)),
        float(size.mean()),
        float(size.max()),
        float(signed.mean()),
        tuple(np.histogram(orders, BINS)[0].tolist()),
    )


def matmul_errors(
    distribution: str = "normal",
    *,
    k: int = 64,
    samples: int = 4096,
    data_format: str = "bf16",
    dst_bits: int = 16,
    arch: str = "blackhole",
    seed: int = 0,
    fidelities: tuple[str, ...] = FIDELITIES,
    progress: Callable[[int], None] | None = None,
) -> list[Errors]:
    """Measure errors of each fidelity over the same random operands, run on a tile.

    Operands are drawn (normal, uniform, positive, lognormal), rounded to ``data_format``, and
    their product of length ``k`` compared with the exact one of what they were rounded to; so the
    errors are the matrix unit's alone. ``samples`` is rounded up to a multiple of 128, the
    elements of an MVMUL; ``progress`` is called with how many are measured so far.
    Raises BadInputError for what does not fit.
    """
    if distribution not in DISTRIBUTIONS:
        names = ", ".join(DISTRIBUTIONS)
        raise BadInputError(f"no distribution is called {distribution!r}: choose {names}")
    if not 1 <= k <= 4096 or not 1 <= samples <= 1 << 20:
        raise BadInputError(f"k={k}, samples={samples}: choose k to 4096, samples to {1 << 20}")
    chosen = operand_format(data_format)
    unit = MatrixUnit(arch, chosen, dst_bits)
    rng = np.random.default_rng(seed)
    found: dict[str, list[Floats]] = {fidelity: [] for fidelity in fidelities}
    for number_done in range(-(-samples // (ROWS * FACE))):
        if progress is not None:
            progress(number_done * ROWS * FACE)
        drawn = [DISTRIBUTIONS[distribution](rng, shape) for shape in ((ROWS, k), (k, FACE))]
        a, b = (encode(matrix, chosen, name) for matrix, name in zip(drawn, "ab", strict=True))
        left, right = (values_of(data, chosen.five_bit_exponent) for data in (a, b))
        exact, size = left @ right, np.abs(left) @ np.abs(right)
        pad = -k % FACE
        a, b = np.pad(a, ((0, 0), (0, pad))), np.pad(b, ((0, pad), (0, 0)))
        for fidelity in fidelities:
            bits = unit.multiply(a, b, phases_of(fidelity))
            result = np.array([number(x, unit.kind) for x in bits.ravel().tolist()])
            scale = np.where(size > 0, size, 1)
            outwards = (result.reshape(exact.shape) - exact) * np.where(exact < 0, -1, 1)
            found[fidelity].append(outwards / scale)
    return [_summary(fidelity, np.concatenate(parts).ravel()) for fidelity, parts in found.items()]
