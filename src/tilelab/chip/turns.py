"""How a chip runs: its tiles side by side, a slice of rounds each.

A tile in which nothing can change until somebody writes to it sleeps and costs nothing. The others
run until each has asked something of the NoC, or has come to the slice's end: in that, no tile sees
another, so any number of the host's threads may run them and all is as if one did. Then what they
asked is carried out, tile after tile in a fixed order, and they run on.
"""

from typing import Final

from tilelab.chip import problems
from tilelab.chip.answers import FIRST_CORE
from tilelab.chip.network import deliver
from tilelab.chip.problems import report
from tilelab.chip.state import ASLEEP, ChipState
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.noc.ethernet import begin_ethernet
from tilelab.tensix.run.rounds import STOP_IDLE, STOP_NOC, STOP_STUCK
from tilelab.tensix.run.speed.batches import run_rounds
from tilelab.tensix.state.records import State

TRANSLATED: Final = 1 << 14
"""NIU_CFG_0: coordinates are translated."""
END, RUN, SETTLE = range(3)
X_FIRST: Final = 1 << 28
"""NOC_NODE_ID: the NoC moves packets along x first."""


@kernel
def connect(c: ChipState, i: int) -> None:
    """Tell a tile's interfaces where it is."""
    s = c.tile[i]
    s.noc.connected = 1
    s.engine.find_polls = 0 if c.late else 1
    x = c.physical_of[i] & 63
    y = c.physical_of[i] >> 6
    size = c.arch.noc.width << 12 | c.arch.noc.height << 19
    s.noc.node_id[0] = x | y << 6 | size | X_FIRST
    s.noc.node_id[1] = (c.arch.noc.width - 1 - x) | (c.arch.noc.height - 1 - y) << 6 | size
    for niu in range(2):
        s.noc.config[niu, 0] = TRANSLATED
        s.noc.config[niu, (c.arch.noc.logical_id - 0x100) >> 2] = c.place_of[i]


@kernel
def leave_ethernet(c: ChipState) -> None:
    """Write what the Ethernet tiles' own firmware would have left in their memory."""
    size = c.arch.layout.ethernet.memory
    for tile in range(len(c.ethernet) // size):
        state = c.ethernet_state[tile]
        for k in range(c.ethernet_words):
            at = c.ethernet_word_at[k]
            word = c.ethernet_word[tile, k]
            if state:
                c.tile[state - 1].l1_32[at >> 2] = word
            else:
                for i in range(4):
                    c.ethernet[tile * size + at + i] = word >> 8 * i & 0xFF
        if c.linked[tile]:
            begin_ethernet(c.tile[state - 1])
            # its own firmware runs on the first core
            c.tile[state - 1].soft_reset = c.arch.layout.ethernet.reset_bits & ~FIRST_CORE


@kernel
def power_up(c: ChipState) -> None:
    """Bring fresh memory of all tiles to the state in which a chip powers up."""
    for i in range(c.states):
        s = c.tile[i]
        for k in range(c.initial_words):
            s.record_32[c.initial_at[k]] = c.initial_value[k]
        connect(c, i)
    leave_ethernet(c)


@kernel
def start_run(c: ChipState, rounds: int) -> None:
    """Begin to run at most so many rounds; :func:`go_on` does it."""
    c.end = c.time + rounds


@kernel
def slice_end(c: ChipState) -> int:
    """To where tiles run at present."""
    return min(c.time + c.slice, c.end)


@kernel
def wanted(c: ChipState) -> int:
    """What is to be done next: END, RUN (:func:`run_tile` for every tile) or SETTLE."""
    if c.settling:
        return SETTLE
    return RUN if c.awake and c.time < c.end else END


@kernel
def run_tile(c: ChipState, i: int) -> None:
    """Run a tile that is awake for as long as it asks nothing of others.

    It touches nothing but the tile, and what the chip notes of this tile alone.
    """
    s = c.tile[i]
    end = slice_end(c)
    if c.is_awake[i] and s.clock < end:
        c.written[i] = 0
        code = run_rounds(s, end - s.clock)
        while code == STOP_NOC and c.late and (c.told or not s.noc.early):
            s.noc.held = s.noc.requests
            code = run_rounds(s, end - s.clock)
        c.code_of[i] = code
        c.ran[i] = 1


@kernel
def settle(c: ChipState) -> int:
    """Carry out what tiles that ran have asked for: OK, PROBLEM, a wish for host memory, or what
    the tile in turn ended with: a STOP code, or a failed check's code. Then call it again.
    """
    c.settling = 1
    while c.turn < c.states:
        if c.ran[c.turn]:
            code = end_turn(c, c.tile[c.turn], c.turn)
            if code != OK:
                return code
            c.ran[c.turn] = 0
        c.turn += 1
    c.turn = 0
    c.settling = 0
    end = slice_end(c)
    for i in range(c.states):
        if c.is_awake[i] and c.tile[i].clock < end:
            return OK
    if c.awake:
        c.time += c.slice
    return OK


@kernel
def go_on(c: ChipState) -> int:
    """Run every tile that is awake: OK at the end, ASLEEP, or what :func:`settle` returned."""
    code = OK
    while code == OK:
        what = wanted(c)
        if what == END:
            return OK if c.awake else ASLEEP
        if what == RUN:
            for i in range(c.states):
                run_tile(c, i)
        code = settle(c)
    return code


@kernel
def end_turn(c: ChipState, s: State, i: int) -> int:
    """Deal with what ended a tile's run: OK, or what :func:`settle` is to return."""
    code = c.code_of[i]
    if s.noc.early and not c.told:
        return used_early(c, s, i)
    if s.noc.requests and code in (OK, STOP_NOC, STOP_IDLE, STOP_STUCK):
        return deliver(c, i)
    return ended(c, i, code)


@kernel
def ended(c: ChipState, i: int, code: int) -> int:
    """A tile that asks for nothing any more falls asleep where it rests; as :func:`end_turn`."""
    if code == STOP_IDLE or code == STOP_STUCK:
        if not c.written[i]:
            c.is_awake[i] = 0
            c.awake -= 1
        return OK
    if code != OK:
        c.ran[i] = 0
    return code


@kernel
def used_early(c: ChipState, s: State, i: int) -> int:
    """Report the read whose data were used before they came."""
    c.next = s.noc.early - 1
    return report(c, problems.EARLY, c.place_of[i], s.noc.early_address, 0)


@kernel
def go_past(c: ChipState) -> None:
    """Let a chip go on that has reported such a read; it reports no other."""
    c.told = 1
    c.next = 0
