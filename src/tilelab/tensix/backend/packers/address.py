"""Where the packers read and write: addresses, their counters, the ends of tiles.

``pack_position[p]`` is packer p's place: tile position x and y, next data byte, next exponent
byte; ``pack_active`` has a bit for each packer that is inside a tile. Outside a tile a packer's
place means nothing.

Source: tt-isa-documentation, Packers/InputAddressGenerator.md and OutputAddressGenerator.md;
ttsim for a tile position that starts anew with a tile.
"""

from typing import Final

from tilelab.formats.data_format import FORMAT_BITS, SHARED_EXPONENT_BITS
from tilelab.sim.checks import check, fault
from tilelab.sim.errors import UnimplementedFunctionalityError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.adc import Y_MASK, ZW_MASK
from tilelab.tensix.backend.l1_access import l1_room, l1_zero
from tilelab.tensix.backend.packers.config import packer_field
from tilelab.tensix.backend.semantics import config
from tilelab.tensix.state.records import State

PACKER: Final = 2
"""Index of the packers' address counters."""
CHANNELS: Final = (0, 1)
"""Of the counters: input and output."""
X, Y, DATA, EXPONENT = 0, 1, 2, 3
"""What ``pack_position[p]`` holds, by index."""

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
UNALIGNED = check(
    "pack-unaligned",
    UnimplementedFunctionalityError,
    "the packers would write a datum across its alignment at {value:#x}",
    page="Packers/OutputAddressGenerator.md",
)


@kernel
def start_row(s: State, t: int, p: int) -> int:
    """First row of Dst to read, or -1 - the datum where the address is not a row's start."""
    in_format = packer_field(s, t, p, s.f.THCON_SEC0_REG1_In_data_format)
    address = s.adc[t][PACKER].y[0] * config(s, t, s.f.PCK0_ADDR_CTRL_XY_REG_0_Ystride)
    address += s.adc[t][PACKER].z[0] * config(s, t, s.f.PCK0_ADDR_CTRL_ZW_REG_0_Zstride)
    address += s.adc[t][PACKER].w[0] * config(s, t, s.f.PCK0_ADDR_CTRL_ZW_REG_0_Wstride)
    address += config(s, t, s.f.PCK0_ADDR_BASE_REG_0_Base)
    size = 4 if in_format & 3 == 0 else 2 if in_format & 3 == 1 else 1
    if address % (16 * size):
        return -1 - address // size
    offset = s.config[0, s.f.DEST_TARGET_REG_CFG_PACK_SEC_Offset[p] >> 16] & 0xFFF
    return (address // (16 * size) + offset) & 0x3FF


@kernel
def header_end(s: State, t: int, p: int) -> int:
    """Packer ``p``'s output address after the tile's header, in 16-byte units."""
    address = packer_field(s, t, p, s.f.THCON_SEC0_REG1_L1_Dest_addr)
    return address + 1 - packer_field(s, t, p, s.f.THCON_SEC0_REG1_Sub_l1_tile_header_size)


@kernel
def take_addresses(s: State, t: int, p: int, unit: int) -> None:
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


@kernel
def check_room(s: State, t: int, p: int, count: int, end: int, unit: int) -> int:
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
    code = l1_room(s, data, (data + count * bits // 8 + pad) & ~pad)
    if SHARED_EXPONENT_BITS[out_format] and not code:
        code = l1_room(s, exponents, (exponents + count // 16 + pad) & ~pad)
    return code


@kernel
def end_tile(s: State, t: int, p: int) -> None:
    """Pad packer ``p``'s streams with zeros to 16 bytes; its next PACR starts anew; returns 0."""
    data = s.pack_position[p, DATA]
    l1_zero(s, data, (data + 15) & ~15)
    out_format = packer_field(s, t, p, s.f.THCON_SEC0_REG1_Out_data_format)
    if SHARED_EXPONENT_BITS[out_format]:
        exponents = s.pack_position[p, EXPONENT]
        l1_zero(s, exponents, (exponents + 15) & ~15)
    s.pack_active &= ~(1 << p)


@kernel
def advance(s: State, t: int, mode: int) -> int:
    """Advance the packers' Y and Z counters by ADDR_MOD_PACK ``mode``; returns 0.

    Reads the section's word once; its layout is the same on both chips.
    """
    word = s.thread_config[t, s.f.ADDR_MOD_PACK_SEC_YsrcIncr[mode] >> 16]
    adc = s.adc[t][PACKER]
    for channel in CHANNELS:
        step = word >> 6 * channel
        if step & 0x20:  # YsrcClear, YdstClear
            adc.y[channel] = 0
            adc.y_cr[channel] = 0
        elif step & 0x10:  # YsrcCR, YdstCR
            adc.y_cr[channel] = (adc.y_cr[channel] + (step & 15)) & Y_MASK
            adc.y[channel] = adc.y_cr[channel]
        else:
            adc.y[channel] = (adc.y[channel] + (step & 15)) & Y_MASK
        step = word >> 12 + 2 * channel
        if step & 2:  # ZsrcClear, ZdstClear
            adc.z[channel] = 0
            adc.z_cr[channel] = 0
        else:
            adc.z[channel] = (adc.z[channel] + (step & 1)) & ZW_MASK
    return OK
