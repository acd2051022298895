"""Kernel Python: the small language that instruction semantics are written in.

A kernel is a plain function over integers and a state view, so that one text serves both engines:
the reference engine calls it, the fast engine compiles it. What a kernel may use:

- parameters and local variables that are integers; every intermediate fits a signed 64-bit word;
- ``+ - * & | ^ ~ << >>`` with shift amounts in 0..63, ``//`` and ``%`` of non-negative integers;
- ``if``, ``while``, ``for i in range(...)`` or over a tuple constant, comparisons, ``and or
  not``, conditional expressions, membership in a tuple of constants;
- reads and writes of state arrays (``s.dst[row, column]``) and state scalars (``s.rwc[t].dst``);
  what is written must be in range, so mask it: the view refuses anything else;
- a local name for a nested record (``wait = s.frontend[t].wait``), until its block ends;
- ``min``, ``max``, ``abs``; ``len`` of an array of the state;
- calls of other kernels, by position, with integers and parts of the state (records, arrays): a
  kernel is compiled for each layout that it is given; it returns one integer, a tuple of them,
  or nothing (``-> None``);
- module constants: integers, members of IntEnum classes, and tuples of integers as tables;
- ``s.arch.NAME``: a constant of the chip.

Three things serve speed and change no meaning. A kernel marked ``@narrow(bits)`` promises that
its parameters, every intermediate and every result fit a signed word of 16 or 32 bits, so that a
vector register holds 32 or 16 of them (indices are computed apart, in 64 bits). ``for i in
lanes(n)`` is ``range(n)``, and asks for a loop that works on many ``i`` at once. ``bit_length``,
``signed32`` and ``fused`` are operations that processors have and Python's operators lack.

No floats, strings, lists, dictionaries, exceptions, closures or other objects.

An instruction's kernel checks first and mutates after. It returns ``OK``, a wait code (negative:
nothing was changed, try again later) or a check's code (positive: nothing was changed).
"""

import struct
from collections.abc import Callable
from fractions import Fraction
from math import inf, isfinite, nextafter
from typing import Any, Final, TypeVar

OK: Final = 0

WORD_BITS: Final = 64
WORD: Final = 0xFFFFFFFF
"""All bits of a word of the machines: 32."""

KernelT = TypeVar("KernelT", bound=Callable[..., Any])

KERNELS: dict[str, Callable[..., Any]] = {}
"""Every kernel by qualified name."""


def kernel(function: KernelT) -> KernelT:
    """Mark a function as kernel Python: no other is compiled."""
    if not hasattr(function, "kernel_bits"):
        function.kernel_bits = WORD_BITS  # type: ignore[attr-defined]  # functions take attributes
    KERNELS[f"{function.__module__}.{function.__qualname__}"] = function
    return function


def argument_names(function: Callable[..., Any]) -> list[str]:
    """A kernel's parameters by name: what ``inspect`` finds out much more slowly."""
    code = function.__code__
    return list(code.co_varnames[: code.co_argcount])


def narrow(bits: int, register: int = 512) -> Callable[[KernelT], KernelT]:
    """Mark a function as kernel Python in which everything fits a signed word of 16 or 32 bits.

    A field of unsigned words as wide as that can only be read through :func:`signed32`.
    ``register``: the bits that its loops over lanes work on at once. What other code has just
    written in halves is quickly there only for who reads it in halves.
    """
    if bits not in (16, 32):
        raise ValueError(f"kernels are 16, 32 or {WORD_BITS} bits wide, not {bits}")

    def mark(function: KernelT) -> KernelT:
        function.kernel_bits = bits  # type: ignore[attr-defined]  # functions take attributes
        function.kernel_register = register  # type: ignore[attr-defined]
        return kernel(function)

    return mark


def lanes(count: int) -> range:
    """``range(count)``, for a loop that the fast engine is to run as vector instructions.

    That works where the body has no loop but those over tuple constants, and where no iteration
    reads what another one wrote (sums and unions over all iterations apart).
    """
    return range(count)


def bit_length(x: int) -> int:
    """Bits of a number that is not negative, up to its leading one."""
    return x.bit_length()


def signed32(x: int) -> int:
    """A 32-bit word of state as a signed integer."""
    return x - ((x & 0x80000000) << 1)


def fused(x: int, y: int, z: int) -> int:
    """The bits of x*y + z, three FP32 numbers given as bits, rounded once to nearest even.

    All in signed words of 32 bits, for kernels as narrow as that. What an infinity or a NaN gives
    is a NaN here; processors differ in NaNs' bits, and kernels do not look at them.
    """
    packed = struct.pack("<3i", x, y, z)
    numbers = struct.unpack("<3f", packed)
    if not all(isfinite(number) for number in numbers):
        return 0x7FC00000
    exact = Fraction(numbers[0]) * Fraction(numbers[1]) + Fraction(numbers[2])
    if not exact:
        result = numbers[0] * numbers[1] + numbers[2]  # a zero, of the right sign
    else:
        result = float(exact)
        if result != exact and not struct.unpack("<q", struct.pack("<d", result))[0] & 1:
            # the odd neighbour, which rounds as the exact number does
            result = nextafter(result, inf if exact > result else -inf)
    try:
        bits: int = struct.unpack("<i", struct.pack("<f", result))[0]
    except OverflowError:
        bits = 0x7F800000 if result > 0 else 0xFF800000 - (1 << 32)
    return bits
