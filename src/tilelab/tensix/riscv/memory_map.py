"""What loads and stores reach outside L1 and a core's own RAM.

Source: tt-isa-documentation, BabyRISCV/README.md ("Memory map") and the pages that it names; the
addresses are in ``tables/tile_registers.py``.

Not modelled: the FIFOs from BRISC to the TRISCs (PCBufs), the interrupt controller. What all cores
and the host share is in ``backend/register_map.py``, because instructions reach it too.
"""

from typing import Final

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import (
    UnimplementedFunctionalityError,
)
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.mailboxes import mailbox_has_value, read_mailbox, write_mailbox
from tilelab.tensix.backend.register_map import (
    UNMAPPED,
    WRITE_ONLY,
    read_config,
    read_shared,
    store_config,
    write_shared,
)
from tilelab.tensix.backend.sync_unit import get, post
from tilelab.tensix.frontend.fifo import mop_pending, unfinished
from tilelab.tensix.frontend.mop_expander import write_mop_cfg
from tilelab.tensix.riscv.mover_commands import is_mover_register, read_mover, write_mover
from tilelab.tensix.riscv.push_instruction import push_from
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.ethernet_registers import QUEUES, REGISTERS_END
from tilelab.tensix.tables.figures import SEMAPHORES as SEMAPHORE_COUNT
from tilelab.tensix.tables.tile_registers import (
    GPRS,
    INSTRN_BUF,
    INSTRN_BUF_END,
    MAILBOXES,
    MAILBOXES_END,
    MOP_CFG,
    MOP_SYNC,
    NOC,
    NOC_END,
    PAGE,
    PC_BUF,
    PC_BUF_END,
    SEMAPHORES,
    TENSIX_CFG,
    TENSIX_CFG_END,
    TENSIX_SYNC,
)
from tilelab.tensix.words.origin import BRISC, NCRISC
from tilelab.tensix.words.waits import WAIT_MOP_SYNC, WAIT_TENSIX_SYNC

MOP_CFG_WORDS: Final = 9
GPR_COUNT: Final = 64

PC_BUF_FIFO = check(
    "pc-buf-fifo",
    UnimplementedFunctionalityError,
    "the FIFO from BRISC to a TRISC at {value:#010x} is not modelled",
    page="BabyRISCV/PCBufs.md",
)

# PCBuf addresses: TTSync and semaphores for the TRISCs.


@kernel
def _read_pc_buf(s: State, core: int, address: int) -> tuple[int, int]:
    offset = address - PC_BUF
    if core == BRISC or offset == 0:
        return fault(s, PC_BUF_FIFO, address), 0
    if offset == TENSIX_SYNC:
        return WAIT_TENSIX_SYNC if unfinished(s, core) else OK, 0
    if offset == MOP_SYNC:
        return WAIT_MOP_SYNC if mop_pending(s, core) else OK, 0
    if SEMAPHORES <= offset < SEMAPHORES + 4 * SEMAPHORE_COUNT:
        return OK, s.semaphore[(offset - SEMAPHORES) >> 2].value
    return fault(s, UNMAPPED, address), 0


@kernel
def _write_pc_buf(s: State, core: int, address: int, value: int) -> int:
    offset = address - PC_BUF
    if core == BRISC:
        return fault(s, PC_BUF_FIFO, address)
    if offset == 0 or offset == TENSIX_SYNC or offset == MOP_SYNC:
        return OK  # discarded: only the load waits
    if SEMAPHORES <= offset < SEMAPHORES + 4 * SEMAPHORE_COUNT:
        s.effects += 1
        s.engine.shown = 1
        index = (offset - SEMAPHORES) >> 2
        return get(s, index) if value & 1 else post(s, index)
    return fault(s, UNMAPPED, address)


@kernel
def _gpr_index(s: State, core: int, address: int) -> int:
    """Which of all GPRs a core reaches at an address, or -1: BRISC sees all, a TRISC its own."""
    index = (address - GPRS) >> 2
    if core == BRISC:
        return index if index < s.arch.threads * GPR_COUNT else -1
    return core * GPR_COUNT + index if index < GPR_COUNT else -1


@kernel
def _read_outer(s: State, address: int) -> tuple[int, int]:
    """Load a word of what is not the coprocessor's: NCRISC reaches nothing else."""
    if is_mover_register(address):
        return read_mover(s, address)
    return read_shared(s, address)


@kernel
def _write_outer(s: State, core: int, address: int, value: int) -> int:
    """Store a word of what is not the coprocessor's."""
    if is_mover_register(address):
        return write_mover(s, address, value)
    if NOC <= address < NOC_END or QUEUES <= address < REGISTERS_END:
        s.noc.core = core
        s.noc.pc = s.riscv[core].pc
    return write_shared(s, address, value)


@kernel
def mmio_read(s: State, core: int, address: int) -> tuple[int, int]:
    """Load a word: ``(status, value)``. The address is a multiple of 4 outside L1 and own RAM."""
    if core == NCRISC or s.noc.ethernet:
        return _read_outer(s, address)
    if PC_BUF <= address < PC_BUF_END:
        return _read_pc_buf(s, core, address)
    if TENSIX_CFG <= address < TENSIX_CFG_END:
        return read_config(s, address)
    if GPRS <= address < GPRS + PAGE:
        index = _gpr_index(s, core, address)
        if index >= 0:
            return OK, s.gpr[index // GPR_COUNT, index % GPR_COUNT]
    if MAILBOXES <= address < MAILBOXES_END:
        instance = (address - MAILBOXES) >> 12
        if address & 4:
            return OK, mailbox_has_value(s, core, instance)
        return read_mailbox(s, core, instance)
    if MOP_CFG <= address < MOP_CFG + 4 * MOP_CFG_WORDS and core < BRISC:
        return fault(s, WRITE_ONLY, address), 0
    if INSTRN_BUF <= address < INSTRN_BUF_END:
        return fault(s, WRITE_ONLY, address), 0
    return _read_outer(s, address)


@kernel
def mmio_write(s: State, core: int, address: int, value: int) -> int:
    """Store a word. The address is a multiple of 4 outside L1 and own RAM."""
    if s.noc.ethernet:
        return _write_outer(s, core, address, value)
    if INSTRN_BUF <= address < INSTRN_BUF_END:
        return push_from(s, core, (address - INSTRN_BUF) >> 16, value)
    if MOP_CFG <= address < MOP_CFG + 4 * MOP_CFG_WORDS and core < BRISC:
        s.effects += 1
        return write_mop_cfg(s, core, (address - MOP_CFG) >> 2, value)
    if core == NCRISC:
        return _write_outer(s, core, address, value)
    if PC_BUF <= address < PC_BUF_END:
        return _write_pc_buf(s, core, address, value)
    if TENSIX_CFG <= address < TENSIX_CFG_END:
        return store_config(s, address, value)
    if GPRS <= address < GPRS + PAGE:
        index = _gpr_index(s, core, address)
        if index >= 0:
            s.gpr[index // GPR_COUNT, index % GPR_COUNT] = value
            s.l1_effects += 1
            return OK
    if MAILBOXES <= address < MAILBOXES_END:
        return write_mailbox(s, core, (address - MAILBOXES) >> 12, value)
    return _write_outer(s, core, address, value)
