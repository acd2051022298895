"""Instruction templates and what SFPLOADMACRO schedules (SFPLOADMACRO.md)."""

from typing import Any, Final

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import UnsupportedFunctionalityError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.lreg import ALL_LANES, DISABLE_BACKDOOR_LOAD, enabled_lanes

GO: Final = -100
"""What :func:`issue` returns for an instruction that is to be executed; no kernel returns it."""

TEMPLATE_LANES = check(
    "vector-template-lanes",
    UnsupportedFunctionalityError,
    "an instruction template would be recorded in lanes {value:#010x} only",
    page="SFPCONFIG.md",
    cure="enable all lanes, or set DISABLE_BACKDOOR_LOAD to execute with VD >= 12",
)


@kernel
def destination(word: int) -> int:
    """The VD field of a vector instruction: bits 23:20 of loads, stores and SFPLUT, else 7:4."""
    return (word >> 20) & 15 if word >> 24 <= 0x73 else (word >> 4) & 15


@kernel
def record_template(s: Any, word: int) -> int:
    """Keep an instruction whose VD is 12 + i as InstructionTemplate[i] instead of executing it."""
    lanes = enabled_lanes(s)
    if lanes != ALL_LANES:
        return fault(s, TEMPLATE_LANES, lanes)
    s.load_macro_template[destination(word) - 12] = word
    return OK


@kernel
def issue(s: Any, t: int, word: int) -> int:
    """Begin a vector instruction: GO to execute it, any other code is the kernel's result."""
    if destination(word) >= 12 and not s.lane_config & DISABLE_BACKDOOR_LOAD:
        return record_template(s, word)
    return GO
