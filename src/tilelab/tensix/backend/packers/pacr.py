"""PACR: move data from Dst to L1, converting formats.

Blackhole has one packer that reads up to four rows of Dst at a time, Wormhole four packers that
read runs of data. A packer appends to where its previous PACR ended, until one with ``last`` or
``flush`` ends the tile: the tail is then padded with zeros to 16 bytes, and the next PACR takes
its addresses anew (``packers_address``).

Source: tt-isa-documentation, BlackholeA0 PACR.md and Packers/*.md; ttsim for strided reads, for
packing uncompressed always, and for Blackhole's tile position, which counts data as Wormhole's
does (the newest PACR.md counts enabled interfaces: the same for whole rows and planes).

Not modelled: compression, the contexts and row padding of Blackhole's PACR, OvrdThreadId, X
starting inside a row.
"""

from typing import Final

from tilelab.formats.data_format import FORMAT_BITS, DataFormat
from tilelab.sim.checks import check, fault
from tilelab.sim.errors import (
    MissingSpecificationError,
    UndefinedBehaviorError,
    UnimplementedFunctionalityError,
    UnsupportedFunctionalityError,
)
from tilelab.sim.kernel import OK, bit_length, kernel
from tilelab.tensix.backend.dst import dst16_row
from tilelab.tensix.backend.packers.address import (
    COUNT,
    DATA,
    EXPONENT,
    PACKER,
    ROW_START,
    X,
    Y,
    advance,
    check_room,
    end_tile,
    start_row,
)
from tilelab.tensix.backend.packers.config import (
    check_packer,
    check_relu,
    packer_field,
    read_control,
    read_kind,
)
from tilelab.tensix.backend.packers.early import (
    READ_32,
    READ_UNSIGNED,
    copy_row_bf16,
    early_from_16,
    early_from_32,
    minus_infinity,
    read_dst_rows,
    relu,
)
from tilelab.tensix.backend.packers.late import late_convert, store_run
from tilelab.tensix.backend.semantics import BLACKHOLE, WORMHOLE, config, config_bank, semantics
from tilelab.tensix.state.records import State

RUN: Final = 1024
"""Data converted at a time."""
BITS: Final = tuple(mask.bit_count() for mask in range(16))
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
ROWS = check(
    "pack-rows",
    UnimplementedFunctionalityError,
    "the packers would read row {value} of Dst, which has 1024",
    page="Packers/InputAddressGenerator.md",
)


@kernel
def row_sets(s: State, t: int, p: int) -> int:
    """Two bits for each of 16 rows of packer ``p``'s tile: which mask of columns it has."""
    rows = config(s, t, s.f.PCK_EDGE_TILE_ROW_SET_SELECT_select) >> (2 * p) & 3
    word = (s.f.TILE_ROW_SET_MAPPING_0_row_set_mapping_0 >> 16) + rows
    return s.config[config_bank(s, t), word]


@kernel
def edge_mask(s: State, t: int, p: int, y: int) -> int:
    """The columns of a row that are kept, by the row's position ``y`` in the tile."""
    column_set = row_sets(s, t, p) >> (2 * (y & 15)) & 3
    return config(s, t, s.f.PCK_EDGE_OFFSET_SEC_mask[column_set])


@kernel
def next_edge_mask(s: State, t: int, p: int, n: int) -> int:
    """The mask of the next ``n`` data; advances the tile position by them."""
    x = s.pack_position[p, X]
    mask = edge_mask(s, t, p, s.pack_position[p, Y])
    skip_rows(s, t, p, n)
    here = (1 << (16 - x)) - 1
    mask = (mask & here) | (edge_mask(s, t, p, s.pack_position[p, Y]) & ~here)
    return mask


@kernel
def skip_rows(s: State, t: int, p: int, count: int) -> None:
    """Advance the tile position by ``count`` data; returns 0."""
    x = s.pack_position[p, X] + count
    y = s.pack_position[p, Y]
    rows_of_plane = config(s, t, s.f.PACK_COUNTERS_SEC_pack_reads_per_xy_plane[p])
    down = y + (x >> 4)
    # a plane made smaller meanwhile is left for good: only reaching its end leads back
    s.pack_position[p, X] = x & 15
    s.pack_position[p, Y] = down % rows_of_plane if y < rows_of_plane else down


@kernel
def check_kept(s: State, t: int, p: int, count: int, n: int) -> int:
    """Check ReLU, if edge masking keeps any of ``count`` data in rows of ``n``."""
    if not config(s, t, s.f.STACC_RELU_ApplyRelu):
        return OK
    if keeps_all(s, t, p):
        return check_relu(s, t, p) if count else OK
    x = s.pack_position[p, X]
    y = s.pack_position[p, Y]
    kept = 0
    for first in range(0, count, n):
        data = min(count - first, n)
        kept |= next_edge_mask(s, t, p, data) & ((1 << data) - 1)
    s.pack_position[p, X] = x
    s.pack_position[p, Y] = y
    return check_relu(s, t, p) if kept else OK


@kernel
def keeps_all(s: State, t: int, p: int) -> int:
    """1 if no row drops a column, as far as this is quick to see: all rows have a full mask 0."""
    full = config(s, t, s.f.PCK_EDGE_OFFSET_SEC_mask[0]) == 0xFFFF
    return 1 if full and row_sets(s, t, p) == 0 else 0


@kernel
def apply_edges(s: State, t: int, p: int, kind: int, count: int, n: int) -> None:
    """Replace the data that edge masking drops from rows of ``n``; returns 0."""
    other = minus_infinity(kind) if config(s, t, s.f.PCK_EDGE_MODE_mode) else 0
    for first in range(0, count, n):
        end = min(first + n, count)
        mask = next_edge_mask(s, t, p, end - first)
        for i in range(first, end):
            if not mask >> (i - first) & 1:
                s.scratch_32[i] = other


@kernel
def pack_run(s: State, t: int, p: int, kind: int, zero: int, count: int, n: int) -> int:
    """Pack ``count`` data of ``scratch_32``, read from rows of ``n``; returns 0.

    ``kind``: as it was read. ``zero``: zeros instead, which edge masking leaves alone.
    """
    in_format = packer_field(s, t, p, s.f.THCON_SEC0_REG1_In_data_format)
    out_format = packer_field(s, t, p, s.f.THCON_SEC0_REG1_Out_data_format)
    control = read_control(s, t)
    if zero:
        for i in range(count):
            s.scratch_32[i] = 0
    elif control & READ_32:
        early_from_32(s, in_format, control, kind, count)
    else:
        early_from_16(s, in_format, control, kind, count)
    if zero or keeps_all(s, t, p):
        skip_rows(s, t, p, count)
    else:
        apply_edges(s, t, p, kind, count, n)
    mode = config(s, t, s.f.STACC_RELU_ApplyRelu)
    if mode:
        threshold = config(s, t, s.f.STACC_RELU_ReluThreshold) & 0x7FFF  # negative: nothing kept
        relu(s, mode, threshold, kind, count)
    late_convert(s, kind, out_format, count, config(s, t, s.f.THCON_SEC0_REG1_Pac_LF8_4b_exp))
    accumulate = packer_field(s, t, p, s.f.THCON_SEC0_REG1_Pack_L1_Acc)
    data = s.pack_position[p, DATA]
    store_run(s, data, s.pack_position[p, EXPONENT], out_format, count, accumulate)
    s.cycle.adds |= 1 if accumulate else 0
    return go_on(s, p, count, FORMAT_BITS[out_format])


@kernel
def go_on(s: State, p: int, count: int, bits: int) -> int:
    """Move packer ``p``'s places in L1 behind ``count`` data that it has written; returns 0."""
    s.pack_position[p, DATA] += count * bits // 8
    s.pack_position[p, EXPONENT] += count // 16
    s.cycle.work += count * bits // 8
    return OK


@kernel
def check_start(s: State, t: int, p: int) -> int:
    """Check packer ``p``'s configuration and the address where it would read."""
    code = check_packer(s, t, p)
    if code != OK:
        return code
    if s.adc[t][PACKER].x[0]:
        return fault(s, X_START, s.adc[t][PACKER].x[0])
    row = start_row(s, t, p)
    return fault(s, ROW_START, -1 - row) if row < 0 else OK


@kernel
def pack_interfaces(s: State, t: int, mask: int, strided: int, zero: int, end: int, n: int) -> int:
    """Blackhole: pack ``n`` data of each row that the interfaces in ``mask`` read."""
    kind = read_kind(s, t, 0)
    control = read_control(s, t)
    row = start_row(s, t, 0)
    step = STRIDE if strided else 1
    count = n * BITS[mask]
    last_row = row + (bit_length(mask) - 1) * step
    if last_row > 1023 and not zero:
        return fault(s, ROWS, last_row)
    code = check_room(s, t, 0, count, end, 4) or check_kept(s, t, 0, count, n)
    if code != OK:
        return code
    if not zero and n == 16 and copies_bf16(s, t, control):
        return copy_rows(s, t, row, step, mask)
    if not zero:
        read_dst_rows(s, row, step, mask, n, control, kind, 0)
    return pack_run(s, t, 0, kind, zero, count, n)


@kernel
def copies_bf16(s: State, t: int, control: int) -> int:
    """Whether packer 0 takes bf16 data of 16 bits from Dst to L1 as they are, all of each row."""
    other = config(s, t, s.f.THCON_SEC0_REG1_In_data_format) ^ DataFormat.BF16
    other |= config(s, t, s.f.THCON_SEC0_REG1_Out_data_format) ^ DataFormat.BF16
    other |= config(s, t, s.f.THCON_SEC0_REG1_Pack_L1_Acc) | control & ~READ_UNSIGNED
    return 0 if other | config(s, t, s.f.STACC_RELU_ApplyRelu) else keeps_all(s, t, 0)


@kernel
def copy_rows(s: State, t: int, row: int, step: int, mask: int) -> int:
    """Pack such data of each row of Dst that the interfaces in ``mask`` read; returns 0."""
    at = s.pack_position[0, DATA]
    for i in range(4):
        if mask >> i & 1:
            copy_row_bf16(s, dst16_row(s, row + i * step), at >> 1)
            at += 32
    skip_rows(s, t, 0, 16 * BITS[mask])
    return go_on(s, 0, 16 * BITS[mask], 16)


@semantics("PACR", BLACKHOLE)
def pacr_blackhole(
    s: State,
    t: int,
    cfg_context: int,
    row_pad_zero: int,
    dst_access_mode: int,
    addr_mode: int,
    addr_cnt_context: int,
    zero_write: int,
    read_intf_sel: int,
    ovrd_thread_id: int,
    concat: int,
    ctxt_ctrl: int,
    flush: int,
    last: int,
) -> int:
    """Move rows from Dst to L1 (PACR.md)."""
    if cfg_context or row_pad_zero or addr_cnt_context or ctxt_ctrl:
        return fault(s, CONTEXT, cfg_context + row_pad_zero + addr_cnt_context + ctxt_ctrl)
    if ovrd_thread_id:
        return fault(s, THREAD, ovrd_thread_id)
    if dst_access_mode:
        access = s.config[0, s.f.DEST_ACCESS_CFG_swizzle_32b >> 16]
        if access & 3 != 3 or (read_intf_sel > 1 and read_intf_sel != 3):
            return fault(s, STRIDED, read_intf_sel)
    code = check_start(s, t, 0)
    if code != OK:
        return code
    end = last | flush
    mask = read_intf_sel if read_intf_sel else 15
    n = s.adc[t][PACKER].x[1] + 1
    if flush:
        mask = 0
    elif n > 16:
        return fault(s, COUNT, n)
    code = pack_interfaces(s, t, mask, dst_access_mode, zero_write, end, n)
    if code != OK:
        return code
    s.pack_active |= 1
    if end:
        end_tile(s, t, 0)
    return advance(s, t, addr_mode)


@kernel
def pack_data(s: State, t: int, p: int, zero: int, count: int) -> None:
    """Wormhole: packer ``p`` packs ``count`` consecutive data; returns 0."""
    row = start_row(s, t, p)
    control = read_control(s, t)
    kind = read_kind(s, t, p)
    for done in range(0, count, RUN):
        n = min(count - done, RUN)
        if not zero:
            for first in range(0, n, 16):
                read_dst_rows(s, row + ((done + first) >> 4), 0, 1, 16, control, kind, first)
        pack_run(s, t, p, kind, zero, n, 16)


@semantics("PACR", WORMHOLE)
def pacr_wormhole(
    s: State,
    t: int,
    addr_mode: int,
    zero_write: int,
    pack_sel: int,
    ovrd_thread_id: int,
    concat: int,
    flush: int,
    last: int,
) -> int:
    """Move data from Dst to L1 with one to four packers (PACR.md)."""
    if ovrd_thread_id:
        return fault(s, THREAD, ovrd_thread_id)
    mask = pack_sel if pack_sel else 1
    if mask & (mask - 1) and mask != 3 and mask != 12 and mask != 15:
        return fault(s, PACKER_MASK, mask)
    count = 0 if flush else s.adc[t][PACKER].x[1] + 1
    end = last | flush
    for p in range(4):
        if mask >> p & 1:
            code = check_start(s, t, p)
            if code != OK:
                return code
            rows = start_row(s, t, p) + (count + 15) // 16
            if rows > 1024 and not zero_write:
                return fault(s, ROWS, rows - 1)
            code = check_room(s, t, p, count, end, 0) or check_kept(s, t, p, count, 16)
            if code != OK:
                return code
    for p in range(4):
        if mask >> p & 1:
            pack_data(s, t, p, zero_write, count)
            s.pack_active |= 1 << p
            if end:
                end_tile(s, t, p)
    return advance(s, t, addr_mode)
