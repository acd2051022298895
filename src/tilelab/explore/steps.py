"""How a schedule holds words and cores back: what stands for their execution.

In compiled code :func:`execute_word` and :func:`step_core` are what is generated for the chip.
"""

from typing import Final

from tilelab.explore.hooks import has_waited, is_config, stores
from tilelab.explore.late import (
    WRITES_BLINDLY,
    holds_back,
    is_of_unpackers,
    notes_bank,
    notes_reader,
    notes_result,
    remembers,
    settles,
    time_passes,
)
from tilelab.explore.plan import (
    ALL_WORDS,
    REACHES_MEMORY,
    SYNCHRONISING,
    THREAD_ACTOR,
    WAIT_DELAYED,
    held,
    notes,
    waits,
)
from tilelab.explore.rest import rests
from tilelab.explore.touches import READS, acts, in_vain, touches_semaphores
from tilelab.explore.turns import has_turn, went
from tilelab.explore.units import accepted, puts_behind, waits_for
from tilelab.explore.view import Exploring
from tilelab.isa.instruction import Instruction
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.arch import ROWS
from tilelab.tensix.backend import sync_unit
from tilelab.tensix.chips.opcodes import SEMWAIT, STALLWAIT
from tilelab.tensix.riscv import core as riscv
from tilelab.tensix.run import execute as units
from tilelab.tensix.run.rounds import in_flight, quiet
from tilelab.tensix.tables.figures import (
    MATRIX_PIPE,
    PACK_PIPE,
    SCALAR_PIPE,
    UNPACK_PIPE,
    VECTOR_PIPE,
)
from tilelab.tensix.tables.units import Unit
from tilelab.tensix.words.origin import by_expander

SCALAR: Final = SCALAR_PIPE + 1
MATRIX: Final = MATRIX_PIPE + 1
VECTOR: Final = VECTOR_PIPE + 1


def _slow_unit(row: Instruction) -> int:
    """1 + the pipeline whose result may be there later than the next words are issued; 0: none.

    That is so of unpackers and packers, and of what takes the matrix or vector unit more than a
    cycle; of the scalar unit and the vector unit it depends on the chip as well.
    """
    if row.unit in (Unit.UNPACK, Unit.PACK):
        return 1 + (UNPACK_PIPE if row.unit == Unit.UNPACK else PACK_PIPE)
    if row.unit == Unit.SCALAR:
        return SCALAR
    slow = row.late_modes or row.timing.latency.value > row.timing.interval.value
    if row.unit in (Unit.MATRIX, Unit.VECTOR) and slow:
        return MATRIX if row.unit == Unit.MATRIX else VECTOR
    return 0


SLOW: Final = tuple(
    max((_slow_unit(row) for row in ROWS if row.opcode == opcode), default=0)
    for opcode in range(256)
)
"""For each opcode, whose result may be late on some chip."""
NOTED: Final = tuple(sorted({row.opcode for row in ROWS if row.unit in SYNCHRONISING}))
"""Opcodes before which a delay can matter to others."""
PREEMPTIBLE: Final = tuple(sorted({row.opcode for row in ROWS if row.name in REACHES_MEMORY}))
"""Opcodes of which the documents let a word come late by itself."""


@kernel
def late_unit(s: Exploring, opcode: int) -> int:
    """1 + the pipeline whose result may be there late on this chip; 0: none.

    Of the scalar unit words that hold their thread up are not, nor a vector unit's that interlocks.
    """
    late = SLOW[opcode]
    if late == SCALAR and s.arch.timing.over[opcode]:
        return 0
    if late == VECTOR and s.arch.timing.vector_interlock:
        return 0
    return late


@kernel
def execute_word(s: Exploring, t: int, word: int) -> int:
    """Execute a word at its unit."""
    return units.execute(s, t, word)


@kernel
def step_core(s: Exploring, core: int) -> int:
    """Let a core execute an instruction."""
    return riscv.step(s, core)


@kernel
def finish(s: Exploring, t: int) -> int:
    """Execute the word of a thread that was put off, and those that came behind it."""
    p = s.plan
    if p.logging:
        acts(s, THREAD_ACTOR + t)
        p.acting_at = p.late_at[t]
    code = execute_word(s, t, p.late_word[t])
    if code == OK:
        p.late_word[t] = 0
        p.late_left[t] = 0
        p.put_off &= ~(1 << t)
        for i in range(p.behind[t]):
            execute_word(s, t, p.behind_word[t, i])
        p.behind[t] = 0
    return code


@kernel
def finish_before(s: Exploring, t: int, word: int) -> int:
    """Execute words put off that must be over before a word is executed."""
    for other in range(s.arch.threads):
        late = s.plan.late_word[other]
        if late and waits_for(
            s, t, word, other, late_unit(s, late >> 24), late_unit(s, word >> 24)
        ):
            code = finish(s, other)
            if code != OK:
                return code
    return OK


@kernel
def waits_behind(s: Exploring, t: int) -> int:
    """Whether a thread has put a word off that others of it may be put behind."""
    return s.plan.put_off >> t & 1 and late_unit(s, s.plan.late_word[t] >> 24) != SCALAR


@kernel
def finish_for_core(s: Exploring, core: int) -> None:
    """A core waits for its thread: what that put off is executed."""
    if core < s.arch.threads and s.plan.late_word[core]:
        finish(s, core)


@kernel
def stores_late(s: Exploring, core: int, address: int, size: int, value: int) -> None:
    """A core stores: what was put off before it changes configuration is executed."""
    if s.plan.put_off and is_config(address):
        for t in range(s.arch.threads):
            if s.plan.late_word[t]:
                finish(s, t)
    stores(s, core, address, size, value)


@kernel
def passes(s: Exploring, vector: int) -> None:
    """A round ends: words that were put off long enough are executed."""
    p = s.plan
    for t in range(s.arch.threads):
        if p.put_off >> t & 1:
            if p.late_left[t]:
                p.late_left[t] -= 1
                waits(s)
            alone = late_unit(s, p.late_word[t] >> 24) == SCALAR and not in_flight(s, t)
            if p.late_left[t] == 0 or alone or quiet(s):
                finish(s, t)
    if p.turning or p.holding:
        time_passes(s)
    if p.resting:
        rests(s)


@kernel
def execute_seen(s: Exploring, t: int, word: int) -> int:
    """Execute a word, and note the bank of one that asks nobody."""
    if word >> 24 not in WRITES_BLINDLY:
        return execute_word(s, t, word)
    others = is_of_unpackers(s, word)
    code = execute_word(s, t, word)
    if code == OK and others:
        notes_bank(s, t, word)
    return code


@kernel
def execute_late(s: Exploring, t: int, word: int) -> int:
    """Execute a word whose result comes some rounds later."""
    p = s.plan
    rounds = p.late_left[t] + 1
    matrix = late_unit(s, word >> 24) == MATRIX
    remembers(s, matrix)
    p.rounds_late = rounds
    code = execute_seen(s, t, word)
    p.rounds_late = 0
    if code == OK:
        p.late_left[t] = 0
        holds_back(s, t, matrix, rounds)
    return code


@kernel
def execute_noted(s: Exploring, t: int, word: int) -> int:
    """Execute a word, and note what it reads and gives if that is recorded."""
    if not s.plan.recording:
        return execute_seen(s, t, word)
    notes_reader(s, word)
    code = execute_seen(s, t, word)
    if code == OK:
        notes_result(s, t, word)
    return code


@kernel
def delayed_execute(s: Exploring, t: int, word: int) -> int:
    """Stands for the execution of a word at its unit."""
    code = delays_execute(s, t, word)
    if code == OK:
        if word >> 24 in (SEMWAIT, STALLWAIT):
            s.plan.wait_at[t] = s.frontend[t].issued
    elif s.plan.logging and code < 0 and s.plan.acting == THREAD_ACTOR + t:
        in_vain(s)
    return code


@kernel
def delayed_evaluate(s: Exploring, t: int) -> None:
    """Stands for the evaluation of a thread's latched wait."""
    wait = s.frontend[t].wait
    if wait.kind == sync_unit.NO_WAIT:
        return
    acts(s, THREAD_ACTOR + t)
    s.plan.acting_at = s.plan.wait_at[t]
    if sync_unit.keeps_waiting(s, t):
        in_vain(s)
        return
    if wait.kind == sync_unit.SEMWAIT:
        touches_semaphores(s, wait.semaphore_mask, READS)
    wait.kind = sync_unit.NO_WAIT


@kernel
def delays_execute(s: Exploring, t: int, word: int) -> int:
    """Execute a word, unless the schedule holds it back."""
    p = s.plan
    f = s.frontend[t]
    late = late_unit(s, word >> 24)
    if p.recording and (word >> 24 in NOTED or p.logging or p.recording == ALL_WORDS):
        notes(s, THREAD_ACTOR + t, f.issued, word, f.gate_origin)
    if p.actors >> (THREAD_ACTOR + t) & 1 and held(s, THREAD_ACTOR + t, f.issued):
        return WAIT_DELAYED
    if p.put_off:
        code = finish_before(s, t, word)
        if code != OK:
            return code
        if waits_behind(s, t) and puts_behind(s, t, word):
            return OK
    if p.prioritised or p.logging:
        acts(s, THREAD_ACTOR + t)
    if p.turning or p.holding:
        settles(s, t, word)
    if p.late_left[t] and not p.late_word[t]:
        if late and late < MATRIX and accepted(s, word, late):
            p.late_word[t] = word
            p.late_at[t] = f.issued
            p.put_off |= 1 << t
            return OK
        if late >= MATRIX:
            return execute_late(s, t, word)
        if late:
            return execute_word(s, t, word)
        p.late_left[t] = 0
    if not p.prioritised:
        return execute_noted(s, t, word)
    alone = word >> 24 in PREEMPTIBLE or not by_expander(f.gate_origin)
    if not has_turn(s, THREAD_ACTOR + t) and (alone or p.prioritised > 1):
        return WAIT_DELAYED
    code = execute_seen(s, t, word)
    went(s, THREAD_ACTOR + t, code, 1 if word >> 24 in NOTED else 0)
    return code


@kernel
def delayed_step(s: Exploring, core: int) -> int:
    """Stands for a core's step."""
    p = s.plan
    if p.actors >> core & 1 and held(s, core, p.passed[core]):
        return WAIT_DELAYED
    if p.prioritised:
        acts(s, core)
        if not has_turn(s, core):
            return WAIT_DELAYED
        code = step_core(s, core)
        went(s, core, code, 0)
        return code
    before = p.passed[core]
    if p.logging:
        acts(s, core)
    code = step_core(s, core)
    if code < 0:
        has_waited(s, core, before)
        if p.logging and p.acting == core:
            in_vain(s)
    return code
