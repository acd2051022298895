"""Compressed instructions of RV64C as the 32-bit instructions they stand for.

Source: The RISC-V Instruction Set Manual, volume I, chapter C. Not modelled: the floating-point
loads and stores.
"""

from tilelab.riscv.fields import sign_extend
from tilelab.riscv.table import RV64

_ALU = {0: "sub", 1: "xor", 2: "or", 3: "and", 4: "subw", 5: "addw"}
_SP = 2


def _bits(half: int, *places: tuple[int, int, int]) -> int:
    """Gather an immediate: (highest bit, lowest bit, where the lowest goes) of each stretch."""
    value = 0
    for hi, lo, at in places:
        value |= (half >> lo & (1 << hi - lo + 1) - 1) << at
    return value


def expand(half: int) -> int | None:
    """Return the 32-bit word of a 16-bit instruction; None if it has none that is modelled."""
    if half & 0xFFFF == 0:
        return None
    quadrant = (_quadrant_0, _quadrant_1, _quadrant_2)[half & 3]
    return quadrant(half, half >> 13 & 7)


def _near(half: int, low: int) -> int:
    """Return one of x8 to x15."""
    return 8 + (half >> low & 7)


def _quadrant_0(half: int, funct3: int) -> int | None:
    rd, rs1 = _near(half, 2), _near(half, 7)
    word = _bits(half, (12, 10, 3), (6, 6, 2), (5, 5, 6))
    double = _bits(half, (12, 10, 3), (6, 5, 6))
    if funct3 == 0:
        imm = _bits(half, (12, 11, 4), (10, 7, 6), (6, 6, 2), (5, 5, 3))
        return RV64.word("addi", rd, _SP, imm) if imm else None
    if funct3 == 2:
        return RV64.word("lw", rd, rs1, word)
    if funct3 == 3:
        return RV64.word("ld", rd, rs1, double)
    if funct3 == 6:
        return RV64.word("sw", rd, rs1, word)
    if funct3 == 7:
        return RV64.word("sd", rd, rs1, double)
    return None


def _quadrant_1(half: int, funct3: int) -> int | None:
    rd, near = half >> 7 & 31, _near(half, 7)
    imm = sign_extend(_bits(half, (12, 12, 5), (6, 2, 0)), 6)
    if funct3 == 0:
        return RV64.word("addi", rd, rd, imm)
    if funct3 == 1:
        return RV64.word("addiw", rd, rd, imm) if rd else None
    if funct3 == 2:
        return RV64.word("addi", rd, 0, imm)
    if funct3 == 3:
        return _upper(half, rd, imm)
    if funct3 == 4:
        return _arithmetic(half, near, imm)
    if funct3 == 5:
        places = ((12, 12, 11), (11, 11, 4), (10, 9, 8), (8, 8, 10), (7, 7, 6), (6, 6, 7))
        offset = sign_extend(_bits(half, *places, (5, 3, 1), (2, 2, 5)), 12)
        return RV64.word("jal", 0, offset)
    offset = _bits(half, (12, 12, 8), (11, 10, 3), (6, 5, 6), (4, 3, 1), (2, 2, 5))
    return RV64.word("beq" if funct3 == 6 else "bne", near, 0, sign_extend(offset, 9))


def _upper(half: int, rd: int, imm: int) -> int | None:
    if rd == _SP:
        value = _bits(half, (12, 12, 9), (6, 6, 4), (5, 5, 6), (4, 3, 7), (2, 2, 5))
        return RV64.word("addi", _SP, _SP, sign_extend(value, 10)) if value else None
    return RV64.word("lui", rd, imm << 12) if imm else None


def _arithmetic(half: int, rd: int, imm: int) -> int | None:
    kind = half >> 10 & 3
    if kind < 2:
        return RV64.word("srli" if kind == 0 else "srai", rd, rd, imm & 63)
    if kind == 2:
        return RV64.word("andi", rd, rd, imm)
    name = _ALU.get((half >> 12 & 1) << 2 | half >> 5 & 3)
    return RV64.word(name, rd, rd, _near(half, 2)) if name else None


def _quadrant_2(half: int, funct3: int) -> int | None:
    rd, rs2 = half >> 7 & 31, half >> 2 & 31
    if funct3 == 0:
        return RV64.word("slli", rd, rd, _bits(half, (12, 12, 5), (6, 2, 0)))
    if funct3 == 2 and rd:
        return RV64.word("lw", rd, _SP, _bits(half, (12, 12, 5), (6, 4, 2), (3, 2, 6)))
    if funct3 == 3 and rd:
        return RV64.word("ld", rd, _SP, _bits(half, (12, 12, 5), (6, 5, 3), (4, 2, 6)))
    if funct3 == 4:
        return _jump_or_move(half >> 12 & 1, rd, rs2)
    if funct3 == 6:
        return RV64.word("sw", rs2, _SP, _bits(half, (12, 9, 2), (8, 7, 6)))
    if funct3 == 7:
        return RV64.word("sd", rs2, _SP, _bits(half, (12, 10, 3), (9, 7, 6)))
    return None


def _jump_or_move(high: int, rd: int, rs2: int) -> int | None:
    if rs2:
        return RV64.word("add", rd, rd if high else 0, rs2)
    if not rd:
        return RV64.word("ebreak") if high else None
    return RV64.word("jalr", high, rd, 0)
