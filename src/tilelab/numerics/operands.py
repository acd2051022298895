"""Matrices as the matrix unit gets them: data of SrcA and SrcB, and the order of instructions.

Source: tt-isa-documentation, SrcASrcB.md and MVMUL.md; the order of MVMULs is the vendor's LLK's.

Not modelled: integers, which are neither aligned nor rounded; formats whose data reach SrcA and
SrcB as one of those here.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tilelab.formats.blocks import BLOCK, decode_blocks, encode_blocks
from tilelab.formats.data_format import DataFormat
from tilelab.formats.layout import FACE, TILE
from tilelab.formats.scalars import Values, bf16_bits, small_bits, tf32_bits
from tilelab.sim.errors import BadInputError
from tilelab.tensix.backend.matrix_unit.numerics import DST_BF16, DST_FP16, DST_FP32

Data = npt.NDArray[np.uint32]
"""Data of SrcA or SrcB: sign at bit 31, exponent from 30 down, mantissa to bit 13."""
Floats = npt.NDArray[np.float64]

FIDELITIES = ("lofi", "hifi2", "hifi3", "hifi4")
"""By number of phases, from one."""
DST_BITS = (16, 32)


def _from_fp16(patterns: npt.NDArray[np.uint32]) -> Data:
    sign, rest = patterns & np.uint32(0x8000), patterns & np.uint32(0x7FFF)
    return sign << np.uint32(16) | rest << np.uint32(13)


def _blocks(data_format: DataFormat) -> Callable[[Values], Data]:
    def encode(values: Values) -> Data:
        columns = values.shape[-1]
        padded = np.pad(values, ((0, 0), (0, -columns % BLOCK)))
        data, exponents = encode_blocks(padded.reshape(len(values), -1, BLOCK), data_format)
        back = decode_blocks(data, exponents, data_format).reshape(padded.shape)
        return bf16_bits(back[:, :columns]) << np.uint32(16)

    return encode


class OperandFormat(NamedTuple):
    """A format of both operands: its code, how data get it, whether exponents have 5 bits."""

    code: DataFormat
    encode: Callable[[Values], Data]
    five_bit_exponent: bool


FORMATS = {
    "bf16": OperandFormat(DataFormat.BF16, lambda v: bf16_bits(v) << np.uint32(16), False),
    "tf32": OperandFormat(DataFormat.TF32, tf32_bits, False),
    "bfp8": OperandFormat(DataFormat.BFP8, _blocks(DataFormat.BFP8), False),
    "bfp4": OperandFormat(DataFormat.BFP4, _blocks(DataFormat.BFP4), False),
    "fp16": OperandFormat(DataFormat.FP16, lambda v: _from_fp16(small_bits(v, 5, 10)), True),
    "fp8": OperandFormat(
        DataFormat.FP8, lambda v: _from_fp16(small_bits(v, 5, 2) << np.uint32(8)), True
    ),
}


def operand_format(name: str) -> OperandFormat:
    """Return a format by name; BadInputError if there is none."""
    if name not in FORMATS:
        raise BadInputError(f"no operand format is called {name!r}: choose {', '.join(FORMATS)}")
    return FORMATS[name]


def phases_of(fidelity: str) -> int:
    """How many phases a fidelity has, 1 to 4; BadInputError if there is none of that name."""
    if fidelity not in FIDELITIES:
        raise BadInputError(f"no fidelity is called {fidelity!r}: choose {', '.join(FIDELITIES)}")
    return FIDELITIES.index(fidelity) + 1


def dst_kind(data_format: OperandFormat, dst_bits: int) -> int:
    """The kind of number that Dst holds; BadInputError unless it has 16 or 32 bits."""
    if dst_bits not in DST_BITS:
        raise BadInputError(f"Dst has 16 or 32 bits, not {dst_bits}")
    if dst_bits == 32:
        return DST_FP32
    return DST_FP16 if data_format.five_bit_exponent else DST_BF16


def encode(values: Values, data_format: OperandFormat, name: str) -> Data:
    """Data of a matrix, rounded to nearest even; BadInputError if it is no matrix of numbers."""
    values = np.asarray(values)
    if values.ndim != 2 or not values.size:
        raise BadInputError(f"{name} has the shape {values.shape}, which is no matrix's")
    if values.dtype.kind not in "fiu":
        raise BadInputError(f"{name} holds {values.dtype}, not numbers")
    wide = values.astype(np.float64)
    if not np.isfinite(wide).all() or np.abs(wide).max() > float(np.finfo(np.float32).max):
        raise BadInputError(f"{name} holds numbers that are not finite in fp32")
    return data_format.encode(wide)


def value_of(datum: int, five_bit_exponent: bool) -> float:
    """The number that the matrix unit takes a datum for: exponent 0 is zero, none is infinite."""
    exponent = (datum >> 23) & 255
    if not exponent:
        return 0.0
    bias = 15 if five_bit_exponent else 127
    magnitude = (0x400 | datum >> 13 & 0x3FF) * 2.0 ** (exponent - bias - 10)
    return -magnitude if datum >> 31 else magnitude


def values_of(data: Data, five_bit_exponent: bool) -> Floats:
    """:func:`value_of` for whole arrays."""
    exponent = (data >> np.uint32(23) & 255).astype(np.int64)
    significand = (data >> np.uint32(13) & 0x3FF | 0x400).astype(np.float64)
    magnitude = np.ldexp(significand, exponent - (15 if five_bit_exponent else 127) - 10)
    signed = np.where(data >> np.uint32(31), -magnitude, magnitude)
    return np.where(exponent > 0, signed, 0.0)


def number(bits: int, kind: int) -> float:
    """The value of a number in Dst, given in fp32's bit layout (fp16: with its own exponent)."""
    exponent = (bits >> 23) & 255
    if not exponent:
        return 0.0
    if kind != DST_FP16 and exponent == 255:
        return float("-inf") if bits >> 31 else float("inf")
    bias = 15 if kind == DST_FP16 else 127
    magnitude = (0x800000 | bits & 0x7FFFFF) * 2.0 ** (exponent - bias - 23)
    return -magnitude if bits >> 31 else magnitude


def schedule(k: int, phases: int) -> Iterator[tuple[int, int]]:
    """Yield ``(phase, first k)`` of each MVMUL that adds to one element, in the LLK's order.

    Tile after tile of 32; in each all its MVMULs of a phase before those of the next one.
    """
    for tile in range(0, k, TILE):
        for phase in range(phases):
            for first in range(tile, min(tile + TILE, k), FACE):
                yield phase, first
