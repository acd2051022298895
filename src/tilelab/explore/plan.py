"""A schedule as the machine follows it: which core or thread is held back, when, for how long.

Kernels for the code compiled for exploring; other code has nothing of it. A held core does not
execute, a held thread does not issue, in a round; everything else goes on. A delay begins when its
actor has come so far (accesses outside of its own RAM that a core has made, words that a thread has
issued), and lasts a number of rounds, or until another actor has come so far, or until nothing else
can move any more (:mod:`.rest`). What :mod:`.turns` does holds back by another rule.
"""

from typing import Final

from tilelab.explore.view import Exploring
from tilelab.sim.kernel import kernel
from tilelab.sim.record import record_type
from tilelab.tensix.state.layout import CORES, THREADS
from tilelab.tensix.tables.units import Unit

PLAN_INDEX: Final = 3
"""Where among the buffers that compiled code finds the plan's address stands."""
DELAYS: Final = 1 << 12
"""Of a schedule, at most."""
CHANGES: Final = 16
"""Of priorities, at most."""
POINTS: Final = 1 << 16
ACTORS: Final = 8
"""Cores 0 to 4, then threads 0 to 2."""
THREAD_ACTOR: Final = CORES
FIRST_RESULT: Final = 16
"""What :class:`POINT` names instead of a thread, from thread 0 on, where its result may be late."""
BEHIND: Final = 8
DST_ROWS: Final = 1024
LREGS: Final = 17
UNTIL_REST: Final = 0
"""A delay's rounds: until nothing else can move, or until another actor has come so far."""
NOBODY: Final = ACTORS
"""The actor that a delay without such another one names."""
TURNING: Final = ACTORS
"""The actor of a delay that is of every Src bank that is turned (:mod:`.late`)."""
PAGE_SHIFT: Final = 12
LONGEST: Final = 1 << 16
"""Rounds after which such a delay ends even so: a core that reads a clock never comes to rest. An
explorer, which knows how long a run takes, sets less."""

WAIT_DELAYED: Final = -99
REACHED: Final = 2
"""A delay is over because the other actor has come so far."""
ALL_WORDS: Final = 2
"""Recorded is every word, not only those before which a delay can matter to others."""

DELAY = record_type(
    [
        ("actor", "<u4"),
        ("at", "<u8"),
        ("rounds", "<u4"),
        ("until_actor", "<u4"),
        ("until_at", "<u8"),
        ("late", "u1"),
        ("held", "<u4"),
        ("began", "<u8"),
        ("over", "u1"),
        ("after", "<u4"),  # 1 + the actor's next delay; 0: none
    ]
)
POINT = record_type([("actor", "<u4"), ("at", "<u8"), ("word", "<u4"), ("origin", "<u8")])
MADE = record_type(
    [
        ("word", "<u4"),
        ("origin", "<u8"),
        ("at", "<u8"),
        ("thread", "<u4"),
        ("clock", "<u8"),
        ("reach", "<u4"),
    ]
)
"""A word that may be read too early for so many rounds."""
SEEN: Final = 8
"""A core that loads again what is among the so many that it loaded last, by the same instruction
and with no store in between, polls: the loads of a loop that polls count once."""
LOSSES: Final = 64
"""So many lost turns are remembered."""
ACCESSES: Final = 1 << 17
"""So many accesses are remembered."""
ACCESS = record_type(
    [("actor", "u1"), ("kind", "u1"), ("again", "u1"), ("at", "<u4"), ("object", "<u4")]
)
PLAN = record_type(
    [
        ("count", "<u4"),
        ("actors", "<u4"),  # bit per actor that is still to be held
        ("next", "<u4", (ACTORS,)),  # 1 + its first delay that is not over
        ("last_held", "<u8"),
        ("waited", "<u8"),  # what :func:`waits` has counted
        # whether anything but those who are held can move (:mod:`.rest`)
        ("resting", "u1"),
        ("stops", "u1"),  # who is held until rest is so for good: the run ends as one that is stuck
        ("rested", "<u4"),  # 1 + the delay that ends because nothing can
        ("rest_at", "<u8"),
        ("rest_seen", "<u8"),
        ("still", "<u4"),
        ("next_look", "<u4"),
        ("longest", "<u4"),
        ("gave_up", "<u4"),  # delays that ended because they had lasted so long
        ("late_word", "<u4", (THREADS,)),  # issued, but not over; 0: none
        ("late_left", "<u4", (THREADS,)),
        ("behind", "<u4", (THREADS,)),  # words of counters that are to come behind it, in order
        ("behind_word", "<u4", (THREADS, BEHIND)),
        ("put_off", "<u4"),  # bit per thread whose late word is issued, but not over
        ("late_at", "<u4", (THREADS,)),
        # what the matrix and the vector unit have still to do (:mod:`.late`)
        ("slow", "u1"),  # banks are turned as late as is known
        ("turns_late", "<u4"),  # rounds; or as late as a schedule says
        ("turns", "<u4"),  # words that have turned banks
        ("not_owned", "<u4"),  # words that wrote a bank of the unpackers'; the first of them
        ("not_owned_word", "<u4"),
        ("not_owned_origin", "<u8"),
        ("rounds_late", "<u4"),  # of the word that is executed now
        ("turning", "u1"),  # bit: bank to turn; two bits on: without giving it back
        ("turn_left", "<u4"),
        ("turn_thread", "<u4"),
        ("holding", "u1"),
        ("hold_left", "<u4"),
        ("hold_thread", "<u4"),
        ("changed", "u1", (DST_ROWS,)),
        ("dst_valid", "u1", (DST_ROWS,)),
        ("dst", "<u2", (DST_ROWS, 16)),
        ("lreg", "<u4", (LREGS, 32)),
        ("made", MADE, (2,)),  # the matrix unit's last word, the vector unit's
        ("recording", "u1"),
        ("points", "<u4"),
        ("seen_pc", "<u4", (THREAD_ACTOR, SEEN)),  # of the last loads
        ("seen_address", "<u4", (THREAD_ACTOR, SEEN)),
        ("seen", "<u4", (THREAD_ACTOR,)),  # so many were made
        ("passed", "<u8", (THREAD_ACTOR,)),  # accesses of each core, one that polls counts once
        # whose turn it is, by priorities
        ("prioritised", "u1"),
        ("priority", "<u4", (ACTORS,)),
        ("asked", "<u8", (ACTORS,)),  # the round after that in which it last asked
        ("blocked", "<u4"),  # bit per actor that can do nothing until others have
        ("vain", "<u4", (THREAD_ACTOR,)),  # instructions of a core since its last access
        ("steps", "<u8"),
        ("change", "<u8", (CHANGES,)),  # at which steps the one who steps falls behind all others
        ("changes", "<u4"),
        ("lost_last", "<u8", (ACTORS,)),  # 1 + how far each had come when it last lost its turn
        ("losses", "<u4"),  # turns that were lost by somebody who could have gone on
        ("lost_actor", "<u4", (LOSSES,)),
        ("lost_at", "<u8", (LOSSES,)),
        ("stepper", "<u4"),
        ("streak", "<u4"),
        # who touches what, in order
        ("logging", "u1"),
        ("acting", "<u4"),
        ("acting_at", "<u4"),
        ("acting_from", "<u4"),  # the first of its accesses
        ("again", "u1"),
        ("wait_at", "<u8", (THREADS,)),  # which of a thread's words has latched its wait
        ("accesses", "<u4"),
        # these change as well, as many as there are
        ("delay", DELAY, (DELAYS,)),
        # what is only remembered
        ("point", POINT, (POINTS,)),
        ("access", ACCESS, (ACCESSES,)),
        ("dirty", "u1", (512,)),  # pages of L1 that were written
    ]
)


REACHES_MEMORY: Final = ("UNPACR", "PACR", "XMOV", "LOADIND", "STOREIND", "ATSWAP", "ATINCGET")
"""Instructions that wait for L1, for as long as others contend for it (L1.md)."""
SYNCHRONISING: Final = (Unit.SYNC, Unit.UNPACK, Unit.PACK, Unit.SCALAR, Unit.CONFIG, Unit.MOVER)
"""Units whose words other threads and cores can notice at once."""


@kernel
def held(s: Exploring, actor: int, at: int) -> int:
    """Whether an actor that has come so far is held back in this round."""
    p = s.plan
    i = p.next[actor]
    while i:
        d = p.delay[i - 1]
        if not d.over:
            if d.at > at:
                return 0
            if d.late:
                d.over = 1
                d.began = s.clock
                p.late_left[actor - THREAD_ACTOR] = d.rounds
            elif hold(s, i - 1):
                return 1
        if p.next[actor] == i:
            p.next[actor] = d.after
        i = d.after
    if not p.next[actor]:
        p.actors &= ~(1 << actor)
    return 0


@kernel
def come(s: Exploring, actor: int) -> int:
    """How far an actor has come."""
    if actor < THREAD_ACTOR:
        passed: int = s.plan.passed[actor]
        return passed
    issued: int = s.frontend[actor - THREAD_ACTOR].issued
    return issued


@kernel
def has_done(s: Exploring, actor: int, at: int) -> int:
    """Whether an actor has done what it does at a place: of a word that waits, the wait too."""
    if actor >= THREAD_ACTOR:
        t = actor - THREAD_ACTOR
        if s.frontend[t].wait.kind and s.plan.wait_at[t] == at:
            return 0
    return 1 if come(s, actor) > at else 0


@kernel
def hold(s: Exploring, i: int) -> int:
    """Whether a delay that has begun goes on."""
    p = s.plan
    d = p.delay[i]
    if p.stops and p.rested == i + 1:
        return 1
    if d.held == 0:
        d.began = s.clock
    d.held += 1
    ends = 0
    if d.rounds == UNTIL_REST:
        p.resting = 1
        if p.rested == i + 1:
            ends = 1
        elif d.held > p.longest:
            p.gave_up += 1
            ends = 1
    elif d.held > d.rounds:
        ends = 1
    if d.until_actor < NOBODY and has_done(s, d.until_actor, d.until_at):
        ends = REACHED
    if ends:
        d.over = ends
        p.rested = 0
        p.rest_at = 0  # who is let go can move again: look for rest from now on
        return 0
    return waits(s)


@kernel
def waits(s: Exploring) -> int:
    """Somebody is held in this round: nothing is stuck, time will pass."""
    s.private_effects += 1
    s.plan.waited += 1
    s.plan.last_held = s.clock
    return 1


@kernel
def notes(s: Exploring, actor: int, at: int, word: int, origin: int) -> None:
    """Note a place at which a delay can matter."""
    p = s.plan
    if p.points < POINTS:
        new = p.point[p.points]
        new.actor = actor
        new.at = at
        new.word = word
        new.origin = origin
        p.points += 1
