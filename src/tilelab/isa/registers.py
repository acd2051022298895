"""Which registers an instruction's word names, and what becomes of them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tilelab.isa.field import Field, parse_field


@dataclass(frozen=True)
class Registers:
    """The registers that a word names, by the manual's names (``vb``, ``vd``), and where.

    Two names may share bits: an instruction that reads its destination. A name may be neither read
    nor written. ``stalls`` are those that the hardware waits for if they are still being computed,
    which is not always what it reads; so are the registers of ``always`` (a bit for each), which
    the instruction reads without naming them. ``stall_modes`` has a bit for each modifier with
    which the hardware waits at all, ``read_modes`` those of the registers that are not always read.
    """

    named: tuple[Field, ...] = ()
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    stalls: tuple[str, ...] = ()
    always: int = 0
    stall_modes: int = 0xFFFF
    read_modes: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        names = [field.name for field in self.named]
        if len(set(names)) < len(names):
            raise ValueError(f"registers {names}: one is named twice")
        if unknown := {*self.reads, *self.writes, *self.stalls} - set(names):
            raise ValueError(f"registers {sorted(unknown)} are not named by the word")

    def get(self, name: str) -> Field | None:
        """Where the word names a register, or None."""
        return next((field for field in self.named if field.name == name), None)

    def at(self, field: Field) -> str | None:
        """The register that is named by exactly a field's bits, the destination first."""
        same = [r.name for r in self.named if (r.hi, r.lo) == (field.hi, field.lo)]
        return max(same, default=None)


NO_REGISTERS = Registers()
MODES: Final = re.compile(r"(\w+)=[0-9:]+@([0-9a-f]+)")


def parse_registers(
    text: str, stalls: str | None = None, always: int = 0, stall_modes: int = 0xFFFF
) -> Registers:
    """Read ``vb=15:12 vc=11:8 -> vd=7:4``: what is read, then what is written.

    ``(vd=7:4)`` is named only. A register that is on both sides has its bits once. ``vb=7:4@5555``
    is read with the modifiers whose bits are set. ``stalls`` are the names that the hardware waits
    for, if they are not what it reads.
    """
    modes = tuple((name, int(mask, 16)) for name, mask in MODES.findall(text))
    left, _, right = re.sub("@[0-9a-f]+", "", text).partition("->")
    named: dict[str, Field] = {}
    reads = tuple(_names(left, named))
    writes = tuple(_names(right, named))
    waits = reads if stalls is None else tuple(stalls.split())
    return Registers(tuple(named.values()), reads, writes, waits, always, stall_modes, modes)


def _names(text: str, named: dict[str, Field]) -> Iterator[str]:
    for item in text.split():
        name = item.strip("()").partition("=")[0]
        if "=" in item:
            named[name] = parse_field(item.strip("()"))
        if not item.startswith("("):
            yield name
