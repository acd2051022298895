"""The data formats of Tensix, by the codes that configuration registers hold.

Source: tt-isa-documentation, Unpackers/FormatConversion.md and Packers/FormatConversion.md.
"""

from enum import IntEnum


class DataFormat(IntEnum):
    """A format; the names ending in ``A`` share a 5-bit exponent, the other BFPs an 8-bit one."""

    FP32 = 0
    FP16 = 1
    BFP8A = 2
    BFP4A = 3
    TF32 = 4
    BF16 = 5
    BFP8 = 6
    BFP4 = 7
    INT32 = 8
    INT16 = 9
    FP8 = 10
    BFP2A = 11
    INT8 = 14
    BFP2 = 15


FORMAT_BITS = (32, 16, 8, 4, 32, 16, 8, 4, 32, 16, 8, 2, 0, 0, 8, 2)
"""Bits of one datum in L1, by code, without the shared exponent; 0 for a code with no meaning."""

SHARED_EXPONENT_BITS = (0, 0, 5, 5, 0, 0, 8, 8, 0, 0, 0, 5, 0, 0, 0, 8)
"""Bits of the exponent that 16 data share, by code; 0 for formats without one."""
