"""The vector unit (SFPU): binds its instruction rows to their lane-by-lane semantics.

Every instruction first goes through :func:`issue`, which records it as a template where VD says
so; the semantics proper are in the ``vector_*`` modules.

Not modelled: LaneConfig and LoadMacroConfig that differ between columns of lanes.
"""

from typing import Any

from tilelab.sim.kernel import OK
from tilelab.tensix.backend.load_macro import GO, issue
from tilelab.tensix.backend.semantics import semantics
from tilelab.tensix.backend.vector_condition_codes import enable_flags
from tilelab.tensix.backend.vector_configuration import configure
from tilelab.tensix.backend.vector_load_store import load_immediate


@semantics("SFPNOP")
def sfpnop(s: Any, t: int) -> int:
    """Occupy the vector unit for a cycle (SFPNOP.md)."""
    return OK


@semantics("SFPENCC")
def sfpencc(s: Any, t: int, imm12_math: int, lreg_dest: int, instr_mod1: int) -> int:
    """Enable or disable conditional execution (SFPENCC.md)."""
    code = issue(s, t, 0x8A000000 | imm12_math << 12 | lreg_dest << 4 | instr_mod1)
    if code != GO:
        return code
    return enable_flags(s, imm12_math, instr_mod1)


@semantics("SFPLOADI")
def sfploadi(s: Any, t: int, lreg_ind: int, instr_mod0: int, imm16: int) -> int:
    """VD = a 16-bit immediate, converted or in one half (SFPLOADI.md)."""
    code = issue(s, t, 0x71000000 | lreg_ind << 20 | instr_mod0 << 16 | imm16)
    if code != GO:
        return code
    return load_immediate(s, imm16, lreg_ind, instr_mod0)


@semantics("SFPCONFIG")
def sfpconfig(s: Any, t: int, imm16_math: int, config_dest: int, instr_mod1: int) -> int:
    """Write constants, LaneConfig or LoadMacroConfig (SFPCONFIG.md)."""
    return configure(s, imm16_math, config_dest, instr_mod1)
