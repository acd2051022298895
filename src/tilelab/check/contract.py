"""The contract of an operation's init and uninit: what the init changed is as it was afterwards.

Operations are known by the names of their functions, ``_llk_unpack_tilize_init_`` and
``_llk_unpack_tilize_uninit_``, through every inlined call, so this needs debugging data. A field of
the configuration is leaked if the program had set it before the init, the init changed it, it is
still not what it was when the uninit is through, and a word of another operation then uses it
before anybody sets it anew.

Not looked at: operations whose uninit is never called, or has no instruction; GPRs, address
counters and MopCfg, which every operation sets for itself.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from tilelab.check import shadow
from tilelab.check.engine import CheckedTile
from tilelab.check.findings import Finding, at_end, party
from tilelab.check.inits import names
from tilelab.check.places import config_name
from tilelab.check.rules import LEAKED
from tilelab.check.view import epoch_of
from tilelab.tensix.words.origin import pushed_at, pusher

PHASE: Final = re.compile(r"_*(?P<name>.+?)_(?P<phase>(?:re|un)?init)(?:_.*)?")


@dataclass
class Operation:
    """One operation between its init and its uninit: of each cell it changed, what and when."""

    before: dict[int, int] = field(default_factory=dict)
    after: dict[int, int] = field(default_factory=dict)
    changed_by: dict[int, int] = field(default_factory=dict)
    """Numbers of the last such changes."""
    first: dict[int, int] = field(default_factory=dict)
    """Numbers of the first ones."""
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

    def functions(self, origin: int) -> list[str]:
        """The functions that a word comes from, the author's first."""
        return names(self.tile, pusher(origin), pushed_at(origin))

    def phases(self, origin: int) -> Iterator[tuple[str, str]]:
        """The operations that a word is of the init or uninit of, with which of the two."""
        for function in self.functions(origin):
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
                known.before.setdefault(cell, int(change["before"]))
                known.first.setdefault(cell, number)
                known.after[cell] = int(change["after"])
                known.changed_by[cell] = number
        yield from ((name, one) for (_, name), one in open_now.items() if one.through >= 0)

    def findings(self) -> Iterator[Finding]:
        """Every field that an operation leaked, with a word that uses it."""
        for name, operation in self.operations():
            for cell, before in operation.before.items():
                leaked = self._leaked(operation, cell, before)
                user = self._user(name, operation.through, cell, leaked) if leaked else None
                if user is not None:
                    yield self._finding(name, operation, cell, before, leaked, user)

    def _leaked(self, operation: Operation, cell: int, before: int) -> int:
        """The bits of a cell that are not what they were, though the program had set them."""
        numbers = self.of_cell[cell]
        if numbers[0] >= operation.first[cell]:
            return 0  # nobody had set it
        now = next(n for n in reversed(numbers) if n <= operation.through)
        value = int(self.changes[now]["after"])
        return (value ^ before) & (operation.after[cell] ^ before)

    def _user(self, name: str, through: int, cell: int, bits: int) -> int | None:
        """The epoch of a word of another operation that uses bits before they are set anew."""
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
            if int(noted["now"]) - epoch >= shadow.LOG:
                continue
            origin = int(noted["log_origin"][epoch & (shadow.LOG - 1)])
            if not any(name in function for function in self.functions(origin)):
                return epoch
        return None

    def _finding(
        self, name: str, operation: Operation, cell: int, before: int, leaked: int, epoch: int
    ) -> Finding:
        noted = self.tile.engine.shadow
        at = epoch & (shadow.LOG - 1)
        word, origin = int(noted["log_word"][at]), int(noted["log_origin"][at])
        change = self.changes[operation.changed_by[cell]]
        pipe = int(self.tile.state.s.arch.timing.pipe[word >> 24])
        thread = pusher(origin)
        this = party(self.tile, pipe * 4 + (thread if thread < 3 else 0), word, origin)
        marks = int(change["mark"]), int(change["word"]), int(change["origin"])
        left = (operation.after[cell] & leaked, before & leaked)
        fields = config_name(self.tile, cell, leaked)
        what = (
            f"{fields}, which {name}'s init changed and its uninit did not restore: "
            f"bits {leaked:#x} are {left[0]:#x}, and were {left[1]:#x}"
        )
        return at_end(self.tile, LEAKED, what, (this, party(self.tile, *marks)), this.actor)


def leaks(tile: CheckedTile) -> list[Finding]:
    """What operations leaked, each field once for each pair of places."""
    if tile.is_off(LEAKED) or not tile.programs:
        return []
    return list({finding.identity: finding for finding in Contract(tile).findings()}.values())
