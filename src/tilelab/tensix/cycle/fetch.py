"""The cores' frontends: instruction caches, what runs ahead to fill them, and branch prediction.

A core has a cache of lines of 16 bytes, two of them where an address may lie. Its frontend follows
what it predicts, so far ahead that a line which is missing comes in time; but lines come no faster
than ``fetch_time`` allows, and after a misprediction it begins anew. What a branch or jump did last
is what it is predicted to do; of one that the table does not hold, that it is not taken.

Not modelled: other traffic at L1's ports, the prefetchers' limits and switches, and invalidation
other than by reset. Sources: InstructionCache.md, BabyRISCV/README.md, tables/figures.py.
"""

from typing import Final

from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.cycle.what_if import FETCH, MISPREDICT, spent
from tilelab.tensix.state.cycle_record import FREE
from tilelab.tensix.state.records import State
from tilelab.tensix.tables import causes
from tilelab.tensix.tables.figures import CACHE_WAYS, FETCH_LINES, LINE_BYTES
from tilelab.tensix.tables.tile_registers import IRAM

WAYS: Final = CACHE_WAYS.value
LINES: Final = FETCH_LINES
LINE: Final = LINE_BYTES.value


@kernel
def bring(s: State, core: int, line: int) -> int:
    """Have a line in a core's cache, as the one used last; whether it was there."""
    cache = s.cycle.cache
    at = WAYS * (line & s.arch.timing.cache_sets[core] - 1)
    first = cache[core, at]
    if first == line:
        return 1
    found = 1 if cache[core, at + 1] == line else 0
    cache[core, at + 1] = first
    cache[core, at] = line
    return found


@kernel
def enter_line(s: State, core: int, line: int) -> int:
    """A core's frontend needs a line (its number, and 1): until when it has to wait for it."""
    cycle = s.cycle
    cycle.fetch_line[core] = line
    if line > IRAM // LINE or bring(s, core, line):
        return OK
    if s.cycle.what_if[FETCH] == FREE:
        return OK
    ahead = s.clock - s.arch.timing.load_l1 if s.clock > s.arch.timing.load_l1 else 0
    asked = LINES * max(ahead, cycle.fetch_from[core])
    asked = max(asked, cycle.fetch_free[core])
    cycle.fetch_free[core] = asked + spent(s, FETCH, s.arch.timing.fetch_time[core])
    cycle.fetch_ready[core] = (asked + LINES * s.arch.timing.load_l1 + LINES - 1) // LINES
    return OK


@kernel
def instruction_late(s: State, core: int, pc: int) -> int:
    """Whether a core's next instruction has not come yet."""
    line = (pc + s.cycle.code_at) // LINE + 1
    if s.cycle.fetch_line[core] != line:
        enter_line(s, core, line)
    return 1 if s.cycle.fetch_ready[core] > s.clock else 0


@kernel
def taken(word: int, a: int, b: int) -> int:
    """Whether a branch with operands ``a``, ``b`` is taken: what its target alone may not tell."""
    sign = 0x80000000
    kind = word >> 13 & 3
    if kind == 0:
        holds = 1 if a == b else 0
    elif kind == 2:
        holds = 1 if (a ^ sign) < (b ^ sign) else 0
    else:
        holds = 1 if a < b else 0
    return holds ^ (word >> 12 & 1)


@kernel
def follow(s: State, core: int, pc: int, target: int) -> int:
    """A branch or jump has led to ``target`` (0: it was not taken): what that costs, and learn."""
    cycle = s.cycle
    at = (pc >> 2) & s.arch.timing.branches - 1
    expected = cycle.branch_to[core, at] if cycle.branch_at[core, at] == pc + 1 else 0
    cycle.branch_at[core, at] = pc + 1
    cycle.branch_to[core, at] = target
    if expected == target:
        return OK
    if expected == 0:
        expected = pc + 4
    cycle.core_free[core] = s.clock + 1 + spent(s, MISPREDICT, s.arch.timing.mispredicted)
    cycle.core_why[core] = causes.CORE_BRANCH
    cycle.fetch_from[core] = s.clock + 1
    if expected < IRAM:
        for i in range(s.arch.timing.wrong_path):
            bring(s, core, (expected + s.cycle.code_at) // LINE + 1 + i)
    return OK


@kernel
def forget(s: State, core: int) -> int:
    """A core has left reset: its cache is empty, and it has seen no branch."""
    cycle = s.cycle
    for i in range(WAYS * s.arch.timing.cache_sets[core]):
        cycle.cache[core, i] = 0
    for i in range(s.arch.timing.branches):
        cycle.branch_at[core, i] = 0
    cycle.fetch_line[core] = 0
    cycle.fetch_from[core] = s.clock
    cycle.cold[core] = 0
    return OK
