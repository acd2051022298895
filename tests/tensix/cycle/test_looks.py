"""What a core polls in a circular buffer is counted by the buffer's number, and what for."""

import pytest

from engine_pair import CHIPS
from riscv_program import T2, load, start, store, wait_for
from tilelab.report.breakdown import breakdown
from tilelab.tensix import Tile
from tilelab.tensix.cycle.looks import IN_STREAMS, TURN
from tilelab.tensix.tables.l1_map import CIRCULAR_BUFFERS
from tilelab.tensix.tables.noc_registers import STREAM_BYTES
from tilelab.tensix.tables.tile_registers import STREAMS

RECEIVED, ACKNOWLEDGED = 0, 1
SPENT = [0x00000013] * 200


def polls(tile: Tile, core: int) -> dict[str, int]:
    return breakdown(tile.state).cores[core].waits


def run(chip: str, engine: str, programs: dict[int, list[int]], buffers: int = 1 << 3) -> Tile:
    tile = Tile(chip, engine=engine, clock="cycle")
    tile.state.s.cycle.buffers = buffers
    tile.state.s.cycle.buffer_counters = CIRCULAR_BUFFERS.start
    start(tile, programs)
    tile.engine.rounds(2000)
    return tile


@pytest.mark.parametrize("engine", ["reference", "fast"])
@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize(
    ("side", "name"),
    [
        (RECEIVED, "buffer 3 for tiles (cb_wait_front)"),
        (ACKNOWLEDGED, "buffer 3 for room (cb_reserve_back)"),
    ],
)
def test_a_wait_for_a_buffer_is_counted_by_its_number(
    chip: str, engine: str, side: int, name: str
) -> None:
    counter = CIRCULAR_BUFFERS.start + 8 * 3 + 4 * side
    tile = run(chip, engine, {0: wait_for(counter, 1), 3: [*SPENT, *store(counter, 1)]})
    polled = polls(tile, 0)
    assert list(polled) == [name]
    assert 180 < polled[name] < 300
    counts = tile.state.record["cycle"]["core_cycles"][0]
    assert polled[name] < counts.sum()
    assert not polls(tile, 3)


@pytest.mark.parametrize("chip", CHIPS)
def test_work_between_two_waits_is_none(chip: str) -> None:
    counter = CIRCULAR_BUFFERS.start + 8 * 3
    tile = run(chip, "fast", {0: [*load(T2, counter), *SPENT, *load(T2, counter)]})
    assert not polls(tile, 0)
    assert len(SPENT) > TURN


def test_words_that_are_no_buffers_of_the_kernel_are_not_counted() -> None:
    counter = CIRCULAR_BUFFERS.start + 8 * 3
    programs = {0: wait_for(counter, 1), 3: [*SPENT, *store(counter, 1)]}
    assert not polls(run("blackhole", "fast", programs, 1 << 4), 0)
    assert not polls(run("blackhole", "fast", programs, 0), 0)


@pytest.mark.parametrize("chip", CHIPS)
def test_buffers_of_the_vendors_kernels_are_counted_in_streams(chip: str) -> None:
    tile = Tile(chip, engine="fast", clock="cycle")
    counter = STREAMS + 5 * STREAM_BYTES + tile.arch.noc.stream_size
    tile.state.s.noc.connected = 1
    tile.state.s.cycle.buffers = 1 << 5
    tile.state.s.cycle.buffer_counters = IN_STREAMS
    start(tile, {0: [*wait_for(counter, 1)], 3: [*SPENT, *store(counter, 1)]})
    tile.engine.rounds(2000)
    (name,) = polls(tile, 0)
    assert name == "buffer 5 for tiles (cb_wait_front)"
