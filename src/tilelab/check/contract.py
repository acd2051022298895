"""The contract of an operation's init and uninit: what the init changed is as it was afterwards.

Operations are known by the names of their functions, ``_llk_unpack_tilize_init_`` and
``_llk_unpack_tilize_uninit_``, through every inlined call, so this needs debugging data. A field of
the configuration is leaked if the program had set it before the init, the init changed it, it is
still not what it was when the uninit is through, and a word of another operation then uses it
before anybody sets it anew.

A field that a function sets and another one, which sets all that the first one does and more, sets
back before any word has used it, was set too early: what comes in general undid the particular.

Not looked at: operations whose uninit is never called, or has no instruction; GPRs, address
counters and MopCfg, which every operation sets for itself.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from tilelab.check import shadow
from tilelab.check.engine import CheckedTile
from tilelab.check.findings import Finding, Party, acted, at_end, party, word_at
from tilelab.check.inits import names
from tilelab.check.places import config_name, fields_of
from tilelab.check.rules import LEAKED, SETTING_UNDONE
from tilelab.check.view import epoch_of
from tilelab.tensix.words.origin import pusher

PHASE: Final = re.compile(r"_*(?P<name>.+?)_(?P<phase>(?:re|un)?init)(?:_.*)?")


@dataclass
class Operation:
    """One operation between its init and its uninit."""

    first: dict[int, int] = field(default_factory=dict)
    """Of each cell that the init changed, the number of the first such change."""
    last: dict[int, int] = field(default_factory=dict)
    through: int = -1
    """The last change of its uninit; -1 while it is not through."""


class Contract:
    """What a run's writes of configuration say about its operations."""

    def __init__(self, tile: CheckedTile) -> None:
        self.tile = tile
        noted = tile.engine.shadow
        self.changes: Any = noted["change"][: int(noted["changes"])]
        self.of_cell: dict[int, list[int]] = defaultdict(list)
        for number, change in enumerate(self.changes):
            self.of_cell[int(change["cell"])].append(number)

    def phases(self, origin: int) -> Iterator[tuple[str, str]]:
        """The operations that a word is of the init or uninit of, with which of the two."""
        for function in names(self.tile, origin):
            if found := PHASE.fullmatch(function):
                yield found["name"], "uninit" if found["phase"] == "uninit" else "init"

    def operations(self) -> Iterator[tuple[str, Operation]]:
        """Every operation that came to the end of its uninit."""
        open_now: dict[tuple[int, str], Operation] = {}
        for number, change in enumerate(self.changes):
            origin = int(change["origin"])
            for name, phase in self.phases(origin):
                key = pusher(origin), name
                known = open_now.get(key)
                if phase == "uninit":
                    if known is not None:
                        known.through = number
                    continue
                if known is None or known.through >= 0:
                    if known is not None:
                        yield name, known
                    known = open_now[key] = Operation()
                cell = int(change["cell"])
                known.first.setdefault(cell, number)
                known.last[cell] = number
        yield from ((name, one) for (_, name), one in open_now.items() if one.through >= 0)

    def findings(self) -> Iterator[Finding]:
        """Every field that an operation leaked, with a word that uses it."""
        for name, operation in self.operations():
            for cell in operation.first:
                leaked = self._leaked(operation, cell)
                user = self._user(name, operation.through, cell, leaked) if leaked else None
                if user is not None:
                    yield self._finding(name, operation, cell, leaked, user)

    def undone(self) -> Iterator[Finding]:
        """Every field that was set, and set back by a more general function before it was used.

        Of Config alone: what a thread counts by, or turns to, comes and goes.
        """
        before, after, used = (self.changes[part] for part in ("before", "after", "used"))
        changed = before ^ after
        for cell, numbers in self.of_cell.items():
            masks = fields_of(self.tile, cell).values() if cell < shadow.THREAD_CONFIG else ()
            last = self.tile.engine.shadow["used"][cell]
            for mask in masks:
                times = [number for number in numbers if changed[number] & mask]
                for first, second, third in zip(times, times[1:], [*times[2:], None], strict=False):
                    bits = changed[first] & mask
                    then = last if third is None else used[third]
                    if (before[first] ^ after[second]) & mask or used[second] & bits:
                        continue
                    if then & bits and (by := self._general(first, second)):
                        yield self._undone(cell, int(bits), by, first, second)

    def _general(self, first: int, second: int) -> str:
        """The function that makes a change, if it sets all that the first one's does, and more."""
        chains = [names(self.tile, int(self.changes[n]["origin"])) for n in (first, second)]
        pairs = zip(*chains, strict=False)
        apart = next((pair for pair in pairs if len(set(pair)) > 1), ("", ""))
        setter, undoer = (self.set_by[name] for name in apart)
        return apart[1] if setter < undoer else ""

    @cached_property
    def set_by(self) -> dict[str, set[int]]:
        """The words of configuration that each function sets."""
        made: dict[str, set[int]] = defaultdict(set)
        for change in self.changes:
            for name in names(self.tile, int(change["origin"])):
                made[name].add(int(change["cell"]))
        return made

    def _undone(self, cell: int, bits: int, by: str, *changes: int) -> Finding:
        fields = config_name(self.tile, cell, bits)
        what = f"{fields}, which {by} sets back before anything has used it"
        sides = [acted(self.tile, self.changes[number]) for number in changes]
        return at_end(self.tile, SETTING_UNDONE, what, sides, sides[0].actor if sides[0] else "")

    def _leaked(self, operation: Operation, cell: int) -> int:
        """The bits of a cell that are not what they were, though the program had set them."""
        numbers = self.of_cell[cell]
        first, last = operation.first[cell], operation.last[cell]
        if numbers[0] >= first:
            return 0  # nobody had set it
        now = next(n for n in reversed(numbers) if n <= operation.through)
        before = int(self.changes[first]["before"])
        value, after = (int(self.changes[n]["after"]) for n in (now, last))
        return (value ^ before) & (after ^ before)

    def _user(self, name: str, through: int, cell: int, bits: int) -> Party | None:
        """A word of another operation that uses bits before they are set anew."""
        noted = self.tile.engine.shadow
        later = next((n for n in self.of_cell[cell] if n > through), None)
        sides = ("reader", "reader_bits")
        marks, read = (noted[n][cell] if later is None else self.changes[later][n] for n in sides)
        since = int(self.changes[through]["now"])
        for mark, which in zip(marks, read, strict=True):
            epoch = epoch_of(int(mark))
            is_word = int(mark) & shadow.ACTOR_MASK < shadow.CORE_ACTOR
            if not int(which) & bits or not is_word or epoch <= since:
                continue
            if not (logged := word_at(self.tile, epoch)):
                continue
            word, origin = logged
            if not any(name in function for function in names(self.tile, origin)):
                pipe = int(self.tile.state.s.arch.timing.pipe[word >> 24])
                return party(self.tile, pipe * 4 + pusher(origin) % 3, word, origin)
        return None

    def _finding(
        self, name: str, operation: Operation, cell: int, leaked: int, this: Party
    ) -> Finding:
        first, last = (self.changes[one[cell]] for one in (operation.first, operation.last))
        now, was = (int(value) & leaked for value in (last["after"], first["before"]))
        what = (
            f"{config_name(self.tile, cell, leaked)}, which {name}'s init changed and its uninit "
            f"did not restore: bits {leaked:#x} are {now:#x}, and were {was:#x}"
        )
        return at_end(self.tile, LEAKED, what, (this, acted(self.tile, last)), this.actor)


def broken(tile: CheckedTile) -> list[Finding]:
    """What operations leaked and what they undid, each field once for each pair of places."""
    if not tile.programs:
        return []
    made = Contract(tile)
    found = () if tile.is_off(LEAKED) else made.findings()
    undone = () if tile.is_off(SETTING_UNDONE) else made.undone()
    return list({finding.identity: finding for finding in (*found, *undone)}.values())
