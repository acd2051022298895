"""A schedule as the machine follows it: which core or thread is held back, when, for how long.

Kernels for the code compiled for exploring; other code has nothing of it. A held core does not
execute, a held thread does not issue, in a round; everything else goes on. A delay begins when its
actor has come so far (instructions retired, words issued), and lasts a number of rounds, or until
nothing else moves any more.
"""

from typing import Final

from tilelab.sim.kernel import OK, kernel
from tilelab.sim.record import record_type
from tilelab.tensix.explore.view import Exploring
from tilelab.tensix.riscv.table import WORD
from tilelab.tensix.tables.units import Unit

PLAN_INDEX: Final = 3
"""Where among the buffers that compiled code finds the plan's address stands."""
DELAYS: Final = 16
POINTS: Final = 1 << 16
ACTORS: Final = 8
"""Cores 0 to 4, then threads 0 to 2."""
THREAD_ACTOR: Final = 5
UNTIL_REST: Final = 0
"""A delay's rounds: until nothing else moves."""
PAGE_SHIFT: Final = 12
REST: Final = 48
"""So many rounds in which no word is issued and no core does anything that others could notice."""
LONGEST: Final = 1 << 20

WAIT_DELAYED: Final = -99

DELAY = record_type(
    [
        ("actor", "<u4"),
        ("at", "<u8"),
        ("rounds", "<u4"),
        ("held", "<u4"),
        ("over", "u1"),
        ("progress", "<u8"),
        ("still", "<u4"),
    ]
)
POINT = record_type([("actor", "<u4"), ("at", "<u8"), ("word", "<u4"), ("origin", "<u8")])
PLAN = record_type(
    [
        ("count", "<u4"),
        ("actors", "<u4"),  # bit per actor that is still to be held
        ("last_held", "<u8"),
        ("delay", DELAY, (DELAYS,)),
        ("recording", "u1"),
        ("points", "<u4"),
        ("point", POINT, (POINTS,)),
        ("seen_pc", "<u4", (THREAD_ACTOR,)),
        ("dirty", "u1", (512,)),  # pages of L1 that were written
    ]
)

SYNCHRONISING: Final = (Unit.SYNC, Unit.UNPACK, Unit.PACK, Unit.SCALAR, Unit.CONFIG, Unit.MOVER)
"""Units whose words other threads and cores can notice at once."""


@kernel
def progress(s: Exploring) -> int:
    """A number that changes whenever a word is issued or a core does what others could notice."""
    total = s.effects + s.l1_effects
    for t in range(s.arch.threads):
        total += s.frontend[t].issued
    return total


@kernel
def held(s: Exploring, actor: int, at: int) -> int:
    """Whether an actor that has come so far is held back in this round."""
    p = s.plan
    waiting = 0
    for i in range(p.count):
        d = p.delay[i]
        if d.actor == actor and not d.over:
            if d.at > at:
                waiting = 1
            elif hold(s, i):
                return 1
    if not waiting:
        p.actors = p.actors & ~(1 << actor)
    return 0


@kernel
def hold(s: Exploring, i: int) -> int:
    """Whether a delay that has begun goes on."""
    d = s.plan.delay[i]
    d.held = d.held + 1
    now = progress(s)
    d.still = d.still + 1 if now == d.progress else 0
    d.progress = now
    ends = d.still > REST or d.held > LONGEST if d.rounds == UNTIL_REST else d.held > d.rounds
    if ends:
        d.over = 1
        return 0
    s.private_effects = s.private_effects + 1  # it is not stuck: time will pass
    s.plan.last_held = s.clock
    return 1


@kernel
def notes(s: Exploring, actor: int, at: int, word: int, origin: int) -> int:
    """Note a place at which a delay can matter."""
    p = s.plan
    if p.points < POINTS:
        new = p.point[p.points]
        new.actor = actor
        new.at = at
        new.word = word
        new.origin = origin
        p.points = p.points + 1
    return OK


@kernel
def notes_access(s: Exploring, core: int) -> int:
    """Note that a core touches what others can see; one that polls, once."""
    p = s.plan
    pc = s.riscv[core].pc
    if p.recording and p.seen_pc[core] != pc:
        p.seen_pc[core] = pc
        notes(s, core, s.riscv[core].retired, 0, core << 56 | pc)
    return OK


@kernel
def loads(s: Exploring, core: int, address: int, size: int) -> int:
    """A core loads."""
    return notes_access(s, core) if shared(s, core, address) else OK


@kernel
def stores(s: Exploring, core: int, address: int, size: int, value: int) -> int:
    """A core stores."""
    if address < s.arch.l1_size:
        s.plan.dirty[address >> PAGE_SHIFT] = 1
    return notes_access(s, core) if shared(s, core, address) else OK


@kernel
def shared(s: Exploring, core: int, address: int) -> int:
    """Whether an address is not in the core's own RAM."""
    offset = (address - 0xFFB00000) & WORD
    return 0 if offset < s.arch.local_ram[core] else 1


@kernel
def writes_l1(s: Exploring, first: int, last: int) -> int:
    """An instruction writes bytes of L1."""
    for page in range(first >> PAGE_SHIFT, (last >> PAGE_SHIFT) + 1):
        s.plan.dirty[page] = 1
    return OK
