"""The RISC-V instructions of the baby cores: one row each, everything else derives from the rows.

A row is a name, a format, the fixed bits and the extension. The format says which bits are fixed,
which operands there are and how they are written. Sources: the RISC-V unprivileged specification;
tt-isa-documentation, BabyRISCV/README.md (which extensions there are) and
PushTensixInstruction.md (``.ttinsn``).

Not modelled: F, Zfh and V, which compiled kernels do not use; ``mret`` and interrupts.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum, IntEnum, StrEnum, unique
from typing import NamedTuple

from tilelab.sim.kernel import kernel

WORD = 0xFFFFFFFF


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
def rs1(w: int) -> int:
    """The first source register."""
    return (w >> 15) & 31


@kernel
def rs2(w: int) -> int:
    """The second source register."""
    return (w >> 20) & 31


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
def _csr(w: int) -> int:
    return w >> 20


@kernel
def i_offset(w: int) -> int:
    """The signed immediate of loads and of register-immediate instructions."""
    return sign_extend(w >> 20, 12)


@kernel
def _i_immediate(w: int) -> int:
    return i_offset(w) & WORD


@kernel
def s_offset(w: int) -> int:
    """The signed immediate of stores."""
    return sign_extend(w >> 25 << 5 | rd(w), 12)


@kernel
def _b_offset(w: int) -> int:
    bits = (w >> 31) << 12 | ((w >> 7) & 1) << 11 | ((w >> 25) & 63) << 5 | ((w >> 8) & 15) << 1
    return sign_extend(bits, 13)


@kernel
def _j_offset(w: int) -> int:
    bits = (w >> 31) << 20 | ((w >> 12) & 255) << 12 | ((w >> 20) & 1) << 11
    return sign_extend(bits | ((w >> 21) & 0x3FF) << 1, 21)


@kernel
def _upper(w: int) -> int:
    return w & 0xFFFFF000


@kernel
def tensix_word(w: int) -> int:
    """The Tensix instruction that a ``.ttinsn`` pushes: the word rotated right by two."""
    return (w >> 2) | (w & 3) << 30


class Major(IntEnum):
    """The major opcodes, as the specification names them but for the registers' and atomics'."""

    LOAD = 0x03
    FENCE = 0x0F
    IMMEDIATE = 0x13
    AUIPC = 0x17
    STORE = 0x23
    ATOMIC = 0x2F
    REGISTER = 0x33
    LUI = 0x37
    BRANCH = 0x63
    JALR = 0x67
    JAL = 0x6F
    SYSTEM = 0x73


class Shape(NamedTuple):
    """What a format fixes: ``mask`` of the fixed bits, operands and how they are written.

    ``operands`` gives, in the order in which kernels take them, each operand's name and how to
    read it from the word; ``syntax`` writes them by name. ``sets_pc``: the kernel moves pc.
    """

    mask: int
    operands: dict[str, Callable[[int], int]]
    syntax: str
    sets_pc: bool = False


@unique
class Format(Enum):
    """Instruction formats, told apart by operands and by what an engine does with the kernel.

    - REGISTER, IMMEDIATE, SHIFT, UNARY: ``x[rd] = kernel(values)``.
    - BRANCH: ``if kernel(x[rs1], x[rs2]): pc += offset``.
    - ATOMIC: ``x[rd] = memory; memory = kernel(memory, x[rs2])``.
    - The others: ``status = kernel(s, core, operands)``.
    """

    REGISTER = Shape(0xFE00707F, {"rd": rd, "rs1": rs1, "rs2": rs2}, "{rd}, {rs1}, {rs2}")
    IMMEDIATE = Shape(0x707F, {"rd": rd, "rs1": rs1, "imm": _i_immediate}, "{rd}, {rs1}, {imm}")
    SHIFT = Shape(0xFE00707F, {"rd": rd, "rs1": rs1, "imm": rs2}, "{rd}, {rs1}, {imm}")
    UNARY = Shape(0xFFF0707F, {"rd": rd, "rs1": rs1}, "{rd}, {rs1}")
    BRANCH = Shape(0x707F, {"rs1": rs1, "rs2": rs2, "target": _b_offset}, "{rs1}, {rs2}, {target}")
    ATOMIC = Shape(0xF800707F, {"rd": rd, "rs1": rs1, "rs2": rs2}, "{rd}, {rs2}, ({rs1})")
    LOAD = Shape(0x707F, {"rd": rd, "rs1": rs1, "offset": i_offset}, "{rd}, {offset}({rs1})")
    STORE = Shape(0x707F, {"rs2": rs2, "rs1": rs1, "offset": s_offset}, "{rs2}, {offset}({rs1})")
    UPPER = Shape(0x7F, {"rd": rd, "upper": _upper}, "{rd}, {upper}")
    JUMP = Shape(0x7F, {"rd": rd, "target": _j_offset}, "{rd}, {target}", True)
    JUMP_REGISTER = Shape(
        0x707F, {"rd": rd, "rs1": rs1, "offset": i_offset}, "{rd}, {offset}({rs1})", True
    )
    CSR = Shape(0x707F, {"rd": rd, "rs1": rs1, "csr": _csr}, "{rd}, {csr}, {rs1}")
    CSR_IMMEDIATE = Shape(0x707F, {"rd": rd, "value": rs1, "csr": _csr}, "{rd}, {csr}, {value}")
    FENCE = Shape(0x707F, {}, "")
    ENVIRONMENT = Shape(0xFFFFFFFF, {}, "")
    TENSIX = Shape(0, {"word": tensix_word}, "{word}")


class Extension(StrEnum):
    """Parts of the instruction set, as the specification names them."""

    I = "I"  # noqa: E741 (the extension's name)
    M = "M"
    ZICSR = "Zicsr"
    ZAAMO = "Zaamo"
    ZBA = "Zba"
    ZBB = "Zbb"
    TTINSN = "ttinsn"


@dataclass(frozen=True)
class Rv32Instruction:
    """One row. ``match``: the value of the bits that the format fixes."""

    name: str
    format: Format
    match: int
    extension: Extension

    def __post_init__(self) -> None:
        if self.match & ~self.mask:
            raise ValueError(f"{self.name}: match {self.match:#x} has bits outside its format")

    @property
    def mask(self) -> int:
        """The fixed bits."""
        return self.format.value.mask

    def matches(self, word: int) -> bool:
        """Whether a word (whose low two bits are 11) is this instruction."""
        return word & self.mask == self.match

    def operands(self, word: int) -> tuple[int, ...]:
        """The word's operands in the order in which kernels take them."""
        return tuple(read(word) for read in self.format.value.operands.values())


class Rv32Table:
    """The rows by name; proves on construction that no word matches two of them."""

    def __init__(self, rows: Iterable[Rv32Instruction]) -> None:
        self.rows: dict[str, Rv32Instruction] = {}
        self._by_opcode: dict[int, list[Rv32Instruction]] = {}
        for row in rows:
            if row.name in self.rows:
                raise ValueError(f"two rows are named {row.name}")
            self.rows[row.name] = row
            siblings = self._by_opcode.setdefault(row.match & 0x7F, [])
            for other in siblings:
                if not (row.match ^ other.match) & row.mask & other.mask:
                    raise ValueError(f"{row.name} and {other.name} match the same words")
            siblings.append(row)

    def find(self, word: int) -> Rv32Instruction | None:
        """The row that a word belongs to, or None; every word not ending in 11 is a ``.ttinsn``."""
        if word & 3 != 3:
            return TTINSN
        for row in self._by_opcode.get(word & 0x7F, ()):
            if row.matches(word):
                return row
        return None


def _rows(
    extension: Extension, form: Format, opcode: int, **functions: int
) -> list[Rv32Instruction]:
    """Rows of one format and opcode; each function is ``funct7 << 3 | funct3`` (names: _ is .)."""
    return [
        Rv32Instruction(
            name.strip("_").replace("_", "."),
            form,
            opcode | (function & 7) << 12 | function >> 3 << 25,
            extension,
        )
        for name, function in functions.items()
    ]


TTINSN = Rv32Instruction(".ttinsn", Format.TENSIX, 0, Extension.TTINSN)

# fmt: off
RV32 = Rv32Table([
    *_rows(Extension.I, Format.UPPER, Major.LUI, lui=0),
    *_rows(Extension.I, Format.UPPER, Major.AUIPC, auipc=0),
    *_rows(Extension.I, Format.JUMP, Major.JAL, jal=0),
    *_rows(Extension.I, Format.JUMP_REGISTER, Major.JALR, jalr=0),
    *_rows(Extension.I, Format.BRANCH, Major.BRANCH, beq=0, bne=1, blt=4, bge=5, bltu=6, bgeu=7),
    *_rows(Extension.I, Format.LOAD, Major.LOAD, lb=0, lh=1, lw=2, lbu=4, lhu=5),
    *_rows(Extension.I, Format.STORE, Major.STORE, sb=0, sh=1, sw=2),
    *_rows(Extension.I, Format.IMMEDIATE, Major.IMMEDIATE, addi=0, slti=2, sltiu=3, xori=4, ori=6, andi=7),
    *_rows(Extension.I, Format.SHIFT, Major.IMMEDIATE, slli=1, srli=5, srai=0x105),
    *_rows(Extension.I, Format.REGISTER, Major.REGISTER, add=0, sll=1, slt=2, sltu=3, xor=4, srl=5),
    *_rows(Extension.I, Format.REGISTER, Major.REGISTER, or_=6, and_=7, sub=0x100, sra=0x105),
    *_rows(Extension.I, Format.FENCE, Major.FENCE, fence=0, fence_i=1),
    Rv32Instruction("ecall", Format.ENVIRONMENT, 0x00000073, Extension.I),
    Rv32Instruction("ebreak", Format.ENVIRONMENT, 0x00100073, Extension.I),
    *_rows(Extension.M, Format.REGISTER, Major.REGISTER, mul=8, mulh=9, mulhsu=10, mulhu=11),
    *_rows(Extension.M, Format.REGISTER, Major.REGISTER, div=12, divu=13, rem=14, remu=15),
    *_rows(Extension.ZICSR, Format.CSR, Major.SYSTEM, csrrw=1, csrrs=2, csrrc=3),
    *_rows(Extension.ZICSR, Format.CSR_IMMEDIATE, Major.SYSTEM, csrrwi=5, csrrsi=6, csrrci=7),
    *_rows(Extension.ZBA, Format.REGISTER, Major.REGISTER, sh1add=0x82, sh2add=0x84, sh3add=0x86),
    *_rows(Extension.ZBB, Format.REGISTER, Major.REGISTER, xnor=0x104, orn=0x106, andn=0x107),
    *_rows(Extension.ZBB, Format.REGISTER, Major.REGISTER, min=0x2C, minu=0x2D, max=0x2E, maxu=0x2F),
    *_rows(Extension.ZBB, Format.REGISTER, Major.REGISTER, rol=0x181, ror=0x185),
    *_rows(Extension.ZBB, Format.SHIFT, Major.IMMEDIATE, rori=0x185),
    *(
        Rv32Instruction(name, Format.UNARY, Major.IMMEDIATE | imm << 20 | funct3 << 12, Extension.ZBB)
        for name, imm, funct3 in (
            ("clz", 0x600, 1), ("ctz", 0x601, 1), ("cpop", 0x602, 1), ("sext.b", 0x604, 1),
            ("sext.h", 0x605, 1), ("orc.b", 0x287, 5), ("rev8", 0x698, 5),
        )
    ),
    Rv32Instruction("zext.h", Format.UNARY, 0x08004033, Extension.ZBB),
    *(
        Rv32Instruction(f"amo{name}.w", Format.ATOMIC, Major.ATOMIC | 2 << 12 | funct5 << 27, Extension.ZAAMO)
        for name, funct5 in (
            ("add", 0), ("swap", 1), ("xor", 4), ("or", 8), ("and", 12),
            ("min", 16), ("max", 20), ("minu", 24), ("maxu", 28),
        )
    ),
])
# fmt: on
"""Every instruction that is modelled, of all extensions."""


def _reads(operand: str) -> tuple[int, ...]:
    """For each major opcode, 1 if its instructions read a register of that name."""
    found = {row.match & 0x7F for row in RV32.rows.values() if operand in row.format.value.operands}
    return tuple(int(code in found) for code in range(128))


READS_RS1, READS_RS2 = _reads("rs1"), _reads("rs2")
