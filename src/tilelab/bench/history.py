"""What a debugger's history costs: recording a run, and stepping back from its end."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from tilelab.bench.measure import Spread, spread
from tilelab.bench.work import CHIP
from tilelab.debug import Debugger, changed
from tilelab.tensix.tables.tile_registers import DEBUG_REGISTERS, SOFT_RESET_0
from tilelab.tensix.tile.tile import Tile

LENGTHS = (100_000, 1_000_000, 10_000_000)
TINY = (1_000, 2_000, 4_000)
ONLY_BRISC = 0x47000
PROGRAM = (
    0xFFE405B7,  # lui a1, 0xffe40: the instruction FIFO of thread 0
    0x02000637,  # lui a2, 0x2000: ttnop
    0x00C5A023,  # sw a2, 0(a1)
    0x00150513,  # addi a0, a0, 1
    0x40A02023,  # sw a0, 0x400(zero)
    0xFF5FF06F,  # j back to the push
)
"""BRISC pushes a word, counts, stores the count and goes on so, without end."""


@dataclass(frozen=True)
class HistoryRow:
    """Of a run of so many cycles: recording in relation to running, and milliseconds back."""

    cycles: int
    recording: Spread
    """Times as long as without recording."""
    step_back: Spread
    """Milliseconds of processor time, by one instruction from the end."""
    last_change: Spread
    """Milliseconds, to the last change of a word of L1."""
    snapshots: int


def _tile() -> Tile:
    tile = Tile(CHIP)
    tile.write(0, b"".join(word.to_bytes(4, "little") for word in PROGRAM))
    tile.reg_write(DEBUG_REGISTERS + SOFT_RESET_0, ONLY_BRISC)
    return tile


def _seconds(run: Callable[[], object]) -> float:
    begin = time.process_time()
    run()
    return time.process_time() - begin


def _once(cycles: int) -> tuple[float, float, float, int]:
    """One run: how many times as long recording took, milliseconds back, snapshots."""
    plain, made = _tile(), Debugger(_tile())
    alone = _seconds(lambda: plain.run(cycles))
    recorded = _seconds(lambda: made.forward((), cycles))
    retired, word = (changed(made.place(name)) for name in ("riscv[3].retired", "l1[0x400:4]"))
    back = 1e3 * _seconds(lambda: made.step(retired, -1))
    change = 1e3 * _seconds(lambda: made.step(word, -1))
    return recorded / alone, back, change, len(made.history.snapshots)


def _row(cycles: int, runs: int) -> HistoryRow:
    ratios, steps, changes, snapshots = zip(*(_once(cycles) for _ in range(runs)), strict=True)
    return HistoryRow(
        cycles, spread(list(ratios)), spread(list(steps)), spread(list(changes)), snapshots[-1]
    )


def measure_history(runs: int, tiny: bool, note: Callable[[str], None]) -> list[HistoryRow]:
    """Record runs of three lengths and step back from their ends."""
    _once(TINY[0])  # what is met for the first time is not measured
    rows = []
    for cycles in TINY if tiny else LENGTHS:
        note(f"history, {cycles:,} cycles")
        rows.append(_row(cycles, runs))
    return rows
