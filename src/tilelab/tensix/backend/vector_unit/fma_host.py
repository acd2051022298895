"""The multiply-add by the processor's own, where that provably gives the same bits.

``fma.fma_sum`` keeps the product to 27 or 28 bits, the last of which gathers what is lost; aligns
the smaller operand likewise; and rounds the sum once. So it is the fused x*y + z of IEEE 754,
rounded to nearest even, unless a gathered bit moves up to where it counts, or two of them meet.
No lane is in doubt (:func:`doubts`) if neither can be: where the addend is zero (nothing is
aligned, and the product's bit stays lowest), and where the product fits 24 bits. Then at least
three bits below those are zero, so an alignment by up to three places loses nothing; one by more
leaves the sum at least half as large as its larger operand, and what is gathered below the bit
that rounds. Lost bits that are not gathered, since nothing is left, lie below half of the half that
rounds, and a number of 24 bits is no tie. Wormhole forgets one of two bits where a sum has 29:
that is four times the product's power of two, and not taken. Decision 22 has the figures.

What counts as zero here is made zero first; results are far from where numbers get denormal.
"""

from typing import Final

from tilelab.sim.kernel import fused, kernel, lanes, narrow, signed32
from tilelab.tensix.backend.vector_unit.fma import LOWEST, X, Y, Z
from tilelab.tensix.backend.vector_unit.lreg import INFINITY, MAGNITUDE
from tilelab.tensix.state.records import State

LEAST: Final = 32
"""Exponent of a product from which on neither it nor a sum of it is near to being denormal."""
MOST: Final = 253
"""Exponent of a product up to which it cannot overflow."""


@narrow(32)
def flushed(x: int) -> int:
    """A number, or the zero that a denormal one counts as."""
    return x if x & INFINITY else x & LOWEST


@narrow(32)
def doubts(ieee: int, x: int, y: int, z: int, total: int) -> int:
    """0 if ``total``, the fused x*y + z, is surely what ``fma.fma_sum`` gives."""
    x_exponent = (x >> 23) & 255
    y_exponent = (y >> 23) & 255
    zero = x_exponent == 0 or y_exponent == 0
    exponent = LEAST if zero else x_exponent + y_exponent - 127
    product = fused(x, y, LOWEST)
    lost = fused(x, y, product ^ LOWEST) & MAGNITUDE if z & MAGNITUDE else 0
    outside = (exponent - LEAST) | (MOST - exponent)  # negative, that is
    outside |= 254 - max(x_exponent, y_exponent, (z >> 23) & 255)
    if not ieee:
        outside |= 0 if zero else exponent + 1 - ((total >> 23) & 255)
    return lost | (outside & LOWEST)


@narrow(32, 256)
def sum_lanes_fused(s: State) -> int:
    """x*y + z of 32 lanes from ``scratch_32`` to ``scratch_signed``; 0 if none is in doubt."""
    ieee = s.arch.vector_ieee_specials
    doubt = 0
    for lane in lanes(32):
        x = flushed(signed32(s.scratch_32[X + lane]))
        y = flushed(signed32(s.scratch_32[Y + lane]))
        z = flushed(signed32(s.scratch_32[Z + lane]))
        total = fused(x, y, z)
        doubt |= doubts(ieee, x, y, z, total)
        s.scratch_signed[lane] = total if ieee or total & MAGNITUDE else 0
    return doubt


@narrow(32)
def first_in_doubt(s: State) -> int:
    """0 if lane 0 is in no doubt: others mostly are not then, and mostly are if it is."""
    x = flushed(signed32(s.scratch_32[X]))
    y = flushed(signed32(s.scratch_32[Y]))
    z = flushed(signed32(s.scratch_32[Z]))
    return doubts(s.arch.vector_ieee_specials, x, y, z, fused(x, y, z))


@kernel
def summed_by_host(s: State) -> int:
    """``fma.summed_by_host`` where the processor has a fused multiply-add."""
    return 0 if first_in_doubt(s) or sum_lanes_fused(s) else 1
