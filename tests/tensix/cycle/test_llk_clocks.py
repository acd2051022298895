"""The vendor's compiled kernels: both clocks issue the same words and leave the same bytes.

Under the cycle clock every cycle of each thread, core and unit has one cause.

See ``tests/vendor/llk/test_llk.py`` for where the ELFs come from.
"""

from typing import Any

import pytest

from cycle_harness import adds_up
from llk_kernels import VECTORS, elfs_of, index
from tilelab.tensix import Tile
from tilelab.vendor.llk.harness import TileBackend, replay


@pytest.mark.llk
@pytest.mark.parametrize("entry", index(), ids=lambda entry: entry["slug"])
def test_clocks_agree(entry: dict[str, Any]) -> None:
    elfs = elfs_of(entry["slug"])
    streams, results = [], []
    for clock in ("functional", "cycle"):
        tile = Tile(clock=clock)
        words: list[list[int]] = [[], [], []]
        tile.observe(lambda clock, thread, word, origin, words=words: words[thread].append(word))
        results.append(replay(TileBackend(tile), VECTORS / entry["slug"], elfs))
        streams.append(words)
        if clock == "cycle":
            adds_up(tile)
    assert results[1].differ == 0, str(results[1])
    assert results[0] == results[1]
    assert streams[0] == streams[1]
