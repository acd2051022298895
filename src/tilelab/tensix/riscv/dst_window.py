"""Dst as the TRISCs see it, at 0xFFBD8000 (Blackhole).

Each thread's RISC_DEST_ACCESS_CTRL says what the window shows: ``fmt`` 0, 1 an array of 32-bit
data, 2..4 of 16-bit data, 5 of bytes; ``no_swizzle`` leaves Dst's own bit layout, otherwise a core
sees ordinary numbers. Source: tt-isa-documentation, Dst.md ("RISCV access to Dst"), Blackhole.
No oracle has confirmed it: the vendor's simulator does not have the window.

Not modelled: what TRISC0 and TRISC1 get when they access several data at once.
"""

from typing import Final

from tilelab.sim.checks import check, fault, fault2
from tilelab.sim.errors import UndefinedBehaviorError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.dst import (
    bf16_from_dst,
    bf16_to_dst,
    fp16_from_dst,
    fp16_to_dst,
    fp32_from_dst,
    fp32_to_dst,
    read_dst16,
    read_dst32,
    write_dst16,
    write_dst32,
)
from tilelab.tensix.backend.semantics import config
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.tile_registers import DST_WINDOW

FP32, INT32, FP16, BF16, INT16, INT8 = range(6)
DATUM_BYTES: Final = (4, 4, 2, 2, 2, 1, 0, 0)
"""Bytes of one datum, by fmt; 0: reserved."""
PACK_THREAD: Final = 2
"""TRISC2 may access several data at once."""

RESERVED_FORMAT = check(
    "dst-window-format",
    UndefinedBehaviorError,
    "RISC_DEST_ACCESS_CTRL fmt {value} is reserved",
    page="Dst.md",
)
WRONG_WIDTH = check(
    "dst-window-width",
    UndefinedBehaviorError,
    "an access of {value} bytes to Dst while RISC_DEST_ACCESS_CTRL fmt is {value2}",
    page="Dst.md",
    cure="load and store data of fmt's width",
)


@kernel
def _check_width(s: State, core: int, size: int, fmt: int) -> int:
    width = DATUM_BYTES[fmt]
    if width == 0:
        return fault(s, RESERVED_FORMAT, fmt)
    if size < width or (size > width and core != PACK_THREAD):
        return fault2(s, WRONG_WIDTH, size, fmt)
    return OK


@kernel
def from_sign_magnitude(value: int, sign: int) -> int:
    """Two's complement of a sign-and-magnitude number whose sign bit is ``sign``."""
    if value & sign:
        return -(value & (sign - 1)) & (2 * sign - 1)
    return value


@kernel
def to_sign_magnitude(value: int, sign: int) -> int:
    """Sign and magnitude of a two's complement number; the most negative is clamped."""
    if value == sign:
        return 2 * sign - 1
    if value & sign:
        return sign | (-value & (sign - 1))
    return value


@kernel
def _read_datum(s: State, fmt: int, raw: int, unsigned: int, index: int) -> int:
    row = index >> 4
    column = index & 15
    if fmt == FP32 or fmt == INT32:
        value = read_dst32(s, row, column)
        if raw:
            return value
        value = fp32_from_dst(value)
        return from_sign_magnitude(value, 0x80000000) if fmt == INT32 else value
    value = read_dst16(s, row, column)
    if fmt == INT8:
        if raw or unsigned:
            return (value >> 5) & 0xFF
        magnitude = (value >> 5) & 0x7F
        return -magnitude & 0xFF if value & 0x8000 else magnitude
    if raw or (fmt == INT16 and unsigned):
        return value
    if fmt == FP16:
        return fp16_from_dst(value)
    if fmt == BF16:
        return bf16_from_dst(value)
    return from_sign_magnitude(value, 0x8000)


@kernel
def _write_datum(s: State, fmt: int, raw: int, unsigned: int, index: int, value: int) -> None:
    row = index >> 4
    column = index & 15
    if fmt == FP32 or fmt == INT32:
        if not raw:
            if fmt == INT32:
                value = to_sign_magnitude(value, 0x80000000)
            value = fp32_to_dst(value)
        write_dst32(s, row, column, value)
        return
    if fmt == INT8:
        if raw or unsigned or value < 0x80:
            value = value << 5 | (16 if value else 0)
        else:
            # hardware gets the magnitude wrong: nine bits of 0x180 - value, kept to eight
            value = 0x8000 | ((0x180 - value - (1 if value == 0x80 else 0)) & 0xFF) << 5 | 16
    elif not raw and fmt == FP16:
        value = fp16_to_dst(value)
    elif not raw and fmt == BF16:
        value = bf16_to_dst(value)
    elif fmt == INT16 and not raw and not unsigned:
        value = to_sign_magnitude(value, 0x8000)
    write_dst16(s, row, column, value)


@kernel
def read_window(s: State, core: int, address: int, size: int) -> tuple[int, int]:
    """Load ``size`` bytes: ``(status, value)``."""
    fmt = config(s, core, s.f.RISC_DEST_ACCESS_CTRL_SEC_fmt[core])
    status = _check_width(s, core, size, fmt)
    if status != OK:
        return status, 0
    raw = config(s, core, s.f.RISC_DEST_ACCESS_CTRL_SEC_no_swizzle[core])
    unsigned = config(s, core, s.f.RISC_DEST_ACCESS_CTRL_SEC_unsigned_int[core])
    width = DATUM_BYTES[fmt]
    first = (address - DST_WINDOW) // width
    value = 0
    for i in range(size // width):
        value |= _read_datum(s, fmt, raw, unsigned, first + i) << (8 * width * i)
    return OK, value


@kernel
def write_window(s: State, core: int, address: int, size: int, value: int) -> int:
    """Store ``size`` bytes."""
    fmt = config(s, core, s.f.RISC_DEST_ACCESS_CTRL_SEC_fmt[core])
    status = _check_width(s, core, size, fmt)
    if status != OK:
        return status
    raw = config(s, core, s.f.RISC_DEST_ACCESS_CTRL_SEC_no_swizzle[core])
    unsigned = config(s, core, s.f.RISC_DEST_ACCESS_CTRL_SEC_unsigned_int[core])
    width = DATUM_BYTES[fmt]
    first = (address - DST_WINDOW) // width
    mask = (1 << (8 * width)) - 1
    for i in range(size // width):
        datum = (value >> (8 * width * i)) & mask
        _write_datum(s, fmt, raw, unsigned, first + i, datum)
    s.effects += 1
    return OK
