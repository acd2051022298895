"""Writes the dispatches of the fast engine, as kernel Python, from the tables.

``dispatch`` decodes a Tensix word and calls its unit's prologue and its kernel, ``scheduled`` calls
that of an instruction that SFPLOADMACRO scheduled. ``decode`` turns a RISC-V word into a
packed operation (number, registers, immediate), and ``step`` executes one, remembering what words
decoded to by address. The reference engine's twins are ``execute.execute``,
``semantics.scheduled`` and ``riscv.core.step``.
"""

import linecache
from collections.abc import Sequence
from types import FunctionType
from typing import Any

from tilelab.isa.field import Field
from tilelab.isa.instruction import Instruction
from tilelab.kernelpy import dump
from tilelab.sim.checks import fault
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.arch import Arch
from tilelab.tensix.backend import SEMANTICS
from tilelab.tensix.backend.semantics import (
    GO,
    OVERRIDDEN,
    operands,
    parameters,
    prologue,
    schedulable,
)
from tilelab.tensix.frontend.wait_gate import UNKNOWN_OPCODE
from tilelab.tensix.riscv.core import (
    FETCH,
    ILLEGAL,
    blame_core,
    fetch_index,
    running_core,
    running_cores,
)
from tilelab.tensix.riscv.load_store import load_atomic, store_atomic
from tilelab.tensix.riscv.semantics import EXECUTE
from tilelab.tensix.riscv.table import RV32, TTINSN, WORD, Format, Rv32Instruction
from tilelab.tensix.run.execute import FRONTEND_WORD, NO_KERNEL, UNDEFINED_BITS
from tilelab.tensix.run.rounds import finish_round, run_cores_in_turn
from tilelab.tensix.tables.units import Unit

REGISTER_SHIFT = {"rd": 8, "rs1": 16, "rs2": 24}
"""Where an operation holds its register numbers; bits 7..0 are its number."""
IMMEDIATE_SHIFT = 32


class Source:
    """Python text under construction, and the names that it uses."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.names: dict[str, Any] = {"OK": OK, "fault": fault, "WORD": WORD, "kernel": kernel}

    def add(self, *lines: str) -> None:
        """Append lines."""
        self.lines += lines

    def name(self, prefix: str, value: Any) -> str:
        """A name for a kernel or constant."""
        base = f"{prefix}_{getattr(value, '__name__', value)}".strip("_")
        name = base
        while self.names.get(name, value) is not value:
            name += "_"
        self.names[name] = value
        return name

    def compile(self, file: str) -> dict[str, Any]:
        """Run the text; its functions' source stays available to the compiler of kernels."""
        text = "\n".join(self.lines) + "\n"
        dump.write(f"{file.strip('<>').replace(' ', '_')}.py", text)
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        names = dict(self.names)
        exec(compile(text, file, "exec"), names)
        return names


def dispatch_source(arch: Arch) -> Source:
    """The text of ``dispatch(s, t, word)`` for a chip."""
    source = Source()
    source.names |= {
        "UNKNOWN_OPCODE": UNKNOWN_OPCODE,
        "FRONTEND_WORD": FRONTEND_WORD,
        "NO_KERNEL": NO_KERNEL,
        "UNDEFINED_BITS": UNDEFINED_BITS,
    }
    source.add("@kernel", "def dispatch(s, t, word):", "    opcode = word >> 24")
    for position, row in enumerate(arch.instructions.values()):
        handler = SEMANTICS[arch.name].get(row.name)
        keyword = "elif" if position else "if"
        source.add(f"    {keyword} opcode == {row.opcode:#04x}:  # {row.name}")
        if handler is None:
            why = "FRONTEND_WORD" if row.unit == Unit.FRONTEND else "NO_KERNEL"
            source.add(f"        return fault(s, {why}, word)")
            continue
        if row.unused_bits:
            source.add(
                f"        if word & {row.unused_bits:#08x}:",
                "            return fault(s, UNDEFINED_BITS, word)",
            )
        if begin := prologue(row):
            source.names |= {"GO": GO}
            source.add(
                f"        code = {source.name('kernel', begin)}(s, t, word)",
                "        if code != GO:",
                "            return code",
            )
        values = (_value(row, name) for name in parameters(handler))
        name = source.name("kernel", handler)
        source.add(f"        return {name}({', '.join(['s', 't', *values])})")
    source.add("    return fault(s, UNKNOWN_OPCODE, word)")
    return source


def _value(row: Instruction, name: str) -> str:
    """The expression of an operand of a word; ``semantics.operand`` is its twin."""
    if name == "word":
        return name
    places = operands(row)
    if name == "vb" and row.vb_modifier:
        return f"{_bits(places['vb'])} if word & {row.vb_modifier} else {_bits(places['vd'])}"
    return _bits(places[name])


def _bits(field: Field) -> str:
    return f"(word >> {field.lo}) & {field.max:#x}"


def scheduled_source(arch: Arch) -> Source:
    """The text of ``scheduled(s, word, vb, vc, vd)`` for a chip, see ``semantics.scheduled``."""
    source = Source()
    source.add("@kernel", "def scheduled(s, word, vb, vc, vd):", "    opcode = word >> 24")
    for position, (row, handler) in enumerate(schedulable(arch)):
        values = (n if n in OVERRIDDEN else _value(row, n) for n in parameters(handler))
        name = source.name("kernel", handler)
        source.add(
            f"    {'elif' if position else 'if'} opcode == {row.opcode:#04x}:  # {row.name}",
            f"        return {name}({', '.join(['s', '0', *values])})",
        )
    source.add("    return OK")
    return source


def _packed(source: Source, number: int, row: Rv32Instruction) -> str:
    """The expression that packs a matching word into an operation."""
    parts = [str(number)]
    for name, read in row.format.value.operands.items():
        shift = REGISTER_SHIFT.get(name, IMMEDIATE_SHIFT)
        parts.append(f"({source.name('read', read)}(word) << {shift})")
    return " | ".join(parts)


def _operand(name: str) -> str:
    """The expression that takes an operand out of an operation."""
    if name in REGISTER_SHIFT:
        return f"(op >> {REGISTER_SHIFT[name]}) & 31"
    if name in ("offset", "target"):
        return f"(op >> {IMMEDIATE_SHIFT})"
    return f"(op >> {IMMEDIATE_SHIFT}) & WORD"


def _body(source: Source, row: Rv32Instruction, core: str) -> list[str]:
    """What to do for one row's operation; leaves ``code`` other than OK if it does not retire."""
    kernel = source.name("kernel", EXECUTE[row.name])
    rd, rs1, rs2, immediate = (_operand(n) for n in ("rd", "rs1", "rs2", "imm"))
    advance = "hart.pc = pc + 4"
    form = row.format
    if form in (Format.IMMEDIATE, Format.SHIFT):
        return [f"hart.x[{rd}] = {kernel}(hart.x[{rs1}], {immediate})", advance]
    if form is Format.REGISTER:
        return [f"hart.x[{rd}] = {kernel}(hart.x[{rs1}], hart.x[{rs2}])", advance]
    if form is Format.UNARY:
        return [f"hart.x[{rd}] = {kernel}(hart.x[{rs1}])", advance]
    if form is Format.BRANCH:
        return [
            f"if {kernel}(hart.x[{rs1}], hart.x[{rs2}]):",
            f"    hart.pc = (pc + {_operand('target')}) & WORD",
            "else:",
            f"    {advance}",
        ]
    if form is Format.ATOMIC:
        source.names |= {"load_atomic": load_atomic, "store_atomic": store_atomic}
        return [
            f"address = hart.x[{rs1}]",
            f"code, old = load_atomic(s, {core}, address)",
            "if code == OK:",
            f"    code = store_atomic(s, {core}, address, {kernel}(old, hart.x[{rs2}]))",
            "if code == OK:",
            f"    hart.x[{rd}] = old",
            f"    {advance}",
        ]
    arguments = ", ".join(["s", core, *(_operand(name) for name in form.value.operands)])
    lines = [f"code = {kernel}({arguments})"]
    return lines if form.value.sets_pc else [*lines, "if code == OK:", f"    {advance}"]


COPIES = 4
"""How often ``run_cores`` holds the instructions."""
REGISTERS_ALONE = {
    *(Format.REGISTER, Format.IMMEDIATE, Format.SHIFT, Format.UNARY, Format.UPPER),
    *(Format.BRANCH, Format.JUMP, Format.JUMP_REGISTER),
}
"""Formats that touch nothing but a core's registers: they never count ``s.effects`` up."""
RUN_CORES_START = (
    "    effects = s.effects",
    "    left = rounds",
    "    cores = running_cores(s)",
    "    if cores == 0:",
    "        s.clock = s.clock + rounds",
    "        return OK",
    "    if cores > COPIES:",
    "        return run_cores_in_turn(s, rounds)",
    "    last = LAST_COPIES[cores]",
    "    core0 = running_core(s, 0)",
    "    core1 = running_core(s, 1) if cores > 1 else core0",
    "    core2 = running_core(s, 2) if cores > 2 else core0",
    "    core3 = core1 if cores == 2 else core0",
    "    if cores == COPIES:",
    "        core3 = running_core(s, 3)",
    "    while left > 0:",
)
LAST_COPIES = (0, 0b1111, 0b1010, 0b0100, 0b1000)
"""Bit per copy of the instructions with which a round ends, by how many cores run."""


def _instruction(
    source: Source, rows: dict[int, Rv32Instruction], core: str, after_shared: Sequence[str] = ()
) -> list[str]:
    """One instruction of a core: fetch, decode or remember, execute, retire.

    ``after_shared`` follows what others may notice.
    """
    lines = [
        f"hart = s.riscv[{core}]",
        "pc = hart.pc",
        "index = pc >> 2",
        "if pc & 3 or pc >= s.arch.l1_size:",
        f"    index = fetch_index(s, {core}, pc)",
        "    if index < 0:",
        f"        return fetch_fault(s, {core}, pc)",
        "word = s.l1_32[index]",
        "op = s.code_operation[index]",
        "if op == 0 or s.code_word[index] != word:",
        "    op = decode(word)",
        "    s.code_word[index] = word",
        "    s.code_operation[index] = op",
        "kind = op & 255",
        "code = OK",
    ]
    for position, (number, row) in enumerate(rows.items()):
        lines.append(f"{'elif' if position else 'if'} kind == {number}:  # {row.name}")
        lines += [f"    {line}" for line in _body(source, row, core)]
        if row.format not in REGISTERS_ALONE:
            lines += [f"    {line}" for line in after_shared]
    return [
        *lines,
        "else:",
        "    code = fault(s, ILLEGAL, word)",
        "if code == OK:",
        "    hart.x[0] = 0",
        "    hart.retired = hart.retired + 1",
    ]


def _after(core: str, copy: int) -> list[str]:
    """What follows an instruction in ``run_cores``; ``copy`` is its bit in LAST_COPIES.

    ``now`` is ``s.effects``. When it counts up, other cores may start or stop, even in this round.
    """
    return [
        "if code > 0:",
        f"    blame_core(s, {core})",
        "    return code",
        f"s.engine.core_wait[{core}] = code",
        "if now != effects:",
        f"    return finish_round(s, {core} + 1)",
        f"if last & {copy}:",
        "    s.clock = s.clock + 1",
        "    left -= 1",
        "    if left == 0:",
        "        return OK",
    ]


def cores_source(arch: Arch) -> Source:
    """The text of ``decode(word)``, ``step(s, core)`` and ``run_cores(s, rounds)``.

    ``run_cores`` holds the instructions four times. One core takes the copies in turn, two take two
    each, three leave the last out: a processor predicts several jumps, each with a history, far
    better than one. Five cores, of which most wait most of the time, are stepped one by one. Which
    cores run can only change with ``effects``.
    """
    source = Source()
    source.names |= {
        "FETCH": FETCH,
        "ILLEGAL": ILLEGAL,
        "blame_core": blame_core,
        "fetch_index": fetch_index,
        "running_core": running_core,
        "running_cores": running_cores,
        "finish_round": finish_round,
        "run_cores_in_turn": run_cores_in_turn,
        "COPIES": COPIES,
        "LAST_COPIES": LAST_COPIES,
    }
    rows = [TTINSN, *RV32.rows.values()]
    known = {number: row for number, row in enumerate(rows, 2) if row.extension in arch.extensions}
    source.add("@kernel", "def decode(word):", "    if word & 3 != 3:")
    source.add(f"        return {_packed(source, 2, TTINSN)}")
    for number, row in known.items():
        if row is not TTINSN:
            source.add(f"    if word & {row.mask:#010x} == {row.match:#010x}:  # {row.name}")
            source.add(f"        return {_packed(source, number, row)}")
    source.add("    return 1", "", "")
    source.add("@kernel", "def fetch_fault(s, core, pc):", "    blame_core(s, core)")
    source.add("    return fault(s, FETCH, pc)", "", "", "@kernel", "def step(s, core):")
    source.add(*(f"    {line}" for line in _instruction(source, known, "core")))
    source.add("    return code", "", "", "@kernel", "def run_cores(s, rounds):")
    source.add(*RUN_CORES_START)
    for copy in range(COPIES):
        core = f"core{copy}"
        if copy == COPIES - 1:
            source.add(f"        if last == {LAST_COPIES[3]}:", "            continue")
        lines = ["now = effects", *_instruction(source, known, core, ["now = s.effects"])]
        source.add(*(f"        {line}" for line in [*lines, *_after(core, 1 << copy)]))
    source.add("    return OK")
    return source


def dispatch(arch: Arch) -> FunctionType:
    """``dispatch(s, t, word)`` for a chip."""
    made = dispatch_source(arch).compile(f"<tilelab dispatch {arch.name}>")["dispatch"]
    assert isinstance(made, FunctionType)
    return made


def scheduled(arch: Arch) -> FunctionType:
    """``scheduled(s, word, vb, vc, vd)`` for a chip."""
    made = scheduled_source(arch).compile(f"<tilelab scheduled {arch.name}>")["scheduled"]
    assert isinstance(made, FunctionType)
    return made


def cores(arch: Arch) -> dict[str, FunctionType]:
    """``step(s, core)`` and ``run_cores(s, rounds)`` for a chip, by name."""
    names = cores_source(arch).compile(f"<tilelab cores {arch.name}>")
    return {name: names[name] for name in ("step", "run_cores")}
