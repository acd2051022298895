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
from typing import Any, Final

import numpy as np

from tilelab.check.addressing import MODIFIER_TAKEN
from tilelab.check.engine import CheckedTile
from tilelab.check.findings import Finding, at_end, party
from tilelab.check.lregs import CONSTANT_TAKEN, LANES_OFF
from tilelab.check.mops import INIT_MISSING
from tilelab.check.shadow import ISSUE_ACTOR
from tilelab.tensix.chips.opcodes import SFPLOAD, SFPSTORE
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
    known: dict[int, set[str]] = defaultdict(lambda: set(COMPUTE))
    for core, at in zip(*np.nonzero(noted["mop_programmers"]), strict=True):
        pc = int(noted["mop_programmers"][core, at])
        known[int(core)] |= initialised(names(tile, origin_of(int(core), pc)))
    running = [
        (take, ran(names(tile, int(take["origin"])))) for take in taken_of(tile, "mop_taken")
    ]
    operations = COMPUTE.union(*(runs for _, runs in running))
    for take, runs in running:
        core = int(take["place"])
        inits = initialised(names(tile, int(take["setter"])))
        mine = runs & known[core]
        forms = product(runs, inits - operations)  # of one operation, as far as names tell
        if mine and inits and not runs & inits and not any(forms_of_one(*pair) for pair in forms):
            where = f"{min(mine)} by the init of {min(inits)}"
            yield by_another(tile, INIT_MISSING, where, take, CORE_NAMES[core])


def taken(tile: CheckedTile) -> list[Finding]:
    """Every operation that took what another one has set, or has left."""
    found = (
        *others_inits(tile),
        *_taken(tile, MODIFIER_TAKEN, "modifier_taken", "address modifier {}"),
        *_taken(tile, CONSTANT_TAKEN, "constant_taken", "constant LReg[{}]"),
        *_taken(tile, LANES_OFF, "lanes_taken", ""),
    )
    once = {(one.check, one.where, one.parties[1].place): one for one in reversed(found)}
    return list(once.values())


def _wrong(rule: int, word: int, runner: list[str], setter: list[str], before: list[str]) -> str:
    """What is wrong about what a word takes, by the functions that it and its setters are of."""
    whole = setter[:1] == runner[:1]  # else one's callers are not known
    if rule == LANES_OFF:
        apart = setter and whole and setter[-1] not in runner and runner[-1] not in setter
        return f"lanes that {setter[-1]} has switched off" if apart else ""
    others = tuple(initialised(setter) | ran(setter))
    if rule == MODIFIER_TAKEN and initialised(setter):
        own = product(ran(runner), initialised(setter))
        vector = word >> 24 in (SFPLOAD, SFPSTORE)
        if not vector or not whole or any(forms_of_one(*pair) for pair in own):
            return ""  # of another operation's init a MOP tells, too
        return f"{{}}, by which the init of {min(initialised(setter))} has something step"
    mine = {
        name
        for name in ran(runner) & initialised(before)
        if not any(one.startswith(name) for one in others)
    }
    return f"{{}}, which the init of {min(mine)} had set" if mine else ""


def _taken(tile: CheckedTile, rule: int, noted: str, called: str) -> Iterator[Finding]:
    if tile.is_off(rule) or not tile.programs:
        return
    taken = [
        (take, [names(tile, int(take[part])) for part in ("origin", "setter", "before")])
        for take in taken_of(tile, noted)
    ]
    # who computes with the lanes that it has switched off itself is no mere condition
    own = {int(take["setter"]) for take, (runs, sets, _) in taken if {*sets[-1:]} & {*runs}}
    for take, chains in taken:
        wrong = _wrong(rule, int(take["word"]), *chains)
        if wrong and (rule != LANES_OFF or int(take["setter"]) in own):
            yield by_another(tile, rule, wrong.format(called.format(int(take["place"]))), take)


def taken_of(tile: CheckedTile, noted: str) -> Any:
    """What words took that others had set, by their places."""
    takes = tile.engine.shadow[noted]
    return np.sort(takes[takes["origin"] != 0], order="origin")


def by_another(tile: CheckedTile, rule: int, where: str, take: Any, who: str = "") -> Finding:
    """A word took what another place had set."""
    this, other = (int(take[part]) for part in ("origin", "setter"))
    mark = 1 if who else ISSUE_ACTOR | pusher(this)
    sides = party(tile, mark, int(take["word"]), this), party(tile, mark, 0, other)
    return at_end(tile, rule, where, sides, who or sides[0].actor)


def forms_of_one(name: str, other: str) -> bool:
    """Whether names are of forms of one operation."""
    return name.startswith(other) or other.startswith(name)


def names(tile: CheckedTile, origin: int) -> list[str]:
    """The functions that a word comes from, the author's first, but for those of sfpi's types."""
    frames = tile.sources.frames(pusher(origin), pushed_at(origin))
    return [one.function for one in frames if not one.file.rpartition("/")[2].startswith("sfpi")]
