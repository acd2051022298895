"""What a host asks of a tile in one call: registers, and to run, maybe until words of L1 change."""

from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.riscv.host import host_read, host_write
from tilelab.tensix.run.cycles import run_cycles
from tilelab.tensix.run.speed.batches import run_rounds
from tilelab.tensix.run.stuck import forget_stuck
from tilelab.tensix.state.records import State


@kernel
def look(s: State, address: int) -> int:
    """What :func:`host_read` gives, in one number: the value, or a check's code as -code."""
    status, value = host_read(s, address)
    return value if status == OK else -status


@kernel
def change(s: State, address: int, value: int) -> int:
    """:func:`host_write`, by somebody for whom the tile may have waited."""
    code = host_write(s, address, value)
    return forget_stuck(s) if code == OK else code


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
    engine.look_at = s.clock  # short runs end before it is time to look again
    return run(s, rounds)
