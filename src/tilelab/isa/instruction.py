"""Instruction rows and sets: one row per instruction, everything else derives from the rows."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from tilelab.isa.field import Field, check_disjoint, parse_field


@dataclass(frozen=True)
class Instruction:
    """One row: a 32-bit word whose top byte is the opcode and whose other bits are fields.

    ``unit`` names the unit that executes it, ``page`` the manual page that defines it.
    ``syntax`` lists the assembler's operands in written order, in the notation of
    :mod:`tilelab.isa.syntax`; ``mnemonic`` is what the assembler prints ("" if it has none).
    """

    name: str
    opcode: int
    unit: str
    fields: tuple[Field, ...]
    mnemonic: str = ""
    syntax: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    block_bit: int = -1
    page: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.opcode <= 0xFF:
            raise ValueError(f"{self.name}: opcode {self.opcode:#x} does not fit 8 bits")
        check_disjoint(self.fields, self.name)
        for field in self.fields:
            if field.hi > 23:
                raise ValueError(f"{self.name}: field {field} runs into the opcode")

    @cached_property
    def used_bits(self) -> int:
        """Operand bits that some field covers."""
        return sum(field.mask for field in self.fields)

    @property
    def unused_bits(self) -> int:
        """Operand bits that no field covers."""
        return 0xFFFFFF & ~self.used_bits

    def encode(self, **values: int) -> int:
        """Return the word; fields not named are 0. ValueError for a bad name or value."""
        known = {field.name: field for field in self.fields}
        if unknown := sorted(values.keys() - known.keys()):
            raise ValueError(f"{self.name} has no field {', '.join(unknown)}")
        try:
            return self.opcode << 24 | sum(known[n].put(v) for n, v in values.items())
        except ValueError as error:
            raise ValueError(f"{self.name}: {error}") from None

    def decode(self, word: int) -> dict[str, int]:
        """Return the word's fields by name."""
        return {field.name: field.get(word) for field in self.fields}


class InstructionSet(Mapping[str, Instruction]):
    """The rows of one chip, by name; proves on construction that no two rows match one word."""

    def __init__(self, chip: str, rows: Iterable[Instruction]) -> None:
        self.chip = chip
        self._by_name: dict[str, Instruction] = {}
        self.by_opcode: dict[int, Instruction] = {}
        for row in rows:
            if row.name in self._by_name:
                raise ValueError(f"{chip}: two rows are named {row.name}")
            if row.opcode in self.by_opcode:
                other = self.by_opcode[row.opcode].name
                raise ValueError(f"{chip}: {other} and {row.name} share opcode {row.opcode:#04x}")
            self._by_name[row.name] = row
            self.by_opcode[row.opcode] = row

    def __getitem__(self, name: str) -> Instruction:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def find(self, word: int) -> Instruction | None:
        """Return the row that a word belongs to, or None."""
        return self.by_opcode.get(word >> 24)


def fields(text: str) -> tuple[Field, ...]:
    """Read a row's fields, written ``a=23:22 b=9:0``."""
    return tuple(parse_field(item) for item in text.split())
