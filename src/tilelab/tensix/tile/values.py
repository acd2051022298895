"""What the register files hold, as numbers: Dst as tiles, SrcA and SrcB as rows, LRegs as lanes.

Registers keep numbers in an order of bits of their own, Dst in an order of rows too
(:mod:`tilelab.tensix.backend.dst`). Here they are read as instructions read them; nothing changes.
Whole arrays go through the functions that the machine uses for one number.
"""

from types import SimpleNamespace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from tilelab.formats.layout import FACE, TILE
from tilelab.sim.errors import BadInputError
from tilelab.sim.record import Record
from tilelab.tensix.arch import Arch
from tilelab.tensix.backend import dst, src_registers
from tilelab.tensix.backend.dst import DST_ROWS, LOW_HALF

Numbers: TypeAlias = npt.NDArray[Any]
DstFormat: TypeAlias = Literal["bf16", "fp16", "fp32", "int32", "raw16", "raw32"]
"""How Dst is read: floats, ``int32`` (sign and magnitude), or the bits as they are stored."""
SrcFormat: TypeAlias = Literal["bf16", "tf32", "fp16", "int8", "raw"]
"""How SrcA and SrcB are read; ``raw`` gives the 19 bits as an integer."""
LregFormat: TypeAlias = Literal["fp32", "int32", "uint32"]

KERNELS: Any = dst
SRC_KERNELS: Any = src_registers
"""The machine's own functions, here of whole arrays at once."""
TILE_ROWS = 64
WIDE = ("fp32", "int32", "raw32")


def _choice(what: str, name: str, among: Any) -> None:
    if name not in get_args(among):
        raise BadInputError(f"{what} is not read as {name!r}: choose {', '.join(get_args(among))}")


def tile_lines(rows: int) -> Numbers:
    """The Dst rows of tiles, line by line, each line its left half and its right half."""
    number = np.arange(rows).reshape(-1, 2, 2, FACE)  # tile, face down, face across, row in face
    return number.transpose(0, 1, 3, 2).reshape(-1)


def places(arch: Arch, record: Record, *, wide: bool) -> Numbers:
    """Storage rows of Dst's tiles, in the order of :func:`tile_lines`; of their upper halves."""
    s = SimpleNamespace(
        config=record["config"].astype(np.int64),
        debug_register=record["debug_register"].astype(np.int64),
        f=arch.places,
    )
    lines = tile_lines(DST_ROWS // 2 if wide else DST_ROWS)
    found: Numbers = (KERNELS.dst32_row if wide else KERNELS.dst16_row)(s, lines)
    return found


def dst_values(arch: Arch, record: Record, name: DstFormat, *, undefined: bool = False) -> Numbers:
    """Dst's tiles in a format, (tiles, 32, 32): 16 tiles of 16 bits or 8 of 32.

    Rows that ZEROACC left undefined are 0, as instructions read them; with ``undefined``, what is
    still stored there. BadInputError for another format.
    """
    _choice("Dst", name, DstFormat)
    wide = name in WIDE
    at = places(arch, record, wide=wide)
    bits = record["dst"][at].astype(np.int64)
    if wide:
        bits = bits << 16 | record["dst"][at + LOW_HALF].astype(np.int64)
    if not undefined:
        bits[record["dst_valid"][at] == 0] = 0
    return decoded(bits, name).reshape(-1, TILE, TILE)


def decoded(bits: Numbers, name: DstFormat) -> Numbers:
    """What stored bits of Dst mean in a format."""
    found: Numbers
    if name == "bf16":
        found = (KERNELS.bf16_from_dst(bits) << 16).astype(np.uint32).view(np.float32)
        return found
    if name == "fp16":
        return fp16(KERNELS.fp16_from_dst(bits))
    if name in ("raw16", "raw32"):
        return bits.astype(np.uint16 if name == "raw16" else np.uint32)
    natural = KERNELS.fp32_from_dst(bits)
    if name == "fp32":
        found = natural.astype(np.uint32).view(np.float32)
        return found
    found = np.where(natural >> 31, -(natural & 0x7FFFFFFF), natural).astype(np.int32)
    return found


def fp16(bits: Numbers) -> Numbers:
    """Sign, 5 bits of exponent, 10 of mantissa as numbers: neither denormals nor infinities."""
    exponent, sign = bits >> 10 & 0x1F, 1 - 2 * (bits >> 15)
    size = (1 + (bits & 0x3FF) / 1024) * np.exp2(exponent - 15.0)
    return np.where(exponent > 0, sign * size, 0.0).astype(np.float32)


def src_values(bank: Numbers, name: SrcFormat) -> Numbers:
    """A bank of SrcA or SrcB, (64, 16), in a format; BadInputError for another format."""
    _choice("a bank of SrcA or SrcB", name, SrcFormat)
    bits = bank.astype(np.int64)
    if name == "raw":
        return (bits >> 13).astype(np.uint32)
    if name == "fp16":
        return fp16(SRC_KERNELS.fp16_from_src(bits))
    if name == "int8":
        magnitude = bits >> 13 & 0x3FF
        return np.where(bits >> 31, -magnitude, magnitude).astype(np.int32)
    dropped = 16 if name == "bf16" else 13
    return (bits >> dropped << dropped).astype(np.uint32).view(np.float32)


def lreg_values(lanes: Numbers, name: LregFormat) -> Numbers:
    """The lanes of LRegs in a format; BadInputError for another format."""
    _choice("an LReg", name, LregFormat)
    types = {"fp32": np.float32, "int32": np.int32, "uint32": np.uint32}
    return lanes.copy().view(types[name])
