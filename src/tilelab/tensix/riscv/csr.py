"""Control and status registers (Blackhole; Wormhole's cores have none).

Source: tt-isa-documentation, BabyRISCV/CSRs.md.

Not modelled: scratch registers, performance counters, memory attributes, floating-point and vector
state, NoC stream status; writing the cycle and instruction counters; freezing the status registers
(cfg0 bit 29). cfg0's other bits choose between ways to the same result, so they are kept only.
"""

from typing import Final

from tilelab.sim.checks import check, fault, fault2
from tilelab.sim.errors import UndefinedBehaviorError, UnimplementedFunctionalityError
from tilelab.sim.kernel import OK, WORD, kernel
from tilelab.tensix.riscv.push_instruction import queue_status
from tilelab.tensix.riscv.semantics import execute
from tilelab.tensix.state.records import State
from tilelab.tensix.words.origin import BRISC

MSTATUS: Final = 0x300
MISA: Final = 0x301
CFG0: Final = 0x7C0
MCYCLE, MCYCLEH = 0xB00, 0xB80
MINSTRET, MINSTRETH = 0xB02, 0xB82
TT_CFG_QSTATUS: Final = 0xBC0
TT_CFG_BSTATUS: Final = 0xBC1
CYCLE, CYCLEH = 0xC00, 0xC80
INSTRET, INSTRETH = 0xC02, 0xC82
MHARTID: Final = 0xF14
CFG0_FREEZES_STATUS: Final = 1 << 29
CFG0_NO_DATA_CACHE: Final = 1 << 3
"""DisLowCash: loads from L1 do not use the core's data cache (Blackhole)."""
QUEUE_BITS: Final = 11

CSR_NOT_MODELLED = check(
    "csr-not-modelled",
    UnimplementedFunctionalityError,
    "CSR {value:#05x} is not modelled",
    page="BabyRISCV/CSRs.md",
)
CSR_READ_ONLY = check(
    "csr-read-only",
    UndefinedBehaviorError,
    "CSR {value:#05x} cannot be written",
    page="BabyRISCV/CSRs.md",
)
CFG0_NOT_MODELLED = check(
    "cfg0-not-modelled",
    UnimplementedFunctionalityError,
    "writing {value2:#x} to cfg0 (CSR {value:#05x}) freezes the status CSRs: not modelled",
    page="BabyRISCV/CSRs.md",
)


@kernel
def _status(s: State, core: int, gap: int) -> int:
    """Own queue status, and from bit ``QUEUE_BITS + gap`` on that of all threads together."""
    every = 0
    for t in range(s.arch.threads):
        every |= queue_status(s, t)
    own = every if core >= BRISC else queue_status(s, core)
    s.effects += 1
    return own | every << (QUEUE_BITS + gap)


@kernel
def read_csr(s: State, core: int, csr: int) -> tuple[int, int]:
    """The value of a CSR: ``(status, value)``."""
    value = 0
    if csr == CFG0:
        value = s.riscv[core].cfg0
    elif csr == TT_CFG_QSTATUS:
        # whether some lane of the vector unit executes (``sfpu_cc``)
        lanes = 1 if not s.vector.use_lane_flags or s.vector.lane_flags else 0
        value = _status(s, core, 2) | lanes << 11 | lanes << 24
    elif csr == TT_CFG_BSTATUS:
        value = _status(s, core, 0)
    elif csr == MCYCLE or csr == CYCLE or csr == MCYCLEH or csr == CYCLEH:
        s.private_effects += 1
        value = s.clock >> 32 if csr & 0x80 else s.clock & WORD
    elif csr == MINSTRET or csr == INSTRET or csr == MINSTRETH or csr == INSTRETH:
        s.private_effects += 1
        value = s.riscv[core].retired >> 32 if csr & 0x80 else s.riscv[core].retired & WORD
    elif csr == MSTATUS:
        value = 0x80006600
    elif csr == MISA:
        value = 0x40201123
    elif csr != MHARTID:
        return fault(s, CSR_NOT_MODELLED, csr), 0
    return OK, value


@kernel
def write_csr(s: State, core: int, csr: int, value: int) -> int:
    """Write a CSR."""
    if csr == CFG0:
        if value & CFG0_FREEZES_STATUS:
            return fault2(s, CFG0_NOT_MODELLED, csr, value)
        s.riscv[core].cfg0 = value
        return OK
    if csr == MSTATUS or csr == MISA or csr == MHARTID:
        return fault(s, CSR_READ_ONLY, csr)
    if csr == TT_CFG_QSTATUS or csr == TT_CFG_BSTATUS:
        return fault(s, CSR_READ_ONLY, csr)
    if csr == CYCLE or csr == CYCLEH or csr == INSTRET or csr == INSTRETH:
        return fault(s, CSR_READ_ONLY, csr)
    return fault(s, CSR_NOT_MODELLED, csr)


@kernel
def _modify(s: State, core: int, rd: int, csr: int, clear: int, put: int, write: int) -> int:
    """``rd = csr``; then, if ``write``, ``csr = csr & ~clear | put``."""
    status, old = read_csr(s, core, csr)
    if status == OK and write:
        status = write_csr(s, core, csr, (old & ~clear) | put)
    if status == OK:
        s.riscv[core].x[rd] = old
    return status


@execute("csrrw")
def csrrw(s: State, core: int, rd: int, rs1: int, csr: int) -> int:
    """Swap a register with a CSR."""
    return _modify(s, core, rd, csr, WORD, s.riscv[core].x[rs1], 1)


@execute("csrrs")
def csrrs(s: State, core: int, rd: int, rs1: int, csr: int) -> int:
    """Read a CSR, then set bits of it; with x0 it only reads."""
    return _modify(s, core, rd, csr, 0, s.riscv[core].x[rs1], rs1)


@execute("csrrc")
def csrrc(s: State, core: int, rd: int, rs1: int, csr: int) -> int:
    """Read a CSR, then clear bits of it; with x0 it only reads."""
    return _modify(s, core, rd, csr, s.riscv[core].x[rs1], 0, rs1)


@execute("csrrwi")
def csrrwi(s: State, core: int, rd: int, value: int, csr: int) -> int:
    """Read a CSR, then write a constant."""
    return _modify(s, core, rd, csr, WORD, value, 1)


@execute("csrrsi")
def csrrsi(s: State, core: int, rd: int, value: int, csr: int) -> int:
    """Read a CSR, then set the bits of a constant."""
    return _modify(s, core, rd, csr, 0, value, value)


@execute("csrrci")
def csrrci(s: State, core: int, rd: int, value: int, csr: int) -> int:
    """Read a CSR, then clear the bits of a constant."""
    return _modify(s, core, rd, csr, value, 0, value)
