"""A run's interval: what a core polls a circular buffer for is the time of who fills it."""

import pytest

from riscv_program import T0, T1, T2, li, load, start, store, wait_for
from tilelab.report.interval import interval
from tilelab.riscv.table import RV32
from tilelab.tensix import Tile
from tilelab.tensix.tables import mechanisms
from tilelab.tensix.tables.l1_map import CIRCULAR_BUFFERS

RECEIVED = CIRCULAR_BUFFERS.start + 8 * 3
ACKNOWLEDGED = RECEIVED + 4
DIVISIONS = [*li(T0, 0x7FFFF000), *li(T2, 3), *[RV32.word("div", T1, T0, T2)] * 24]


def shares(filling: list[int]) -> dict[str, float]:
    """By mechanism, of a TRISC that waits for what BRISC fills so."""
    tile = Tile("blackhole", engine="fast", clock="cycle")
    tile.state.s.cycle.buffers = 1 << 3
    tile.state.s.cycle.buffer_counters = CIRCULAR_BUFFERS.start
    start(tile, {0: wait_for(RECEIVED, 1), 3: [*filling, *store(RECEIVED, 1)]})
    tile.engine.rounds(900)
    return interval(tile.state, 900).shares


def test_a_wait_for_tiles_is_what_the_core_that_fills_the_buffer_does() -> None:
    known = shares([*load(T2, ACKNOWLEDGED), *DIVISIONS])
    assert known[mechanisms.DIVIDE.name] > 0.3
    assert sum(known.values()) == pytest.approx(1)


def test_of_a_buffer_that_nobody_is_seen_to_fill_little_is_known() -> None:
    known = shares([*load(T2, ACKNOWLEDGED + 4), *DIVISIONS])
    assert mechanisms.DIVIDE.name not in known
    assert known[mechanisms.MAILBOXES.name] > 0.3
