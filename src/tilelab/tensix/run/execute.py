"""Executes one Tensix word at its unit, by the table: the reference engine's dispatch.

The fast engine compiles a dispatch generated from the same table instead.

What the vector unit does with a word changes nothing that a clock looks at after each round:
no core's memory, no wait, none of ``s.effects``. So vector words that are played back run in a loop
of their own, :func:`play_vector`.
"""

from collections.abc import Callable

from tilelab.sim.checks import check
from tilelab.sim.errors import UndefinedBehaviorError, UnimplementedFunctionalityError
from tilelab.sim.kernel import OK, kernel
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


def execute_vector(s: State, t: int, word: int) -> int:
    """:func:`execute` for a word of which it is known that it is a vector instruction."""
    return execute(s, t, word)


@kernel
def is_vector(s: State, word: int) -> int:
    """Whether a word is an instruction of the vector unit."""
    return 1 if s.arch.vector.first <= word >> 24 <= s.arch.vector.last else 0


@kernel
def play_vector(s: State, t: int, word: int, index: int, most: int) -> tuple[int, int]:
    """Execute a vector word and those that follow it in a thread's replay buffer, from a slot on.

    Ends before the first word of another unit, and after ``most`` words. How many were executed and
    counted as issued, and what the next one returned if it waits or fails (OK otherwise).
    """
    count = s.engine.issued
    replay = s.frontend[t].replay_buffer
    done, alike = 0, 0
    code = OK
    last = word >> 24
    while done < most and is_vector(s, word):
        code = execute_vector(s, t, word)
        if code != OK:
            break
        opcode = word >> 24
        if opcode != last:  # counted together, for a count in memory is slow to change at once
            count[t, last] += alike
            last = opcode
            alike = 0
        alike += 1
        done += 1
        word = replay[index]
        index = (index + 1) & 31
    count[t, last] += alike
    return done, code
