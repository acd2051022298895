"""Whole tensors to the bytes that L1 holds, and back, by format name and layout.

Formats: fp32 tf32 bf16 fp16, fp8_e5m2 fp8_e4m3 (Tensix's, without infinities and NaNs), bfp8 bfp4
bfp2 (8-bit shared exponent), bfp8a bfp4a bfp2a (5-bit), uint8 uint16 uint32, int8 (sign and
magnitude, as hardware), int16 and int32 (two's complement, for data that hardware only moves),
int32sm (sign and magnitude, as the matrix unit's).

Layouts: ``tile`` is a row of 32×32 tiles of four faces; a block format's tile begins with its 64
exponents. ``row_major`` is the array as it is; a block format has all exponents first, padded to
16 bytes.
"""

from collections.abc import Callable
from math import prod
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from tilelab.formats import scalars
from tilelab.formats.blocks import BLOCK, decode_blocks, encode_blocks
from tilelab.formats.data_format import FORMAT_BITS, DataFormat
from tilelab.formats.errors import FormatError
from tilelab.formats.layout import TILE, tilize, untilize
from tilelab.formats.scalars import Bits, Values

Format: TypeAlias = Literal[
    "fp32", "tf32", "bf16", "fp16", "fp8_e5m2", "fp8_e4m3",
    "uint8", "uint16", "uint32", "int16", "int32", "int8", "int32sm",
    "bfp8", "bfp4", "bfp2", "bfp8a", "bfp4a", "bfp2a",
]  # fmt: skip
Layout: TypeAlias = Literal["tile", "row_major"]
LAYOUTS: tuple[str, ...] = get_args(Layout)


class _Scalar(NamedTuple):
    bits: int
    encode: Callable[[Values], Bits]
    decode: Callable[[Bits], npt.NDArray[Any]]


def _integer(bits: int, low: int, high: int, name: str, kind: str) -> _Scalar:
    def encode(values: Values) -> Bits:
        return scalars.integers(values, low, high, name).astype(np.uint32)

    def decode(patterns: Bits) -> npt.NDArray[Any]:
        return patterns.astype(f"u{bits // 8}").astype(kind)

    return _Scalar(bits, encode, decode)


def _sign_magnitude(bits: int, name: str) -> _Scalar:
    return _Scalar(
        bits,
        lambda values: scalars.sign_magnitude_bits(values, bits, name),
        lambda patterns: scalars.sign_magnitude_values(patterns, bits).astype(f"i{bits // 8}"),
    )


def _small(exponent_bits: int, mantissa: int) -> _Scalar:
    return _Scalar(
        1 + exponent_bits + mantissa,
        lambda values: scalars.small_bits(values, exponent_bits, mantissa),
        lambda patterns: scalars.small_values(patterns, exponent_bits, mantissa),
    )


SCALARS = {
    "fp32": _Scalar(32, scalars.fp32_bits, scalars.fp32_values),
    "tf32": _Scalar(32, scalars.tf32_bits, scalars.fp32_values),
    "bf16": _Scalar(16, scalars.bf16_bits, scalars.bf16_values),
    "fp16": _small(5, 10),
    "fp8_e5m2": _small(5, 2),
    "fp8_e4m3": _small(4, 3),
    "uint8": _integer(8, 0, 0xFF, "uint8", "u1"),
    "uint16": _integer(16, 0, 0xFFFF, "uint16", "u2"),
    "uint32": _integer(32, 0, 0xFFFFFFFF, "uint32", "u4"),
    "int16": _integer(16, -0x8000, 0x7FFF, "int16", "i2"),
    "int32": _integer(32, -0x80000000, 0x7FFFFFFF, "int32", "i4"),
    "int8": _sign_magnitude(8, "int8"),
    "int32sm": _sign_magnitude(32, "int32sm"),
}
BLOCKS = {
    "bfp8": DataFormat.BFP8,
    "bfp4": DataFormat.BFP4,
    "bfp2": DataFormat.BFP2,
    "bfp8a": DataFormat.BFP8A,
    "bfp4a": DataFormat.BFP4A,
    "bfp2a": DataFormat.BFP2A,
}
FORMATS = (*SCALARS, *BLOCKS)
assert get_args(Format) == FORMATS


def _check(name: str, layout: str) -> None:
    if name not in FORMATS:
        raise FormatError(f"unknown format {name!r}: choose one of {', '.join(FORMATS)}")
    if layout not in LAYOUTS:
        raise FormatError(f"unknown layout {layout!r}: choose {' or '.join(LAYOUTS)}")


def _pack(data: npt.NDArray[Any], bits: int) -> npt.NDArray[np.uint8]:
    """Data along the last axis as bytes, the first datum lowest."""
    if bits >= 8:
        packed: npt.NDArray[np.uint8] = data.astype(f"<u{bits // 8}").view(np.uint8)
        return packed
    per_byte = 8 // bits
    split = data.astype(np.uint8).reshape(*data.shape[:-1], -1, per_byte)
    shifts = np.arange(per_byte, dtype=np.uint8) * bits
    low_first: npt.NDArray[np.uint8] = np.bitwise_or.reduce(split << shifts, axis=-1)
    return low_first


def _unpack(packed: npt.NDArray[np.uint8], bits: int) -> Bits:
    """Undo :func:`_pack`."""
    if bits >= 8:
        return np.ascontiguousarray(packed).view(f"<u{bits // 8}").astype(np.uint32)
    shifts = np.arange(8 // bits, dtype=np.uint8) * bits
    split = packed[..., None] >> shifts & ((1 << bits) - 1)
    return split.reshape(*packed.shape[:-1], -1).astype(np.uint32)


def _rows(shape: tuple[int, ...], name: str, layout: str) -> tuple[int, int]:
    """How many runs the data are in L1, and how many data a run has."""
    count = prod(shape)
    if layout == "tile":
        if len(shape) < 2 or not count or shape[-1] % TILE or shape[-2] % TILE:
            raise FormatError(f"shape {shape} is not made of {TILE}x{TILE} tiles")
        return count // (TILE * TILE), TILE * TILE
    if name in BLOCKS and count % BLOCK:
        raise FormatError(f"{name} needs a multiple of {BLOCK} data, not {count}")
    return 1, count


def _exponent_bytes(data: int) -> int:
    return (data // BLOCK + 15) & ~15


def _bits(name: str) -> int:
    return FORMAT_BITS[BLOCKS[name]] if name in BLOCKS else SCALARS[name].bits


def l1_size(shape: tuple[int, ...], name: str, layout: str = "tile") -> int:
    """Bytes that a tensor of a shape takes in L1; FormatError as :func:`to_l1_bytes`."""
    _check(name, layout)
    runs, data = _rows(shape, name, layout)
    exponents = _exponent_bytes(data) if name in BLOCKS else 0
    return runs * (exponents + data * _bits(name) // 8)


def to_l1_bytes(array: npt.ArrayLike, name: str, layout: str = "tile") -> bytes:
    """Bytes of a tensor ``(…, height, width)`` in a format and layout.

    FormatError for an unknown name, for a shape that the layout cannot hold, and for integers
    that the format cannot hold.
    """
    values = np.asarray(array)
    _check(name, layout)
    runs, data = _rows(values.shape, name, layout)
    ordered = tilize(values) if layout == "tile" else values.reshape(1, -1)
    if name not in BLOCKS:
        return _pack(SCALARS[name].encode(ordered), SCALARS[name].bits).tobytes()
    data_format = BLOCKS[name]
    blocks, exponents = encode_blocks(ordered.reshape(runs, -1, BLOCK), data_format)
    head = np.zeros((runs, _exponent_bytes(data)), np.uint8)
    head[:, : exponents.shape[1]] = exponents
    packed = _pack(blocks.reshape(runs, -1), _bits(name))
    return np.concatenate([head, packed], axis=1).tobytes()


def from_l1_bytes(
    raw: bytes, shape: tuple[int, ...], name: str, layout: str = "tile"
) -> npt.NDArray[Any]:
    """Tensor of a shape from its bytes: float32, or the integer type of the format.

    FormatError as :func:`to_l1_bytes`, and if the bytes are not as many as the shape needs.
    """
    wanted = l1_size(shape, name, layout)
    if len(raw) != wanted:
        raise FormatError(f"{name} of shape {shape} is {wanted} bytes, not {len(raw)}")
    runs, data = _rows(shape, name, layout)
    packed = np.frombuffer(raw, np.uint8).reshape(runs, -1)
    if name in BLOCKS:
        size = _exponent_bytes(data)
        exponents = packed[:, : data // BLOCK].astype(np.uint32)
        blocks = _unpack(packed[:, size:], _bits(name)).reshape(runs, -1, BLOCK)
        values: npt.NDArray[Any] = decode_blocks(blocks, exponents, BLOCKS[name])
        values = values.reshape(runs, data)
    else:
        values = SCALARS[name].decode(_unpack(packed, SCALARS[name].bits))
    return untilize(values, shape) if layout == "tile" else values.reshape(shape)
