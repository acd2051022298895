"""What a debugger waits for: asked where a round ends, by ``rounds.stop``, while it wants that.

A stop is one row of ``state.stops``. Two kinds look at a core that has just executed an
instruction: it arrived in a range of addresses, or left one. Three look at words of the whole
state record or of L1, under a mask: they changed, a number in them reached a limit, or became a
value. Anything else that a person may wait for is made of these: an issued opcode is a count that
changed, a line of source is a range of addresses.

A stop that was hit either ends the run, or (``note``) is only written down, so that one run over
the past finds the last time it was.
"""

from typing import Any, Final

from tilelab.sim.kernel import OK, kernel
from tilelab.sim.record import record_type

STOP_BREAK: Final = -106

MAX_STOPS: Final = 64
MAX_WORDS: Final = 4096
"""Words that all stops together may look at."""
RECENT: Final = 1024
"""Hits whose clocks are kept."""

ARRIVE, LEAVE, CHANGED, REACHED, BECOMES = 1, 2, 3, 4, 5
RECORD, L1 = 0, 1

STOP = record_type(
    [
        ("kind", "u1"),
        ("space", "u1"),  # RECORD or L1
        ("core", "u1"),
        ("low", "<u4"),  # of addresses; of words: the first one's index
        ("high", "<u4"),  # the address after the last; of words: how many
        ("mask", "<u4"),  # of the first word
        ("last_mask", "<u4"),
        ("shift", "u1"),  # of a number in the first word, or the first two
        ("value", "<u8"),  # a number's limit or value; LEAVE: the least stack pointer
        ("seen", "<u4"),  # where in ``seen`` the words are kept
    ]
)
STOPS = record_type(
    [
        ("count", "u1"),
        ("note", "u1"),  # 1: go on after a hit
        ("hits", "<u8"),  # how many there were
        ("clock", "<u8", (RECENT,)),  # of the last hits, hit k at k % RECENT
        ("hit", "u1", (MAX_STOPS,)),  # which were hit then
        ("retired", "<u8", (8,)),  # what each core had executed when last looked at
        ("stop", STOP, (MAX_STOPS,)),
        ("seen", "<u4", (MAX_WORDS,)),
    ]
)
"""What a debugger waits for; no part of the machine."""


@kernel
def looked_at(s: Any, i: int, k: int) -> int:
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
def number(s: Any, i: int) -> int:
    """The number that a stop looks at, of up to 8 bytes."""
    value: int = looked_at(s, i, 0)
    if s.stops.stop[i].high > 1:
        value |= looked_at(s, i, 1) << 32
    value >>= s.stops.stop[i].shift
    return value


@kernel
def remember(s: Any, i: int) -> int:
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
def at_pc(s: Any, i: int) -> int:
    """Whether a stop's core is where the stop wants it."""
    stop = s.stops.stop[i]
    pc = s.riscv[stop.core].pc
    within = 1 if stop.low <= pc < stop.high else 0
    if stop.kind == ARRIVE:
        return within
    return 1 if not within and s.riscv[stop.core].x[2] >= stop.value else 0


@kernel
def is_hit(s: Any, i: int, moved: int) -> int:
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
def moved_cores(s: Any) -> int:
    """Bits of the cores that have executed an instruction since they were last looked at."""
    moved = 0
    for core in range(s.arch.cores):
        retired = s.riscv[core].retired
        if retired != s.stops.retired[core]:
            s.stops.retired[core] = retired
            moved |= 1 << core
    return moved


@kernel
def look(s: Any) -> int:
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
        stops.hits = stops.hits + 1
        if not stops.note:
            return STOP_BREAK
    return OK


@kernel
def arm(s: Any, note: int) -> int:
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
