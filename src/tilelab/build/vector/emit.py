"""Writes operations as instruction words, with the SFPNOPs that a chip needs between them."""

from tilelab.build.vector.code import CONST, COPY, KEEP, NO_VALUE, RAW, Function, Op, Text
from tilelab.isa.instruction import Instruction, InstructionSet
from tilelab.sim.kernel import WORD
from tilelab.tensix.words.ttinsn import to_ttinsn

MAD_UNIT = {
    *("SFPMAD", "SFPADD", "SFPMUL", "SFPMULI", "SFPADDI", "SFPLUT", "SFPLUTFP32", "SFPMUL24"),
}
"""Their results are there two cycles later."""
CORE_ALONE = {
    *("lui", "auipc", "li", "la", "lla", "mv", "not", "neg", "add", "addi", "sub", "and", "andi"),
    *("or", "ori", "xor", "xori", "sll", "slli", "srl", "srli", "sra", "srai", "slt", "slti"),
    *("sltu", "sltiu", "seqz", "snez", "mul", "mulh", "mulhu", "lw", "lh", "lhu", "lb", "lbu"),
}
"""Instructions of the core that do nothing but make a value."""
SHUFFLES = (2, 3, 4)
"""SFPSHFT2's modes that move lanes: what may follow is restricted."""
NOP = "SFPNOP"
HALF = 0xFFFF
FLOATB, FLOATA, USHORT, SHORT, UPPER, LOWER = 0, 1, 2, 4, 8, 10
ALL_LANES = 2
MOVE = "SFPMOV"


def constant_loads(value: int) -> list[tuple[int, int]]:
    """SFPLOADI's modifier and immediate, once or twice, that give all lanes a value."""
    value &= WORD
    if value & HALF == 0:
        return [(FLOATB, value >> 16)]
    if value <= HALF:
        return [(USHORT, value)]
    if value >> 15 == 0x1FFFF:
        return [(SHORT, value & HALF)]
    if (half := _fp16(value)) is not None:
        return [(FLOATA, half)]
    return [(USHORT, value & HALF), (UPPER, value >> 16)]


def _fp16(value: int) -> int | None:
    """The FP16 number that SFPLOADI widens to a normal FP32 one, if there is one."""
    exponent = (value >> 23 & 0xFF) - 127 + 15
    if value & 0x1FFF or not 1 <= exponent <= 30:
        return None
    return value >> 16 & 0x8000 | exponent << 10 | value >> 13 & 0x3FF


def _wants_nop(op: Op) -> bool:
    """Whether only SFPNOP may follow, on both chips.

    Behind SFPSWAP these would wait for the cycle themselves. The vendor's compiler writes the word
    (sfpi-gcc: its ``xtt_delay`` is static), and a core has one more to push.
    """
    return op.name == "SFPSWAP" or (op.name == "SFPSHFT2" and op.imm.get("instr_mod1") in SHUFFLES)


class Writer:
    """Writes one function."""

    def __init__(self, rows: InstructionSet, arch: str, colours: dict[int, int]) -> None:
        self.rows = rows
        self.stalls = arch != "wormhole"
        self.colours = colours
        self.lines: list[str] = []
        self.pending: tuple[str, set[int]] | None = None
        """The last instruction if its result is not there yet, and its results."""

    def write(self, function: Function) -> list[str]:
        """The function's lines."""
        for block in function.blocks:
            for node in block.nodes:
                if isinstance(node, Text):
                    self._text(node)
                else:
                    self._op(node)
            self._settle()
        return self.lines

    def _text(self, node: Text) -> None:
        words = node.text.split("#")[0].split()
        if words and not self._stays(words[0]):
            self._settle()  # it may push a word of its own, or go elsewhere
        self.lines.append(node.text)

    def _stays(self, first: str) -> bool:
        """Whether a line of the core neither pushes a word nor goes elsewhere."""
        if first.startswith(".") or first.endswith(":"):
            return first != ".word"
        return first in CORE_ALONE

    def _settle(self) -> None:
        if self.pending is not None:
            self._word(NOP, {})

    def _register(self, register: int) -> int:
        return self.colours.get(register, register)

    def _op(self, op: Op) -> None:
        if op.name in (NO_VALUE, KEEP):
            return
        if op.name == NOP:
            self.pending = None
        if op.name == RAW:
            self._wait(op, set(op.reads))
            self.lines.append(op.text)
            return
        if op.name == COPY:
            d, s = self._register(op.outs["d"]), self._register(op.ins["s"])
            if d != s:
                self._wait(op, {s, d})
                self._word(MOVE, {"lreg_c": s, "lreg_dest": d, "instr_mod1": ALL_LANES})
            return
        if op.name == CONST:
            d = self._register(op.outs["d"])
            for mod0, imm16 in constant_loads(op.imm["value"]):
                self._wait(op, {d})
                self._word("SFPLOADI", {"lreg_ind": d, "instr_mod0": mod0, "imm16": imm16})
            return
        registers = {
            field: self._register(r)
            for field, r in (*op.ins.items(), *op.outs.items())
            if not field.startswith("@") and field not in ("merge",) and not field.startswith("in")
        }
        self._wait(op, {self._register(r) for r in op.reads})
        self._instruction(op, {**op.imm, **registers})

    def _wait(self, op: Op, reads: set[int]) -> None:
        """Let a result be there before an instruction that reads it."""
        if self.pending is None:
            return
        name, results = self.pending
        self.pending = None
        if name not in MAD_UNIT or reads & results - self._awaited(op):
            self._word(NOP, {})

    def _awaited(self, op: Op) -> set[int]:
        """The registers that the chip itself waits for, if an operation names them."""
        if not self.stalls:
            return set()
        if op.name in MAD_UNIT:
            return {self._register(r) for r in op.reads}  # what disabled lanes keep, too
        row = self.rows.get(MOVE if op.name == COPY else op.name)
        if row is None or not row.registers.stall_modes >> op.imm.get("instr_mod1", 0) & 1:
            return set()
        places = {f.lo for name in row.registers.stalls if (f := row.registers.get(name))}
        fields = {field.name for field in row.fields if field.lo in places}
        if op.name == COPY:
            return {self._register(op.ins["s"])} - {self._register(op.outs["d"])}
        return {self._register(r) for name, r in op.ins.items() if name in fields}

    def _instruction(self, op: Op, fields: dict[str, int]) -> None:
        if op.runtime:
            self._pushed(op, fields)
        else:
            self._word(op.name, fields)
        late = op.name in MAD_UNIT or _wants_nop(op)
        self.pending = (op.name, {self._register(r) for r in op.writes}) if late else None

    def _encode(self, name: str, fields: dict[str, int]) -> int:
        row: Instruction = self.rows[name]
        word = row.opcode << 24
        names = {field.name: field for field in (*row.fields, *row.macro)}
        for field, value in fields.items():
            word |= names[field].put(value)
        return word

    def _word(self, name: str, fields: dict[str, int]) -> None:
        word = self._encode(name, fields)
        shown = self.rows[name].disassemble(word) or name
        self.lines.append(f"\t.word\t{to_ttinsn(word):#010x}\t# {shown}")
        self.pending = None

    def _pushed(self, op: Op, fields: dict[str, int]) -> None:
        word = self._encode(op.name, fields)
        value, scratch, buffer = op.runtime
        self.lines += [
            f"\tli\t{scratch}, {word:#x}\t# {op.name.lower()}",
            f"\tor\t{scratch}, {scratch}, {value}",
            f"\tsw\t{scratch}, 0({buffer})",
        ]
        self.pending = None
