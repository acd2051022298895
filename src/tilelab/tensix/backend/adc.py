"""The address counters of the unpackers and packers.

Each thread has counters X, Y, Z, W for either unpacker and for the packers, on two channels; each
with a carriage-return copy (``_cr``). ``cnt_set_mask`` names units: bit 0 unpacker 0, bit 1
unpacker 1, bit 2 the packers. In the ZW instructions the fields named x and y are Z and W.

Sources: tt-isa-documentation, ADCs.md and a page for each instruction; ttsim for the width of Z
and W on Blackhole, where the newest ADCs.md says 13 bits and ttsim keeps 8.

Not modelled: the thread override in the top bits of SETADC's value (the other instructions'
override bits are no fields of their rows).
"""

from typing import Final

from tilelab.sim.checks import Policy, check, fault, refuse
from tilelab.sim.errors import UnsupportedFunctionalityError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.semantics import BOTH, semantics
from tilelab.tensix.state.records import State

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
THREAD_OVERRIDE = check(
    "adc-thread-override",
    UnsupportedFunctionalityError,
    "SETADC's value {value:#x} has bits above 15, which select another thread's counters",
    page="SETADC.md",
)


@kernel
def check_masks(s: State, units: int, counters: int) -> int:
    """Refuse an instruction without effect, if the policy says so."""
    if not units & 7 and refuse(s, NO_UNIT, units):
        return NO_UNIT
    if not counters & 15 and refuse(s, NO_COUNTER, counters):
        return NO_COUNTER
    return OK


@semantics("SETADC", BOTH)
def setadc(
    s: State, t: int, cnt_set_mask: int, channel_index: int, dimension_index: int, value: int
) -> int:
    """Set one counter and its copy (SETADC.md)."""
    if value > 0xFFFF:
        return fault(s, THREAD_OVERRIDE, value)
    code = check_masks(s, cnt_set_mask, 1)
    if code:
        return code
    for unit in range(UNITS):
        if cnt_set_mask >> unit & 1:
            if dimension_index == 0:
                s.adc[t][unit].x[channel_index] = value & X_MASK
                s.adc[t][unit].x_cr[channel_index] = value & X_MASK
            elif dimension_index == 1:
                s.adc[t][unit].y[channel_index] = value & Y_MASK
                s.adc[t][unit].y_cr[channel_index] = value & Y_MASK
            elif dimension_index == 2:
                s.adc[t][unit].z[channel_index] = value & ZW_MASK
                s.adc[t][unit].z_cr[channel_index] = value & ZW_MASK
            else:
                s.adc[t][unit].w[channel_index] = value & ZW_MASK
                s.adc[t][unit].w_cr[channel_index] = value & ZW_MASK
    return OK


@semantics("SETADCXX", BOTH)
def setadcxx(s: State, t: int, cnt_set_mask: int, x_end2: int, x_start: int) -> int:
    """Set both channels' X, the first and last datum of a run (SETADCXX.md)."""
    code = check_masks(s, cnt_set_mask, 1)
    if code:
        return code
    for unit in range(UNITS):
        if cnt_set_mask >> unit & 1:
            s.adc[t][unit].x[0] = x_start
            s.adc[t][unit].x_cr[0] = x_start
            s.adc[t][unit].x[1] = x_end2
            s.adc[t][unit].x_cr[1] = x_end2
    return OK


@kernel
def set_xy(s: State, t: int, unit: int, channel: int, x: int, y: int, mask: int) -> int:
    """Set one channel's X (mask bit 0) and Y (bit 1) and their copies."""
    if mask & 1:
        s.adc[t][unit].x[channel] = x & X_MASK
        s.adc[t][unit].x_cr[channel] = x & X_MASK
    if mask & 2:
        s.adc[t][unit].y[channel] = y & Y_MASK
        s.adc[t][unit].y_cr[channel] = y & Y_MASK
    return OK


@kernel
def set_zw(s: State, t: int, unit: int, channel: int, z: int, w: int, mask: int) -> int:
    """Set one channel's Z (mask bit 0) and W (bit 1) and their copies."""
    if mask & 1:
        s.adc[t][unit].z[channel] = z & ZW_MASK
        s.adc[t][unit].z_cr[channel] = z & ZW_MASK
    if mask & 2:
        s.adc[t][unit].w[channel] = w & ZW_MASK
        s.adc[t][unit].w_cr[channel] = w & ZW_MASK
    return OK


@semantics("SETADCXY", BOTH)
def setadcxy(
    s: State,
    t: int,
    cnt_set_mask: int,
    ch1_y: int,
    ch1_x: int,
    ch0_y: int,
    ch0_x: int,
    bit_mask: int,
) -> int:
    """Set X and Y counters (SETADCXY.md)."""
    code = check_masks(s, cnt_set_mask, bit_mask)
    if code:
        return code
    for unit in range(UNITS):
        if cnt_set_mask >> unit & 1:
            set_xy(s, t, unit, 0, ch0_x, ch0_y, bit_mask & 3)
            set_xy(s, t, unit, 1, ch1_x, ch1_y, bit_mask >> 2)
    return OK


@semantics("SETADCZW", BOTH)
def setadczw(
    s: State,
    t: int,
    cnt_set_mask: int,
    ch1_y: int,
    ch1_x: int,
    ch0_y: int,
    ch0_x: int,
    bit_mask: int,
) -> int:
    """Set Z and W counters (SETADCZW.md)."""
    code = check_masks(s, cnt_set_mask, bit_mask)
    if code:
        return code
    for unit in range(UNITS):
        if cnt_set_mask >> unit & 1:
            set_zw(s, t, unit, 0, ch0_x, ch0_y, bit_mask & 3)
            set_zw(s, t, unit, 1, ch1_x, ch1_y, bit_mask >> 2)
    return OK


@semantics("INCADCXY", BOTH)
def incadcxy(
    s: State, t: int, cnt_set_mask: int, ch1_y: int, ch1_x: int, ch0_y: int, ch0_x: int
) -> int:
    """Advance X and Y counters, not their copies (INCADCXY.md)."""
    code = check_masks(s, cnt_set_mask, 1)
    if code:
        return code
    for unit in range(UNITS):
        if cnt_set_mask >> unit & 1:
            s.adc[t][unit].x[0] = (s.adc[t][unit].x[0] + ch0_x) & X_MASK
            s.adc[t][unit].y[0] = (s.adc[t][unit].y[0] + ch0_y) & Y_MASK
            s.adc[t][unit].x[1] = (s.adc[t][unit].x[1] + ch1_x) & X_MASK
            s.adc[t][unit].y[1] = (s.adc[t][unit].y[1] + ch1_y) & Y_MASK
    return OK


@semantics("INCADCZW", BOTH)
def incadczw(
    s: State, t: int, cnt_set_mask: int, ch1_y: int, ch1_x: int, ch0_y: int, ch0_x: int
) -> int:
    """Advance Z and W counters, not their copies (INCADCZW.md)."""
    code = check_masks(s, cnt_set_mask, 1)
    if code:
        return code
    for unit in range(UNITS):
        if cnt_set_mask >> unit & 1:
            s.adc[t][unit].z[0] = (s.adc[t][unit].z[0] + ch0_x) & ZW_MASK
            s.adc[t][unit].w[0] = (s.adc[t][unit].w[0] + ch0_y) & ZW_MASK
            s.adc[t][unit].z[1] = (s.adc[t][unit].z[1] + ch1_x) & ZW_MASK
            s.adc[t][unit].w[1] = (s.adc[t][unit].w[1] + ch1_y) & ZW_MASK
    return OK


@semantics("ADDRCRXY", BOTH)
def addrcrxy(
    s: State,
    t: int,
    cnt_set_mask: int,
    ch1_y: int,
    ch1_x: int,
    ch0_y: int,
    ch0_x: int,
    bit_mask: int,
) -> int:
    """Advance the copies of X and Y and return the counters to them (ADDRCRXY.md)."""
    code = check_masks(s, cnt_set_mask, bit_mask)
    if code:
        return code
    for unit in range(UNITS):
        if cnt_set_mask >> unit & 1:
            set_xy(
                s,
                t,
                unit,
                0,
                s.adc[t][unit].x_cr[0] + ch0_x,
                s.adc[t][unit].y_cr[0] + ch0_y,
                bit_mask & 3,
            )
            set_xy(
                s,
                t,
                unit,
                1,
                s.adc[t][unit].x_cr[1] + ch1_x,
                s.adc[t][unit].y_cr[1] + ch1_y,
                bit_mask >> 2,
            )
    return OK


@semantics("ADDRCRZW", BOTH)
def addrcrzw(
    s: State,
    t: int,
    cnt_set_mask: int,
    ch1_y: int,
    ch1_x: int,
    ch0_y: int,
    ch0_x: int,
    bit_mask: int,
) -> int:
    """Advance the copies of Z and W and return the counters to them (ADDRCRZW.md)."""
    code = check_masks(s, cnt_set_mask, bit_mask)
    if code:
        return code
    for unit in range(UNITS):
        if cnt_set_mask >> unit & 1:
            set_zw(
                s,
                t,
                unit,
                0,
                s.adc[t][unit].z_cr[0] + ch0_x,
                s.adc[t][unit].w_cr[0] + ch0_y,
                bit_mask & 3,
            )
            set_zw(
                s,
                t,
                unit,
                1,
                s.adc[t][unit].z_cr[1] + ch1_x,
                s.adc[t][unit].w_cr[1] + ch1_y,
                bit_mask >> 2,
            )
    return OK
