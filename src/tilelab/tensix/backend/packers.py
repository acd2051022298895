"""PACR: move data from Dst to L1, converting formats.

Blackhole has one packer that reads up to four rows of Dst at a time, Wormhole four packers that
read runs of data. A packer appends to where its previous PACR ended, until one with ``last`` or
``flush`` ends the tile: the tail is then padded with zeros to 16 bytes, and the next PACR takes
its addresses anew. ``pack_position[p]`` is packer p's place: tile position x and y, next data
byte, next exponent byte; ``pack_active`` has a bit for each packer that is inside a tile.

Source: tt-isa-documentation, BlackholeA0 PACR.md and Packers/*.md; ttsim for a tile position that
starts anew with a tile, for strided reads, and for packing uncompressed always.

Not modelled: compression, the contexts and row padding of Blackhole's PACR, OvrdThreadId, X
starting inside a row; PACR_SETREG, TBUFCMD, RSTDMA and XMOV.
"""

from typing import Any, Final

from tilelab.formats.data_format import FORMAT_BITS, SHARED_EXPONENT_BITS
from tilelab.sim.checks import check, fault, refuse
from tilelab.sim.errors import (
    MissingSpecificationError,
    UndefinedBehaviorError,
    UnimplementedFunctionalityError,
    UnsupportedFunctionalityError,
)
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.adc import Y_MASK, ZW_MASK
from tilelab.tensix.backend.l1_access import l1_check, l1_zero
from tilelab.tensix.backend.packers_config import (
    check_packer,
    packer_field,
    read_control,
)
from tilelab.tensix.backend.packers_early import (
    READ_32,
    early_from_16,
    early_from_32,
    early_kind,
    minus_infinity,
    read_dst_row,
    relu,
)
from tilelab.tensix.backend.packers_late import late_convert, store_row
from tilelab.tensix.backend.semantics import config, config_bank, semantics, thread_config

PACKER: Final = 2
"""Index of the packers' address counters."""
X, Y, DATA, EXPONENT = 0, 1, 2, 3
"""What ``pack_position[p]`` holds, by index."""
STRIDE: Final = 16
"""Rows between the reads of Blackhole's strided mode."""

THREAD = check(
    "pacr-thread-override",
    UnsupportedFunctionalityError,
    "PACR with OvrdThreadId={value} is not modelled",
    page="PACR.md",
)
CONTEXT = check(
    "pacr-context",
    MissingSpecificationError,
    "PACR's contexts and row padding (field value {value}) are not documented",
    page="PACR.md",
)
STRIDED = check(
    "pacr-strided",
    UnimplementedFunctionalityError,
    "PACR's strided mode needs DEST_ACCESS_CFG swizzle_32b and remap_addrs set, and ReadIntfSel "
    "0, 1 or 3 (it is {value})",
    page="PACR.md",
)
PACKER_MASK = check(
    "pacr-packer-mask",
    UndefinedBehaviorError,
    "PACR to packers {value:#06b}: no such set of packers works together",
    page="PACR.md",
)
X_START = check(
    "pack-x-start",
    UnimplementedFunctionalityError,
    "packing that starts inside a row (X={value}) is not modelled",
    page="Packers/InputAddressGenerator.md",
)
ROW_START = check(
    "pack-row-start",
    UnimplementedFunctionalityError,
    "the packers' input address, datum {value}, is not the start of a row of 16",
    page="Packers/InputAddressGenerator.md",
    cure="set the Y, Z and W strides of PCK0_ADDR_CTRL to whole rows",
)
COUNT = check(
    "pack-count",
    UnimplementedFunctionalityError,
    "packing {value} data at a time is not modelled for this format",
    page="Packers/InputAddressGenerator.md",
    cure="set X of channel 1 with SETADCXX",
)
ROWS = check(
    "pack-rows",
    UnimplementedFunctionalityError,
    "the packers would read row {value} of Dst, which has 1024",
    page="Packers/InputAddressGenerator.md",
)
UNALIGNED = check(
    "pack-unaligned",
    UnimplementedFunctionalityError,
    "the packers would write a datum across its alignment at {value:#x}",
    page="Packers/OutputAddressGenerator.md",
)


@kernel
def start_row(s: Any, t: int, p: int) -> int:
    """First row of Dst to read, or -1 - the datum where the address is not a row's start."""
    in_format = packer_field(s, t, p, s.f.THCON_SEC0_REG1_In_data_format)
    address: int = s.adc[t][PACKER].y[0] * config(s, t, s.f.PCK0_ADDR_CTRL_XY_REG_0_Ystride)
    address += s.adc[t][PACKER].z[0] * config(s, t, s.f.PCK0_ADDR_CTRL_ZW_REG_0_Zstride)
    address += s.adc[t][PACKER].w[0] * config(s, t, s.f.PCK0_ADDR_CTRL_ZW_REG_0_Wstride)
    address += config(s, t, s.f.PCK0_ADDR_BASE_REG_0_Base)
    size = 4 if in_format & 3 == 0 else 2 if in_format & 3 == 1 else 1
    if address % (16 * size):
        return -1 - address // size
    offset: int = s.config[0, s.f.DEST_TARGET_REG_CFG_PACK_SEC_Offset[p] >> 16] & 0xFFF
    return (address // (16 * size) + offset) & 0x3FF


@kernel
def take_addresses(s: Any, t: int, p: int, unit: int) -> int:
    """Start a tile: set packer ``p``'s output addresses and tile position; returns 0.

    ``unit``: bits to shift channel 1's address right by to make it 16-byte units (Blackhole 4);
    0 where it is in those units and rounded to 16 of them (Wormhole).
    """
    yzw = config(s, t, s.f.PCK0_ADDR_BASE_REG_1_Base)
    yzw += s.adc[t][PACKER].y[1] * config(s, t, s.f.PCK0_ADDR_CTRL_XY_REG_1_Ystride)
    yzw += s.adc[t][PACKER].z[1] * config(s, t, s.f.PCK0_ADDR_CTRL_ZW_REG_1_Zstride)
    yzw += s.adc[t][PACKER].w[1] * config(s, t, s.f.PCK0_ADDR_CTRL_ZW_REG_1_Wstride)
    address = header_end(s, t, p)
    first = header_end(s, t, 0)
    if p and first >> 31 & 1:
        address += first
    address += yzw >> unit if unit else yzw & ~15
    s.pack_position[p, EXPONENT] = (address & 0x1FFFF) << 4
    if packer_field(s, t, p, s.f.THCON_SEC0_REG1_Out_data_format) & 2:
        address += packer_field(s, t, p, s.f.THCON_SEC0_REG1_Exp_section_size)
    s.pack_position[p, DATA] = (address & 0x1FFFF) << 4
    s.pack_position[p, X] = 0
    s.pack_position[p, Y] = 0
    return OK


@kernel
def header_end(s: Any, t: int, p: int) -> int:
    """Packer ``p``'s output address after the tile's header, in 16-byte units."""
    address = packer_field(s, t, p, s.f.THCON_SEC0_REG1_L1_Dest_addr)
    return address + 1 - packer_field(s, t, p, s.f.THCON_SEC0_REG1_Sub_l1_tile_header_size)


@kernel
def edge_mask(s: Any, t: int, p: int, y: int) -> int:
    """The columns of a row that are kept, by the row's position ``y`` in the tile."""
    rows = config(s, t, s.f.PCK_EDGE_TILE_ROW_SET_SELECT_select) >> (2 * p) & 3
    word = (s.f.TILE_ROW_SET_MAPPING_0_row_set_mapping_0 >> 16) + rows
    column_set = s.config[config_bank(s, t), word] >> (2 * (y & 15)) & 3
    return config(s, t, s.f.PCK_EDGE_OFFSET_SEC_mask[column_set])


@kernel
def next_edge_mask(s: Any, t: int, p: int, n: int) -> int:
    """Wormhole: the mask of the next ``n`` data; advances the tile position by them."""
    mask = edge_mask(s, t, p, s.pack_position[p, Y])
    x = s.pack_position[p, X]
    if x + n >= 16:
        y = s.pack_position[p, Y] + 1
        if y == config(s, t, s.f.PACK_COUNTERS_SEC_pack_reads_per_xy_plane[p]):
            y = 0
        s.pack_position[p, Y] = y
        here = (1 << (16 - x)) - 1
        mask = (mask & here) | (edge_mask(s, t, p, y) & ~here)
    s.pack_position[p, X] = (x + n) & 15
    return mask


@kernel
def apply_edge(s: Any, t: int, mask: int, kind: int, n: int) -> int:
    """Replace the data of columns that ``mask`` drops; returns 0."""
    other = minus_infinity(kind) if config(s, t, s.f.PCK_EDGE_MODE_mode) else 0
    for i in range(n):
        if not mask >> i & 1:
            s.scratch_a[i] = other
    return OK


@kernel
def pack_row(s: Any, t: int, p: int, row: int, n: int, mask: int) -> int:
    """Pack ``n`` data of one row (-1: of zeros) and advance packer ``p``; returns 0."""
    in_format = packer_field(s, t, p, s.f.THCON_SEC0_REG1_In_data_format)
    out_format = packer_field(s, t, p, s.f.THCON_SEC0_REG1_Out_data_format)
    control = read_control(s, t)
    kind = early_kind(s, in_format, control)
    if row < 0:
        for i in range(n):
            s.scratch_a[i] = 0
    else:
        read_dst_row(s, row, control, n)
        if control & READ_32:
            early_from_32(s, in_format, control, kind, n)
        else:
            early_from_16(s, in_format, control, kind, n)
        if mask != 0xFFFF:
            apply_edge(s, t, mask, kind, n)
    mode = config(s, t, s.f.STACC_RELU_ApplyRelu)
    if mode:
        relu(s, mode, config(s, t, s.f.STACC_RELU_ReluThreshold), kind, n)
    late_convert(s, kind, out_format, n, config(s, t, s.f.THCON_SEC0_REG1_Pac_LF8_4b_exp))
    accumulate = packer_field(s, t, p, s.f.THCON_SEC0_REG1_Pack_L1_Acc)
    data = s.pack_position[p, DATA]
    exponent = s.pack_position[p, EXPONENT]
    store_row(s, data, exponent, out_format, n, accumulate)
    s.pack_position[p, DATA] = data + n * FORMAT_BITS[out_format] // 8
    s.pack_position[p, EXPONENT] = exponent + n // 16
    return OK


@kernel
def check_room(s: Any, t: int, p: int, count: int, end: int, unit: int) -> int:
    """Check where packer ``p`` would write ``count`` data (and padding, if the tile ends).

    A packer that is not inside a tile takes its addresses here.
    """
    if not s.pack_active >> p & 1:
        take_addresses(s, t, p, unit)
    out_format = packer_field(s, t, p, s.f.THCON_SEC0_REG1_Out_data_format)
    bits = FORMAT_BITS[out_format]
    if bits <= 8 and count & 15:
        return fault(s, COUNT, count)
    data = s.pack_position[p, DATA]
    exponents = s.pack_position[p, EXPONENT]
    if bits > 8 and data & (bits // 8 - 1) and count:
        return fault(s, UNALIGNED, data)
    pad = 15 if end else 0
    code = l1_check(s, data, (data + count * bits // 8 + pad) & ~pad)
    if SHARED_EXPONENT_BITS[out_format] and not code:
        code = l1_check(s, exponents, (exponents + count // 16 + pad) & ~pad)
    return code


@kernel
def end_tile(s: Any, t: int, p: int) -> int:
    """Pad packer ``p``'s streams with zeros to 16 bytes; its next PACR starts anew; returns 0."""
    data = s.pack_position[p, DATA]
    l1_zero(s, data, (data + 15) & ~15)
    out_format = packer_field(s, t, p, s.f.THCON_SEC0_REG1_Out_data_format)
    if SHARED_EXPONENT_BITS[out_format]:
        exponents = s.pack_position[p, EXPONENT]
        l1_zero(s, exponents, (exponents + 15) & ~15)
    s.pack_active = s.pack_active & ~(1 << p)
    return OK


@kernel
def advance(s: Any, t: int, mode: int) -> int:
    """Advance the packers' Y and Z counters by ADDR_MOD_PACK ``mode``; returns 0."""
    for channel in range(2):
        y_increment = s.f.ADDR_MOD_PACK_SEC_YdstIncr[mode]
        y_return = s.f.ADDR_MOD_PACK_SEC_YdstCR[mode]
        y_clear = s.f.ADDR_MOD_PACK_SEC_YdstClear[mode]
        z_increment = s.f.ADDR_MOD_PACK_SEC_ZdstIncr[mode]
        z_clear = s.f.ADDR_MOD_PACK_SEC_ZdstClear[mode]
        if channel == 0:
            y_increment = s.f.ADDR_MOD_PACK_SEC_YsrcIncr[mode]
            y_return = s.f.ADDR_MOD_PACK_SEC_YsrcCR[mode]
            y_clear = s.f.ADDR_MOD_PACK_SEC_YsrcClear[mode]
            z_increment = s.f.ADDR_MOD_PACK_SEC_ZsrcIncr[mode]
            z_clear = s.f.ADDR_MOD_PACK_SEC_ZsrcClear[mode]
        y = s.adc[t][PACKER].y[channel]
        if thread_config(s, t, y_clear):
            s.adc[t][PACKER].y[channel] = 0
            s.adc[t][PACKER].y_cr[channel] = 0
        elif thread_config(s, t, y_return):
            y = s.adc[t][PACKER].y_cr[channel] + thread_config(s, t, y_increment)
            s.adc[t][PACKER].y[channel] = y & Y_MASK
            s.adc[t][PACKER].y_cr[channel] = y & Y_MASK
        else:
            s.adc[t][PACKER].y[channel] = (y + thread_config(s, t, y_increment)) & Y_MASK
        z = s.adc[t][PACKER].z[channel]
        if thread_config(s, t, z_clear):
            s.adc[t][PACKER].z[channel] = 0
            s.adc[t][PACKER].z_cr[channel] = 0
        else:
            s.adc[t][PACKER].z[channel] = (z + thread_config(s, t, z_increment)) & ZW_MASK
    return OK


@kernel
def run_length(s: Any, t: int, flush: int) -> int:
    """Data to pack (to a row on Blackhole): X of channel 1 + 1, or 0 to flush."""
    return 0 if flush else s.adc[t][PACKER].x[1] + 1
