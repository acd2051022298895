"""What a host asks of a tile in one call: to run, or to run until words of L1 change."""

from tilelab.sim.kernel import kernel
from tilelab.tensix.run.batches import run_rounds
from tilelab.tensix.run.cycles import run_cycles
from tilelab.tensix.state.records import State


@kernel
def run(s: State, rounds: int) -> int:
    """Run up to ``rounds`` rounds, or cycles: OK, a STOP code, or a failed check's code."""
    if s.cycle.on:
        return run_cycles(s, rounds)
    return run_rounds(s, rounds)


@kernel
def settle(s: State, rounds: int, address: int, words: int) -> int:
    """:func:`run`, to the first change of some words of L1 that begin at an address.

    ``words``: how many, up to 8; 0 if nothing is watched.
    """
    engine = s.engine
    first = address >> 2
    for i in range(words):
        engine.watch_address[i] = (first + i) << 2
        engine.watch_value[i] = s.l1_32[first + i]
    engine.watches = words
    engine.watch_changes = 1 if words else 0
    engine.watch_first = first if words else 1
    engine.watch_last = first + words - 1 if words else 0
    return run(s, rounds)
