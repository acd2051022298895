"""A loop in which a core polls: what it consists of, what it looks at, how to go through it again.

It is noted instruction by instruction (``state.poll``), while the core is stepped as ever. Words
that it looks at are L1's, those of the core's own RAM, and registers that are only read: the NoC's,
streams' and semaphores. It may look at the clock, too (``clock_waits.py``). Loops that look at
anything else cannot be noted.
"""

from typing import Final

from tilelab.riscv.fields import Major, access_bytes, major, rd
from tilelab.sim.kernel import OK, WORD, kernel
from tilelab.tensix.riscv.core import fetch_index, step
from tilelab.tensix.riscv.debug_hardware import LOADS, NO_ACCESS, access_of
from tilelab.tensix.riscv.memory_map import mmio_read
from tilelab.tensix.run.polls.clock_waits import (
    begin_clocked,
    follow,
    follow_load,
    load_clock,
    looks_at_clock,
)
from tilelab.tensix.state.engine_notes import LOOP_SLOTS, POLLED_SLOTS
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.ethernet_registers import QUEUES, REGISTERS_END
from tilelab.tensix.tables.figures import SEMAPHORES as SEMAPHORE_COUNT
from tilelab.tensix.tables.tile_registers import LOCAL_RAM, NOC, NOC_END, PC_BUF, SEMAPHORES
from tilelab.tensix.words.origin import BRISC

PRIVATE: Final = 1 << 29
REGISTER: Final = 1 << 30
"""In the index of a word: it is in the core's own RAM, or a register, not in L1."""
ALONE: Final = (
    *(Major.FENCE, Major.IMMEDIATE, Major.REGISTER, Major.LUI, Major.AUIPC),
    *(Major.BRANCH, Major.JAL, Major.JALR),
)
"""Instructions that look at nothing but registers and change nothing else."""


@kernel
def word_at(s: State, core: int, index: int) -> int:
    """A word of L1 or of a core's own RAM, or a register."""
    if index >= REGISTER:
        _, value = mmio_read(s, core, (index - REGISTER) << 2)
        return value
    word: int = s.riscv[core].local_ram[index - PRIVATE] if index >= PRIVATE else s.l1_32[index]
    return word


@kernel
def only_read(core: int, address: int) -> int:
    """Whether an address is that of a register that loads leave as it is, and cores poll."""
    if NOC <= address < NOC_END or QUEUES <= address < REGISTERS_END:
        return 1
    offset = address - PC_BUF - SEMAPHORES
    return 1 if core < BRISC and 0 <= offset < 4 * SEMAPHORE_COUNT else 0


@kernel
def index_of(s: State, core: int, kind: int, address: int) -> int:
    """The index of a word that a loop looks at, or -1 if it cannot be one of polling."""
    if address < s.arch.l1_size:
        return address >> 2
    if LOCAL_RAM <= address < LOCAL_RAM + s.arch.local_ram[core]:
        return PRIVATE + ((address - LOCAL_RAM) >> 2)
    if kind == LOADS and only_read(core, address):
        status, _ = mmio_read(s, core, address)
        return REGISTER + (address >> 2) if status == OK else -1
    return -1


@kernel
def note_word(s: State, core: int, index: int) -> int:
    """Note that a loop looks at a word: whether that can be noted."""
    poll = s.poll[core]
    value = word_at(s, core, index)
    for i in range(poll.words):
        if poll.index[i] == index:
            return 1 if poll.value[i] == value else 0
    if poll.words == POLLED_SLOTS:
        return 0
    poll.index[poll.words] = index
    poll.value[poll.words] = value
    poll.words += 1
    return 1


@kernel
def begin_loop(s: State, core: int) -> int:
    """Begin to note a loop where a core is."""
    poll = s.poll[core]
    poll.length = 0
    poll.start = 0
    poll.words = 0
    poll.turns = 0
    poll.clocked = 0
    return keep_registers(s, core)


@kernel
def note_instruction(s: State, core: int) -> int:
    """Note a core's next instruction as one of a loop: whether it can be.

    2 if it counts an effect that does not matter: a look at the clock.
    """
    poll = s.poll[core]
    pc = s.riscv[core].pc
    at = fetch_index(s, core, pc)
    if at < 0 or poll.length == LOOP_SLOTS:
        return 0
    if poll.length and (pc != poll.next or s.clock != poll.since):
        return 0  # it was stopped and started meanwhile
    word = s.l1_32[at]
    kind, address = access_of(s, core, word)
    clock = looks_at_clock(s, core, kind, address, word)
    if clock and not poll.clocked:
        begin_loop(s, core)
        begin_clocked(s, core)
    poll.pc[poll.length] = pc
    poll.code[poll.length] = word
    poll.length += 1
    if clock:
        return follow_load(s, core, address, word)
    if poll.clocked and not follow(s, core, word):
        return 0
    if kind != NO_ACCESS:
        size = access_bytes(word)
        index = index_of(s, core, kind, address)
        if index < 0 or address & (size - 1) or (index >= REGISTER and size < 4):
            return 0
        return note_word(s, core, index)
    return 1 if major(word) in ALONE else 0


@kernel
def unchanged(s: State, core: int) -> int:
    """Whether a loop's words, and its instructions, are what they were."""
    poll = s.poll[core]
    for i in range(poll.words):
        if word_at(s, core, poll.index[i]) != poll.value[i]:
            return 0
    for i in range(poll.length):
        if s.l1_32[fetch_index(s, core, poll.pc[i])] != poll.code[i]:
            return 0
    return 1


@kernel
def stands(s: State, core: int, which: int) -> int:
    """Whether a core is where its loop was begun, and has the registers that are named by bits."""
    poll = s.poll[core]
    hart = s.riscv[core]
    if hart.pc != poll.pc[poll.start]:
        return 0
    for i in range(32):
        if hart.x[i] != poll.x[i] and which >> i & 1:
            return 0
    return 1


@kernel
def came_round(s: State, core: int) -> int:
    """Whether a core has gone through its loop and begins it as it did before.

    Of one that looks at the clock, those registers count that it does not set before it looks at
    them; none of them may move.
    """
    poll = s.poll[core]
    if not poll.clocked:
        return stands(s, core, WORD)
    return 0 if poll.used & poll.moving else stands(s, core, poll.used | ~poll.set & WORD)


@kernel
def keep_registers(s: State, core: int) -> int:
    """Note the registers with which a loop is begun."""
    for i in range(32):
        s.poll[core].x[i] = s.riscv[core].x[i]
    return OK


@kernel
def reads_itself(s: State, core: int) -> int:
    """Whether a loop looks at its own instructions: :func:`swap` takes them for two."""
    poll = s.poll[core]
    for i in range(poll.words):
        for k in range(poll.length):
            if poll.index[i] == fetch_index(s, core, poll.pc[k]):
                return 1
    return 0


@kernel
def swap(s: State, core: int) -> int:
    """Exchange a loop's words, and its instructions, with what they were when it was noted.

    All but registers.
    """
    poll = s.poll[core]
    for i in range(poll.words):
        index = poll.index[i]
        if index >= REGISTER:
            continue
        value = word_at(s, core, index)
        if index >= PRIVATE:
            s.riscv[core].local_ram[index - PRIVATE] = poll.value[i]
        else:
            s.l1_32[index] = poll.value[i]
        poll.value[i] = value
    for i in range(poll.length):
        at = fetch_index(s, core, poll.pc[i])
        word = s.l1_32[at]
        s.l1_32[at] = poll.code[i]
        poll.code[i] = word
    return OK


@kernel
def step_again(s: State, core: int, clock: int) -> int:
    """Execute an instruction of a loop whose words are what they were; registers, as they were.

    The clock is as given.
    """
    poll = s.poll[core]
    hart = s.riscv[core]
    word = s.l1_32[fetch_index(s, core, hart.pc)]
    _, address = access_of(s, core, word)
    if major(word) == Major.LOAD:
        if poll.clocked and load_clock(s, core, word, address, clock):
            return OK
        for i in range(poll.words):
            if poll.index[i] == REGISTER + (address >> 2):
                hart.x[rd(word)] = poll.value[i]
                hart.x[0] = 0
                hart.pc += 4
                hart.retired += 1
                return OK
    return step(s, core)
