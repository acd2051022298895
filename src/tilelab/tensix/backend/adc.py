"""The address counters of the unpackers and packers.

Each thread has counters X, Y, Z, W for either unpacker and for the packers, on two channels; each
with a carriage-return copy (``_cr``). ``cnt_set_mask`` names units: bit 0 unpacker 0, bit 1
unpacker 1, bit 2 the packers. In the ZW instructions the fields named x and y are Z and W.

Sources: tt-isa-documentation, ADCs.md and a page for each instruction; ttsim for the width of Z
and W on Blackhole, where the newest ADCs.md says 13 bits and ttsim keeps 8.

All but SETADCXX may name another thread's counters: ``thread_override`` is the thread's number plus
one, or 0 for the thread that issues. SETADC has it in the top bits of its value. Its page gives X,
which is as wide, the whole value; the vendor's kernels (llk_unpack_AB_face_compressed_mm.h) name a
thread and a count there, so the count is the 16 bits below.
"""

from typing import Final

from tilelab.sim.checks import Policy, check, refuse
from tilelab.sim.errors import UnsupportedFunctionalityError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.semantics import BOTH, semantics
from tilelab.tensix.chips.opcodes import ADDRCRXY, ADDRCRZW, INCADCZW, SETADCZW
from tilelab.tensix.state.records import Adc, State

X_MASK: Final = 0x3FFFF
Y_MASK: Final = 0x1FFF
ZW_MASK: Final = 0xFF
UNITS: Final = 3

NO_UNIT = check(
    "adc-no-unit",
    UnsupportedFunctionalityError,
    "the instruction names no unit's counters (cnt_set_mask is {value})",
    page="ADCs.md",
    cure="set a bit of cnt_set_mask, or drop the instruction",
    policy=Policy.ERROR,
)
NO_COUNTER = check(
    "adc-no-counter",
    UnsupportedFunctionalityError,
    "the instruction names no counter (bit_mask is {value})",
    page="ADCs.md",
    cure="set a bit of bit_mask, or drop the instruction",
    policy=Policy.ERROR,
)
OVERRIDE_SHIFT: Final = 16
"""Where SETADC's value has the thread's number plus one."""


@kernel
def thread_of(t: int, thread_override: int) -> int:
    """Whose counters an instruction of thread ``t`` means."""
    return thread_override - 1 if thread_override else t


@kernel
def check_masks(s: State, units: int, counters: int) -> int:
    """Refuse an instruction without effect, if the policy says so."""
    if not units & 7 and refuse(s, NO_UNIT, units):
        return NO_UNIT
    if not counters & 15 and refuse(s, NO_COUNTER, counters):
        return NO_COUNTER
    return OK


@kernel
def put(adc: Adc, channel: int, which: int, value: int) -> None:
    """Set X, Y, Z or W (0 to 3), or its copy (4 to 7)."""
    if which == 0:
        adc.x[channel] = value & X_MASK
    elif which == 1:
        adc.y[channel] = value & Y_MASK
    elif which == 2:
        adc.z[channel] = value & ZW_MASK
    elif which == 3:
        adc.w[channel] = value & ZW_MASK
    elif which == 4:
        adc.x_cr[channel] = value & X_MASK
    elif which == 5:
        adc.y_cr[channel] = value & Y_MASK
    elif which == 6:
        adc.z_cr[channel] = value & ZW_MASK
    else:
        adc.w_cr[channel] = value & ZW_MASK


@kernel
def set_counter(adc: Adc, channel: int, which: int, value: int) -> None:
    """Set a counter and its copy."""
    put(adc, channel, which, value)
    put(adc, channel, which + 4, value)


@kernel
def set_channel(
    s: State, t: int, unit: int, zw: int, channel: int, first: int, second: int, mask: int
) -> None:
    """Set X (mask bit 0) and Y (bit 1), or with ``zw`` Z and W, and their copies."""
    adc = s.adc[t][unit]
    if mask & 1:
        set_counter(adc, channel, 2 * zw, first)
    if mask & 2:
        set_counter(adc, channel, 2 * zw + 1, second)


@kernel
def return_channel(
    s: State, t: int, unit: int, zw: int, channel: int, first: int, second: int, mask: int
) -> None:
    """As :func:`set_channel`, to the copies advanced by so much."""
    adc = s.adc[t][unit]
    first += adc.z_cr[channel] if zw else adc.x_cr[channel]
    second += adc.w_cr[channel] if zw else adc.y_cr[channel]
    set_channel(s, t, unit, zw, channel, first, second, mask)


@kernel
def advance_channel(
    s: State, t: int, unit: int, zw: int, channel: int, first: int, second: int
) -> None:
    """Advance X and Y, or with ``zw`` Z and W, but not their copies."""
    adc = s.adc[t][unit]
    if zw:
        adc.z[channel] = (adc.z[channel] + first) & ZW_MASK
        adc.w[channel] = (adc.w[channel] + second) & ZW_MASK
    else:
        adc.x[channel] = (adc.x[channel] + first) & X_MASK
        adc.y[channel] = (adc.y[channel] + second) & Y_MASK


@semantics("SETADC", BOTH)
def setadc(
    s: State, t: int, cnt_set_mask: int, channel_index: int, dimension_index: int, value: int
) -> int:
    """Set one counter and its copy (SETADC.md)."""
    thread = thread_of(t, value >> OVERRIDE_SHIFT)
    value &= (1 << OVERRIDE_SHIFT) - 1
    code = check_masks(s, cnt_set_mask, 1)
    if code != OK:
        return code
    for unit in range(UNITS):
        if cnt_set_mask >> unit & 1:
            set_counter(s.adc[thread][unit], channel_index, dimension_index, value)
    return OK


@semantics("SETADCXX", BOTH)
def setadcxx(s: State, t: int, cnt_set_mask: int, x_end2: int, x_start: int) -> int:
    """Set both channels' X, the first and last datum of a run (SETADCXX.md)."""
    code = check_masks(s, cnt_set_mask, 1)
    if code != OK:
        return code
    for unit in range(UNITS):
        if cnt_set_mask >> unit & 1:
            adc = s.adc[t][unit]
            set_counter(adc, 0, 0, x_start)
            set_counter(adc, 1, 0, x_end2)
    return OK


@semantics("SETADCXY", BOTH)
@semantics("SETADCZW", BOTH)
@semantics("ADDRCRXY", BOTH)
@semantics("ADDRCRZW", BOTH)
def set_counters(
    s: State,
    t: int,
    cnt_set_mask: int,
    thread_override: int,
    ch1_y: int,
    ch1_x: int,
    ch0_y: int,
    ch0_x: int,
    bit_mask: int,
    word: int,
) -> int:
    """Set counters X and Y, or Z and W (SETADCXY.md, SETADCZW.md).

    Or advance their copies and return the counters to them (ADDRCRXY.md, ADDRCRZW.md).
    """
    code = check_masks(s, cnt_set_mask, bit_mask)
    if code != OK:
        return code
    thread = thread_of(t, thread_override)
    opcode = word >> 24
    zw = 1 if opcode == SETADCZW or opcode == ADDRCRZW else 0
    for unit in range(UNITS):
        if cnt_set_mask >> unit & 1:
            if opcode == ADDRCRXY or opcode == ADDRCRZW:
                return_channel(s, thread, unit, zw, 0, ch0_x, ch0_y, bit_mask & 3)
                return_channel(s, thread, unit, zw, 1, ch1_x, ch1_y, bit_mask >> 2)
            else:
                set_channel(s, thread, unit, zw, 0, ch0_x, ch0_y, bit_mask & 3)
                set_channel(s, thread, unit, zw, 1, ch1_x, ch1_y, bit_mask >> 2)
    return OK


@semantics("INCADCXY", BOTH)
@semantics("INCADCZW", BOTH)
def advance_counters(
    s: State,
    t: int,
    cnt_set_mask: int,
    thread_override: int,
    ch1_y: int,
    ch1_x: int,
    ch0_y: int,
    ch0_x: int,
    word: int,
) -> int:
    """Advance X and Y, or Z and W, not their copies (INCADCXY.md, INCADCZW.md)."""
    code = check_masks(s, cnt_set_mask, 1)
    if code != OK:
        return code
    thread = thread_of(t, thread_override)
    zw = 1 if word >> 24 == INCADCZW else 0
    for unit in range(UNITS):
        if cnt_set_mask >> unit & 1:
            advance_channel(s, thread, unit, zw, 0, ch0_x, ch0_y)
            advance_channel(s, thread, unit, zw, 1, ch1_x, ch1_y)
    return OK
