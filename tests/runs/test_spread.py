"""Several chips on the workers of a Dask cluster: the same as in one process."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from chip_program import RESULT, WRITE, at, counter, request, wait_register
from chips_program import BYTES, DATA, FLAG, PLACE, SENDS, TAKES, THERE, send_bytes, send_word
from chips_program import start as start_core
from local_cluster import two_workers
from riscv_program import store, wait_for
from tilelab.chip.chip import REQUEST_NOTE
from tilelab.chip.several import Chips
from tilelab.runs.cluster import connect
from tilelab.runs.spread import SpreadChips
from tilelab.sim.errors import MachineError
from tilelab.tensix.arch import arch
from tilelab.tensix.noc import niu as n
from tilelab.tensix.tables.layout import Place

FIRST, SECOND = SENDS[1], TAKES[1]
TIMES = 5


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with two_workers() as local:
        yield local


@pytest.fixture
def client(cluster: Any) -> Iterator[Any]:
    made = connect(cluster.scheduler_address)
    yield made
    made.close()


class End:
    """A chip of either kind, as programs are started on it."""

    def __init__(self, chips: Chips, number: int) -> None:
        self.far = chips.devices[number] if isinstance(chips, SpreadChips) else None
        self.near = None if self.far else chips.chips[number]

    def write(self, place: Place, address: int, data: bytes) -> None:
        if self.far:
            self.far.tile_write(place, address, data)
        elif self.near:
            self.near.write(place, address, data)

    def read(self, place: Place, address: int, count: int) -> bytes:
        if self.far:
            return self.far.tile_read(place, address, count)
        assert self.near
        return self.near.read(place, address, count)


def to_and_fro(chips: Chips) -> list[bytes]:
    """Bytes go to and fro between chips and to a Tensix tile; what memories hold."""
    first, second = End(chips, 0), End(chips, 1)
    first.write(FIRST, DATA, BYTES)
    there, back = [], []
    for turn in range(1, TIMES + 1):
        there += [*send_bytes(DATA, 64, THERE), *send_word(FLAG, turn), *wait_for(FLAG, turn)]
        back += [*wait_for(FLAG, turn), *store(THERE + 4 * turn, turn)]
        back += request(arch("blackhole"), WRITE, (THERE, at(SECOND)), (RESULT, at(PLACE)), 64)
        back += wait_register(counter(0, n.WRITE_ACKS), turn)
        back += [*send_bytes(THERE, 64, DATA), *send_word(FLAG, turn)]
    start_core(first, FIRST, there)
    start_core(second, SECOND, back)
    assert chips.run(1_000_000)
    places = (FIRST, SECOND, PLACE)
    return [end.read(place, 0, 0x8000) for end in (first, second) for place in places]


@pytest.mark.parametrize("engine", ["fast", "reference"])
def test_chips_on_two_workers_are_those_of_one_process(client: Any, engine: str) -> None:
    here = Chips("blackhole", 2, tiles=[PLACE], engine=engine)
    notes: list[list[bytes]] = [[], []]
    for chip, into in zip(here.chips, notes, strict=True):
        chip.trace_requests(lambda batch, into=into: into.append(batch.tobytes()))
    there = SpreadChips(client, "blackhole", 2, tiles=[PLACE], engine=engine)
    there.note()
    assert len(set(there.holders)) == 2
    assert to_and_fro(there) == to_and_fro(here)
    assert (there.time, there.requests) == (here.time, here.requests)
    found = there.noted()
    assert found == [b"".join(one) for one in notes]
    assert [len(np.frombuffer(one, REQUEST_NOTE)) for one in found] == [2 * TIMES, 3 * TIMES]


def test_who_waits_is_said_of_all_workers(client: Any) -> None:
    waits = []
    for chips in (
        Chips("blackhole", 2, tiles=[PLACE]),
        SpreadChips(client, "blackhole", 2, tiles=[PLACE]),
    ):
        for number, place in (SENDS, TAKES):
            start_core(End(chips, number), place, wait_for(FLAG, 1))
        assert chips.run(1_000_000)
        waits.append(chips.who_waits())
    assert waits[0] == waits[1]
    assert waits[0][0] == "chip 0, Ethernet tile 22,25 and 1 more like it"


def test_what_a_program_does_wrong_is_said_as_in_one_process(client: Any) -> None:
    chips = SpreadChips(client, "blackhole", 2, tiles=[PLACE])
    start_core(End(chips, 1), SECOND, send_bytes(DATA, 24, THERE))
    with pytest.raises(MachineError, match="multiples of 16 bytes"):
        chips.run(100_000)
