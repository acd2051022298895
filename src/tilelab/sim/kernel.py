"""Kernel Python: the small language that instruction semantics are written in.

A kernel is a plain function over integers and a state view, so that one text serves both engines:
the reference engine calls it, the fast engine compiles it. What a kernel may use:

- parameters and local variables that are integers; every intermediate fits a signed 64-bit word;
- ``+ - * & | ^ ~ << >>`` with shift amounts in 0..63, ``//`` and ``%`` of non-negative integers;
- ``if``, ``while``, ``for i in range(...)`` or over a tuple constant, comparisons, ``and or
  not``, conditional expressions, membership in a tuple of constants;
- reads and writes of state arrays (``s.dst[row, column]``) and state scalars (``s.rwc[t].dst``);
  what is written must be in range, so mask it: the view refuses anything else;
- a local name for a nested record (``wait = s.frontend[t].wait``);
- ``min``, ``max``, ``abs``, and ``x.bit_length()`` of an ``x`` that is not negative;
- calls of other kernels, with the state view and integers; a kernel returns one integer or a
  tuple of integers;
- module constants: integers, members of IntEnum classes, and tuples of integers as tables;
- ``s.arch.NAME``: a constant of the chip.

No floats, strings, lists, dictionaries, exceptions, closures or other objects.

An instruction's kernel checks first and mutates after. It returns ``OK``, a wait code (negative:
nothing was changed, try again later) or a check's code (positive: nothing was changed).
"""

from collections.abc import Callable
from typing import Any, Final, TypeVar

OK: Final = 0

KernelT = TypeVar("KernelT", bound=Callable[..., Any])

KERNELS: dict[str, Callable[..., Any]] = {}
"""Every kernel by qualified name; the fast engine compiles from here."""


def kernel(function: KernelT) -> KernelT:
    """Mark a function as kernel Python."""
    KERNELS[f"{function.__module__}.{function.__qualname__}"] = function
    return function
