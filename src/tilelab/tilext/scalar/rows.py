"""RV64IM and Zicsr: one row an instruction, bits and meaning side by side.

Source: The RISC-V Instruction Set Manual, volume I, chapters RV32I, RV64I, M and Zicsr. Registers
are unsigned 64-bit numbers; a row's function returns the result before it is cut to 64 bits.
"""

from collections.abc import Callable
from dataclasses import dataclass

MASK64 = (1 << 64) - 1


def signed(value: int, bits: int = 64) -> int:
    """Return the low bits as a signed number."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def _word(value: int) -> int:
    return signed(value, 32)


def _div(a: int, b: int) -> int:
    """Divide towards zero; by zero gives -1 (chapter M, table of corner cases)."""
    if b == 0:
        return -1
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _rem(a: int, b: int) -> int:
    return a if b == 0 else a - b * _div(a, b)


Run = Callable[[int, int], int]


@dataclass(frozen=True)
class Row:
    """One instruction: its format and fixed bits; ``run`` for what computes or compares."""

    name: str
    form: str
    opcode: int
    funct3: int = 0
    funct7: int = 0
    run: Run | None = None
    size: int = 0


_OP, _OP32, _IMM, _IMM32 = 0x33, 0x3B, 0x13, 0x1B

COMPUTE = (
    Row("add", "R", _OP, 0, 0, lambda a, b: a + b),
    Row("sub", "R", _OP, 0, 0x20, lambda a, b: a - b),
    Row("sll", "R", _OP, 1, 0, lambda a, b: a << (b & 63)),
    Row("slt", "R", _OP, 2, 0, lambda a, b: signed(a) < signed(b)),
    Row("sltu", "R", _OP, 3, 0, lambda a, b: a < b),
    Row("xor", "R", _OP, 4, 0, lambda a, b: a ^ b),
    Row("srl", "R", _OP, 5, 0, lambda a, b: a >> (b & 63)),
    Row("sra", "R", _OP, 5, 0x20, lambda a, b: signed(a) >> (b & 63)),
    Row("or", "R", _OP, 6, 0, lambda a, b: a | b),
    Row("and", "R", _OP, 7, 0, lambda a, b: a & b),
    Row("mul", "R", _OP, 0, 1, lambda a, b: a * b),
    Row("mulh", "R", _OP, 1, 1, lambda a, b: signed(a) * signed(b) >> 64),
    Row("mulhsu", "R", _OP, 2, 1, lambda a, b: signed(a) * b >> 64),
    Row("mulhu", "R", _OP, 3, 1, lambda a, b: a * b >> 64),
    Row("div", "R", _OP, 4, 1, lambda a, b: _div(signed(a), signed(b))),
    Row("divu", "R", _OP, 5, 1, _div),
    Row("rem", "R", _OP, 6, 1, lambda a, b: _rem(signed(a), signed(b))),
    Row("remu", "R", _OP, 7, 1, _rem),
    Row("addw", "R", _OP32, 0, 0, lambda a, b: _word(a + b)),
    Row("subw", "R", _OP32, 0, 0x20, lambda a, b: _word(a - b)),
    Row("sllw", "R", _OP32, 1, 0, lambda a, b: _word(a << (b & 31))),
    Row("srlw", "R", _OP32, 5, 0, lambda a, b: _word((a & 0xFFFFFFFF) >> (b & 31))),
    Row("sraw", "R", _OP32, 5, 0x20, lambda a, b: _word(a) >> (b & 31)),
    Row("mulw", "R", _OP32, 0, 1, lambda a, b: _word(a * b)),
    Row("divw", "R", _OP32, 4, 1, lambda a, b: _word(_div(_word(a), _word(b)))),
    Row("divuw", "R", _OP32, 5, 1, lambda a, b: _word(_div(a & 0xFFFFFFFF, b & 0xFFFFFFFF))),
    Row("remw", "R", _OP32, 6, 1, lambda a, b: _word(_rem(_word(a), _word(b)))),
    Row("remuw", "R", _OP32, 7, 1, lambda a, b: _word(_rem(a & 0xFFFFFFFF, b & 0xFFFFFFFF))),
    Row("addi", "I", _IMM, 0, 0, lambda a, b: a + b),
    Row("slti", "I", _IMM, 2, 0, lambda a, b: signed(a) < b),
    Row("sltiu", "I", _IMM, 3, 0, lambda a, b: a < b & MASK64),
    Row("xori", "I", _IMM, 4, 0, lambda a, b: a ^ b),
    Row("ori", "I", _IMM, 6, 0, lambda a, b: a | b),
    Row("andi", "I", _IMM, 7, 0, lambda a, b: a & b),
    Row("slli", "SHIFT", _IMM, 1, 0, lambda a, b: a << b),
    Row("srli", "SHIFT", _IMM, 5, 0, lambda a, b: a >> b),
    Row("srai", "SHIFT", _IMM, 5, 0x20, lambda a, b: signed(a) >> b),
    Row("addiw", "I", _IMM32, 0, 0, lambda a, b: _word(a + b)),
    Row("slliw", "SHIFTW", _IMM32, 1, 0, lambda a, b: _word(a << b)),
    Row("srliw", "SHIFTW", _IMM32, 5, 0, lambda a, b: _word((a & 0xFFFFFFFF) >> b)),
    Row("sraiw", "SHIFTW", _IMM32, 5, 0x20, lambda a, b: _word(a) >> b),
)
BRANCHES = (
    Row("beq", "B", 0x63, 0, 0, lambda a, b: a == b),
    Row("bne", "B", 0x63, 1, 0, lambda a, b: a != b),
    Row("blt", "B", 0x63, 4, 0, lambda a, b: signed(a) < signed(b)),
    Row("bge", "B", 0x63, 5, 0, lambda a, b: signed(a) >= signed(b)),
    Row("bltu", "B", 0x63, 6, 0, lambda a, b: a < b),
    Row("bgeu", "B", 0x63, 7, 0, lambda a, b: a >= b),
)
MEMORY = (
    Row("lb", "LOAD", 0x03, 0, size=1),
    Row("lh", "LOAD", 0x03, 1, size=2),
    Row("lw", "LOAD", 0x03, 2, size=4),
    Row("ld", "LOAD", 0x03, 3, size=8),
    Row("lbu", "LOADU", 0x03, 4, size=1),
    Row("lhu", "LOADU", 0x03, 5, size=2),
    Row("lwu", "LOADU", 0x03, 6, size=4),
    Row("sb", "STORE", 0x23, 0, size=1),
    Row("sh", "STORE", 0x23, 1, size=2),
    Row("sw", "STORE", 0x23, 2, size=4),
    Row("sd", "STORE", 0x23, 3, size=8),
)
CONTROL = (
    Row("lui", "U", 0x37),
    Row("auipc", "U", 0x17),
    Row("jal", "J", 0x6F),
    Row("jalr", "JALR", 0x67),
    Row("fence", "FENCE", 0x0F, 0),
    Row("fence.i", "FENCE", 0x0F, 1),
    Row("ecall", "SYSTEM", 0x73, 0, 0),
    Row("ebreak", "SYSTEM", 0x73, 0, 1),
    Row("csrrw", "CSR", 0x73, 1),
    Row("csrrs", "CSR", 0x73, 2),
    Row("csrrc", "CSR", 0x73, 3),
    Row("csrrwi", "CSRI", 0x73, 5),
    Row("csrrsi", "CSRI", 0x73, 6),
    Row("csrrci", "CSRI", 0x73, 7),
)
ROWS = {row.name: row for row in (*COMPUTE, *BRANCHES, *MEMORY, *CONTROL)}

_NO_FUNCT3 = ("U", "J")
_BY_OPCODE: dict[int, Row] = {row.opcode: row for row in ROWS.values() if row.form in _NO_FUNCT3}
_BY_FUNCT3 = {
    (row.opcode, row.funct3): row
    for row in ROWS.values()
    if row.form not in (*_NO_FUNCT3, "R", "SHIFT", "SHIFTW", "SYSTEM")
}
_BY_FUNCT7 = {
    (row.opcode, row.funct3, row.funct7): row
    for row in ROWS.values()
    if row.form in ("R", "SHIFTW")
}
_SHIFTS = {(r.funct3, r.funct7 >> 1): r for r in ROWS.values() if r.form == "SHIFT"}
_SYSTEM = {0x00000073: ROWS["ecall"], 0x00100073: ROWS["ebreak"]}


def decode(word: int) -> Row | None:
    """Return the row of a 32-bit word, or None if it is none of these."""
    opcode, funct3, funct7 = word & 0x7F, word >> 12 & 7, word >> 25
    if opcode == _IMM and funct3 in (1, 5):
        return _SHIFTS.get((funct3, word >> 26))
    if opcode == 0x73 and funct3 == 0:
        return _SYSTEM.get(word)
    found = _BY_OPCODE.get(opcode) or _BY_FUNCT3.get((opcode, funct3))
    return found or _BY_FUNCT7.get((opcode, funct3, funct7))


def immediate(form: str, word: int) -> int:
    """Return a word's immediate, signed where the format says so."""
    if form in ("I", "LOAD", "LOADU", "JALR"):
        return signed(word >> 20, 12)
    if form == "STORE":
        return signed(word >> 25 << 5 | word >> 7 & 31, 12)
    if form == "B":
        low = (word >> 8 & 15) << 1 | (word >> 25 & 63) << 5
        return signed(low | (word >> 7 & 1) << 11 | word >> 31 << 12, 13)
    if form == "U":
        return signed(word & 0xFFFFF000, 32)
    if form == "J":
        low = (word >> 21 & 0x3FF) << 1 | (word >> 20 & 1) << 11
        return signed(low | word & 0xFF000 | word >> 31 << 20, 21)
    if form == "SHIFT":
        return word >> 20 & 63
    return word >> 20 & 31


def encode(row: Row, rd: int = 0, rs1: int = 0, rs2: int = 0, imm: int = 0) -> int:
    """Return an instruction's word; the immediate fits (see :mod:`.assembler`)."""
    word = row.opcode | row.funct3 << 12
    low = imm & 0xFFFFFFFF
    if row.form == "R":
        return word | rd << 7 | rs1 << 15 | rs2 << 20 | row.funct7 << 25
    if row.form in ("SHIFT", "SHIFTW"):
        return word | rd << 7 | rs1 << 15 | low << 20 | row.funct7 << 25
    if row.form == "STORE":
        return word | (low & 31) << 7 | rs1 << 15 | rs2 << 20 | (low >> 5 & 127) << 25
    if row.form == "B":
        word |= rs1 << 15 | rs2 << 20 | (low >> 1 & 15) << 8 | (low >> 5 & 63) << 25
        return word | (low >> 11 & 1) << 7 | (low >> 12 & 1) << 31
    if row.form == "U":
        return row.opcode | rd << 7 | low & 0xFFFFF000
    if row.form == "J":
        word = row.opcode | rd << 7 | low & 0xFF000 | (low >> 1 & 0x3FF) << 21
        return word | (low >> 11 & 1) << 20 | (low >> 20 & 1) << 31
    if row.form == "SYSTEM":
        return word | row.funct7 << 20
    return word | rd << 7 | rs1 << 15 | (low & 0xFFF) << 20
