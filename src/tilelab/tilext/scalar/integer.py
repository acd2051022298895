"""What the instructions of RV64IM compute, by their names in ``riscv.table.RV64``.

Source: The RISC-V Instruction Set Manual, volume I, chapters RV32I, RV64I and M. Registers are
unsigned 64-bit numbers; a function returns the result before it is cut to 64 bits.
"""

from collections.abc import Callable

from tilelab.riscv.fields import sign_extend

MASK64 = (1 << 64) - 1


def _signed(value: int) -> int:
    return sign_extend(value, 64)


def _word(value: int) -> int:
    return sign_extend(value, 32)


def _div(a: int, b: int) -> int:
    """Divide towards zero; by zero gives -1 (chapter M, table of corner cases)."""
    if b == 0:
        return -1
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _rem(a: int, b: int) -> int:
    return a if b == 0 else a - b * _div(a, b)


Run = Callable[[int, int], int]

RUN: dict[str, Run] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "sll": lambda a, b: a << (b & 63),
    "slt": lambda a, b: _signed(a) < _signed(b),
    "sltu": lambda a, b: a < b & MASK64,
    "xor": lambda a, b: a ^ b,
    "srl": lambda a, b: a >> (b & 63),
    "sra": lambda a, b: _signed(a) >> (b & 63),
    "or": lambda a, b: a | b,
    "and": lambda a, b: a & b,
    "mul": lambda a, b: a * b,
    "mulh": lambda a, b: _signed(a) * _signed(b) >> 64,
    "mulhsu": lambda a, b: _signed(a) * b >> 64,
    "mulhu": lambda a, b: a * b >> 64,
    "div": lambda a, b: _div(_signed(a), _signed(b)),
    "divu": _div,
    "rem": lambda a, b: _rem(_signed(a), _signed(b)),
    "remu": _rem,
    "addw": lambda a, b: _word(a + b),
    "subw": lambda a, b: _word(a - b),
    "sllw": lambda a, b: _word(a << (b & 31)),
    "srlw": lambda a, b: _word((a & 0xFFFFFFFF) >> (b & 31)),
    "sraw": lambda a, b: _word(a) >> (b & 31),
    "mulw": lambda a, b: _word(a * b),
    "divw": lambda a, b: _word(_div(_word(a), _word(b))),
    "divuw": lambda a, b: _word(_div(a & 0xFFFFFFFF, b & 0xFFFFFFFF)),
    "remw": lambda a, b: _word(_rem(_word(a), _word(b))),
    "remuw": lambda a, b: _word(_rem(a & 0xFFFFFFFF, b & 0xFFFFFFFF)),
    "beq": lambda a, b: a == b,
    "bne": lambda a, b: a != b,
    "blt": lambda a, b: _signed(a) < _signed(b),
    "bge": lambda a, b: _signed(a) >= _signed(b),
    "bltu": lambda a, b: a < b,
    "bgeu": lambda a, b: a >= b,
}
_IMMEDIATE = ("add", "slt", "xor", "or", "and", "sll", "srl", "sra")
RUN |= {f"{name}i": RUN[name] for name in _IMMEDIATE} | {
    "sltiu": RUN["sltu"],
    **{f"{name}iw": RUN[f"{name}w"] for name in ("add", "sll", "srl", "sra")},
}
"""By instruction: what a computing one makes of its operands, and whether a branch is taken."""
