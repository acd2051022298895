"""How far results are from exact ones, in units in the last place, by octave of the input."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tilelab.formats import from_l1_bytes, to_l1_bytes

Numbers = npt.NDArray[np.float64]
OF_AN_OCTAVE: Final = 60
"""Random fp32 numbers of each octave and sign, beside its first and last two."""
SEED: Final = 26
SPECIAL: Final = (-np.inf, -1.0, -0.0, 0.0, 1.0, np.inf, np.nan)
"""Inputs whose results are shown one by one, where the format has them."""
LARGEST_SHOWN: Final = 1e9
"""Errors in ulp beyond this are no errors of rounding: they are infinite."""


class Float(NamedTuple):
    """A format's smallest normal exponent, and the bits of its fraction."""

    least: int
    fraction: int


FLOATS: Final = {"bf16": Float(-126, 7), "fp16": Float(-14, 10), "fp32": Float(-126, 23)}


def rounded(values: Numbers, name: str) -> Numbers:
    """Numbers rounded to a format, as L1 holds them."""
    data = to_l1_bytes(values.ravel(), name, "row_major")
    with np.errstate(invalid="ignore"):
        return from_l1_bytes(data, (values.size,), name, "row_major").astype(np.float64)


def numbers_of(name: str) -> Numbers:
    """All numbers of a format of 16 bits, by their bits; of fp32 also some of each octave."""
    if name != "fp32":
        patterns = np.arange(1 << 16, dtype="<u2")
        with np.errstate(invalid="ignore"):
            values = from_l1_bytes(patterns.tobytes(), patterns.shape, name, "row_major")
            return values.astype(np.float64)
    rng = np.random.default_rng(SEED)
    fractions = rng.integers(0, 1 << 23, (512, OF_AN_OCTAVE + 4), dtype=np.uint32)
    fractions[:, :4] = 0, 1, (1 << 23) - 2, (1 << 23) - 1
    patterns32 = (np.arange(512, dtype=np.uint32)[:, None] << 23 | fractions).ravel()
    with np.errstate(invalid="ignore"):
        drawn = patterns32.view(np.float32).astype(np.float64)
    return np.concatenate([numbers_of("bf16"), drawn])


def without_subnormal(values: Numbers) -> Numbers:
    """Numbers as the vector unit reads them: those that fp32 has no normal form of are zeros."""
    return np.where(np.abs(values) < 2.0**-126, np.copysign(0.0, values), values)


def ulps(results: npt.NDArray[Any], want: Numbers, name: str) -> Numbers:
    """How far results are from exact ones, in ulp of a format.

    0 where the same infinity or NaN is due, infinite where only one of the two is one. A result
    of 0 is right where the exact one is below the least normal number.
    """
    least, fraction = FLOATS[name]
    with np.errstate(all="ignore"):
        got = results.astype(np.float64)
        near = rounded(want, name)
        exponent = np.floor(np.log2(np.maximum(np.abs(near), 2.0**least)))
        away = np.abs(got - want) / np.exp2(exponent - fraction)
        flushed = (np.abs(want) < 2.0**least) & (got == 0)
        same = ((got == near) & ~np.isfinite(want)) | (np.isnan(got) & np.isnan(want)) | flushed
        same |= (got == near) & ~np.isfinite(near)
    away = np.where(same, 0.0, away)
    return np.where(np.isnan(away) | (away > LARGEST_SHOWN), np.inf, away)


def nearer(
    got: Numbers, exact: Callable[[Numbers], Numbers], inputs: Numbers, name: str
) -> tuple[Numbers, Numbers]:
    """Exact results, and how far others are from them, in ulp.

    A subnormal input is read as it is or as zero, whichever is nearer: units do both.
    """
    want = exact(inputs)
    away = ulps(got, want, name)
    small = np.abs(inputs) < 2.0**-126
    if small.any():
        other = exact(without_subnormal(inputs))
        there = ulps(got, other, name)
        better = small & (there < away)
        want, away = np.where(better, other, want), np.where(better, there, away)
    return want, away


@dataclass(frozen=True)
class Octave:
    """Inputs of one sign and exponent: ``[2^exponent, 2^(exponent+1))``, negated if ``negative``.

    ``wrong``: how many have no finite error.
    """

    negative: bool
    exponent: int
    count: int
    wrong: int
    worst: float
    mean: float


@dataclass(frozen=True)
class Asked:
    """One input, what came of it, and what should have."""

    input: float
    got: float
    expected: float
    ulp: float


@dataclass(frozen=True)
class Errors:
    """The errors of a function over all numbers asked. ``limit`` is the largest allowed, or None.

    ``beyond``: how many are beyond it, of ``judged``; without a limit, those that are not finite.
    """

    input: str
    input_format: str
    format: str
    asked: int
    judged: int
    beyond: int
    limit: float | None
    worst: Asked
    mean: float
    special: tuple[Asked, ...]
    octaves: tuple[Octave, ...]


def errors_of(
    names: tuple[str, str, str],
    values: tuple[Numbers, Numbers, Numbers, Numbers],
    limit: float | None,
    domain: tuple[float, float] | None,
) -> Errors:
    """Sum up: the input's name, its format and the output's; inputs, results, exact ones, ulp."""
    inputs, got, want, away = values
    judged = np.ones(inputs.shape, bool)
    if domain is not None:
        judged = (domain[0] <= inputs) & (inputs <= domain[1])
    over = away > (limit if limit is not None else LARGEST_SHOWN)
    at = int(np.argmax(np.where(judged, away, -1.0)))
    finite = away[judged & np.isfinite(away)]

    def asked(i: int) -> Asked:
        return Asked(float(inputs[i]), float(got[i]), float(want[i]), float(away[i]))

    return Errors(
        *names,
        asked=len(inputs),
        judged=int(judged.sum()),
        beyond=int((over & judged).sum()),
        limit=limit,
        worst=asked(at),
        mean=float(finite.mean()) if finite.size else 0.0,
        special=tuple(asked(i) for i in _special(inputs)),
        octaves=tuple(_octaves(inputs[judged], away[judged])),
    )


def _special(inputs: Numbers) -> Iterator[int]:
    for value in SPECIAL:
        if np.isnan(value):
            same = np.isnan(inputs)
        else:
            same = (inputs == value) & (np.signbit(inputs) == np.signbit(value))
        if same.any():
            yield int(np.argmax(same))


def _octaves(inputs: Numbers, away: Numbers) -> Iterator[Octave]:
    """Octaves of the domain by sign and exponent; zeros, infinities and NaNs are in none."""
    normal = np.isfinite(inputs) & (inputs != 0)
    numbers, apart = inputs[normal], away[normal]
    exponents = np.frexp(numbers)[1] - 1
    negative = numbers < 0
    order = np.lexsort((exponents, ~negative))
    keys: npt.NDArray[Any] = np.stack([negative[order], exponents[order]], axis=1)
    bounds = np.flatnonzero((keys[1:] != keys[:-1]).any(axis=1)) + 1
    for start, end in pairwise((0, *bounds.tolist(), len(keys))):
        if start == end:
            return  # there is none at all
        of = apart[order[start:end]]
        finite = of[np.isfinite(of)]
        yield Octave(
            negative=bool(keys[start][0]),
            exponent=int(keys[start][1]),
            count=len(of),
            wrong=len(of) - len(finite),
            worst=float(finite.max(initial=0.0)),
            mean=float(finite.mean()) if finite.size else 0.0,
        )
