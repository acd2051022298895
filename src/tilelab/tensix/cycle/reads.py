"""The unpackers' reads of L1: how much is still to come, and how fast it comes.

An unpacker reads for one UNPACR and has the next one's behind it. Two that read at once slow each
other down for as long as both do, so whenever one begins or ends, what both still have to read is
looked at anew, and with it when their banks become valid. While an UNPACR waits for its bank, its
unpacker reads ahead.
"""

from typing import Final

from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.semantics import config
from tilelab.tensix.chips.opcodes import UNPACR
from tilelab.tensix.cycle.banks import later
from tilelab.tensix.cycle.what_if import UNPACK
from tilelab.tensix.state.cycle_record import FREE
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.figures import READ_AHEAD, UNPACK_PIPE

NOW: Final = 0
NEXT: Final = 1
AHEAD: Final = READ_AHEAD.value
SHARED_SPEED: Final = (0, 0, 0, 1, 0, 0, 2, 1, 1)
"""What an unpacker gets that wants speed n // 3 while the other fetches and wants n % 3."""


@kernel
def unpack_speed(s: State, t: int, u: int) -> int:
    """How fast an unpacker wants to fetch: 0 to 2 for x1, x2, x4; x4 where rows lie apart."""
    if s.cycle.rows:
        return 2
    if s.arch.unpack_default_throttle:
        if not config(s, t, s.f.THCON_SEC0_REG1_ovrd_default_throttle_mode):
            return 2
    wanted = config(s, t, s.f.THCON_SEC_REG2_Throttle_mode[u])
    return wanted if wanted < 2 else 2


@kernel
def bytes_a_cycle(s: State, u: int, slot: int, shares: int) -> int:
    """How many bytes an unpacker reads in a cycle; with ``shares`` the other one reads as well."""
    cycle = s.cycle
    speed = cycle.read_speed[u, slot]
    if shares and s.arch.timing.unpack_shares:
        speed = SHARED_SPEED[3 * speed + cycle.read_speed[1 - u, NOW]]
    rate = s.arch.timing.unpack_bytes[speed]
    if cycle.read_apart[u, slot]:
        rate = min(rate, s.arch.timing.unpack_apart)
    factor = cycle.what_if[UNPACK]
    return rate * factor if factor else rate


@kernel
def reads(s: State, u: int, clock: int) -> int:
    """Whether an unpacker reads in that cycle, as far as is known."""
    return 1 if s.cycle.read_left[u, NOW] and s.cycle.read_from[u] <= clock else 0


@kernel
def settle(s: State) -> int:
    """Count what has been read since this was last called; who is through goes on with the next."""
    cycle = s.cycle
    last = s.clock - 1
    zero = bytes_a_cycle(s, 0, NOW, reads(s, 1, last))
    one = bytes_a_cycle(s, 1, NOW, reads(s, 0, last))
    for u in range(2):
        left = cycle.read_left[u, NOW]
        if left == 0 or cycle.read_from[u] > last:
            continue
        rate = one if u else zero
        needs = (left + rate - 1) // rate
        took = min(s.clock - cycle.read_from[u], needs)
        cycle.fetch_cycles[u] = cycle.fetch_cycles[u] + took
        cycle.read_from[u] = s.clock
        if took < needs:
            cycle.read_left[u, NOW] = left - took * rate
            continue
        cycle.read_left[u, NOW] = cycle.read_left[u, NEXT]
        cycle.read_speed[u, NOW] = cycle.read_speed[u, NEXT]
        cycle.read_apart[u, NOW] = cycle.read_apart[u, NEXT]
        cycle.read_thread[u, NOW] = cycle.read_thread[u, NEXT]
        cycle.read_banks[u, NOW] = cycle.read_banks[u, NEXT]
        cycle.read_left[u, NEXT] = 0
        cycle.read_banks[u, NEXT] = 0
        cycle.read_from[u] = max(s.clock, cycle.read_next[u])
    return OK


@kernel
def arrives(s: State, u: int, slot: int, end: int) -> int:
    """What an UNPACR reads arrives then, as far as is known: its banks, and who waits for it."""
    cycle = s.cycle
    for bank in range(2):
        if cycle.read_banks[u, slot] >> bank & 1:
            cycle.pending_at[u, bank] = end
    cycle.pipe_busy[cycle.read_thread[u, slot], UNPACK_PIPE + u] = end
    cycle.read_end[u] = end
    return later(s, end)


@kernel
def project(s: State) -> int:
    """Say when reads arrive if nothing else begins, and when this has to be looked at again."""
    cycle = s.cycle
    event = 0
    for u in range(2):
        left = cycle.read_left[u, NOW]
        if left == 0:
            continue
        begin = max(cycle.read_from[u], s.clock)
        rate = bytes_a_cycle(s, u, NOW, reads(s, 1 - u, s.clock))
        end = begin + (left + rate - 1) // rate
        change = begin if begin > s.clock else end
        event = change if event == 0 else min(event, change)
        arrives(s, u, NOW, end)
        left = cycle.read_left[u, NEXT]
        if left:
            rate = bytes_a_cycle(s, u, NEXT, 0)
            arrives(s, u, NEXT, max(end, cycle.read_next[u]) + (left + rate - 1) // rate)
    cycle.read_event = event
    return OK


@kernel
def follow_reads(s: State) -> int:
    """An unpacker begins or ends to read in this cycle."""
    settle(s)
    return project(s)


@kernel
def fetch(s: State, t: int, u: int) -> int:
    """Time an UNPACR's fetch from L1; returns the cycle in which its data has arrived."""
    cycle = s.cycle
    settle(s)
    slot = NEXT if cycle.read_left[u, NOW] else NOW
    cycle.read_speed[u, slot] = unpack_speed(s, t, u)
    cycle.read_apart[u, slot] = 1 if cycle.rows else 0
    cycle.read_thread[u, slot] = t
    cycle.read_banks[u, slot] = 0
    start = s.clock + s.arch.timing.interval[UNPACR]
    left = cycle.work if cycle.what_if[UNPACK] != FREE else 0
    cycle.fetched[u] = cycle.fetched[u] + cycle.work
    waited = cycle.bank_since[t]
    if waited and slot == NOW:
        begin = max(waited + s.arch.timing.interval[UNPACR], cycle.read_end[u])
        start = max(s.clock, begin)
        if begin < s.clock:
            rate = bytes_a_cycle(s, u, NOW, 0)
            ahead = min(AHEAD, (s.clock - begin) * rate)
            cycle.fetch_cycles[u] = cycle.fetch_cycles[u] + (min(ahead, left) + rate - 1) // rate
            left = left - ahead if left > ahead else 0
    if slot == NOW:
        cycle.read_from[u] = start
    else:
        cycle.read_next[u] = start
    cycle.read_left[u, slot] = left
    cycle.read_end[u] = start
    project(s)
    return cycle.read_end[u]
