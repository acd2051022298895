"""What the pass works on: a function's blocks of vector operations and of other text."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from tilelab.sim.errors import BadInputError

LREGS = 8
"""LReg[0..7] hold values; LReg[8..15] are constants to read."""
CONSTANTS = range(8, 16)
FIRST_VALUE = 16
"""Registers are numbers: below this an LReg, from here on a value that has none yet."""

KNOWN_CONSTANTS = {0x3F566189: 8, 0: 9, 0x3F800000: 10, 0xBF800000: 11}
"""What LReg[8..11] hold; -1 by the convention that start-up code keeps."""

CONST, COPY, ASSIGN, NO_VALUE, KEEP = "const", "copy", "assign", "novalue", "keep"
COMPARE, LOGIC, CONDITION, AS_VALUE = "cmp", "bool", "cond", "asvalue"
RAW = "raw"


@dataclass
class Place:
    """Where something is in the source, for messages."""

    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


class VectorError(BadInputError):
    """A program that cannot get its registers; ``place`` says where."""

    def __init__(self, place: Place, message: str, detail: str = "") -> None:
        super().__init__(f"{place}: {message}", detail)
        self.place = place


class FloatError(VectorError):
    """Floating-point numbers of the core's own among the vectors, or what looks like them."""


@dataclass(eq=False)
class Op:
    """One operation. ``outs`` and ``ins`` give registers by the instruction's fields.

    A field that is in both is read and written. ``fixed_in`` and ``fixed_out`` are operands that
    have to be in a certain LReg, by its number; ``clobbers`` are LRegs that lose their values.
    ``runtime`` are the names of RISC-V registers that hold operand bits, a scratch value and the
    instruction buffer's address, where the core has to make the word.
    """

    name: str
    outs: dict[str, int] = field(default_factory=dict)
    ins: dict[str, int] = field(default_factory=dict)
    imm: dict[str, int] = field(default_factory=dict)
    fixed_in: dict[int, int] = field(default_factory=dict)
    fixed_out: dict[int, int] = field(default_factory=dict)
    clobbers: frozenset[int] = frozenset()
    runtime: tuple[str, ...] = ()
    place: Place = field(default_factory=Place)
    word: int = 0
    """The word itself, of RAW."""
    sets_flags: bool = False
    """Whether it changes which lanes are enabled."""
    keeps_lanes: bool = False
    """Whether lanes that are not enabled keep what the operand held that is overwritten."""
    text: str = ""
    """The line that it came from, where that is kept."""
    moves: tuple[frozenset[int], ...] = ()
    """LRegs among which a RAW does no more than move values: it needs none if none is needed."""
    indexes: bool | None = None
    """Whether a RAW sets ENABLE_DEST_INDEX, or clears it; None if it does neither."""
    runs_others: bool = False
    """Whether a RAW runs words that are not seen: a replay, a MOP, a macro, one of run time."""

    @property
    def reads(self) -> set[int]:
        """Registers that it reads."""
        return {*self.ins.values(), *self.fixed_in.values()}

    @property
    def writes(self) -> set[int]:
        """Registers that it writes."""
        return {*self.outs.values(), *self.fixed_out.values()}

    @property
    def tied(self) -> list[str]:
        """Fields that are read and written."""
        return [name for name in self.outs if name in self.ins]

    def replace(self, old: int, new: int) -> None:
        """Read another register."""
        self.ins = {k: new if v == old else v for k, v in self.ins.items()}
        self.fixed_in = {k: new if v == old else v for k, v in self.fixed_in.items()}

    def copy(self) -> "Op":
        """Another that can be changed by itself."""
        made = Op.__new__(Op)
        made.__dict__ = {**self.__dict__, "outs": {**self.outs}, "ins": {**self.ins}}
        made.imm = {**self.imm}
        made.fixed_in, made.fixed_out = {**self.fixed_in}, {**self.fixed_out}
        return made

    def rename(self, names: dict[int, int]) -> None:
        """Read and write other registers."""
        self.ins = {k: names.get(v, v) for k, v in self.ins.items()}
        self.outs = {k: names.get(v, v) for k, v in self.outs.items()}
        self.fixed_in = {k: names.get(v, v) for k, v in self.fixed_in.items()}
        self.fixed_out = {k: names.get(v, v) for k, v in self.fixed_out.items()}


@dataclass(eq=False)
class Text:
    """A line that is kept as it is; ``call`` says that it calls another function."""

    text: str
    call: str = ""
    place: Place = field(default_factory=Place)


@dataclass(eq=False)
class Block:
    """Nodes that run one after the other; then one of the blocks ``next``, by number."""

    nodes: list[Op | Text]
    next: list[int] = field(default_factory=list)
    leaves: bool = False
    """Whether the function can end here."""

    def ops(self) -> Iterator[Op]:
        """The vector operations."""
        return (node for node in self.nodes if isinstance(node, Op))


@dataclass(eq=False)
class Function:
    """A function's blocks in the order of the text."""

    name: str
    blocks: list[Block]
    values: int = FIRST_VALUE
    """The number of the next new value."""
    names: dict[int, str] = field(default_factory=dict)
    """What the source calls a value, where the compiler says so."""
    still: int = -1
    """The addressing mode with which a load of Dst leaves Dst's counter as it is."""

    def copy(self) -> "Function":
        """Another that can be changed by itself; lines of text never change and are shared."""
        blocks = [
            Block(
                [node.copy() if isinstance(node, Op) else node for node in block.nodes],
                [*block.next],
                block.leaves,
            )
            for block in self.blocks
        ]
        return Function(self.name, blocks, self.values, {**self.names}, self.still)

    def new_value(self) -> int:
        """A value that nothing uses yet."""
        self.values += 1
        return self.values - 1

    def ops(self) -> Iterator[Op]:
        """The vector operations, in the order of the text."""
        return (op for block in self.blocks for op in block.ops())

    def own_lregs(self) -> set[int]:
        """The registers of operations that are no words of the source's."""
        return {r for op in self.ops() if op.name != RAW for r in op.reads | op.writes}

    def definitions(self) -> dict[int, list[Op]]:
        """The operations that write each register."""
        found: dict[int, list[Op]] = {}
        for op in self.ops():
            for register in op.writes:
                found.setdefault(register, []).append(op)
        return found

    def users(self) -> dict[int, list[Op]]:
        """The operations that read each register."""
        found: dict[int, list[Op]] = {}
        for op in self.ops():
            for register in op.reads:
                found.setdefault(register, []).append(op)
        return found


PURE = {
    *(
        "SFPMAD",
        "SFPADD",
        "SFPMUL",
        "SFPADDI",
        "SFPMULI",
        "SFPABS",
        "SFPNOT",
        "SFPAND",
        "SFPOR",
        "SFPXOR",
        "SFPSHFT",
    ),
    *("SFPIADD", "SFPEXEXP", "SFPEXMAN", "SFPSETEXP", "SFPSETMAN", "SFPSETSGN", "SFPDIVP2"),
    *("SFPLZ", "SFPMUL24", "SFPARECIP"),
}
RANDOM = {"SFPCAST": 1, "SFPMOV": 8}
"""Instructions that do so too, but in the mode that takes random bits or reads the generator."""


def is_pure(op: Op) -> bool:
    """Whether what an operation writes depends on its operands alone, wherever it stands."""
    return op.name in PURE or (op.name in RANDOM and op.imm.get("instr_mod1") != RANDOM[op.name])
