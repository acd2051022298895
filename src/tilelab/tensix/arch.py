"""The chips that there are, by name."""

from collections.abc import Callable, Iterable
from importlib import import_module

from tilelab.isa.instruction import Instruction
from tilelab.sim.errors import BadInputError
from tilelab.tensix.chips import NAMES
from tilelab.tensix.chips.profile import Arch
from tilelab.tensix.tables.units import Unit

__all__ = ["ARCHES", "ROWS", "Arch", "arch", "opcodes"]

ARCHES: dict[str, Arch] = {
    name: import_module(f"tilelab.tensix.chips.{name}").CHIP for name in NAMES
}


ROWS = [row for chip in ARCHES.values() for row in chip.instructions.values()]
"""Every chip's instructions."""


def opcodes(holds: Callable[[Instruction], bool]) -> tuple[int, ...]:
    """By opcode: whether a row of it, of any chip, is such a one."""
    found = {row.opcode for row in ROWS if holds(row)}
    return tuple(int(code in found) for code in range(256))


def check_frontends(chips: Iterable[Arch]) -> None:
    """ValueError if an instruction of the frontends, which all share, has not the same fields."""
    seen: dict[str, Instruction] = {}
    for chip in chips:
        for row in chip.instructions.values():
            other = seen.setdefault(row.name, row)
            if row.unit == Unit.FRONTEND and row.fields != other.fields:
                raise ValueError(f"{chip.name}: {row.name} has other fields than on other chips")


check_frontends(ARCHES.values())


def arch(name: str) -> Arch:
    """Return a chip's profile by name; BadInputError if there is none."""
    try:
        return ARCHES[name]
    except KeyError:
        raise BadInputError(
            f"unknown architecture {name!r}: choose {' or '.join(ARCHES)}"
        ) from None
