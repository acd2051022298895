"""Reads the assembly that Clang and GCC write: functions, blocks, and the ``tt.vec`` lines in them.

A ``tt.vec`` line is ``tt.vec NAME OPERAND…``. Operands, with f a floating-point register's name:

- ``FIELD=f`` is read, ``FIELD>f`` written, ``FIELD<>f,g`` written as f and read as g
- ``@N=f``, ``@N>f`` the same in LReg[N]; ``@N~`` loses LReg[N]'s value
- ``FIELD=NUMBER`` an immediate
- ``$x,y,z`` bits of the word at run time: in x, with scratch y, pushed to the address in z
- ``!`` after the name: changes which lanes are enabled
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from tilelab.build.messages import innermost, source_line
from tilelab.build.vector.code import Block, FloatError, Function, Op, Place, Text, VectorError
from tilelab.build.vector.raw import DIRECTIVES, decode_raw, only_recorded
from tilelab.isa.instruction import InstructionSet

MARK = "tt.vec "
"""What the vector unit's headers put before each of its instructions."""
BYTES = "latin-1"
"""Assembly's encoding: strings in it are what they are."""
FLOATS = [
    *(f"ft{i}" for i in range(8)),
    *("fs0", "fs1"),
    *(f"fa{i}" for i in range(8)),
    *(f"fs{i}" for i in range(2, 12)),
    *(f"ft{i}" for i in range(8, 12)),
]
NUMBER = {name: i for i, name in enumerate(FLOATS)}
NUMBER |= {f"f{i}": i for i in range(32)}

_LABEL = re.compile(r"^([.\w$]+):")
_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+(?:"[^"]*"\s+)?"([^"]*)"')
FLOAT = re.compile(r"\bf(?:[ast]\d+|\d+)\b")
_BRANCH = re.compile(r"^b(?:eq|ne|lt|ge|ltu|geu|gt|le|gtu|leu)z?$")
_CALLS = ("call", "jal", "jalr")
_ARITHMETIC = re.compile(
    r"__(?:add|sub|mul|div|neg|cmp|eq|ne|lt|le|gt|ge|unord|fix|fixuns|float|floatun|extend|trunc"
    r"|udiv|mod|umod|ashl|ashr|lshr|clz|ctz|popcount)(?:[sdt][fi]){1,2}[23]?"
)
"""What a core has no instruction for: functions of the run-time library, without vectors."""
_LEAVES = ("ret", "tail", "jr", "mret", "ebreak")
_SLOT = re.compile(r"^(-?\d+)\((sp|s0|fp)\)$")
_LOADS_STORES = re.compile(r"^[ls][bhwd]u?$")
_MEMORY = ("flw", "fsw", "fld", "fsd")
_BETWEEN = ("fmv.w.x", "fmv.x.w", "fmv.s.x", "fmv.x.s")
_NAMED = re.compile(r"#DEBUG_VALUE: (?:[\w:~]+:)?(\w+) <- \$f(\d+)_f")


def find_functions(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """First and last line of the body, and name, of each function of an assembly text."""
    kinds: set[str] = set()
    start, name = 0, ""
    for i, line in enumerate(lines):
        words = line.replace(",", " ").split()
        if words[:1] == [".type"] and len(words) > 2 and "function" in words[2]:
            kinds.add(words[1])
        elif found := _LABEL.match(line):
            if found[1] in kinds:
                start, name = i + 1, found[1]
        elif words[:1] == [".size"] and words[1] == name:
            yield start, i, name
            name = ""


def file_names(lines: list[str]) -> dict[str, str]:
    """The last part of each file's name in an assembly text's line table, by its number there."""
    found = {}
    for line in lines:
        if line.lstrip().startswith(".file") and (entry := _FILE.match(line)):
            found[entry[1]] = entry[2].rpartition("/")[2]
    return found


class Reader:
    """Reads one function's lines into blocks; ``names`` as file_names finds them.

    ``source`` is the file whose lines places name; without one, each names its innermost file.
    """

    def __init__(
        self,
        lines: list[str],
        name: str,
        source: Path | None,
        rows: InstructionSet,
        names: Mapping[str, str],
    ) -> None:
        self.names = names
        self.files = {n for n, file in names.items() if source and file == source.name}
        self.lines = lines
        self.source = source
        self.rows = rows
        self.place = Place(f"{source}, in {name}" if source else name)
        self.function = Function(name, [])
        self.slots: dict[str, int] = {}
        """Names beyond the registers: places in the stack frame."""
        self.words: set[str] = set()
        """Places in the stack frame that hold something else."""
        self.labels: dict[str, int] = {}
        self.jumps: list[tuple[Block, str]] = []

    def read(self) -> Function:
        """The function; registers are numbers below 32 until values are told apart."""
        block = self._new_block()
        falls: dict[Block, bool] = {block: True}
        targets = self._targets()
        recorded = only_recorded(self.lines, self.rows, targets)
        for i, line in enumerate(self.lines):
            if (found := _LABEL.match(line)) and found[1] in targets:
                if block.nodes:
                    block = self._new_block()
                    falls[block] = True
                self.labels[found[1]] = len(self.function.blocks) - 1
            node = Text(line, "", self.place) if i in recorded else self._node(line)
            block.nodes.append(node)
            if isinstance(node, Text) and (end := self._end(block, node)):
                falls[block] = end == "branch"
                block = self._new_block()
                falls[block] = True
        if self.slots.keys() & self.words:
            raise VectorError(self.place, "a vector value would be copied through memory")
        for i, each in enumerate(self.function.blocks):
            if falls[each] and i + 1 < len(self.function.blocks):
                each.next.append(i + 1)
        for each, label in self.jumps:
            if label in self.labels:
                each.next.append(self.labels[label])
            else:  # a tail call, or a part of the function elsewhere
                each.leaves = True
        return self.function

    def _targets(self) -> set[str]:
        """The labels that something jumps to; compilers set others for debuggers."""
        words = [line.split("#")[0].replace(",", " ").split() for line in self.lines]
        return {w[-1] for w in words if w and (w[0] == "j" or _BRANCH.match(w[0]))}

    def _new_block(self) -> Block:
        block = Block([])
        self.function.blocks.append(block)
        return block

    def _end(self, block: Block, node: Text) -> str:
        """How a line ends its block: "branch", "jump", or not."""
        words = node.text.split("#")[0].replace(",", " ").split()
        if not words:
            return ""
        if _BRANCH.match(words[0]):
            self.jumps.append((block, words[-1]))
            return "branch"
        if words[0] == "j":
            self.jumps.append((block, words[-1]))
            return "jump"
        if words[0] in _LEAVES:
            block.leaves = True
            return "jump"
        return ""

    def _node(self, line: str) -> Op | Text:
        words = line.split("#", maxsplit=1)[0].split()
        if words[:1] == [".loc"]:
            self._located(line, words)
        if words[:1] == [MARK.strip()]:
            return self._operation(line.split(None, 1)[1].split("#", maxsplit=1)[0])
        if words and words[0] in DIRECTIVES and (op := decode_raw(words[0], words[1:], self.rows)):
            op.place, op.text = self.place, line
            return op
        if words and (op := self._copy(words) or self._spill(words)):
            return op
        call = ""
        if words and words[0] in _CALLS:
            name = words[-1].split(",")[-1]
            call = "" if _ARITHMETIC.fullmatch(name) else name
        elif words and not words[0].startswith(".") and not words[0].endswith(":"):
            self._refuse_floats(words)
        if found := _NAMED.search(line):
            self.function.names[int(found[2])] = found[1]
        return Text(line, call, self.place)

    def _located(self, line: str, words: list[str]) -> None:
        """Clang says what is inlined where; GCC has a line of the source before what it inlines."""
        if self.source is None:
            if (found := innermost(line)) and found[1]:
                self.place = Place(*found)
            elif words[1] in self.names and words[2] != "0":
                self.place = Place(self.names[words[1]], int(words[2]))
        elif own := source_line(line, self.source):
            self.place = Place(str(self.source), own)
        elif words[1] in self.files and words[2] != "0":
            self.place = Place(str(self.source), int(words[2]))

    def _copy(self, words: list[str]) -> Op | None:
        registers = " ".join(words[1:]).replace(",", " ").split()
        if words[0] in ("fmv.s", "fsgnj.s") and registers[1] == registers[-1]:
            d, s = NUMBER[registers[0]], NUMBER[registers[1]]
            return Op("copy", {"d": d}, {"s": s}, place=self.place)
        return None

    def _spill(self, words: list[str]) -> Op | None:
        """A name that the compiler puts into its stack frame, or takes from there, is a copy."""
        words = " ".join(words).replace(",", " ").split()
        if len(words) != 3 or not (found := _SLOT.match(words[2])):
            return None
        slot = f"{found[1]}({found[2]})"
        if _LOADS_STORES.match(words[0]):
            self.words.add(slot)
        elif words[0] in ("flw", "fsw"):
            number = self.slots.setdefault(slot, len(FLOATS) + len(self.slots))
            register = NUMBER[words[1]]
            d, s = (register, number) if words[0] == "flw" else (number, register)
            return Op("copy", {"d": d}, {"s": s}, place=self.place)
        return None

    def _refuse_floats(self, words: list[str]) -> None:
        if not any(FLOAT.fullmatch(word) for word in re.split(r"[\s,()]+", " ".join(words[1:]))):
            return
        if words[0] in _MEMORY:
            what = (
                "a vector value would be kept in memory: an array of them is indexed at run time, "
                "or a function that is given one is not inlined"
            )
        elif words[0] in _BETWEEN:
            what = (
                "a float of the core's own, or a vector value taken for one: in a source with "
                "vectors only the vector unit computes with floats"
            )
        else:
            what = f"floating-point arithmetic on the core itself ({words[0]}): it has no such unit"
        raise FloatError(self.place, what)

    def _operation(self, text: str) -> Op:
        name, *operands = text.split()
        op = Op(name.rstrip("!"), place=self.place, sets_flags=name.endswith("!"))
        for operand in operands:
            self._operand(op, operand)
        return op

    def _operand(self, op: Op, text: str) -> None:
        if text.startswith("$"):
            op.runtime = tuple(text[1:].split(","))
        elif text.endswith("~"):
            op.clobbers |= {int(text[1:-1])}
        elif "<>" in text:
            name, _, both = text.partition("<>")
            d, s = both.split(",")
            op.outs[name], op.ins[name] = NUMBER[d], NUMBER[s]
        elif ">" in text:
            name, _, d = text.partition(">")
            if name.startswith("@"):
                op.fixed_out[int(name[1:])] = NUMBER[d]
            else:
                op.outs[name] = NUMBER[d]
        else:
            name, _, value = text.partition("=")
            if name.startswith("@"):
                op.fixed_in[int(name[1:])] = NUMBER[value]
            elif value in NUMBER:
                op.ins[name] = NUMBER[value]
            else:
                op.imm[name] = int(value, 0)
