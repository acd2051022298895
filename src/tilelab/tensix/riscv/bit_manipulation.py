"""What the Zba and Zbb instructions compute, as kernels over unsigned 32-bit values.

Source: RISC-V unprivileged specification, chapter B. Atomics that compute the same share kernels.
"""

from tilelab.sim.kernel import WORD
from tilelab.tensix.riscv.integer import SIGN
from tilelab.tensix.riscv.semantics import execute


@execute("sh1add")
def sh1add(a: int, b: int) -> int:
    """2a + b."""
    return ((a << 1) + b) & WORD


@execute("sh2add")
def sh2add(a: int, b: int) -> int:
    """4a + b."""
    return ((a << 2) + b) & WORD


@execute("sh3add")
def sh3add(a: int, b: int) -> int:
    """8a + b."""
    return ((a << 3) + b) & WORD


@execute("andn")
def andn(a: int, b: int) -> int:
    """a and not b."""
    return a & ~b


@execute("orn")
def orn(a: int, b: int) -> int:
    """a or not b."""
    return (a | ~b) & WORD


@execute("xnor")
def xnor(a: int, b: int) -> int:
    """Not (a xor b)."""
    return ~(a ^ b) & WORD


@execute("min", "amomin.w")
def min_(a: int, b: int) -> int:
    """The smaller signed number."""
    return a if a ^ SIGN < b ^ SIGN else b


@execute("max", "amomax.w")
def max_(a: int, b: int) -> int:
    """The larger signed number."""
    return b if a ^ SIGN < b ^ SIGN else a


@execute("minu", "amominu.w")
def minu(a: int, b: int) -> int:
    """The smaller number."""
    return a if a < b else b


@execute("maxu", "amomaxu.w")
def maxu(a: int, b: int) -> int:
    """The larger number."""
    return b if a < b else a


@execute("amoswap.w")
def swap(a: int, b: int) -> int:
    """b, whatever was there."""
    return b


@execute("rol")
def rol(a: int, b: int) -> int:
    """Rotate left by the low five bits of b."""
    return ((a << (b & 31)) | (a >> (-b & 31))) & WORD


@execute("ror", "rori")
def ror(a: int, b: int) -> int:
    """Rotate right by the low five bits of b."""
    return ((a >> (b & 31)) | (a << (-b & 31))) & WORD


@execute("clz")
def clz(a: int) -> int:
    """Number of zeros above the highest one."""
    count = 32
    while a:
        a >>= 1
        count -= 1
    return count


@execute("ctz")
def ctz(a: int) -> int:
    """Number of zeros below the lowest one; 32 for 0."""
    return 31 - clz(a & -a) if a else 32


@execute("cpop")
def cpop(a: int) -> int:
    """Number of ones."""
    count = 0
    while a:
        a &= a - 1
        count += 1
    return count


@execute("sext.b")
def sext_b(a: int) -> int:
    """Sign-extend the low byte."""
    return (((a & 0xFF) ^ 0x80) - 0x80) & WORD


@execute("sext.h")
def sext_h(a: int) -> int:
    """Sign-extend the low half."""
    return (((a & 0xFFFF) ^ 0x8000) - 0x8000) & WORD


@execute("zext.h")
def zext_h(a: int) -> int:
    """The low half."""
    return a & 0xFFFF


@execute("orc.b")
def orc_b(a: int) -> int:
    """Each byte all ones if any of its bits is one."""
    a |= (a >> 1) & 0x7F7F7F7F
    a |= (a >> 2) & 0x3F3F3F3F
    a |= (a >> 4) & 0x0F0F0F0F
    return (a & 0x01010101) * 0xFF


@execute("rev8")
def rev8(a: int) -> int:
    """The bytes in reverse order."""
    return (a >> 24) | ((a >> 8) & 0xFF00) | ((a & 0xFF00) << 8) | ((a & 0xFF) << 24)
