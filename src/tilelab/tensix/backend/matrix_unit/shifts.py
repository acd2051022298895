"""TRNSPSRCB, SHIFTXA, SHIFTXB: data movement within SrcA or SrcB.

Source: tt-isa-documentation, the pages of those names. SHIFTXB.md's loop stops one column short
of its own diagram; the diagram is what happens here.

Not modelled: SHIFTXA, whose input rows are whatever row an earlier instruction left in a latch.
"""

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import NonContractualBehaviorError
from tilelab.sim.kernel import OK
from tilelab.tensix.backend.rwc import apply_addr_mod, check_addr_mod
from tilelab.tensix.backend.semantics import BOTH, semantics
from tilelab.tensix.backend.src_registers import SRC_A, SRC_B, row_of, wait_src
from tilelab.tensix.state.records import State

SHIFTXA_ROWS = check(
    "shiftxa",
    NonContractualBehaviorError,
    "SHIFTXA (shift_mode={value}) reads rows that a hardware bug chooses",
    page="SHIFTXA.md",
    cure="shift SrcB instead, or unpack the data shifted",
)


@semantics("TRNSPSRCB", BOTH)
def trnspsrcb(s: State, t: int) -> int:
    """Transpose rows 16 to 31 of SrcB in place (TRNSPSRCB.md)."""
    wait = wait_src(s, SRC_B)
    if wait != OK:
        return wait
    b = s.src[SRC_B]
    bank = b.matrix_bank
    for i in range(16):
        for j in range(i):
            x = b.data[bank, 16 + i, j]
            b.data[bank, 16 + i, j] = b.data[bank, 16 + j, i]
            b.data[bank, 16 + j, i] = x
    return OK


@semantics("SHIFTXA", BOTH)
def shiftxa(s: State, t: int, shift_mode: int) -> int:
    """Not modelled (SHIFTXA.md)."""
    wait = wait_src(s, SRC_A)
    if wait != OK:
        return wait
    return fault(s, SHIFTXA_ROWS, shift_mode)


@semantics("SHIFTXB", BOTH)
def shiftxb(s: State, t: int, addr_mode: int, rot_shift: int, shift_row: int) -> int:
    """Rotate a row of SrcB left by a lane, or with ``rot_shift`` shift a 0 in (SHIFTXB.md)."""
    wait = wait_src(s, SRC_B)
    if wait != OK:
        return wait
    code = check_addr_mod(s, t)
    if code != OK:
        return code
    b = s.src[SRC_B]
    bank = b.matrix_bank
    row = row_of(s, t, SRC_B, shift_row)
    first = b.data[bank, row, 0]
    for column in range(15):
        b.data[bank, row, column] = b.data[bank, row, column + 1]
    b.data[bank, row, 15] = 0 if rot_shift else first
    return apply_addr_mod(s, t, addr_mode, 1)
