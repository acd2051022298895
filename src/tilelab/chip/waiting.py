"""Who waits for what on a chip on which nothing can change any more."""

from collections.abc import Callable, Iterator
from typing import Final

from tilelab.tensix.report.explain import describe_core, describe_thread
from tilelab.tensix.report.polls import polled
from tilelab.tensix.run.rounds import in_flight
from tilelab.tensix.state import TensixState
from tilelab.tensix.tile.tile import Tile
from tilelab.tensix.words.origin import CORE_NAMES
from tilelab.tensix.words.waits import WAITS

SHOWN: Final = 16
"""Tiles that are described; of more it is said how many there are."""


Waiting = list[tuple[str, tuple[str, ...]]]
"""A tile's name, and a line for each of its cores and threads that waits."""


def who_waits(
    tiles: list[tuple[str, Tile]], cares: Callable[[Tile, int], bool] = lambda tile, core: True
) -> list[str]:
    """One line for each core and thread that waits, below its tile's name.

    Tiles that wait alike are one entry. ``cares``: whether a core's waiting is of interest.
    """
    return alike(waiting(tiles, cares))


def waiting(
    tiles: list[tuple[str, Tile]], cares: Callable[[Tile, int], bool] = lambda tile, core: True
) -> Waiting:
    """Every tile that waits, by itself; as :func:`who_waits`."""
    copy = TensixState(tiles[0][1].arch) if tiles else None
    found = [(name, tuple(_tile(tile, cares, copy))) for name, tile in tiles]
    return [(name, lines) for name, lines in found if lines]


def alike(tiles: Waiting) -> list[str]:
    """What :func:`waiting` found, tiles that wait alike as one entry."""
    same: dict[tuple[str, ...], list[str]] = {}
    for name, lines in tiles:
        same.setdefault(lines, []).append(name)
    found = []
    for lines, names in list(same.items())[:SHOWN]:
        more = f" and {len(names) - 1} more like it" if len(names) > 1 else ""
        found += [f"{names[0]}{more}", *(f"  {line}" for line in lines)]
    if len(same) > SHOWN:
        found.append(f"and {len(same) - SHOWN} more tiles")
    return found


def _tile(
    tile: Tile, cares: Callable[[Tile, int], bool], copy: TensixState | None
) -> Iterator[str]:
    s = tile.state.s
    involved = False
    for core in CORE_NAMES:
        if core < tile.arch.cores and s.riscv[core].running and cares(tile, core):
            involved = True
            yield _core(tile, core, copy)
    for thread in range(tile.arch.threads if involved else 0):
        if in_flight(s, thread) or s.frontend[thread].wait.kind:
            yield from describe_thread(tile.state, thread, tile.sources.describe_pc)


def _core(tile: Tile, core: int, copy: TensixState | None) -> str:
    riscv = tile.state.s.riscv[core]
    if tile.state.s.engine.core_wait[core] in WAITS:
        return describe_core(tile.state, core, tile.sources)
    where = tile.sources.describe_pc(core, int(riscv.pc))
    found = " or ".join(polled(tile.state, core, copy))
    return f"{where}: waits for {found or 'nothing that changes'}"
