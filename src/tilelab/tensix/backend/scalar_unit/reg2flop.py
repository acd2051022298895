"""REG2FLOP: from a GPR to THCON_ configuration, or to an address counter.

Manual: REG2FLOP_Configuration.md, REG2FLOP_ADC.md. The newest pages give a meaning to every form,
but vouch only for the one that kernels use, the 32-bit write to configuration on Wormhole; the
others do as the pages say and warn.

Not modelled: encodings that the pages leave out.
"""

from tilelab.sim.checks import Policy, check, fault, refuse
from tilelab.sim.errors import (
    MissingSpecificationError,
    UndefinedBehaviorError,
    UnsupportedFunctionalityError,
)
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.adc import UNITS, put
from tilelab.tensix.backend.configuration_unit import write_config
from tilelab.tensix.backend.semantics import BOTH, config_bank, semantics
from tilelab.tensix.state.records import State

REG2FLOP_MODE = check(
    "reg2flop-mode",
    MissingSpecificationError,
    "no document says what REG2FLOP with target {value} means",
    "REG2FLOP.md",
    "use WRCFG, or an instruction of the address counters",
)
REG2FLOP_RANGE = check(
    "reg2flop-range",
    UndefinedBehaviorError,
    "REG2FLOP's THCON_ configuration register {value} does not exist",
    "REG2FLOP_Configuration.md",
    "use WRCFG",
)
REG2FLOP_UNCONFIRMED = check(
    "reg2flop-unconfirmed",
    UnsupportedFunctionalityError,
    "REG2FLOP in a form (target {value}) that the manual describes without confidence",
    "REG2FLOP.md",
    "use WRCFG, or an instruction of the address counters",
    policy=Policy.WARN,
)


@kernel
def sized(value: int, size_sel: int, shift8: int) -> int:
    """The part of a GPR that goes to an address counter: 32, 16 or 8 bits, or nothing."""
    if size_sel == 3:
        return (value >> (8 * shift8)) & 0xFF
    if size_sel == 2 and shift8 in (0, 2):
        return (value >> (8 * shift8)) & 0xFFFF
    return value if size_sel == 1 and shift8 == 0 else 0


@kernel
def to_counter(s: State, thread: int, counter: int, value: int) -> int:
    """Set the counter that REG2FLOP's index names (bits: XYZW 0..1, copy 2, unit 3..4, channel 5).

    What names no thread or unit sets nothing. Returns OK.
    """
    unit = (counter >> 3) & 3
    if thread >= s.arch.threads or unit >= UNITS:
        return OK
    put(s.adc[thread][unit], (counter >> 5) & 1, counter & 7, value)
    return OK


@kernel
def to_config(s: State, t: int, size_sel: int, index: int, gpr: int) -> int:
    """Set one THCON_ configuration word, or an aligned group of four."""
    word = s.arch.reg2flop_base + index
    if word >= s.arch.global_config:
        return fault(s, REG2FLOP_RANGE, index)
    if size_sel == 0 or not s.arch.reg2flop_confirmed:
        if refuse(s, REG2FLOP_UNCONFIRMED, 0):
            return REG2FLOP_UNCONFIRMED
    bank = config_bank(s, t)
    if size_sel:
        return write_config(s, bank, word, s.gpr[t, gpr])
    for i in range(4):
        write_config(s, bank, (word & ~3) + i, s.gpr[t, (gpr & ~3) + i])
    return OK


@semantics("REG2FLOP", BOTH)
def reg2flop(
    s: State,
    t: int,
    size_sel: int,
    target_sel: int,
    byte_offset: int,
    context_id_2: int,
    flop_index: int,
    reg_index: int,
) -> int:
    """Copy a GPR to THCON_ configuration (``target_sel`` 0) or an address counter (2, 3)."""
    if target_sel == 0 and byte_offset == 0 and context_id_2 == 0:
        return to_config(s, t, size_sel, flop_index, reg_index)
    if target_sel < 2 or flop_index >> 6:
        return fault(s, REG2FLOP_MODE, target_sel)
    if refuse(s, REG2FLOP_UNCONFIRMED, target_sel):
        return REG2FLOP_UNCONFIRMED
    thread = context_id_2 if target_sel & 1 else t
    return to_counter(s, thread, flop_index, sized(s.gpr[t, reg_index], size_sel, byte_offset))
