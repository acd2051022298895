"""The RISC-V instructions that are modelled: one row each, everything else derives from the rows.

A row is a name, a format, the fixed bits and the extension. The format says which bits are fixed,
which operands there are and how they are written. RV64 is RV32 and what it adds. Sources: the
RISC-V unprivileged specification; tt-isa-documentation, BabyRISCV/README.md (which extensions the
baby cores have) and PushTensixInstruction.md (``.ttinsn``).

Not modelled: F, Zfh and V, which compiled kernels do not use; ``mret`` and interrupts.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, StrEnum, unique
from typing import NamedTuple

from tilelab.riscv.fields import (
    B_OFFSET,
    CSR_NUMBER,
    I_IMMEDIATE,
    I_OFFSET,
    J_OFFSET,
    RD,
    RS1,
    RS2,
    S_OFFSET,
    SHAMT,
    TENSIX_WORD,
    UPPER_IMMEDIATE,
    Major,
    Operand,
)


class Shape(NamedTuple):
    """What a format fixes: ``mask`` of the fixed bits, operands and how they are written.

    ``operands`` gives, in the order in which kernels take them, each operand's name and place;
    ``syntax`` writes them by name. ``sets_pc``: the kernel moves pc.
    """

    mask: int
    operands: dict[str, Operand]
    syntax: str
    sets_pc: bool = False


@unique
class Format(Enum):
    """Instruction formats, told apart by operands and by what an engine does with the kernel.

    - REGISTER, IMMEDIATE, SHIFT, UNARY: ``x[rd] = kernel(values)``. SHIFT_64: by up to 63.
    - BRANCH: ``if kernel(x[rs1], x[rs2]): pc += offset``.
    - ATOMIC: ``x[rd] = memory; memory = kernel(memory, x[rs2])``.
    - The others: ``status = kernel(s, core, operands)``.
    """

    REGISTER = Shape(0xFE00707F, {"rd": RD, "rs1": RS1, "rs2": RS2}, "{rd}, {rs1}, {rs2}")
    IMMEDIATE = Shape(0x707F, {"rd": RD, "rs1": RS1, "imm": I_IMMEDIATE}, "{rd}, {rs1}, {imm}")
    SHIFT = Shape(0xFE00707F, {"rd": RD, "rs1": RS1, "imm": RS2}, "{rd}, {rs1}, {imm}")
    SHIFT_64 = Shape(0xFC00707F, {"rd": RD, "rs1": RS1, "imm": SHAMT}, "{rd}, {rs1}, {imm}")
    UNARY = Shape(0xFFF0707F, {"rd": RD, "rs1": RS1}, "{rd}, {rs1}")
    BRANCH = Shape(0x707F, {"rs1": RS1, "rs2": RS2, "target": B_OFFSET}, "{rs1}, {rs2}, {target}")
    ATOMIC = Shape(0xF800707F, {"rd": RD, "rs1": RS1, "rs2": RS2}, "{rd}, {rs2}, ({rs1})")
    LOAD = Shape(0x707F, {"rd": RD, "rs1": RS1, "offset": I_OFFSET}, "{rd}, {offset}({rs1})")
    STORE = Shape(0x707F, {"rs2": RS2, "rs1": RS1, "offset": S_OFFSET}, "{rs2}, {offset}({rs1})")
    UPPER = Shape(0x7F, {"rd": RD, "upper": UPPER_IMMEDIATE}, "{rd}, {upper}")
    JUMP = Shape(0x7F, {"rd": RD, "target": J_OFFSET}, "{rd}, {target}", True)
    JUMP_REGISTER = Shape(
        0x707F, {"rd": RD, "rs1": RS1, "offset": I_OFFSET}, "{rd}, {offset}({rs1})", True
    )
    CSR = Shape(0x707F, {"rd": RD, "rs1": RS1, "csr": CSR_NUMBER}, "{rd}, {csr}, {rs1}")
    CSR_IMMEDIATE = Shape(
        0x707F, {"rd": RD, "value": RS1, "csr": CSR_NUMBER}, "{rd}, {csr}, {value}"
    )
    FENCE = Shape(0x707F, {}, "")
    ENVIRONMENT = Shape(0xFFFFFFFF, {}, "")
    TENSIX = Shape(0, {"word": TENSIX_WORD}, "{word}")


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
class Instruction:
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
        return tuple(place.read(word) for place in self.format.value.operands.values())

    def encode(self, *operands: int) -> int:
        """The word of operands, in that order; they fit."""
        places = self.format.value.operands.values()
        return self.match | sum(p.write(v) for p, v in zip(places, operands, strict=True))


class Table:
    """The rows by name; proves on construction that no word matches two of them.

    ``narrow``: the row of every word that does not end in 11, if they have one.
    """

    def __init__(self, rows: Iterable[Instruction], narrow: Instruction | None = None) -> None:
        self.rows: dict[str, Instruction] = {}
        self.narrow = narrow
        self._by_opcode: dict[int, list[Instruction]] = {}
        for row in rows:
            if row.name in self.rows:
                raise ValueError(f"two rows are named {row.name}")
            self.rows[row.name] = row
            siblings = self._by_opcode.setdefault(row.match & 0x7F, [])
            for other in siblings:
                if not (row.match ^ other.match) & row.mask & other.mask:
                    raise ValueError(f"{row.name} and {other.name} match the same words")
            siblings.append(row)

    def word(self, name: str, *operands: int) -> int:
        """An instruction's word; operands in the order in which kernels take them."""
        return self.rows[name].encode(*operands)

    def find(self, word: int) -> Instruction | None:
        """The row that a word belongs to, or None."""
        if word & 3 != 3:
            return self.narrow
        for row in self._by_opcode.get(word & 0x7F, ()):
            if row.matches(word):
                return row
        return None


def _rows(extension: Extension, form: Format, opcode: int, **functions: int) -> list[Instruction]:
    """Rows of one format and opcode; each function is ``funct7 << 3 | funct3`` (names: _ is .)."""
    return [
        Instruction(
            name.strip("_").replace("_", "."),
            form,
            opcode | (function & 7) << 12 | function >> 3 << 25,
            extension,
        )
        for name, function in functions.items()
    ]


TTINSN = Instruction(".ttinsn", Format.TENSIX, 0, Extension.TTINSN)

# fmt: off
RV32 = Table([
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
    Instruction("ecall", Format.ENVIRONMENT, 0x00000073, Extension.I),
    Instruction("ebreak", Format.ENVIRONMENT, 0x00100073, Extension.I),
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
        Instruction(name, Format.UNARY, Major.IMMEDIATE | imm << 20 | funct3 << 12, Extension.ZBB)
        for name, imm, funct3 in (
            ("clz", 0x600, 1), ("ctz", 0x601, 1), ("cpop", 0x602, 1), ("sext.b", 0x604, 1),
            ("sext.h", 0x605, 1), ("orc.b", 0x287, 5), ("rev8", 0x698, 5),
        )
    ),
    Instruction("zext.h", Format.UNARY, 0x08004033, Extension.ZBB),
    *(
        Instruction(f"amo{name}.w", Format.ATOMIC, Major.ATOMIC | 2 << 12 | funct5 << 27, Extension.ZAAMO)
        for name, funct5 in (
            ("add", 0), ("swap", 1), ("xor", 4), ("or", 8), ("and", 12),
            ("min", 16), ("max", 20), ("minu", 24), ("maxu", 28),
        )
    ),
], TTINSN)
"""What the baby cores of some chip have; every word that does not end in 11 is a ``.ttinsn``."""

RV64 = Table([
    *(
        row
        for row in RV32.rows.values()
        if row.extension in (Extension.I, Extension.M, Extension.ZICSR)
        and row.format is not Format.SHIFT
    ),
    *_rows(Extension.I, Format.SHIFT_64, Major.IMMEDIATE, slli=1, srli=5, srai=0x105),
    *_rows(Extension.I, Format.LOAD, Major.LOAD, ld=3, lwu=6),
    *_rows(Extension.I, Format.STORE, Major.STORE, sd=3),
    *_rows(Extension.I, Format.IMMEDIATE, Major.IMMEDIATE_32, addiw=0),
    *_rows(Extension.I, Format.SHIFT, Major.IMMEDIATE_32, slliw=1, srliw=5, sraiw=0x105),
    *_rows(Extension.I, Format.REGISTER, Major.REGISTER_32, addw=0, sllw=1, srlw=5, subw=0x100, sraw=0x105),
    *_rows(Extension.M, Format.REGISTER, Major.REGISTER_32, mulw=8, divw=12, divuw=13, remw=14, remuw=15),
])
# fmt: on
"""RV64IM and Zicsr: RV32's but for shifts, which go further, and what 64 bits add."""


def _reads(operand: str) -> tuple[int, ...]:
    """For each major opcode, 1 if its instructions read or write a register of that name."""
    found = {row.match & 0x7F for row in RV32.rows.values() if operand in row.format.value.operands}
    return tuple(int(code in found) for code in range(128))


READS_RS1, READS_RS2, SETS_RD = _reads("rs1"), _reads("rs2"), _reads("rd")
