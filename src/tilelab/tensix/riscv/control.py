"""Jumps, upper immediates and environment calls.

Source: RISC-V unprivileged specification, chapter RV32I. A jump to an address that holds no
instruction is reported when the core fetches there.
"""

from tilelab.sim.checks import Policy, check, fault, refuse
from tilelab.sim.errors import UndefinedBehaviorError, UnsupportedFunctionalityError
from tilelab.sim.kernel import OK, WORD
from tilelab.tensix.riscv.debug_hardware import EBREAK_HIT, halt
from tilelab.tensix.riscv.semantics import execute
from tilelab.tensix.state.records import State

EBREAK = check(
    "ebreak",
    UndefinedBehaviorError,
    "ebreak at {value:#x}: an assertion of the kernel's own failed",
    cure="look at the condition in the function named above (vendor kernels: LLK_ASSERT)",
    policy=Policy.ERROR,
)
ECALL = check(
    "ecall",
    UnsupportedFunctionalityError,
    "ecall at {value:#x}: hardware pauses the core for a debugger",
)


@execute("lui")
def lui(s: State, core: int, rd: int, upper: int) -> int:
    """Load the upper 20 bits."""
    s.riscv[core].x[rd] = upper
    return OK


@execute("auipc")
def auipc(s: State, core: int, rd: int, upper: int) -> int:
    """Add upper 20 bits to pc."""
    s.riscv[core].x[rd] = (s.riscv[core].pc + upper) & WORD
    return OK


@execute("jal")
def jal(s: State, core: int, rd: int, target: int) -> int:
    """Jump relative to pc, keeping the return address."""
    hart = s.riscv[core]
    hart.x[rd] = (hart.pc + 4) & WORD
    hart.pc = (hart.pc + target) & WORD
    return OK


@execute("jalr")
def jalr(s: State, core: int, rd: int, rs1: int, offset: int) -> int:
    """Jump to a register plus offset, keeping the return address."""
    hart = s.riscv[core]
    destination = (hart.x[rs1] + offset) & WORD & ~1
    hart.x[rd] = (hart.pc + 4) & WORD
    hart.pc = destination
    return OK


@execute("ebreak")
def ebreak(s: State, core: int) -> int:
    """Halt for a debugger: compiled kernels end here if an assertion of theirs fails."""
    if refuse(s, EBREAK, s.riscv[core].pc):
        return EBREAK
    return halt(s, core, EBREAK_HIT)


@execute("ecall")
def ecall(s: State, core: int) -> int:
    """Stop: nobody is there to call."""
    return fault(s, ECALL, s.riscv[core].pc)
