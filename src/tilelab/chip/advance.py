"""What a core of a chip in step executes in advance: instructions that nobody else can notice.

Such an instruction works on the core's registers and on its own RAM alone. A core executes those
that follow an instruction in one go, and is left alone for as many rounds. Whoever comes between
(a write to the tile, a look at a core's registers or RAM, a core that stops another one) has it
taken back to where it is: registers and RAM are made what they were, and as many instructions are
executed again as rounds have passed. Code that is changed in a tile by the tile itself, fewer than
:data:`~tilelab.chip.state.ADVANCE` instructions before a core executes it, may be executed
as it was, as on hardware, whose cores have instruction caches.
"""

from tilelab.chip.state import ADVANCE, NEVER, ChipState
from tilelab.riscv.fields import access_bytes
from tilelab.riscv.table import Format
from tilelab.sim.kernel import WORD, kernel
from tilelab.tensix.riscv.core import decoded, fetch_index, step
from tilelab.tensix.run.speed.generate_cores import PRIVATE_ALWAYS
from tilelab.tensix.state.layout import CORES
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.tile_registers import LOCAL_RAM
from tilelab.tensix.words.origin import BRISC

NO_STORE, NOT_PRIVATE = -1, -2


@kernel
def advance_privately(c: ChipState, s: State, k: int, core: int, first: int) -> int:
    """Execute what follows in advance; ``first``: the round that is the next one. How many."""
    hart = s.riscv[core]
    lead = c.lead[k]
    for i in range(32):
        lead.x[i] = hart.x[i]
    lead.pc = hart.pc
    lead.retired = hart.retired
    lead.first = first
    lead.stores = 0
    return run_private(c, s, k, core, ADVANCE)


def run_private(c: ChipState, s: State, k: int, core: int, most: int) -> int:
    """Execute a core's instructions for as long as nobody else can notice; how many those were.

    ``generate_cores`` writes what the fast engine runs.
    """
    lead = c.lead[k]
    for count in range(most):
        index = own_word(s, core)
        if index == NOT_PRIVATE:
            return count
        if index >= 0:
            lead.index[lead.stores] = index
            lead.word[lead.stores] = s.riscv[core].local_ram[index]
            lead.stores += 1
        step(s, core)
    return most


def own_word(s: State, core: int) -> int:
    """The word of its own RAM that a core's next instruction stores to, NO_STORE or NOT_PRIVATE."""
    index = fetch_index(s, core, s.riscv[core].pc)
    if index < 0:
        return NOT_PRIVATE
    word = s.l1_32[index]
    form, operands = decoded(s, word)
    if form in PRIVATE_ALWAYS:
        return NO_STORE
    if form not in (Format.LOAD, Format.STORE):
        return NOT_PRIVATE
    _register, base, offset = operands
    address = (s.riscv[core].x[base] + offset) & WORD
    inside = LOCAL_RAM <= address < LOCAL_RAM + s.arch.local_ram[core]
    if not inside or address & (access_bytes(word) - 1):
        return NOT_PRIVATE
    return (address - LOCAL_RAM) >> 2 if form is Format.STORE else NO_STORE


@kernel
def round_of(c: ChipState, i: int) -> int:
    """How many rounds of a tile are over; for a tile whose clock is under way, when that began."""
    return c.time + c.pace[i].more + (1 if i < c.turn else 0)


@kernel
def take_back(c: ChipState, s: State, k: int, core: int, now: int) -> None:
    """Put a core that has executed instructions in advance where it is after so many rounds."""
    hart = s.riscv[core]
    lead = c.lead[k]
    for i in range(lead.stores):
        last = lead.stores - 1 - i
        hart.local_ram[lead.index[last]] = lead.word[last]
    for i in range(32):
        hart.x[i] = lead.x[i]
    hart.pc = lead.pc
    hart.retired = lead.retired
    for _ in range(now - lead.first):
        step(s, core)
    lead.until = now
    lead.seen = NEVER  # whatever was seen was seen in advance


@kernel
def core_at(position: int) -> int:
    """The cores' order: BRISC, TRISC0 to 2, NCRISC."""
    if position == 0:
        return BRISC
    return position - 1 if position <= BRISC else position


@kernel
def take_cores_back(c: ChipState, s: State, i: int, position: int, now: int) -> int:
    """Put a tile's cores where they are in a round in which those before a position had their
    turn; whether any had executed something in advance.
    """
    taken = 0
    for at in range(CORES):
        core = core_at(at)
        k = CORES * i + core
        there = now + (1 if at < position else 0)
        if c.pace[i].running >> core & 1 and c.lead[k].until > there:
            take_back(c, s, k, core, there)
            taken = 1
    return taken
