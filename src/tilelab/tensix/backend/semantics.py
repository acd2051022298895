"""Binding semantics to instruction rows, and what every unit's kernels share.

An instruction's kernel is ``name(s, t, field, …)``: the state view, the issuing thread, then
exactly the row's fields in the row's order. :func:`semantics` refuses a mismatch on import, so
table and meaning cannot drift. Where the chips' rows have different fields, each gets a kernel of
its own by naming ``chip``.
"""

import inspect
from collections.abc import Callable
from typing import Any

from tilelab.sim.kernel import KernelT, kernel
from tilelab.tensix.arch import ARCHES

SEMANTICS: dict[str, dict[str, Callable[..., int]]] = {chip: {} for chip in ARCHES}
"""Kernel of each instruction that is modelled, by chip and name."""


def semantics(name: str, chip: str | None = None) -> Callable[[KernelT], KernelT]:
    """Bind a kernel to a row of one chip, or of every chip whose row has the same fields."""

    def bind(function: KernelT) -> KernelT:
        parameters = list(inspect.signature(function).parameters)
        bound = False
        for arch in ARCHES.values():
            row = arch.instructions.get(name)
            if row is None or chip not in (None, arch.name):
                continue
            wanted = ["s", "t", *(field.name for field in row.fields)]
            if parameters == wanted:
                if name in SEMANTICS[arch.name]:
                    raise TypeError(f"{arch.name} {name} has two kernels")
                SEMANTICS[arch.name][name] = function
                bound = True
            elif chip is not None:
                raise TypeError(f"{chip} {name}: row has {wanted}, kernel takes {parameters}")
        if not bound:
            raise TypeError(f"{name}: no row takes {parameters}")
        return kernel(function)

    return bind


@kernel
def config_bank(s: Any, t: int) -> int:
    """Which Config bank the thread selects (StateID)."""
    value: int = s.thread_config[t, 0] & 1
    return value


@kernel
def config(s: Any, t: int, place: int) -> int:
    """Value of a Config field, from the bank that the thread selects."""
    word: int = s.config[config_bank(s, t), place >> 16]
    return (word >> ((place >> 8) & 31)) & ((1 << (place & 63)) - 1)


@kernel
def thread_config(s: Any, t: int, place: int) -> int:
    """Value of a field of the thread's ThreadConfig."""
    word: int = s.thread_config[t, place >> 16]
    return (word >> ((place >> 8) & 31)) & ((1 << (place & 63)) - 1)
