"""What the checker does where threads, cores and units synchronise, and at cores' accesses."""

from typing import Final

from tilelab.check.accesses import report, report_of, unknown
from tilelab.check.counters import counts, sees_counter
from tilelab.check.knowledge import (
    acquire,
    acquire_bank,
    acts,
    join,
    learn_core,
    learns,
    learnt,
    note,
    release,
    release_bank,
)
from tilelab.check.l1 import (
    COUNTERS,
    COUNTERS_END,
    bytes_of,
    holds_already,
    l1_conflict,
    orders_itself,
    overwrites,
    writes_granule,
)
from tilelab.check.looking import sees_store
from tilelab.check.noc import learn_from_other, looks, sees_interface
from tilelab.check.rules import NOT_HELD, STACK_OVER, UNINIT_L1, UNINIT_PRIVATE
from tilelab.check.shadow import (
    ACTOR_MASK,
    CORE_ACTOR,
    CORE_PIPE,
    EPOCH_SHIFT,
    GRANULE_SHIFT,
    L1_STORE_ACTOR,
    NOC_LAND_PIPE,
    OF_MAILS,
    OF_MUTEXES,
    OTHER_ACTOR,
    PC_SHIFT,
    STORES,
    TO_MATRIX,
    TO_UNPACKERS,
)
from tilelab.check.stores import reads_back, reads_l1_back, released, stores_to_registers
from tilelab.check.view import Checking, epoch_of
from tilelab.sim.fifo import slot
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.mailboxes import CAPACITY, partner
from tilelab.tensix.backend.src_registers import SRCS
from tilelab.tensix.frontend.fifo import unfinished
from tilelab.tensix.state.layout import CORES, THREADS
from tilelab.tensix.tables.tile_registers import (
    DEBUG_REGISTERS,
    LOCAL_RAM,
    NOC,
    PC_BUF,
    SEMAPHORES,
    SOFT_RESET_0,
    STREAMS,
    TENSIX_SYNC,
)
from tilelab.tensix.words.origin import BRISC, origin_of

STACK: Final = 2
"""The register that the stack is at."""


@kernel
def as_core(s: Checking, core: int) -> None:
    """It is a core that acts now."""
    pc = s.riscv[core].pc
    mark = pc << PC_SHIFT | s.shadow.core_now[core] << EPOCH_SHIFT | CORE_ACTOR + core
    acts(s, THREADS + core, CORE_PIPE, mark, 0, origin_of(core, pc))


@kernel
def reads_register(s: Checking, core: int, address: int) -> int:
    """A core loads what is neither L1 nor its own RAM."""
    as_core(s, core)
    offset = address - PC_BUF
    if core != BRISC and offset == TENSIX_SYNC and not unfinished(s, core):
        synchronised(s, core)
    if core != BRISC and SEMAPHORES <= offset < SEMAPHORES + 32:
        acquire(s, THREADS + core, offset - SEMAPHORES >> 2)
    if NOC <= address < STREAMS:
        sees_interface(s, THREADS + core, address - NOC)
    return reads_back(s, core, address)


@kernel
def synchronised(s: Checking, core: int) -> int:
    """A TRISC has waited until all of its thread's instructions are over."""
    c = s.shadow
    row = THREADS + core
    join(c.known[row], c.known[core])
    c.loads_over[core] = c.now
    for pipe in range(CORE_PIPE):
        actor = pipe * 4 + core
        c.known[row].of[actor] = max(c.known[row].of[actor], c.last[actor])
    return learnt(s, row)


@kernel
def writes_register(s: Checking, core: int, address: int, value: int) -> None:
    """A core stores to what is neither L1 nor its own RAM."""
    as_core(s, core)
    if address == DEBUG_REGISTERS + SOFT_RESET_0:
        for other in range(s.arch.cores):  # who is released now comes after all that
            if other != core and not s.riscv[other].running:
                learn_core(s, THREADS + other, core, s.shadow.core_now[core])
                released(s, THREADS + other, core)
    s.shadow.core_now[core] += 1
    as_core(s, core)
    stores_to_registers(s, core, address)


@kernel
def loads(s: Checking, core: int, address: int, size: int) -> int:
    """A core loads from anywhere."""
    c = s.shadow
    if address < s.arch.l1_size:
        granule = address >> GRANULE_SHIFT
        if COUNTERS <= address < COUNTERS_END:
            as_core(s, core)
            sees_counter(s, core, address - COUNTERS >> 2)
        reads_l1_back(s, core)
        mark = s.shadow_writer[granule]
        if mark & ACTOR_MASK == CORE_ACTOR + core:
            return OK
        as_core(s, core)
        if mark == 0:
            return report(s, UNINIT_L1, granule << GRANULE_SHIFT, 0)
        pipe = (mark & ACTOR_MASK) >> 2
        if orders_itself(pipe) or pipe == NOC_LAND_PIPE:
            learn_from(s, core, sees_store(s, core, address, mark))
        elif unknown(s, mark):
            mine = bytes_of(granule, address, address + size - 1)
            if s.shadow_bytes[granule] & mine:
                l1_conflict(s, granule, mark)
        s.shadow_reader[granule] = c.mark
        return OK
    if LOCAL_RAM <= address < LOCAL_RAM + s.arch.local_ram[core]:
        if not c.private_written[core, address - LOCAL_RAM >> 2]:
            as_core(s, core)
            report(s, UNINIT_PRIVATE, address, 0)
    else:
        as_core(s, core)  # Dst, by its window
    return OK


@kernel
def learn_from(s: Checking, core: int, mark: int) -> int:
    """A core has read from L1 what another core, or a thread's scalar unit, wrote."""
    c = s.shadow
    row = THREADS + core
    actor = mark & ACTOR_MASK
    epoch = epoch_of(mark)
    if CORE_ACTOR <= actor < CORE_ACTOR + s.arch.cores:
        learns(s, row, L1_STORE_ACTOR + actor - CORE_ACTOR, epoch)
    if c.known[row].of[actor] >= epoch:
        return OK
    if actor >= CORE_ACTOR:
        if actor < CORE_ACTOR + s.arch.cores:
            return learn_core(s, row, actor - CORE_ACTOR, epoch)
        if actor >> 2 == NOC_LAND_PIPE:
            return looks(s, row, actor, epoch)
        return learn_from_other(s, row, epoch) if actor == OTHER_ACTOR else OK
    thread = actor & 3
    join(c.known[row], c.known[thread])
    c.known[row].of[actor] = max(c.known[row].of[actor], epoch)
    return learnt(s, row)


@kernel
def stores(s: Checking, core: int, address: int, size: int, value: int) -> None:
    """A core stores to anywhere."""
    c = s.shadow
    if address < s.arch.l1_size:
        c.core_now[core] += 1
        c.stored[core] = c.core_now[core]
        as_core(s, core)
        noted = c.stored_count[core] & (STORES - 1)
        c.stored_count[core] += 1
        c.stored_at[core, noted] = address >> 2
        c.stored_mark[core, noted] = c.mark
        if COUNTERS <= address < COUNTERS_END and size == 4:
            counts(s, core, address - COUNTERS >> 2, value)
        granule = address >> GRANULE_SHIFT
        overwrites(s, address, size, value)
        if s.shadow_writer[granule] == 0 or not holds_already(s, address, size, value):
            writes_granule(s, granule, bytes_of(granule, address, address + size - 1))
        return
    if LOCAL_RAM <= address < LOCAL_RAM + s.arch.local_ram[core]:
        c.private_written[core, address - LOCAL_RAM >> 2] = 1
        stack = s.riscv[core].x[STACK]
        if LOCAL_RAM <= stack < c.variables_end[core]:
            c.variables_end[core] = 0
            as_core(s, core)
            report(s, STACK_OVER, stack, 0)
    else:
        as_core(s, core)


# ------------------------------------------------------------------ semaphores, mutexes, banks


@kernel
def takes_mutex(s: Checking, t: int, mutex_index: int) -> int:
    """A thread asks for a mutex: what it learns by asking, it knows when it has it."""
    note(s, s.shadow.mutex[mutex_index & 7])
    return acquire(s, s.shadow.row, OF_MUTEXES + (mutex_index & 7))


@kernel
def gives_mutex(s: Checking, t: int, mutex_index: int) -> int:
    """A thread gives a mutex back, if it has it."""
    index = mutex_index & 7
    if s.mutex[index] != t + 1:
        return report_of(s, NOT_HELD, index, s.shadow.mutex[index])
    return release(s, OF_MUTEXES + index)


@kernel
def gives_bank(s: Checking, t: int, unpacker: int, data_format: int) -> int:
    """An unpacker's bank goes to the matrix unit, filled."""
    bank = s.src[unpacker].unpack_bank
    note(s, s.shadow.given[unpacker][bank])
    s.shadow.src_holds[unpacker, bank] = data_format
    return release_bank(s, TO_MATRIX, unpacker, bank)


@kernel
def asks_src(s: Checking, which: int) -> None:
    """The matrix unit looks whether it owns the bank that it is at."""
    src = s.src[which]
    s.shadow.turned_mark[which] = 0  # the unit's words are in order
    if src.valid[src.matrix_bank]:
        acquire_bank(s, s.shadow.row, TO_MATRIX, which, src.matrix_bank)


@kernel
def clears_banks(s: Checking, t: int, clear: int) -> None:
    """The matrix unit gives banks back."""
    for which in SRCS:
        if clear >> which & 1:
            release_bank(s, TO_UNPACKERS, which, s.src[which].matrix_bank)
            s.shadow.turned_mark[which] = s.shadow.mark
            s.shadow.turned_issue[which] = s.shadow.issued[t]


@kernel
def asks_unpack_bank(s: Checking, unpacker: int, bank: int) -> None:
    """An unpacker looks whether it owns a bank."""
    if not s.src[unpacker].valid[bank]:
        acquire_bank(s, s.shadow.row, TO_UNPACKERS, unpacker, bank)


@kernel
def mail(s: Checking, to: int, sender: int, place: int) -> int:
    """Which object passes on what the sender of a word in a mailbox knew."""
    return OF_MAILS + (CORES * to + sender) * CAPACITY + slot(s.mailbox[to][sender], place)


@kernel
def writes_mailbox(s: Checking, core: int, instance: int, value: int) -> None:
    """A core puts a value into a mailbox, or finds it full."""
    to = partner(instance)
    note(s, s.shadow.mailed[to][core])
    count = s.mailbox[to][core].count
    if count < CAPACITY:
        release(s, mail(s, to, core, count))


@kernel
def reads_mailbox(s: Checking, core: int, instance: int) -> None:
    """A core takes a value from a mailbox, or finds it empty."""
    sender = partner(instance)
    if s.mailbox[core][sender].count:
        acquire(s, THREADS + core, mail(s, core, sender, 0))
