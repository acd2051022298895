"""Miscellaneous unit: NOP. (Its address-counter instructions are in ``adc.py``.)

Manual: MiscellaneousUnit.md.
"""

from typing import Any

from tilelab.sim.kernel import OK
from tilelab.tensix.backend.semantics import semantics


@semantics("NOP")
def nop(s: Any, t: int) -> int:
    """Do nothing; unlike in the expanders, a NOP that is issued is an instruction."""
    return OK
