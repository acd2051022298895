"""The fast engine compiled so that cores and threads can be held back, and snapshots to go from."""

from types import FunctionType
from typing import Any

import numpy as np

from tilelab.explore import (
    hooks,
    late,
    plan,
    rest,
    touches,
    turns,
    units,
)
from tilelab.isa.instruction import Instruction
from tilelab.kernelpy.build import Library
from tilelab.kernelpy.layout import record
from tilelab.kernelpy.module import Module
from tilelab.kernelpy.watch import Watch, Watched, watched_module
from tilelab.sim.kernel import OK
from tilelab.tensix.arch import Arch
from tilelab.tensix.backend import src_registers, sync_unit
from tilelab.tensix.chips.opcodes import SEMWAIT, STALLWAIT
from tilelab.tensix.frontend import fifo, wait_gate
from tilelab.tensix.riscv import core, load_store
from tilelab.tensix.run import execute, rounds
from tilelab.tensix.run.speed import batches, fast, generate, generate_cores
from tilelab.tensix.run.speed.source_text import Source
from tilelab.tensix.state import HEADER_BYTES, TensixState
from tilelab.tensix.tables.figures import (
    MATRIX_PIPE,
    PACK_PIPE,
    SCALAR_PIPE,
    UNPACK_PIPE,
    VECTOR_PIPE,
)
from tilelab.tensix.tables.units import Unit
from tilelab.tensix.words.origin import by_expander

TOUCHED = {
    "dst": (0, True),
    "dst_valid": (0, False),
    "src.data": (1024, True),
    "src.valid": (2048, False),
    "gpr": (touches.GPR_CELLS, False),
    "config": (3072, False),
    "thread_config": (4096, False),
    "mutex": (touches.MUTEX_CELLS, False),
}
"""Arrays of the state that units share: where their objects begin, and whether one is a row."""


CODE = """\
@kernel
def finish(s, t):
    p = s.plan
    if p.logging:
        acts(s, FIRST + t)
        p.acting_at = p.late_at[t]
    code = execute_word(s, t, p.late_word[t])
    if code == OK:
        p.late_word[t] = 0
        p.late_left[t] = 0
        p.put_off = p.put_off & ~(1 << t)
        for i in range(p.behind[t]):
            execute_word(s, t, p.behind_word[t, i])
        p.behind[t] = 0
    return code

@kernel
def finish_before(s, t, word):
    for other in range(s.arch.threads):
        late = s.plan.late_word[other]
        if late and waits_for(s, t, word, other, LATE[late >> 24], LATE[word >> 24]):
            code = finish(s, other)
            if code != OK:
                return code
    return OK

@kernel
def waits_behind(s, t):
    return s.plan.put_off >> t & 1 and LATE[s.plan.late_word[t] >> 24] != SCALAR

@kernel
def finish_for_core(s, core):
    if core < s.arch.threads and s.plan.late_word[core]:
        finish(s, core)
    return OK

@kernel
def stores_late(s, core, address, size, value):
    if s.plan.put_off and is_config(address):
        for t in range(s.arch.threads):
            if s.plan.late_word[t]:
                finish(s, t)
    return stores(s, core, address, size, value)

@kernel
def passes(s, vector):
    p = s.plan
    for t in range(s.arch.threads):
        if p.put_off >> t & 1:
            if p.late_left[t]:
                p.late_left[t] = p.late_left[t] - 1
                waits(s)
            alone = LATE[p.late_word[t] >> 24] == SCALAR and not in_flight(s, t)
            if p.late_left[t] == 0 or alone or quiet(s):
                finish(s, t)
    if p.turning or p.holding:
        time_passes(s)
    if p.resting:
        rests(s)
    return OK

@kernel
def execute_seen(s, t, word):
    if not BLINDLY[word >> 24]:
        return execute_word(s, t, word)
    others = is_of_unpackers(s, word)
    code = execute_word(s, t, word)
    if code == OK and others:
        notes_bank(s, t, word)
    return code

@kernel
def execute_late(s, t, word):
    p = s.plan
    rounds = p.late_left[t] + 1
    matrix = LATE[word >> 24] == MATRIX
    remembers(s, matrix)
    p.rounds_late = rounds
    code = execute_seen(s, t, word)
    p.rounds_late = 0
    if code == OK:
        p.late_left[t] = 0
        holds_back(s, t, matrix, rounds)
    return code

@kernel
def execute_noted(s, t, word):
    if not s.plan.recording:
        return execute_seen(s, t, word)
    notes_reader(s, word)
    code = execute_seen(s, t, word)
    if code == OK:
        notes_result(s, t, word)
    return code

@kernel
def delayed_execute(s, t, word):
    code = delays_execute(s, t, word)
    if code == OK:
        if WAITS[word >> 24]:
            s.plan.wait_at[t] = s.frontend[t].issued
    elif s.plan.logging and code < 0 and s.plan.acting == FIRST + t:
        in_vain(s)
    return code

@kernel
def delayed_evaluate(s, t):
    wait = s.frontend[t].wait
    if wait.kind == NO_WAIT:
        return OK
    acts(s, FIRST + t)
    s.plan.acting_at = s.plan.wait_at[t]
    if keeps_waiting(s, t):
        return in_vain(s)
    if wait.kind == SEMWAIT:
        touches_semaphores(s, wait.semaphore_mask, READS)
    wait.kind = NO_WAIT
    return OK

@kernel
def delays_execute(s, t, word):
    p = s.plan
    f = s.frontend[t]
    late = LATE[word >> 24]
    if p.recording and (NOTED[word >> 24] or p.logging):
        notes(s, FIRST + t, f.issued, word, f.gate_origin)
    if p.actors >> (FIRST + t) & 1 and held(s, FIRST + t, f.issued):
        return WAIT_DELAYED
    if p.put_off:
        code = finish_before(s, t, word)
        if code != OK:
            return code
        if waits_behind(s, t) and puts_behind(s, t, word):
            return OK
    if p.prioritised or p.logging:
        acts(s, FIRST + t)
    if p.turning or p.holding:
        settles(s, t, word)
    if p.late_left[t] and not p.late_word[t]:
        if late and late < MATRIX and accepted(s, word, late):
            p.late_word[t] = word
            p.late_at[t] = f.issued
            p.put_off = p.put_off | 1 << t
            return OK
        if late >= MATRIX:
            return execute_late(s, t, word)
        if late:
            return execute_word(s, t, word)
        p.late_left[t] = 0
    if not p.prioritised:
        return execute_noted(s, t, word)
    alone = PREEMPTIBLE[word >> 24] or not by_expander(f.gate_origin)
    if not has_turn(s, FIRST + t) and (alone or p.prioritised > 1):
        return WAIT_DELAYED
    code = execute_seen(s, t, word)
    went(s, FIRST + t, code, NOTED[word >> 24])
    return code

@kernel
def delayed_step(s, core):
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
"""
"""What stands for the execution of a word and a core's step, and what is done as a round ends."""


def steps(arch: Arch) -> dict[str, FunctionType]:
    """By name: ``execute(s, t, word)`` and ``step(s, core)`` with delays, and hooks."""
    source = Source()
    source.names |= {
        "execute_word": generate.dispatch(arch),
        "step_core": generate_cores.cores(arch)["step"],
        "held": plan.held,
        "notes": plan.notes,
        "acts": touches.acts,
        "in_vain": touches.in_vain,
        "touches_semaphores": touches.touches_semaphores,
        "READS": touches.READS,
        "keeps_waiting": sync_unit.keeps_waiting,
        "NO_WAIT": sync_unit.NO_WAIT,
        "SEMWAIT": sync_unit.SEMWAIT,
        "WAITS": tuple(int(code in (SEMWAIT, STALLWAIT)) for code in range(256)),
        "has_waited": hooks.has_waited,
        "has_turn": turns.has_turn,
        "went": turns.went,
        "by_expander": by_expander,
        "drains": late.drains,
        "settles": late.settles,
        "notes_bank": late.notes_bank,
        "is_of_unpackers": late.is_of_unpackers,
        "BLINDLY": tuple(int(code in late.WRITES_BLINDLY) for code in range(256)),
        "time_passes": late.time_passes,
        "remembers": late.remembers,
        "holds_back": late.holds_back,
        "notes_reader": late.notes_reader,
        "notes_result": late.notes_result,
        "in_flight": rounds.in_flight,
        "quiet": rounds.quiet,
        "waits": plan.waits,
        "stores": hooks.stores,
        "is_config": hooks.is_config,
        "waits_for": units.waits_for,
        "puts_behind": units.puts_behind,
        "accepted": units.accepted,
        "rests": rest.rests,
        "OK": OK,
        "LATE": tuple(late_units(arch)),
        "SCALAR": SCALAR_PIPE + 1,
        "MATRIX": MATRIX_PIPE + 1,
        "PREEMPTIBLE": tuple(preemptible(arch)),
        "WAIT_DELAYED": plan.WAIT_DELAYED,
        "FIRST": plan.THREAD_ACTOR,
        "NOTED": tuple(noted(arch)),
    }
    source.add(*CODE.splitlines())
    return source.compile(f"<tilelab explored {arch.name}>")


def noted(arch: Arch) -> list[int]:
    """For each opcode, whether a delay before it can matter to others."""
    rows = arch.instructions.by_opcode
    return [int(code in rows and rows[code].unit in plan.SYNCHRONISING) for code in range(256)]


def preemptible(arch: Arch) -> list[int]:
    """For each opcode, whether the documents let a word of it come late by itself."""
    rows = arch.instructions.by_opcode
    return [int(code in rows and rows[code].name in plan.REACHES_MEMORY) for code in range(256)]


def may_be_late(row: Instruction, arch: Arch) -> int:
    """1 + the pipeline whose result may be there later than the next words are issued; 0: none.

    That is so of unpackers and packers, of the scalar unit but for words that hold their thread up,
    of what takes the matrix unit more than a cycle, and of a vector unit that does not interlock.
    """
    if row.unit in (Unit.UNPACK, Unit.PACK):
        return 1 + (UNPACK_PIPE if row.unit == Unit.UNPACK else PACK_PIPE)
    if row.unit == Unit.SCALAR and not arch.timing.over[row.opcode]:
        return SCALAR_PIPE + 1
    slow = row.timing.latency.value > row.timing.interval.value
    if row.unit == Unit.MATRIX and slow:
        return MATRIX_PIPE + 1
    if row.unit == Unit.VECTOR and slow and not arch.timing.vector_interlock:
        return VECTOR_PIPE + 1
    return 0


def late_units(arch: Arch) -> list[int]:
    """For each opcode, :func:`may_be_late`."""
    rows = arch.instructions.by_opcode
    return [may_be_late(rows[code], arch) if code in rows else 0 for code in range(256)]


def is_watched(function: FunctionType) -> bool:
    """Whether a kernel is a part of the units that execute words, or looks at a bank for them."""
    in_backend = (function.__module__ or "").startswith("tilelab.tensix.backend.")
    return in_backend or function is late.is_of_unpackers


def module(arch: Arch, ordered: bool) -> Module:
    """Everything that runs a tile of this chip under a schedule; ``ordered``: and remembers why."""
    machine = fast.machine(arch)
    machine.records["plan"] = plan.PLAN_INDEX, record(plan.PLAN)
    made_for = steps(arch)
    entries: dict[Any, Any] = {
        load_store.load: hooks.loads,
        load_store.store: made_for["stores_late"],
        rounds.pass_time: made_for["passes"],
        rounds.finish_round: made_for["passes"],  # of the cores alone
        fifo.unfinished: made_for["finish_for_core"],  # tensix_sync waits for it
    }
    watch = Watch(buffers={0: (None, hooks.writes_l1)}, entries=entries, watched=is_watched)
    if ordered:
        entries |= {
            sync_unit.post: touches.posts,
            sync_unit.get: touches.gets,
            sync_unit.seminit: touches.sets,
        }
        watch.arrays |= {
            path: Watched(touches.reads_cell, touches.writes_cell, first, whole_rows)
            for path, (first, whole_rows) in TOUCHED.items()
        }
        watch.buffers[0] = hooks.reads_l1, hooks.writes_l1
    made = watched_module(fast.prepared(arch, machine), watch)
    made.instead[execute.execute] = made_for["delayed_execute"]
    made.instead[wait_gate.evaluate_wait] = made_for["delayed_evaluate"]
    made.instead[core.step] = made_for["delayed_step"]
    made.instead[src_registers.clear_src] = late.clears_src
    made.instead[batches.streams] = hooks.streams
    del made.instead[rounds.run_cores]  # the generated one asks nobody before an instruction
    fast.add_entries(made)
    return made


class ExploringEngine(fast.FastEngine):
    """Runs a tile's state under the schedule in ``plan``; ``ordered``: it can log accesses."""

    watched = True

    def __init__(self, state: TensixState, describe_pc: Any, ordered: bool = False) -> None:
        self.ordered = ordered
        super().__init__(state, describe_pc)
        self.plan = np.zeros((), plan.PLAN)
        self.plan["slow"] = 1
        self.plan["longest"] = plan.LONGEST
        header = state.memory[:HEADER_BYTES].view(np.uint64)
        header[HEADER_BYTES // 8 - 1 - plan.PLAN_INDEX] = self.plan.ctypes.data

    def library(self) -> Library:
        """The compiled code that this engine runs."""
        how = "explored, ordered" if self.ordered else "explored"
        return fast.variant(self.state.arch, how, lambda: module(self.state.arch, self.ordered))
