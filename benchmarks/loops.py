"""How fast a tile issues instructions: a MOP loops over a replayed sequence, from one thread."""

import statistics
import time
from collections.abc import Callable, Sequence

from tilelab.tensix import Tile

NOP = 0x02000000
MOP = 0x01800000
ROUNDS = 10_000_000


def looped_tile(words: Sequence[int], thread: int, engine: str, loops: int) -> Tile:
    """A tile whose thread issues ``words`` ``loops`` × 128 times when the MOP is pushed."""
    tile = Tile(engine=engine)
    frontend = tile.state.s.frontend[thread]
    for i, word in enumerate(words):
        frontend.replay_buffer[i] = word
    replay = 0x04000000 | len(words) << 4
    for i, value in enumerate([loops, 127, NOP, NOP, NOP, replay, NOP, replay, replay]):
        frontend.mop_cfg[i] = value
    return tile


def rates(
    words: Sequence[int],
    setup: Callable[[Tile], None],
    thread: int = 1,
    engine: str = "fast",
    loops: int = 127,
    runs: int = 7,
) -> list[float]:
    """Instructions per second of processor time of each of several runs, after one to warm up."""
    tile = looped_tile(words, thread, engine, loops)
    setup(tile)
    found = []
    for _ in range(runs + 1):
        tile.push(MOP, thread)
        start = time.process_time()
        tile.run(ROUNDS)
        found.append(len(words) * loops * 127 / (time.process_time() - start))
    return found[1:]


def show(name: str, found: Sequence[float], per: int = 1, what: str = "instructions") -> None:
    """Print the median and the best of some rates, in millions of ``per`` instructions."""
    middle, best = (value / per / 1e6 for value in (statistics.median(found), max(found)))
    print(f"{name:32} {middle:8.3f} M {what}/s (best {best:.3f})")
