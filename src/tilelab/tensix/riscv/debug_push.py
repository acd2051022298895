"""Words that a host pushes to a thread by the debug registers, when no core does.

RISCV_DEBUG_REG_DBG_INSTRN_BUF_CTRL0 takes a thread's FIFO over and pushes the word in CTRL1; STATUS
tells of the FIFOs. The words enter after the MOP expander, as BRISC's do.

Source: tt-isa-documentation, PushTensixInstruction.md. Not modelled: that words of the cores may be
lost while a host has the FIFO; none is.
"""

from typing import Final

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import UndefinedBehaviorError
from tilelab.sim.kernel import OK
from tilelab.tensix.frontend.fifo import LATE_CAPACITY, push_late
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.tile_registers import DEBUG_REGISTERS
from tilelab.tensix.words.origin import HOST, origin_of

CTRL0: Final = DEBUG_REGISTERS + 0xA0
CTRL1: Final = DEBUG_REGISTERS + 0xA4
STATUS: Final = DEBUG_REGISTERS + 0xA8

FIFO_FULL = check(
    "debug-push-full",
    UndefinedBehaviorError,
    "RISCV_DEBUG_REG_DBG_INSTRN_BUF_CTRL0 ({value:#x}) pushes to a thread whose FIFO is full",
    page="BabyRISCV/PushTensixInstruction.md",
    cure="wait for the thread's low bit in RISCV_DEBUG_REG_DBG_INSTRN_BUF_STATUS",
)


def read_status(s: State) -> int:
    """Which threads' FIFOs have room (bits 0 to 2), and which are empty (bits 4 to 6)."""
    status = 0
    for t in range(s.arch.threads):
        count = s.frontend[t].late_fifo.count
        status |= int(count < LATE_CAPACITY) << t | int(count == 0) << 4 + t
    return status


def write_control(s: State, value: int) -> int:
    """Write CTRL0: push where a push bit rises and the FIFO is taken over."""
    index = CTRL0 - DEBUG_REGISTERS >> 2
    before = int(s.debug_register[index])
    word = int(s.debug_register[CTRL1 - DEBUG_REGISTERS >> 2])
    for t in range(s.arch.threads):
        if value >> t & 1 and (value & ~before) >> 4 + t & 1:
            code = push_late(s, t, word, origin_of(HOST, 0))
            if code < OK:  # a wait, of a core
                return fault(s, FIFO_FULL, value)
            if code != OK:
                return code
            s.effects += 1
    s.debug_register[index] = value
    return OK
