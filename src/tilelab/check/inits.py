"""Whether an operation runs by its own init: what each thread's MOP was programmed by.

Operations are known by their functions' names, as in :mod:`.contract`: ``add_tiles`` belongs to
``add_tiles_init``, ``_llk_unpack_tilize_`` to ``_llk_unpack_tilize_init_``. A MOP that runs in an
operation whose init the program calls, but was programmed last in the init of another one, does
what the other one does. Silent where names do not tell: several operations may share an init.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import product
from operator import itemgetter
from typing import Final

import numpy as np

from tilelab.check.addressing import MODIFIER_TAKEN
from tilelab.check.engine import CheckedTile
from tilelab.check.findings import Finding, at_end, party
from tilelab.check.lregs import CONSTANT_TAKEN
from tilelab.check.mops import INIT_MISSING
from tilelab.check.shadow import ISSUE_ACTOR
from tilelab.tensix.words.origin import CORE_NAMES, origin_of, pushed_at, pusher

INIT: Final = re.compile(r"(?P<name>.+?)_(?:re)?init(?:_.*)?")
TILES: Final = re.compile(r"_(?:tiles?|block)(?=_|$)")
ALIASES: Final = {"mm": "matmul"}
"""Operations whose inits the vendor calls otherwise."""
COMPUTE: Final = frozenset(
    ("add", "sub", "mul", "matmul", "copy", "reduce", "transpose_wh", "pack")
)
"""Operations of the vendor's compute API, each of which has an init of its own."""


def plain(function: str) -> str:
    """A function's name without what the vendor's layers put around it."""
    return function.strip("_").removeprefix("llk_")


def operation(name: str) -> str:
    """What an operation is called, whether in its init's name or its own."""
    short = TILES.sub("", name)
    return ALIASES.get(short, short)


def initialised(functions: Iterable[str]) -> set[str]:
    """The operations whose inits are among functions."""
    found = (INIT.fullmatch(plain(function)) for function in functions)
    return {operation(one["name"]) for one in found if one}


def ran(functions: Iterable[str]) -> set[str]:
    """The operations that are among functions."""
    return {operation(plain(function)) for function in functions}


def others_inits(tile: CheckedTile) -> Iterator[Finding]:
    """Every MOP that ran in an operation by another one's init; each pair of places once."""
    if tile.is_off(INIT_MISSING) or not tile.programs:
        return
    noted = tile.engine.shadow
    pairs = [
        tuple(int(noted[f"mop_pair_{part}"][at]) for part in ("runner", "pc", "word"))
        for at in zip(*np.nonzero(noted["mop_pair_runner"]), strict=True)
    ]
    known: dict[int, set[str]] = defaultdict(lambda: set(COMPUTE))
    for core, at in zip(*np.nonzero(noted["mop_programmers"]), strict=True):
        pc = int(noted["mop_programmers"][core, at])
        known[int(core)] |= initialised(names(tile, int(core), pc))
    running = {origin: ran(names(tile, pusher(origin), pushed_at(origin))) for origin, *_ in pairs}
    operations = COMPUTE.union(*running.values())
    for origin, pc, word in pairs:
        core, runs = pusher(origin), running[origin]
        inits = initialised(names(tile, core, pc))
        mine = runs & known[core]
        forms = product(runs, inits - operations)  # of one operation, as far as names tell
        shared = runs & inits or any(a.startswith(b) or b.startswith(a) for a, b in forms)
        if not mine or not inits or shared:
            continue
        where = f"{min(mine)} by the init of {min(inits)}"
        sides = party(tile, 1, word, origin), party(tile, 1, 0, origin_of(core, pc))
        yield at_end(tile, INIT_MISSING, where, sides, CORE_NAMES[core])


def taken(tile: CheckedTile) -> list[Finding]:
    """Every operation that took what its init had set, and something else has changed since."""
    found = (
        *_taken(tile, MODIFIER_TAKEN, "modifier_taken", "address modifier {}"),
        *_taken(tile, CONSTANT_TAKEN, "constant_taken", "constant LReg[{}]"),
    )
    return list({finding.identity: finding for finding in found}.values())


def _taken(tile: CheckedTile, rule: int, noted: str, called: str) -> Iterator[Finding]:
    if tile.is_off(rule) or not tile.programs:
        return
    for take in filter(itemgetter("origin"), tile.engine.shadow[noted]):
        origins = [int(take[part]) for part in ("origin", "setter", "before")]
        runner, setter, before = (names(tile, pusher(at), pushed_at(at)) for at in origins)
        others = tuple(initialised(setter) | ran(setter))
        own = ran(runner) & initialised(before)
        mine = {name for name in own if not any(one.startswith(name) for one in others)}
        if not mine or (rule == MODIFIER_TAKEN and initialised(setter)):
            continue  # of another operation's init its MOP tells, too
        where = f"{called.format(int(take['place']))}, which the init of {min(mine)} had set"
        words = (int(take["word"]), 0)
        this, other = (
            party(tile, ISSUE_ACTOR | pusher(at), word, at)
            for at, word in zip(origins, words, strict=False)
        )
        yield at_end(tile, rule, where, (this, other), this.actor)


def names(tile: CheckedTile, core: int, pc: int) -> list[str]:
    """The functions that a place in a core's program belongs to."""
    return [frame.function for frame in tile.sources.frames(core, pc)]
