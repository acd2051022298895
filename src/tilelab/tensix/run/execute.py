"""Executes one Tensix word at its unit, by the table: the reference engine's dispatch.

The fast engine compiles a dispatch generated from the same table instead.
"""

from collections.abc import Callable

from tilelab.sim.checks import check
from tilelab.sim.errors import UndefinedBehaviorError, UnimplementedFunctionalityError
from tilelab.tensix.arch import Arch
from tilelab.tensix.backend import SEMANTICS
from tilelab.tensix.backend.semantics import GO, operand, parameters, prologue
from tilelab.tensix.frontend.wait_gate import UNKNOWN_OPCODE
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.units import Unit

UNDEFINED_BITS = check(
    "undefined-bits",
    UndefinedBehaviorError,
    "{value:#010x} has bits set that the instruction does not define",
    "README.md",
)
FRONTEND_WORD = check(
    "no-backend-unit",
    UndefinedBehaviorError,
    "{value:#010x} is for the frontend: no backend unit executes it",
    "README.md",
    "push it through the frontend",
)

NO_KERNEL = check(
    "instruction-not-modelled",
    UnimplementedFunctionalityError,
    "{value:#010x} is an instruction of this chip that nothing models yet",
    "README.md",
    "bind a kernel that holds for the chip to its row",
)

Kernel = Callable[..., int]
Decoded = tuple[Kernel | None, Kernel | None, tuple[int, ...]]


class _Decoder(dict[int, Decoded]):
    """Word → prologue, kernel, operands, for one chip; or no kernel, a check's code."""

    def __init__(self, chip: Arch) -> None:
        super().__init__()
        self.instructions = chip.instructions
        self.semantics = SEMANTICS[chip.name]

    def __missing__(self, word: int) -> Decoded:
        decoded = self[word] = self._decode(word)
        return decoded

    def _decode(self, word: int) -> Decoded:
        row = self.instructions.find(word)
        if row is None:
            return None, None, (UNKNOWN_OPCODE,)
        handler = self.semantics.get(row.name)
        if handler is None:
            return None, None, (FRONTEND_WORD if row.unit == Unit.FRONTEND else NO_KERNEL,)
        if word & row.unused_bits:
            return None, None, (UNDEFINED_BITS,)
        values = (operand(row, name, word) for name in parameters(handler))
        return prologue(row), handler, tuple(values)


_DECODERS: dict[str, _Decoder] = {}


def execute(s: State, t: int, word: int) -> int:
    """Execute a word for a thread; OK, a wait code, or a check's code."""
    decoder = _DECODERS.get(s.arch.name)
    if decoder is None:
        decoder = _DECODERS[s.arch.name] = _Decoder(s.arch)
    begin, handler, values = decoder[word]
    if handler is None:
        s.fault.code = values[0]
        s.fault.value = word
        return values[0]
    if begin is not None:
        code = begin(s, t, word)
        if code != GO:
            return code
    return handler(s, t, *values)
