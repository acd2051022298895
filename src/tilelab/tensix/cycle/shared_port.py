"""A packer and an unpacker at one port of L1: while both want it, they take turns.

A packer then writes in every other cycle. What it costs the unpacker, which has three more ports,
is not documented: nothing is charged.
"""

from typing import Final

from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.cycle.banks import later
from tilelab.tensix.cycle.reads import reads
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.figures import PACK_PIPE

UNPACKER: Final = 1


@kernel
def share_port(s: State) -> int:
    """Begin a cycle: a packer whose port an unpacker has in this cycle is through one later."""
    cycle = s.cycle
    p = s.arch.timing.pack_port
    end = cycle.pack_end[p]
    if end <= s.clock or not reads(s, UNPACKER, s.clock):
        return OK
    cycle.pack_turn = cycle.pack_turn ^ 1
    if not cycle.pack_turn:
        return OK
    cycle.pack_end[p] = end + 1
    cycle.pack_cycles[p] = cycle.pack_cycles[p] + 1
    if cycle.pack_start[p] > s.clock:
        cycle.pack_start[p] = cycle.pack_start[p] + 1
    for t in range(s.arch.threads):
        if cycle.pipe_busy[t, PACK_PIPE + p] == end:
            cycle.pipe_busy[t, PACK_PIPE + p] = end + 1
            cycle.pipe_busy[t, PACK_PIPE] = max(cycle.pipe_busy[t, PACK_PIPE], end + 1)
    return later(s, end + 1)
