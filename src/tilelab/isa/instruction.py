"""Instruction rows and sets: one row per instruction, everything else derives from the rows."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from tilelab.isa.field import Field, check_disjoint, parse_field
from tilelab.isa.figure import UNTIMED, InstructionTiming
from tilelab.isa.registers import NO_REGISTERS, Registers
from tilelab.isa.syntax import Operand, Syntax


@dataclass(frozen=True)
class Instruction:
    """One row: a 32-bit word whose top byte is the opcode and whose other bits are fields.

    ``unit`` names the unit that executes it, ``page`` the manual page that defines it ("" if none
    does). ``mnemonic`` is what the assembler prints ("" if it has none), ``operands`` what follows
    it. ``macro`` are the parameters, high bits first, of the C macro that makes the word.
    A thread's wait blocks the instruction if it selects any bit of ``block_mask``, or with
    ``blocked_by_all`` only if it selects every one.

    What the machine makes of it: ``sub_unit`` is the part of the unit that executes it (None: the
    unit has none), ``registers`` are those that its word names. ``vb_modifier`` is the bit of its
    modifier without which VB is VD, whatever the word names (0: there is no such bit), and
    ``late_modes`` has a bit for each modifier with which the next word must not read VD.
    ``is_template``: with VD of 12 and above it is recorded instead of executed. ``dst_use`` are
    the flags of what it does with Dst, ``timing`` how long it takes, ``flop`` how many operations
    it does. ``each_thread``: its unit takes one of each thread in a cycle. ``is_wait``: it waits
    behind a latched wait. ``refused`` names the check that it fails ("": it is executed).
    """

    name: str
    opcode: int
    unit: str
    fields: tuple[Field, ...]
    mnemonic: str = ""
    operands: tuple[Operand, ...] = ()
    aliases: tuple[str, ...] = ()
    macro: tuple[Field, ...] = ()
    block_mask: int = 0
    blocked_by_all: bool = False
    page: str = ""
    sub_unit: int | None = None
    registers: Registers = NO_REGISTERS
    vb_modifier: int = 0
    late_modes: int = 0
    is_template: bool = False
    dst_use: int = 0
    timing: InstructionTiming = UNTIMED
    flop: int = 0
    each_thread: bool = False
    is_wait: bool = False
    refused: str = ""

    def __post_init__(self) -> None:
        if not 0 <= self.opcode <= 0xFF:
            raise ValueError(f"{self.name}: opcode {self.opcode:#x} does not fit 8 bits")
        check_disjoint(self.fields, self.name)
        for field in self.fields:
            if field.hi > 23:
                raise ValueError(f"{self.name}: field {field} runs into the opcode")
        check_disjoint(self.macro, f"{self.name}'s macro")
        for register in self.registers.named:
            if register.hi > 23:
                raise ValueError(f"{self.name}: register {register} runs into the opcode")
        if self.is_template and self.registers.get("vd") is None:
            raise ValueError(f"{self.name}: a template has a VD")

    @cached_property
    def used_bits(self) -> int:
        """Operand bits that some field covers."""
        return sum(field.mask for field in self.fields)

    @property
    def unused_bits(self) -> int:
        """Operand bits that no field covers."""
        return 0xFFFFFF & ~self.used_bits

    @property
    def macro_bits(self) -> int:
        """Operand bits that the macro can set."""
        return sum(field.mask for field in self.macro)

    @cached_property
    def syntax(self) -> Syntax:
        """How the assembler reads and writes the operands."""
        return Syntax(self.opcode << 24, self.operands)

    def is_blocked_by(self, selected: int) -> bool:
        """Whether a wait that selects these block bits holds the instruction back."""
        hit = selected & self.block_mask
        return hit == self.block_mask != 0 if self.blocked_by_all else hit != 0

    def disassemble(self, word: int) -> str | None:
        """Return the word's assembly, or None if the row's syntax cannot carry the word."""
        operands = self.syntax.disassemble(word) if self.mnemonic else None
        return None if operands is None else f"{self.mnemonic} {operands}".rstrip()

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
        self.by_mnemonic: dict[str, Instruction] = {}
        for row in rows:
            if row.name in self._by_name:
                raise ValueError(f"{chip}: two rows are named {row.name}")
            if row.opcode in self.by_opcode:
                other = self.by_opcode[row.opcode].name
                raise ValueError(f"{chip}: {other} and {row.name} share opcode {row.opcode:#04x}")
            self._by_name[row.name] = row
            self.by_opcode[row.opcode] = row
            for spelling in filter(None, (row.mnemonic, *row.aliases)):
                if spelling in self.by_mnemonic:
                    other = self.by_mnemonic[spelling].name
                    raise ValueError(f"{chip}: {other} and {row.name} are both spelt {spelling}")
                self.by_mnemonic[spelling] = row

    def __getitem__(self, name: str) -> Instruction:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def find(self, word: int) -> Instruction | None:
        """Return the row that a word belongs to, or None."""
        return self.by_opcode.get(word >> 24)

    def table(self, value: Callable[[Instruction], int], otherwise: int = 0) -> tuple[int, ...]:
        """A number of each row, by opcode; ``otherwise`` where there is none."""
        rows = self.by_opcode
        return tuple(value(rows[code]) if code in rows else otherwise for code in range(256))


def derived(
    base: InstructionSet, without: Iterable[str], replace: Iterable[Instruction]
) -> Iterator[Instruction]:
    """Yield the rows of ``base`` with some left out and some replaced by rows of the same name.

    ValueError for a name that ``base`` does not have and a replacement that replaces nothing.
    """
    left_out, new = set(without), {row.name: row for row in replace}
    if unknown := sorted((left_out | new.keys()) - base.keys()) or sorted(left_out & new.keys()):
        raise ValueError(f"{base.chip} has no such row: {', '.join(unknown)}")
    for name, row in base.items():
        if new.get(name) == row:
            raise ValueError(f"{name}: replaced by an equal row")
        if name not in left_out:
            yield new.get(name, row)


def fields(text: str) -> tuple[Field, ...]:
    """Read a row's fields, written ``a=23:22 b=9:0``."""
    return tuple(parse_field(item) for item in text.split())
