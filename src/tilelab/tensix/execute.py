"""Executes one Tensix word at its unit, by the table: the reference engine's dispatch.

The fast engine compiles a dispatch generated from the same table instead.
"""

from collections.abc import Callable
from typing import Any

from tilelab.sim.checks import check
from tilelab.sim.errors import UndefinedBehaviorError
from tilelab.tensix.arch import ARCHES
from tilelab.tensix.backend import SEMANTICS
from tilelab.tensix.frontend.wait_gate import UNKNOWN_OPCODE

UNDEFINED_BITS = check(
    "undefined-bits",
    UndefinedBehaviorError,
    "{value:#010x} has bits set that the instruction does not define",
    "README.md",
)
NOT_MODELLED = check(
    "no-backend-unit",
    UndefinedBehaviorError,
    "{value:#010x} is for the frontend: no backend unit executes it",
    "README.md",
    "push it through the frontend",
)

Decoded = tuple[Callable[..., int] | None, tuple[int, ...]]


class _Decoder(dict[int, Decoded]):
    """Word → kernel and fields, for one chip; or None and a check's code. Fills itself."""

    def __init__(self, chip: str) -> None:
        super().__init__()
        self.instructions = ARCHES[chip].instructions
        self.semantics = SEMANTICS[chip]

    def __missing__(self, word: int) -> Decoded:
        decoded = self[word] = self._decode(word)
        return decoded

    def _decode(self, word: int) -> Decoded:
        row = self.instructions.find(word)
        if row is None:
            return None, (UNKNOWN_OPCODE,)
        handler = self.semantics.get(row.name)
        if handler is None:
            return None, (NOT_MODELLED,)
        if word & row.unused_bits:
            return None, (UNDEFINED_BITS,)
        return handler, tuple(field.get(word) for field in row.fields)


_DECODERS = {chip: _Decoder(chip) for chip in ARCHES}


def execute(s: Any, t: int, word: int) -> int:
    """Execute a word for a thread; OK, a wait code, or a check's code."""
    handler, values = _DECODERS[s.arch.name][word]
    if handler is None:
        s.fault.code = values[0]
        s.fault.value = word
        return values[0]
    return handler(s, t, *values)
