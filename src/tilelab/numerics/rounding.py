"""How products, sums and Dst are aligned and rounded, on plain integers.

The rules of ``backend/matrix_unit/numerics.py``, which works on whole rows, one number at a time.
Numbers in Dst are in fp32's bit layout; for fp16 in a 16-bit Dst the exponent field holds the 5-bit
exponent unchanged.
"""

from tilelab.tensix.arch import Arch
from tilelab.tensix.backend.matrix_unit.numerics import ALIGN_LIMIT, DST_FP16, DST_FP32, PRECISION

TERM_LIMIT = 31
"""As much for a term that is added to Dst."""
MISCOUNTED_LENGTH = 28
"""Significant bits that Wormhole counts in a sum of exactly -1."""


def halves_away(number: int, shift: int) -> int:
    """Shift right, halves away from zero."""
    if shift == 0:
        return number
    magnitude = (abs(number) + (1 << (shift - 1))) >> shift
    return -magnitude if number < 0 else magnitude


def halves_up(number: int, shift: int) -> int:
    """Shift right, halves toward plus infinity."""
    return (number + (1 << (shift - 1))) >> shift if shift else number


def align_product(product: int, shift: int) -> int:
    """A product at its group's exponent."""
    return halves_away(product, shift) if shift < ALIGN_LIMIT else 0


def align_sum(total: int, shift: int, kind: int) -> int:
    """A group's sum at the exponent of the addition; for a 16-bit Dst it keeps 10 fraction bits."""
    term = halves_up(total, shift) if shift < TERM_LIMIT else 0
    return term if kind == DST_FP32 else halves_up(term, 13) << 13


def align_dst(bits: int, shift: int, kind: int) -> int:
    """Dst's number at the exponent of the addition."""
    if not bits >> 23 & 255:
        return 0
    magnitude = bits & 0x7FFFFF | 0x800000
    magnitude = halves_away(magnitude, shift) if shift < TERM_LIMIT else 0
    if kind != DST_FP32:
        magnitude = halves_up(magnitude, 13) << 13
    return -magnitude if bits >> 31 else magnitude


def round_to_dst(total: int, exponent: int, kind: int, arch: Arch) -> int:
    """Round a sum (1.0 is 1 << 23) to what Dst holds, halves away from zero."""
    if total == 0:
        return 0
    length = abs(total).bit_length()
    if arch.normalise_bug and total == -1:
        length = MISCOUNTED_LENGTH
    exponent += length - 24
    dropped = max(length - PRECISION[kind], 0)
    significand = halves_away(abs(total), dropped) << dropped
    significand = significand << 24 - length if length <= 24 else significand >> length - 24
    exponent += significand >> 24
    sign = (total < 0) << 31
    if exponent <= 0:
        return 0
    if kind == DST_FP16 and exponent >= 32:
        return sign | 31 << 23 | 0x3FF << 13
    if kind != DST_FP16 and exponent >= 255:
        return sign | 255 << 23
    return sign | exponent << 23 | significand & 0x7FFFFF
