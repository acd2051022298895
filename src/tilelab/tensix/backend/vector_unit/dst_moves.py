"""What moves between Dst and the LRegs: SFPLOAD, SFPSTORE, SFPLOADMACRO; and SFPNOP."""

from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.rwc import apply_addr_mod, check_addr_mod
from tilelab.tensix.backend.semantics import BOTH, GO, semantics
from tilelab.tensix.backend.vector_unit.load_macro import elapse, issue, load_macro
from tilelab.tensix.backend.vector_unit.load_store import (
    check_addressing,
    dst_address,
    load,
    resolved_format,
    store,
)
from tilelab.tensix.state.records import State


@kernel
def begin_access(s: State, t: int, mod0: int, word: int) -> int:
    """Check a load's or store's addressing, then begin it: GO, or the kernel's result."""
    code = check_addressing(s, t, mod0)
    if code == OK:
        code = check_addr_mod(s, t)
    if code != OK:
        return code
    return issue(s, t, word)


@semantics("SFPLOAD", BOTH, begins_itself=True)
def sfpload(
    s: State, t: int, vd: int, instr_mod0: int, sfpu_addr_mode: int, dest_reg_addr: int, word: int
) -> int:
    """VD = 32 datums of Dst (SFPLOAD.md)."""
    mod0 = resolved_format(s, t, instr_mod0)
    code = begin_access(s, t, mod0, word)
    if code != GO:
        return code
    load(s, vd, mod0, dst_address(s, t, dest_reg_addr, mod0))
    return apply_addr_mod(s, t, sfpu_addr_mode, 0)


@semantics("SFPSTORE", BOTH, begins_itself=True)
def sfpstore(
    s: State, t: int, vd: int, instr_mod0: int, sfpu_addr_mode: int, dest_reg_addr: int, word: int
) -> int:
    """32 datums of Dst = VD (SFPSTORE.md)."""
    mod0 = resolved_format(s, t, instr_mod0)
    code = begin_access(s, t, mod0, word)
    if code != GO:
        return code
    store(s, vd, mod0, dst_address(s, t, dest_reg_addr, mod0))
    return apply_addr_mod(s, t, sfpu_addr_mode, 0)


@semantics("SFPLOADMACRO", BOTH, begins_itself=True)
def sfploadmacro(
    s: State, t: int, lreg_ind: int, instr_mod0: int, sfpu_addr_mode: int, dest_reg_addr: int
) -> int:
    """VD = 32 datums of Dst, then up to four scheduled instructions (SFPLOADMACRO.md)."""
    vd = (dest_reg_addr & 1) << 2 | (lreg_ind & 3)
    return load_macro(s, t, lreg_ind >> 2, vd, instr_mod0, sfpu_addr_mode, dest_reg_addr)


@semantics("SFPNOP", BOTH, begins_itself=True)
def sfpnop(s: State, t: int) -> int:
    """Occupy the vector unit for a cycle (SFPNOP.md)."""
    return elapse(s, 1) if s.vector.load_macro.busy else OK
