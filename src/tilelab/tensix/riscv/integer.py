"""What the RV32I and M instructions compute, as kernels over unsigned 32-bit values.

Source: RISC-V unprivileged specification, chapters RV32I and M.
"""

from tilelab.sim.kernel import WORD, kernel
from tilelab.tensix.riscv.semantics import execute

SIGN = 0x80000000


@kernel
def signed(a: int) -> int:
    """The two's complement value of 32 bits."""
    return (a ^ SIGN) - SIGN


@execute("add", "addi", "amoadd.w")
def add(a: int, b: int) -> int:
    """Sum, modulo 2**32."""
    return (a + b) & WORD


@execute("sub")
def sub(a: int, b: int) -> int:
    """Difference, modulo 2**32."""
    return (a - b) & WORD


@execute("sll", "slli")
def sll(a: int, b: int) -> int:
    """Shift left by the low five bits of b."""
    return (a << (b & 31)) & WORD


@execute("srl", "srli")
def srl(a: int, b: int) -> int:
    """Shift right, zeros in."""
    return a >> (b & 31)


@execute("sra", "srai")
def sra(a: int, b: int) -> int:
    """Shift right, copies of the sign in."""
    return (signed(a) >> (b & 31)) & WORD


@execute("slt", "slti", "blt")
def slt(a: int, b: int) -> int:
    """1 if a < b as signed numbers."""
    return 1 if a ^ SIGN < b ^ SIGN else 0


@execute("sltu", "sltiu", "bltu")
def sltu(a: int, b: int) -> int:
    """1 if a < b."""
    return 1 if a < b else 0


@execute("bge")
def bge(a: int, b: int) -> int:
    """1 if a >= b as signed numbers."""
    return 1 if a ^ SIGN >= b ^ SIGN else 0


@execute("bgeu")
def bgeu(a: int, b: int) -> int:
    """1 if a >= b."""
    return 1 if a >= b else 0


@execute("beq")
def beq(a: int, b: int) -> int:
    """1 if equal."""
    return 1 if a == b else 0


@execute("bne")
def bne(a: int, b: int) -> int:
    """1 if not equal."""
    return 1 if a != b else 0


@execute("xor", "xori", "amoxor.w")
def xor(a: int, b: int) -> int:
    """Bitwise exclusive or."""
    return a ^ b


@execute("or", "ori", "amoor.w")
def or_(a: int, b: int) -> int:
    """Bitwise or."""
    return a | b


@execute("and", "andi", "amoand.w")
def and_(a: int, b: int) -> int:
    """Bitwise and."""
    return a & b


# A product of two unsigned words does not fit a signed 64-bit intermediate, hence the halves.


@execute("mul")
def mul(a: int, b: int) -> int:
    """Low half of the product."""
    return (a * (b & 0xFFFF) + (((a * (b >> 16)) & 0xFFFF) << 16)) & WORD


@execute("mulhu")
def mulhu(a: int, b: int) -> int:
    """High half of the unsigned product."""
    return (a * (b >> 16) + ((a * (b & 0xFFFF)) >> 16)) >> 16


@execute("mulh")
def mulh(a: int, b: int) -> int:
    """High half of the signed product."""
    return ((signed(a) * signed(b)) >> 32) & WORD


@execute("mulhsu")
def mulhsu(a: int, b: int) -> int:
    """High half of signed a times unsigned b."""
    return ((signed(a) * b) >> 32) & WORD


@execute("divu")
def divu(a: int, b: int) -> int:
    """Unsigned quotient; all ones if b is 0."""
    return a // b if b else WORD


@execute("remu")
def remu(a: int, b: int) -> int:
    """Unsigned remainder; a if b is 0."""
    return a % b if b else a


@kernel
def magnitude(a: int) -> int:
    """Absolute value of the signed number; that of -2**31 is 2**31."""
    return (-a) & WORD if a & SIGN else a


@execute("div")
def div(a: int, b: int) -> int:
    """Signed quotient, towards zero; -1 if b is 0; -2**31 for the one overflow."""
    if b == 0:
        return WORD
    quotient = magnitude(a) // magnitude(b)
    return (-quotient) & WORD if (a ^ b) & SIGN else quotient


@execute("rem")
def rem(a: int, b: int) -> int:
    """Signed remainder, with the sign of a; a if b is 0."""
    if b == 0:
        return a
    remainder = magnitude(a) % magnitude(b)
    return (-remainder) & WORD if a & SIGN else remainder
