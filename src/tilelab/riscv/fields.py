"""The fields of a RISC-V word: how each is read, as kernels, and how it is written.

Source: the RISC-V unprivileged specification; for ``.ttinsn``, tt-isa-documentation,
PushTensixInstruction.md.
"""

from collections.abc import Callable
from enum import IntEnum
from typing import NamedTuple

from tilelab.sim.kernel import WORD, kernel


class Major(IntEnum):
    """The major opcodes, as the specification names them but for the registers' and atomics'."""

    LOAD = 0x03
    FENCE = 0x0F
    IMMEDIATE = 0x13
    AUIPC = 0x17
    IMMEDIATE_32 = 0x1B
    STORE = 0x23
    ATOMIC = 0x2F
    REGISTER = 0x33
    LUI = 0x37
    REGISTER_32 = 0x3B
    BRANCH = 0x63
    JALR = 0x67
    JAL = 0x6F
    SYSTEM = 0x73


@kernel
def sign_extend(value: int, width: int) -> int:
    """The signed value of the low ``width`` bits."""
    value &= (1 << width) - 1
    return value - ((value >> (width - 1)) << width)


@kernel
def major(w: int) -> int:
    """The bits that tell most formats apart, see :class:`Major`."""
    return w & 0x7F


@kernel
def rd(w: int) -> int:
    """The destination register."""
    return (w >> 7) & 31


@kernel
def funct3(w: int) -> int:
    """What tells instructions of a major opcode apart; of loads and stores, their width."""
    return (w >> 12) & 7


@kernel
def rs1(w: int) -> int:
    """The first source register."""
    return (w >> 15) & 31


@kernel
def rs2(w: int) -> int:
    """The second source register."""
    return (w >> 20) & 31


@kernel
def function(w: int) -> int:
    """Of an instruction on registers, what it computes: ``funct7 << 3 | funct3``."""
    return w >> 25 << 3 | funct3(w)


@kernel
def access_bytes(w: int) -> int:
    """How many bytes a load or store moves."""
    return 1 << (w >> 12 & 3)


@kernel
def is_m(w: int) -> int:
    """Whether a REGISTER instruction is of the extension M."""
    return 1 if w >> 25 == 1 else 0


@kernel
def divides(w: int) -> int:
    """Whether an instruction of M divides, rather than multiply."""
    return (w >> 14) & 1


@kernel
def is_unsigned(w: int) -> int:
    """Whether a division is unsigned."""
    return (w >> 12) & 1


@kernel
def csr(w: int) -> int:
    """The number of a control and status register."""
    return w >> 20


@kernel
def shamt(w: int) -> int:
    """By how much a word of 64 bits is shifted."""
    return (w >> 20) & 63


@kernel
def i_offset(w: int) -> int:
    """The signed immediate of loads and of register-immediate instructions."""
    return sign_extend(w >> 20, 12)


@kernel
def i_immediate(w: int) -> int:
    """The same as a number of 32 bits, as the cores' kernels take it."""
    return i_offset(w) & WORD


@kernel
def s_offset(w: int) -> int:
    """The signed immediate of stores."""
    return sign_extend(w >> 25 << 5 | rd(w), 12)


@kernel
def b_offset(w: int) -> int:
    """How far a branch goes."""
    bits = (w >> 31) << 12 | ((w >> 7) & 1) << 11 | ((w >> 25) & 63) << 5 | ((w >> 8) & 15) << 1
    return sign_extend(bits, 13)


@kernel
def j_offset(w: int) -> int:
    """How far ``jal`` goes."""
    bits = (w >> 31) << 20 | ((w >> 12) & 255) << 12 | ((w >> 20) & 1) << 11
    return sign_extend(bits | ((w >> 21) & 0x3FF) << 1, 21)


@kernel
def upper(w: int) -> int:
    """The upper 20 bits, in their place."""
    return w & 0xFFFFF000


@kernel
def tensix_word(w: int) -> int:
    """The Tensix instruction that a ``.ttinsn`` pushes: the word rotated right by two."""
    return (w >> 2) | (w & 3) << 30


class Operand(NamedTuple):
    """How an operand is read from a word, a kernel, and which bits of one it sets."""

    read: Callable[[int], int]
    write: Callable[[int], int]


def _field(read: Callable[[int], int], low: int, width: int) -> Operand:
    return Operand(read, lambda value: (value & (1 << width) - 1) << low)


def _scattered(read: Callable[[int], int], *places: tuple[int, int, int]) -> Operand:
    """Of bits in stretches: each one's lowest bit in the value, its width, its place in a word."""
    return Operand(
        read, lambda value: sum((value >> low & (1 << n) - 1) << at for low, n, at in places)
    )


RD, RS1, RS2 = _field(rd, 7, 5), _field(rs1, 15, 5), _field(rs2, 20, 5)
SHAMT, CSR_NUMBER = _field(shamt, 20, 6), _field(csr, 20, 12)
I_IMMEDIATE, I_OFFSET = _field(i_immediate, 20, 12), _field(i_offset, 20, 12)
S_OFFSET = _scattered(s_offset, (0, 5, 7), (5, 7, 25))
B_OFFSET = _scattered(b_offset, (1, 4, 8), (5, 6, 25), (11, 1, 7), (12, 1, 31))
J_OFFSET = _scattered(j_offset, (1, 10, 21), (11, 1, 20), (12, 8, 12), (20, 1, 31))
UPPER_IMMEDIATE = _scattered(upper, (12, 20, 12))
TENSIX_WORD = _scattered(tensix_word, (0, 30, 2), (30, 2, 0))
