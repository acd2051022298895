"""A tile's state, and a call's variables, as a tree, for debuggers that show one.

Nodes are made when they are asked for; a reference means something until the tile runs again.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tilelab.debug.locals import locals_of
from tilelab.debug.session import Session
from tilelab.debug.typed import Value, number_text
from tilelab.debug.unwind import Call
from tilelab.riscv.disassembly import REGISTERS
from tilelab.tensix.state.tensix_state import NOT_ARCHITECTURE

HIDDEN: Final = (*NOT_ARCHITECTURE, "riscv")
"""How the names of parts begin that a person does not look for in the tree."""
ENDS: Final = 4
"""Numbers of an array that its line shows."""


@dataclass(frozen=True)
class Variable:
    """A name, what it holds, and a reference to what is within it; 0 if nothing is.

    ``place`` is the part of the state, as :mod:`tilelab.debug.places` names it; "" if it is none.
    """

    name: str
    value: str
    reference: int = 0
    place: str = ""


class Variables:
    """The tree: what a reference holds."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._makers: list[Callable[[], list[Variable]]] = []

    def forget(self) -> None:
        """Let all references go: the tile is about to run."""
        self._makers.clear()

    def reference(self, maker: Callable[[], list[Variable]]) -> int:
        """A number for what a function makes."""
        self._makers.append(maker)
        return len(self._makers)

    def within(self, reference: int) -> list[Variable]:
        """What a reference holds; nothing if it means nothing any more."""
        return self._makers[reference - 1]() if 0 < reference <= len(self._makers) else []

    def registers(self, core: int) -> int:
        """A reference to a core's registers."""

        def make() -> list[Variable]:
            hart = self.session.debugger.state.s.riscv[core]
            registers = [("pc", hart.pc, "pc")]
            registers += [(name, hart.x[i], f"x[{i}]") for i, name in enumerate(REGISTERS)]
            return [
                Variable(name, f"{held:#010x}", place=f"riscv[{core}].{part}")
                for name, held, part in registers
            ]

        return self.reference(make)

    def locals(self, core: int, call: Call) -> int:
        """A reference to a call's variables."""

        def make() -> list[Variable]:
            found = locals_of(self.session.debugger, core, call)
            return [self._typed(local.name, local.value, local.text) for local in found]

        return self.reference(make)

    def _typed(self, name: str, value: Value | None, text: str) -> Variable:
        """A program's variable, with what it consists of."""
        if value is None or not value.parts():
            return Variable(name, text)

        def make() -> list[Variable]:
            return [self._typed(part.name, part, str(part)) for part in value.parts()]

        return Variable(name, text, self.reference(make))

    def tile(self) -> int:
        """A reference to the parts of the tile."""
        record = self.session.debugger.state.record

        def make() -> list[Variable]:
            names = [n for n in record.dtype.names or () if not n.startswith(HIDDEN)]
            return [self._node(name, record[name], name) for name in names]

        return self.reference(make)

    def _node(self, name: str, part: Any, place: str) -> Variable:
        """A part of the state as a variable."""
        if part.dtype.fields is None and not part.shape:
            return Variable(name, number_text(int(part)), place=place)
        within = self.reference(lambda: self._parts(part, place))
        return Variable(name, _summary(part), within, place)

    def _parts(self, part: Any, place: str) -> list[Variable]:
        if part.shape:
            return [self._node(f"[{i}]", part[i], f"{place}[{i}]") for i in range(len(part))]
        return [self._node(name, part[name], f"{place}.{name}") for name in part.dtype.names]


def _summary(part: Any) -> str:
    """One line for what has parts: its size, and of plain numbers the first."""
    shape = " x ".join(map(str, part.shape))
    if part.dtype.fields is not None:
        return f"{shape} records" if shape else "record"
    if not np.any(part):
        return f"{shape}, all 0"
    first = " ".join(f"{int(n):x}" for n in part.reshape(-1)[:ENDS])
    return f"{shape}: {first} ..."
