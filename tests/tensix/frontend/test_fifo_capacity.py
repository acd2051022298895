"""How many words a thread takes while nothing leaves its wait gate, under the functional clock."""

import pytest

from tilelab.tensix import Tile
from tilelab.tensix.frontend.fifo import push
from tilelab.tensix.words.origin import HOST, origin_of

SETADC = 0x50200000


@pytest.mark.parametrize(
    ("chip", "capacities"), [("blackhole", (41, 41, 41)), ("wormhole", (41, 25, 25))]
)
def test_a_blocked_gate_lets_the_input_fifo_and_nine_words_more_in(
    chip: str, capacities: tuple[int, int, int]
) -> None:
    for t, capacity in enumerate(capacities):
        tile = Tile(chip, engine="reference")
        s = tile.state.s
        wait = s.frontend[t].wait
        wait.kind, wait.block_mask, wait.condition_mask, wait.semaphore_mask = 2, 0x1FF, 1, 1
        s.semaphore[0].max = 1
        taken = 0
        for number in range(100):
            taken += push(s, t, SETADC | number, origin_of(HOST, 0)) == 0
            tile.run(1)
        assert taken == capacity
        assert capacity == tile.arch.input_fifo[t] + 8 + 1
