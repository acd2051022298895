"""SFPLOADI: moving immediates into vector registers."""

from typing import Any

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import UndefinedBehaviorError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.lreg import writing_lanes

BF16, FP16, USHORT, SHORT, UPPER, LOWER = 0, 1, 2, 4, 8, 10
"""SFPLOADI's modes."""

IMMEDIATE_MODE = check(
    "vector-immediate-mode",
    UndefinedBehaviorError,
    "SFPLOADI has no mode {value}",
    page="SFPLOADI.md",
    cure="modes are 0 BF16, 1 FP16, 2 unsigned, 4 signed, 8 upper half, 10 lower half",
)


@kernel
def load_immediate(s: Any, imm16: int, vd: int, mod0: int) -> int:
    """SFPLOADI: write an immediate to all lanes, converted or into one half."""
    keep = 0
    value = imm16
    if mod0 == BF16:
        value = imm16 << 16
    elif mod0 == FP16:
        # rebias the exponent; no zeros, denormals, infinities or NaNs are recognised
        value = (imm16 & 0x8000) << 16 | ((imm16 & 0x7FFF) + (112 << 10)) << 13
    elif mod0 == SHORT:
        value = (imm16 - ((imm16 & 0x8000) << 1)) & 0xFFFFFFFF
    elif mod0 == UPPER:
        value = imm16 << 16
        keep = 0x0000FFFF
    elif mod0 == LOWER:
        keep = 0xFFFF0000
    elif mod0 != USHORT:
        return fault(s, IMMEDIATE_MODE, mod0)
    lanes = writing_lanes(s, vd)
    for lane in range(32):
        if lanes >> lane & 1:
            s.lreg[vd, lane] = (s.lreg[vd, lane] & keep) | value
    return OK
