"""Where an UNPACR writes: SrcA, SrcB or Dst, and the checks that belong to each.

Output data are counted 16 to a row. Unpacker 0 drops the first four rows, so that its row 4 is
SrcA's (or Dst's) row 0.

Source: tt-isa-documentation, UNPACR_Regular.md; ttsim for the rows that a burst into SrcA loses.
"""

from typing import Final

from tilelab.sim.checks import Policy, check, fault, refuse
from tilelab.sim.errors import UndefinedBehaviorError, UnsupportedFunctionalityError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.dst import LOW_HALF, dst16_row, dst32_row
from tilelab.tensix.backend.semantics import config, thread_config
from tilelab.tensix.backend.src_registers import SRC_A
from tilelab.tensix.backend.unpackers.input import context_half
from tilelab.tensix.state.records import State

TO_SRC_A: Final = 0
TO_SRC_B: Final = 1
TO_DST: Final = 2
SKIPPED_ROWS: Final = 4

OUTPUT_ALIGNMENT = check(
    "unpack-output-alignment",
    UnsupportedFunctionalityError,
    "unpacking starts in the middle of a row (output datum {value})",
    page="UNPACR_Regular.md",
    policy=Policy.ERROR,
)
DST_TRANSPOSED = check(
    "unpack-dst-transposed",
    UndefinedBehaviorError,
    "unpacking to Dst can neither transpose nor shift columns (shift {value})",
    page="UNPACR_Regular.md",
)
DST_OVERRIDE = check(
    "unpack-dst-override",
    UndefinedBehaviorError,
    "unpacking to Dst needs SRCA_SET_SetOvrdWithAddr clear",
    page="UNPACR_Regular.md",
    cure="clear SRCA_SET_SetOvrdWithAddr while unpacking to Dst",
)
SRC_A_ROW = check(
    "unpack-srca-row",
    UndefinedBehaviorError,
    "without SRCA_SET_SetOvrdWithAddr an unpack writes SrcA rows 0..15, not row {value}",
    page="UNPACR_Regular.md",
)
BURST = check(
    "unpack-burst",
    UnsupportedFunctionalityError,
    "a burst of {value2} rows into SrcA from row {value} may cross a set of 16 rows and lose some",
    page="UNPACR_Regular.md",
    cure="start at a multiple of the burst, or lower Throttle_mode",
    policy=Policy.ERROR,
)


@kernel
def output_datum(s: State, t: int, u: int, multi: int, context: int, to_dst: int, size: int) -> int:
    """Index of the first output datum, from channel 1's counters.

    Misaligned: -1 - the byte address.
    """
    address = config(s, t, s.f.UNP_ADDR_BASE_REG_1_Base[u])
    address += s.adc[t][u].y[1] * config(s, t, s.f.UNP_ADDR_CTRL_XY_REG_1_Ystride[u])
    address += s.adc[t][u].z[1] * config(s, t, s.f.UNP_ADDR_CTRL_ZW_REG_1_Zstride[u])
    address += s.adc[t][u].w[1] * config(s, t, s.f.UNP_ADDR_CTRL_ZW_REG_1_Wstride[u])
    if address % size:
        return -1 - address
    datum = address // size
    if multi and u == 0:
        from_context = context_half(s, t, s.f.THCON_SEC0_REG5_Dest_cntx0_address, context)
        if to_dst or config(s, t, s.f.UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr):
            return datum + from_context
        return from_context
    return datum


@kernel
def burst_rows(s: State, t: int, bits: int, tilize: int) -> int:
    """Rows that unpacker 0 writes to SrcA at a time; a burst must not cross a set of 16 rows."""
    throttle = config(s, t, s.f.THCON_SEC0_REG2_Throttle_mode)
    if bits == 2:
        throttle = 0
    elif tilize:
        throttle = 2
    elif s.arch.unpack_default_throttle:
        if not config(s, t, s.f.THCON_SEC0_REG1_ovrd_default_throttle_mode):
            throttle = 3 if bits == 8 else 2
    size = 16 << throttle
    if s.arch.unpack_default_throttle and throttle == 2 and bits >= 16:
        size = 128
    rows = size // (2 * bits)
    if rows > 8:
        return 8
    return rows if rows else 1


@kernel
def check_output(
    s: State, t: int, target: int, start: int, count: int, bits: int, transpose: int, shift: int
) -> int:
    """Check where an UNPACR writes; ``start`` is its first output datum."""
    if start & 15 and refuse(s, OUTPUT_ALIGNMENT, start):
        return OUTPUT_ALIGNMENT
    last_row = (start + count - 1) >> 4
    override = thread_config(s, t, s.f.SRCA_SET_SetOvrdWithAddr)
    if target == TO_DST:
        if transpose or shift:
            return fault(s, DST_TRANSPOSED, shift)
        if override:
            return fault(s, DST_OVERRIDE, 1)
    elif target == TO_SRC_A:
        if not override and last_row - SKIPPED_ROWS > 15:
            return fault(s, SRC_A_ROW, last_row - SKIPPED_ROWS)
        rows = burst_rows(s, t, bits, config(s, t, s.f.THCON_SEC0_REG2_Tileize_mode))
        row = (start >> 4) - SKIPPED_ROWS
        if count > 16 and row & (rows - 1):
            s.fault.value2 = rows
            if refuse(s, BURST, row & 63):
                return BURST
    return OK


@kernel
def store_dst(s: State, start: int, n: int, bits: int) -> None:
    """Write a run of ``scratch_32`` to Dst from datum ``start``; returns 0."""
    i = 0
    while i < n:
        row = ((start + i) >> 4) - SKIPPED_ROWS
        column = (start + i) & 15
        width = min(16 - column, n - i)
        at = dst32_row(s, row) if bits == 32 else dst16_row(s, row)
        s.dst_valid[at] = 1
        if bits == 32:
            for k in range(width):
                s.dst[at, column + k] = s.scratch_32[i + k] >> 16
                s.dst[at + LOW_HALF, column + k] = s.scratch_32[i + k] & 0xFFFF
        else:
            for k in range(width):
                s.dst[at, column + k] = s.scratch_32[i + k]
        i += width


@kernel
def store_src_a(s: State, start: int, n: int, first_row: int, transpose: int, shift: int) -> None:
    """Write a run of ``scratch_32`` to SrcA's bank from output datum ``start``; returns 0."""
    if not transpose and not shift:
        store_src(s, SRC_A, start, n, first_row, SKIPPED_ROWS)
        return
    src = s.src[SRC_A]
    bank = src.unpack_bank
    i = 0
    while i < n:
        row = ((start + i) >> 4) - SKIPPED_ROWS
        column = ((start + i) & 15) - shift
        width = min(16 - ((start + i) & 15), n - i)
        first = max(-column, 0) if row >= 0 else width
        row = (row + first_row) & 63
        if transpose:
            for k in range(first, width):
                src.data[bank, (row & 48) | (column + k), row & 15] = s.scratch_32[i + k]
        else:
            for k in range(first, width):
                src.data[bank, row, column + k] = s.scratch_32[i + k]
        i += width


@kernel
def store_src(s: State, which: int, start: int, n: int, first_row: int, skipped: int) -> None:
    """Write a run of ``scratch_32`` to the unpacker's bank, rows as they are; returns 0.

    ``start`` is the first output datum; so many rows that come first are dropped.
    """
    src = s.src[which]
    bank = src.unpack_bank
    i = 0
    while i < n:
        row = ((start + i) >> 4) - skipped
        column = (start + i) & 15
        width = min(16 - column, n - i)
        first = 0 if row >= 0 else width
        row = (row + first_row) & 63
        if first == 0 and width == 16:
            for k in range(16):
                src.data[bank, row, k] = s.scratch_32[i + k]
        else:
            for k in range(first, width):
                src.data[bank, row, column + k] = s.scratch_32[i + k]
        i += width
