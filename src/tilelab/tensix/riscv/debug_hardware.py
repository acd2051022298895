"""The cores' debug hardware: halt, step, go on, registers and memory, eight watchpoints each.

A host reaches it through four tile registers. RISC_DBG_CNTL_0 selects a core and one of its debug
registers and triggers a read or a write; RISC_DBG_CNTL_1 is what is written; RISC_DBG_STATUS_0
says that a read is done, RISC_DBG_STATUS_1 what it gave.

A halted core does not run; everything else does. Watchpoints and steps look at a core where a
round ends, so a core halts before the instruction at a watched address, and after the one whose
load or store was watched.

Sources: tt-isa-documentation, BabyRISCV/DebugInterface.md; tt-exalens, baby_risc_debug.py.

Not modelled: a core that writes these registers itself; debug mode, without which some of this
locks real hardware up. Blackhole takes two STEP commands for an instruction, as the vendor's tools
have found.
"""

from typing import Final

from tilelab.riscv.fields import Major, i_offset, major, rs1, s_offset
from tilelab.sim.checks import check, fault
from tilelab.sim.errors import UndefinedBehaviorError
from tilelab.sim.kernel import OK, WORD, kernel
from tilelab.tensix.riscv.load_store import load, store
from tilelab.tensix.state.records import State
from tilelab.tensix.state.stop_notes import CORES_WATCHED, WATCHPOINTS
from tilelab.tensix.tables.tile_registers import DEBUG_REGISTERS
from tilelab.tensix.words.origin import BRISC

CNTL_0: Final = DEBUG_REGISTERS + 0x80
CNTL_1: Final = DEBUG_REGISTERS + 0x84
STATUS_0: Final = DEBUG_REGISTERS + 0x88
STATUS_1: Final = DEBUG_REGISTERS + 0x8C
READ_DONE: Final = 1 << 30
TRIGGER: Final = 1 << 31
WRITE: Final = 1 << 16
CORE_SHIFT: Final = 17
CORES: Final = (BRISC, 0, 1, 2)
"""Which core CNTL_0 selects, by number."""
CORE_COUNT: Final = len(CORES)

STATUS, COMMAND, ARGUMENT, RESULT, SETTINGS, WATCH = 0, 1, 2, 4, 5, 10

HALT: Final = 0x1
STEP: Final = 0x2
CONTINUE: Final = 0x4
READ_REGISTER: Final = 0x8
WRITE_REGISTER: Final = 0x10
READ_MEMORY: Final = 0x20
WRITE_MEMORY: Final = 0x40
FLUSH: Final = 0x100

HALTED: Final = 0x1
PC_HIT: Final = 0x2
MEMORY_HIT: Final = 0x4
EBREAK_HIT: Final = 0x8

ENABLED: Final = 8
NO_ACCESS: Final = 0
LOADS: Final = 1
STORES: Final = 2
"""What an instruction does; in a watchpoint's settings, the bits that say what it is to hit."""
PC_NUMBER: Final = 32

NO_REGISTER = check(
    "debug-register",
    UndefinedBehaviorError,
    "{value:#010x} in RISC_DBG_CNTL_0 selects no debug register of a core",
    page="BabyRISCV/DebugInterface.md",
)


@kernel
def halt(s: State, core: int, why: int) -> int:
    """Halt a core, and note why."""
    debug = s.riscv[core].debug
    debug.halted = 1
    debug.stepping = 0
    debug.status |= why
    s.riscv[core].running = 0
    s.engine.shown = 1
    s.effects = s.effects + 1
    return OK


@kernel
def go_on(s: State, core: int, stepping: int) -> None:
    """Let a halted core run again, for one instruction or until something halts it."""
    debug = s.riscv[core].debug
    debug.halted = 0
    debug.steps = 0
    debug.stepping = stepping
    debug.status = 0
    debug.executed = s.riscv[core].retired
    debug.next_hits = next_hits(s, core)
    s.riscv[core].running = 1
    s.effects = s.effects + 1


@kernel
def next_access(s: State, core: int) -> tuple[int, int]:
    """What a core's next instruction does: NO_ACCESS, LOADS or STORES, and the address."""
    pc = s.riscv[core].pc
    if pc & 3 or pc >= s.arch.l1_size:
        return NO_ACCESS, 0
    return access_of(s, core, s.l1_32[pc >> 2])


@kernel
def access_of(s: State, core: int, word: int) -> tuple[int, int]:
    """What an instruction would do if a core executed it now, as :func:`next_access` says it."""
    opcode = major(word)
    if opcode != Major.LOAD and opcode != Major.STORE:
        return NO_ACCESS, 0
    offset = s_offset(word) if opcode == Major.STORE else i_offset(word)
    address = (s.riscv[core].x[rs1(word)] + offset) & WORD
    return STORES if opcode == Major.STORE else LOADS, address


@kernel
def next_hits(s: State, core: int) -> int:
    """Bits of the watchpoints that a core's next instruction will hit with a load or store."""
    debug = s.riscv[core].debug
    if debug.settings == 0:
        return 0
    kind, address = next_access(s, core)
    hits = 0
    for i in range(WATCHPOINTS):
        setting = debug.settings >> 4 * i & 0xF
        if setting & ENABLED and setting & kind and debug.watch[i] == address:
            hits |= 1 << i
    return hits


@kernel
def pc_hits(s: State, core: int) -> int:
    """Bits of the watchpoints that a core's program counter hits."""
    debug = s.riscv[core].debug
    hits = 0
    for i in range(WATCHPOINTS):
        if debug.settings >> 4 * i & 0xF == ENABLED and debug.watch[i] == s.riscv[core].pc:
            hits |= 1 << i
    return hits


@kernel
def watch_core(s: State, core: int) -> None:
    """Look at a core that has executed an instruction: halt it if that was to be."""
    debug = s.riscv[core].debug
    if debug.next_hits:
        halt(s, core, MEMORY_HIT | debug.next_hits << 8)
    hits = pc_hits(s, core)
    if hits:
        halt(s, core, PC_HIT | hits << 8)
    if debug.stepping:
        halt(s, core, 0)
    debug.executed = s.riscv[core].retired
    debug.next_hits = next_hits(s, core)


@kernel
def watch_cores(s: State) -> None:
    """Look at every core whose debug hardware waits for something; where a round ends."""
    for core in range(s.arch.cores):
        debug = s.riscv[core].debug
        if debug.settings or debug.stepping:
            if s.riscv[core].running and debug.executed != s.riscv[core].retired:
                watch_core(s, core)


@kernel
def update_attention(s: State) -> None:
    """Have the end of every round looked at while a core's debug hardware waits for something."""
    wanted = 0
    for core in range(s.arch.cores):
        if s.riscv[core].debug.settings or s.riscv[core].debug.stepping:
            wanted = CORES_WATCHED
    s.engine.attention = (s.engine.attention & ~CORES_WATCHED) | wanted


@kernel
def command(s: State, core: int, value: int) -> int:
    """Carry out what is written to a core's command register; OK or a failed check's code."""
    hart = s.riscv[core]
    debug = hart.debug
    number = debug.argument[0]
    given = debug.argument[1]
    if value & HALT and hart.running:
        halt(s, core, 0)
    if value & CONTINUE and debug.halted:
        go_on(s, core, 0)
    if value & STEP and debug.halted:
        debug.steps = debug.steps + 1
        if debug.steps >= s.arch.debug_steps:
            go_on(s, core, 1)
    if value & READ_REGISTER:
        debug.result = hart.pc if number == PC_NUMBER else hart.x[number & 31]
    if value & WRITE_REGISTER and number == PC_NUMBER:
        hart.pc = given
    elif value & WRITE_REGISTER and number & 31:
        hart.x[number & 31] = given
    if value & FLUSH:
        hart.pc = given
    if value & READ_MEMORY:
        code, found = load(s, core, number, 4)
        if code != OK:
            return code
        debug.result = found
    if value & WRITE_MEMORY:
        return store(s, core, number, 4, given)
    return OK


@kernel
def read_register(s: State, core: int, number: int) -> int:
    """A debug register of a core; -1 if there is none of that number."""
    debug = s.riscv[core].debug
    if number == STATUS:
        return debug.status | (HALTED if debug.halted else 0)
    if number == RESULT:
        return debug.result
    if number == SETTINGS:
        return debug.settings
    if number in (ARGUMENT, ARGUMENT + 1):
        return debug.argument[number - ARGUMENT]
    if WATCH <= number < WATCH + WATCHPOINTS:
        return debug.watch[number - WATCH]
    return 0 if number == COMMAND else -1


@kernel
def write_register(s: State, core: int, number: int, value: int) -> int:
    """Write a debug register of a core; OK, a failed check's code, or -1 if there is none."""
    debug = s.riscv[core].debug
    if number == COMMAND:
        return command(s, core, value)
    if number in (ARGUMENT, ARGUMENT + 1):
        debug.argument[number - ARGUMENT] = value
    elif number == SETTINGS:
        debug.settings = value
        debug.executed = s.riscv[core].retired
        debug.next_hits = next_hits(s, core)
    elif WATCH <= number < WATCH + WATCHPOINTS:
        debug.watch[number - WATCH] = value
    elif number != STATUS and number != RESULT:
        return -1
    return OK


@kernel
def write_control(s: State, value: int) -> int:
    """Write RISC_DBG_CNTL_0; OK or a failed check's code."""
    s.debug_register[(STATUS_0 - DEBUG_REGISTERS) >> 2] = 0
    if not value & TRIGGER:
        s.debug_register[(STATUS_0 - DEBUG_REGISTERS) >> 2] = READ_DONE
        return OK
    selected = value >> CORE_SHIFT & 0x1F
    if selected >= CORE_COUNT:
        return fault(s, NO_REGISTER, value)
    core = CORES[selected]
    number = value & 0xFFFF
    if value & WRITE:
        given = s.debug_register[(CNTL_1 - DEBUG_REGISTERS) >> 2]
        code = write_register(s, core, number, given)
    else:
        found = read_register(s, core, number)
        code = OK if found >= 0 else -1
        s.debug_register[(STATUS_1 - DEBUG_REGISTERS) >> 2] = max(found, 0)
        s.debug_register[(STATUS_0 - DEBUG_REGISTERS) >> 2] = READ_DONE
    update_attention(s)
    return fault(s, NO_REGISTER, value) if code < OK else code
