"""Miscellaneous unit: NOP; and RESOURCEDECL, which no unit executes.

Manual: MiscellaneousUnit.md. (The unit's address-counter instructions are in ``adc.py``.)
RESOURCEDECL tells Blackhole's Auto TTSync which resources the next instructions use; loads and
stores of the RISC-V cores then wait for those. Here every instruction has completed by the time
that a core goes on, so there is nothing to wait for.
"""

from tilelab.sim.kernel import OK
from tilelab.tensix.backend.semantics import BLACKHOLE, BOTH, semantics
from tilelab.tensix.state.records import State


@semantics("NOP", BOTH)
def nop(s: State, t: int) -> int:
    """Do nothing; unlike in the expanders, a NOP that is issued is an instruction."""
    return OK


@semantics("RESOURCEDECL", BLACKHOLE)
def resourcedecl(s: State, t: int, linger_time: int, resources: int, op_class: int) -> int:
    """Declare resources to Auto TTSync: no effect on any result."""
    return OK
