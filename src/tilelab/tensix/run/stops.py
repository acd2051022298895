"""What a debugger waits for: asked where a round ends, by ``rounds.stop``, while it wants that.

A stop is one row of ``state.stops``. Two kinds look at a core that has just executed an
instruction: it arrived in a range of addresses, or left one. Three look at words of the whole
state record or of L1, under a mask: they changed, a number in them reached a limit, or became a
value. Anything else that a person may wait for is made of these: an issued opcode is a count that
changed, a line of source is a range of addresses.

A stop that was hit either ends the run, or (``note``) is only written down, so that one run over
the past finds the last time it was.
"""

from typing import Final

from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.state.records import State
from tilelab.tensix.state.stop_notes import ARRIVE, BECOMES, CHANGED, L1, LEAVE, REACHED, RECENT

STOP_BREAK: Final = -107


@kernel
def looked_at(s: State, i: int, k: int) -> int:
    """Word ``k`` of those that a stop looks at, under its mask."""
    stop = s.stops.stop[i]
    at = stop.low + k
    word: int = s.l1_32[at] if stop.space == L1 else s.record_32[at]
    if k == 0:
        word &= stop.mask
    if k == stop.high - 1:
        word &= stop.last_mask
    return word


@kernel
def number(s: State, i: int) -> int:
    """The number that a stop looks at, of up to 8 bytes."""
    value: int = looked_at(s, i, 0)
    if s.stops.stop[i].high > 1:
        value |= looked_at(s, i, 1) << 32
    value >>= s.stops.stop[i].shift
    return value


@kernel
def remember(s: State, i: int) -> int:
    """Note what the words of a stop are; whether they are not what they were."""
    stop = s.stops.stop[i]
    changed = 0
    for k in range(stop.high):
        word = looked_at(s, i, k)
        if word != s.stops.seen[stop.seen + k]:
            s.stops.seen[stop.seen + k] = word
            changed = 1
    return changed


@kernel
def at_pc(s: State, i: int) -> int:
    """Whether a stop's core is where the stop wants it."""
    stop = s.stops.stop[i]
    pc = s.riscv[stop.core].pc
    within = 1 if stop.low <= pc < stop.high else 0
    if stop.kind == ARRIVE:
        return within
    return 1 - within


@kernel
def is_hit(s: State, i: int, moved: int) -> int:
    """Whether a stop is hit now; ``moved``: bits of cores that have executed an instruction."""
    kind = s.stops.stop[i].kind
    if kind == ARRIVE or kind == LEAVE:
        return at_pc(s, i) if moved >> s.stops.stop[i].core & 1 else 0
    if kind == REACHED:
        return 1 if number(s, i) >= s.stops.stop[i].value else 0
    changed = remember(s, i)
    if changed and kind == BECOMES:
        return 1 if number(s, i) == s.stops.stop[i].value else 0
    return changed


@kernel
def moved_cores(s: State) -> int:
    """Bits of the cores that have executed an instruction since they were last looked at."""
    moved = 0
    for core in range(s.arch.cores):
        retired = s.riscv[core].retired
        if retired != s.stops.retired[core]:
            s.stops.retired[core] = retired
            moved |= 1 << core
    return moved


@kernel
def look(s: State) -> int:
    """Whether a stop ends the run here: OK or STOP_BREAK."""
    stops = s.stops
    moved = moved_cores(s)
    any_hit = 0
    for i in range(stops.count):
        hit = is_hit(s, i, moved)
        stops.hit[i] = hit
        any_hit |= hit
    if any_hit:
        stops.clock[stops.hits & (RECENT - 1)] = s.clock
        stops.hits += 1
        if not stops.note:
            return STOP_BREAK
    return OK


@kernel
def arm(s: State, note: int) -> int:
    """Take the present as what changes are measured from."""
    stops = s.stops
    stops.note = note
    stops.hits = 0
    moved_cores(s)
    for i in range(stops.count):
        stops.hit[i] = 0
        if stops.stop[i].kind >= CHANGED:
            remember(s, i)
    return OK
