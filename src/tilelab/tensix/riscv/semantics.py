"""Binding meaning to RISC-V rows: kernels over values, and kernels over the machine.

A value kernel takes unsigned 32-bit values and returns one; rows that compute the same share it
(``add``, ``addi``, ``amoadd.w``). A machine kernel takes ``(s, core, operands…)`` and returns a
status: OK, a wait, or a check's code, and then has changed nothing.
"""

from collections.abc import Callable
from typing import Any

from tilelab.riscv.fields import access_bytes
from tilelab.riscv.table import RV32, TTINSN, Format, Instruction
from tilelab.sim.kernel import KernelT, argument_names, kernel

EXECUTE: dict[str, Callable[..., Any]] = {}
"""Kernel of each row, by the row's name."""

VALUES = {
    Format.REGISTER: ["a", "b"],
    Format.IMMEDIATE: ["a", "b"],
    Format.SHIFT: ["a", "b"],
    Format.BRANCH: ["a", "b"],
    Format.ATOMIC: ["a", "b"],
    Format.UNARY: ["a"],
}
"""Formats whose kernels are over values, and those kernels' parameters."""


def parameters(row: Instruction) -> list[str]:
    """The parameters that the row's kernel takes."""
    return VALUES.get(row.format) or ["s", "core", *row.format.value.operands, *constants(row)]


def constants(row: Instruction) -> dict[str, int]:
    """What a load's or a store's kernel takes besides: its bytes, and the bit that it extends."""
    if row.format not in (Format.LOAD, Format.STORE):
        return {}
    size = access_bytes(row.match)
    sign = 0 if row.match >> 14 & 1 else 0x80 << 8 * (size - 1)
    return {"size": size, "sign": sign} if row.format is Format.LOAD else {"size": size}


def execute(*names: str) -> Callable[[KernelT], KernelT]:
    """Bind a kernel to the rows of these names; TypeError if a row does not take its parameters."""

    def bind(function: KernelT) -> KernelT:
        takes = argument_names(function)
        for name in names:
            row = TTINSN if name == TTINSN.name else RV32.rows[name]
            if takes != parameters(row):
                raise TypeError(f"{name}: row has {parameters(row)}, kernel takes {takes}")
            if name in EXECUTE:
                raise TypeError(f"{name} has two kernels")
            EXECUTE[name] = function
        return kernel(function)

    return bind
