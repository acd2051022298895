"""DWARF's little stack language, as far as it says where variables are.

Not modelled: values at a function's entry, thread-local data, typed arithmetic (64-bit values that
are nowhere whole), and what else compilers for these cores were not seen to make; a variable that
needs it is not available.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from tilelab.sim.kernel import WORD

REGISTERS: Final = 32
_LITERAL, _REGISTER, _BASE = 0x30, 0x50, 0x70
_CONSTANTS: Final = {
    "DW_OP_addr", "DW_OP_const1u", "DW_OP_const1s", "DW_OP_const2u", "DW_OP_const2s",
    "DW_OP_const4u", "DW_OP_const4s", "DW_OP_constu", "DW_OP_consts",
}  # fmt: skip
_BINARY: Final[dict[str, Callable[[int, int], int]]] = {
    "DW_OP_plus": lambda a, b: a + b,
    "DW_OP_minus": lambda a, b: a - b,
    "DW_OP_mul": lambda a, b: a * b,
    "DW_OP_and": lambda a, b: a & b,
    "DW_OP_or": lambda a, b: a | b,
    "DW_OP_xor": lambda a, b: a ^ b,
    "DW_OP_shl": lambda a, b: a << min(b, 32),
    "DW_OP_shr": lambda a, b: a >> min(b, 32),
    "DW_OP_shra": lambda a, b: _signed(a) >> min(b, 32),
}


class UnavailableError(Exception):
    """A variable has no value here."""


@dataclass(frozen=True)
class Frame:
    """What an expression is worked out in: a call's registers and addresses, and memory."""

    registers: dict[int, int]
    """Those that are known."""
    call_frame: int
    """The canonical frame address; 0 if nobody says."""
    base: Callable[[], int]
    """The address that DW_AT_frame_base gives."""
    read: Callable[[int, int], bytes]
    """Memory, by address and size; shorter where it ends."""

    def register(self, number: int) -> int:
        """A register; UnavailableError if it is not known in this call."""
        if number not in self.registers:
            raise UnavailableError
        return self.registers[number]

    def memory(self, address: int, size: int) -> bytes:
        """Bytes of memory; UnavailableError where there is none."""
        data = self.read(address & WORD, size)
        if len(data) != size:
            raise UnavailableError
        return data


def _signed(word: int) -> int:
    return (word & WORD ^ 0x80000000) - 0x80000000


class _Machine:
    """One expression's run: its stack, and the pieces of the value so far."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.stack: list[int] = []
        self.found: Callable[[int], bytes] | None = None
        """Where the present piece is, if it is in no memory."""
        self.pieces = b""

    def run(self, operations: list[Any]) -> None:
        for operation in operations:
            self._step(operation.op, operation.op_name, operation.args)

    def value(self, size: int) -> bytes:
        """The variable's bytes."""
        if not self.pieces:
            return self._piece(size)
        if len(self.pieces) < size:
            raise UnavailableError
        return self.pieces[:size]

    def _piece(self, size: int) -> bytes:
        """The present piece's bytes."""
        if self.found is not None:
            return self.found(size)
        if not self.stack:
            raise UnavailableError
        return self.frame.memory(self.stack[-1], size)

    def _keep(self, number: int) -> None:
        """Let the value be a number, not a place."""
        wide = number & (1 << 64) - 1
        self.found = lambda size: wide.to_bytes(max(size, 8), "little")[:size]

    def _step(self, op: int, name: str, args: list[Any]) -> None:
        stack, frame = self.stack, self.frame
        if name in _CONSTANTS:
            stack.append(int(args[0]))
        elif _LITERAL <= op < _LITERAL + REGISTERS:
            stack.append(op - _LITERAL)
        elif _REGISTER <= op < _REGISTER + REGISTERS:
            self._keep(frame.register(op - _REGISTER))
        elif name == "DW_OP_regx":
            self._keep(frame.register(args[0]))
        elif _BASE <= op < _BASE + REGISTERS:
            stack.append(frame.register(op - _BASE) + args[0])
        elif name == "DW_OP_bregx":
            stack.append(frame.register(args[0]) + args[1])
        elif name == "DW_OP_fbreg":
            stack.append(frame.base() + args[0])
        elif name == "DW_OP_call_frame_cfa" and frame.call_frame:
            stack.append(frame.call_frame)
        else:
            self._compute(name, args)

    def _compute(self, name: str, args: list[Any]) -> None:
        stack = self.stack
        if name in _BINARY and len(stack) > 1:
            right = stack.pop() & WORD
            stack[-1] = _BINARY[name](stack[-1] & WORD, right) & WORD
        elif name == "DW_OP_plus_uconst" and stack:
            stack[-1] = stack[-1] + args[0] & WORD
        elif name == "DW_OP_neg" and stack:
            stack[-1] = -stack[-1] & WORD
        elif name == "DW_OP_not" and stack:
            stack[-1] = ~stack[-1] & WORD
        elif name == "DW_OP_dup" and stack:
            stack.append(stack[-1])
        elif name == "DW_OP_deref" and stack:
            stack[-1] = int.from_bytes(self.frame.memory(stack[-1], 4), "little")
        elif name == "DW_OP_stack_value" and stack:
            self._keep(stack.pop())
        elif name == "DW_OP_implicit_value":
            data = bytes(args[0])
            self.found = lambda size: data[:size]
        elif name == "DW_OP_piece":
            self.pieces += self._piece(args[0])
            self.found = None
            stack.clear()
        else:
            raise UnavailableError


def value_of(operations: list[Any], frame: Frame, size: int) -> bytes:
    """A variable's bytes, by the expression that says where it is; UnavailableError if nowhere."""
    machine = _Machine(frame)
    machine.run(operations)
    return machine.value(size)


def address_of(operations: list[Any], frame: Frame) -> int:
    """The address that an expression gives, as a frame base does; UnavailableError if none."""
    machine = _Machine(frame)
    machine.run(operations)
    if machine.found is not None:
        return int.from_bytes(machine.found(4), "little")
    if not machine.stack:
        raise UnavailableError
    return machine.stack[-1] & WORD
