"""Writes how the fast engine runs RISC-V cores, as kernel Python, from the table.

``decode`` turns a word into a packed operation (number, registers, immediate), and ``step``
executes one, remembering what words decoded to by address; its twin is ``riscv.core.step``.
``run_cores`` runs rounds of the cores alone: ``rounds.run_cores`` says what that is.
``run_private`` is what a core of a chip in step executes in advance: see ``chip.advance``.
"""

from collections.abc import Iterator
from functools import cache
from types import FunctionType

from tilelab.riscv.fields import access_bytes
from tilelab.riscv.table import RV32, TTINSN, Format, Instruction
from tilelab.tensix.arch import Arch
from tilelab.tensix.riscv.core import FETCH, ILLEGAL, blame_core, fetch_index
from tilelab.tensix.riscv.load_store import load_atomic, store_atomic
from tilelab.tensix.riscv.semantics import EXECUTE, constants
from tilelab.tensix.run.rounds import finish_round, stepped_cores
from tilelab.tensix.run.speed.source_text import Source
from tilelab.tensix.tables.tile_registers import LOCAL_RAM

REGISTER_SHIFT = {"rd": 8, "rs1": 16, "rs2": 24}
"""Where an operation holds its register numbers; bits 7..0 are its number."""
IMMEDIATE_SHIFT = 32
COPIES = 2
"""How often ``run_core`` holds the instructions: a processor predicts several jumps, each with a
history, far better than one.
"""
VALUES = (Format.REGISTER, Format.IMMEDIATE, Format.SHIFT, Format.UNARY)
"""Formats whose kernels give what to put into rd."""
JUMPS = (Format.JUMP, Format.JUMP_REGISTER)
REGISTERS_ALONE = {*VALUES, *JUMPS, Format.UPPER, Format.BRANCH}
"""Formats that touch nothing but a core's registers: they never count ``s.effects`` up."""
PRIVATE_ALWAYS = {*REGISTERS_ALONE, Format.FENCE}
"""Formats whose instructions nobody but their core can notice; loads and stores may be such."""


def _packed(source: Source, number: int, row: Instruction) -> str:
    """The expression that packs a matching word into an operation."""
    parts = [str(number)]
    for name, place in row.format.value.operands.items():
        shift = REGISTER_SHIFT.get(name, IMMEDIATE_SHIFT)
        parts.append(f"({source.name('read', place.read)}(word) << {shift})")
    return " | ".join(parts)


def operand(name: str) -> str:
    """The expression that takes an operand out of an operation."""
    if name in REGISTER_SHIFT:
        return f"(op >> {REGISTER_SHIFT[name]}) & 31"
    if name in ("offset", "target"):
        return f"(op >> {IMMEDIATE_SHIFT})"
    return f"(op >> {IMMEDIATE_SHIFT}) & WORD"


def value(source: Source, row: Instruction) -> str:
    """The expression of what a row of VALUES puts into rd, or of whether a branch is taken."""
    operands = [name for name in row.format.value.operands if name not in ("rd", "target")]
    values = (operand(n) if n == "imm" else f"hart.x[{operand(n)}]" for n in operands)
    return f"{source.name('kernel', EXECUTE[row.name])}({', '.join(values)})"


def called(source: Source, row: Instruction, core: str) -> list[str]:
    """Have a row's kernel do what it does; leaves its status in ``code``."""
    kernel = source.name("kernel", EXECUTE[row.name])
    if row.format is Format.ATOMIC:
        source.names |= {"load_atomic": load_atomic, "store_atomic": store_atomic}
        return [
            f"address = hart.x[{operand('rs1')}]",
            f"code, old = load_atomic(s, {core}, address)",
            "if code == OK:",
            f"    new = {kernel}(old, hart.x[{operand('rs2')}])",
            f"    code = store_atomic(s, {core}, address, new)",
            "if code == OK:",
            f"    hart.x[{operand('rd')}] = old",
        ]
    values = [*map(operand, row.format.value.operands), *map(str, constants(row).values())]
    return [f"code = {kernel}({', '.join(['s', core, *values])})"]


def _body(source: Source, row: Instruction, core: str) -> list[str]:
    """What to do for one row's operation; leaves ``code`` other than OK if it does not retire."""
    advance = "hart.pc = pc + 4"
    form = row.format
    if form in VALUES:
        return [f"hart.x[{operand('rd')}] = {value(source, row)}", "hart.x[0] = 0", advance]
    if form is Format.BRANCH:
        return [
            f"if {value(source, row)}:",
            f"    hart.pc = (pc + {operand('target')}) & WORD",
            "else:",
            f"    {advance}",
        ]
    retires = [] if form.value.sets_pc else [advance]
    retires += ["hart.x[0] = 0"] if "rd" in form.value.operands else []
    lines = called(source, row, core)
    return [*lines, "if code == OK:", *(f"    {line}" for line in retires)] if retires else lines


def fetched(core: str, otherwise: list[str]) -> list[str]:
    """Fetch the word at ``pc``, decode it or remember; ``otherwise``: there is none."""
    return [
        "index = pc >> 2",
        "if pc & 3 or pc >= s.arch.l1_size:",
        f"    index = fetch_index(s, {core}, pc)",
        "    if index < 0:",
        *(f"        {line}" for line in otherwise),
        "word = s.l1_32[index]",
        "op = s.code_operation[index]",
        "if s.code_word[index] != word:",
        "    op = decode(word)",
        "    s.code_word[index] = word",
        "    s.code_operation[index] = op",
        "kind = op & 255",
    ]


def _fetch_fault(core: str) -> str:
    return f"return fetch_fault(s, {core}, pc)"


def chosen(bodies: Iterator[tuple[int, str, list[str]]], otherwise: list[str]) -> list[str]:
    """The body of the row whose number ``kind`` is."""
    lines: list[str] = []
    for number, name, body in bodies:
        lines.append(f"{'elif' if lines else 'if'} kind == {number}:  # {name}")
        lines += [f"    {line}" for line in body]
    return [*lines, "else:", *(f"    {line}" for line in otherwise)]


ILLEGAL_WORD = "code = fault(s, ILLEGAL, word)"
BLAMED = ("if code > 0:", "    blame_core(s, core)", "    return code")
RETIRED = ("if code == OK:", "    hart.retired = hart.retired + 1")


def _step(source: Source, rows: dict[int, Instruction]) -> list[str]:
    """The body of ``step(s, core)``: one instruction of a core."""
    bodies = ((number, row.name, _body(source, row, "core")) for number, row in rows.items())
    return [
        *("hart = s.riscv[core]", "pc = hart.pc", "code = OK"),
        *fetched("core", [_fetch_fault("core")]),
        *chosen(bodies, [ILLEGAL_WORD]),
        *RETIRED,
        "return code",
    ]


def _in_turn(source: Source, rows: dict[int, Instruction], core: str) -> list[str]:
    """An instruction of one of several cores in a round."""

    failed = ["if code > 0:", f"    blame_core(s, {core})", "    return code"]
    waits = f"s.engine.core_wait[{core}] = "

    def body(row: Instruction) -> list[str]:
        lines = _body(source, row, core)
        if row.format in REGISTERS_ALONE:
            return [*lines, "hart.retired = hart.retired + 1", f"{waits}OK"]
        noticed = ["if s.effects != effects:", f"    return finish_round(s, {core} + 1)"]
        return [*lines, *RETIRED, *failed, f"{waits}code", *noticed]

    bodies = ((number, row.name, body(row)) for number, row in rows.items())
    return [
        *(f"hart = s.riscv[{core}]", "pc = hart.pc"),
        *fetched(core, [_fetch_fault(core)]),
        *chosen(bodies, [ILLEGAL_WORD, *failed]),
    ]


KEPT = ("hart.pc = pc", "hart.retired = retired - left", "s.clock = end - left")
"""Where a core that runs alone is, for others to see."""


def _kept_for(row: Instruction) -> list[str]:
    """What precedes an instruction that may look at where its core is; words of L1 never do."""
    if row.format not in (Format.LOAD, Format.STORE):
        return [*KEPT]
    address = f"(hart.x[{operand('rs1')}] + {operand('offset')}) & WORD"
    other = access_bytes(row.match) - 1
    lines = [f"address = {address}", f"if address & {other} or address >= s.arch.l1_size:"]
    return [*lines, *(f"    {line}" for line in KEPT)]


def alone(source: Source, row: Instruction) -> list[str]:
    """What a row does in a core that runs alone; its place is kept outside the state."""
    form = row.format
    if form in VALUES:
        return [f"hart.x[{operand('rd')}] = {value(source, row)}", "hart.x[0] = 0", "pc = pc + 4"]
    if form is Format.BRANCH:
        target = f"(pc + {operand('target')}) & WORD"
        return [f"if {value(source, row)}:", f"    pc = {target}", "else:", "    pc = pc + 4"]
    lines = called(source, row, "core")
    zeroed = ["hart.x[0] = 0"] if "rd" in form.value.operands else []
    if form in REGISTERS_ALONE:
        return [
            "hart.pc = pc",
            *lines,
            *zeroed,
            "pc = hart.pc" if form in JUMPS else "pc = pc + 4",
        ]
    return [
        *_kept_for(row),
        *lines,
        *BLAMED,
        "s.engine.core_wait[core] = code",
        *zeroed,
        "if code == OK:",
        "    pc = pc + 4",
        "else:",
        "    retired -= 1",
        "if s.effects != effects:",
        *(f"    {line}" for line in KEPT),
        "    hart.retired = hart.retired + 1",
        "    return finish_round(s, core + 1)",
    ]


def _run_core(source: Source, rows: dict[int, Instruction]) -> list[str]:
    """The body of ``run_core(s, core, rounds)``: what ``run_cores`` does if one runs alone.

    A core that waits asks again, so what its instruction returned is to be kept only of those that
    may wait, once another round has begun as any other.
    """
    illegal = [*KEPT, ILLEGAL_WORD, *BLAMED]
    lines = [
        *("hart = s.riscv[core]", "effects = s.effects", "left = rounds"),
        "if s.engine.core_wait[core] != OK:",
        *("    code = finish_round(s, 0)", "    if code != OK or s.effects != effects:"),
        *("        return code", "    left -= 1"),
        *("end = s.clock + left", "pc = hart.pc", "retired = hart.retired + left"),
        "while left > 0:",
    ]
    for copy in range(COPIES):
        bodies = ((number, row.name, alone(source, row)) for number, row in rows.items())
        one = [
            *fetched("core", [*KEPT, _fetch_fault("core")]),
            *chosen(bodies, illegal),
            "left -= 1",
            *(("if left == 0:", "    break") if copy < COPIES - 1 else ()),
        ]
        lines += [f"    {line}" for line in one]
    return [*lines, *KEPT, "return OK"]


HELPERS = """
@kernel
def fetch_fault(s, core, pc):
    blame_core(s, core)
    return fault(s, FETCH, pc)


"""


def function(source: Source, head: str, lines: list[str]) -> None:
    """Add a kernel with this head and body."""
    source.add("@kernel", f"def {head}:", *(f"    {line}" for line in lines), "", "")


def known_rows(arch: Arch) -> dict[int, Instruction]:
    """The rows that a chip's cores have, by the number that stands for each in an operation.

    What was never fetched holds 0, the operation of the word 0; 1 stands for no instruction.
    """
    rows = enumerate(RV32.rows.values(), 2)
    return {0: TTINSN} | {number: row for number, row in rows if row.extension in arch.extensions}


def cores_source(arch: Arch) -> Source:
    """The text of ``decode(word)``, ``step(s, core)``, ``run_cores(s, rounds)`` and
    ``run_private(c, s, k, core, most)``.

    ``run_cores`` holds the instructions once for each core, so that all that is a core's is at a
    known place, and for a core that runs alone COPIES times more. Which cores run can only change
    with ``effects``.
    """
    source = Source()
    source.names |= {
        "FETCH": FETCH,
        "ILLEGAL": ILLEGAL,
        "blame_core": blame_core,
        "fetch_index": fetch_index,
        "stepped_cores": stepped_cores,
        "finish_round": finish_round,
        "LOCAL_RAM": LOCAL_RAM,
    }
    known = known_rows(arch)
    decoded = ["if word & 3 != 3:", f"    return {_packed(source, 0, TTINSN)}"]
    for number, row in known.items():
        if row is not TTINSN:
            decoded.append(f"if word & {row.mask:#010x} == {row.match:#010x}:  # {row.name}")
            decoded.append(f"    return {_packed(source, number, row)}")
    function(source, "decode(word)", [*decoded, "return 1"])
    source.add(*HELPERS.splitlines())
    function(source, "step(s, core)", _step(source, known))
    function(source, "run_core(s, core, rounds)", _run_core(source, known))
    function(source, "run_pair(s, first, second, rounds)", _run_pair(source, known))
    function(source, "run_cores(s, rounds)", _run_cores(arch, source, known))
    function(source, "run_private(c, s, k, core, most)", _run_private(source, known))
    return source


def _run_cores(arch: Arch, source: Source, rows: dict[int, Instruction]) -> list[str]:
    """The body of ``run_cores(s, rounds)``."""
    lines = ["cores = stepped_cores(s)", "if cores == 0:"]
    lines += ["    s.clock = s.clock + rounds", "    return OK"]
    for core in range(arch.cores):
        lines += [f"if cores == {1 << core}:", f"    return run_core(s, {core}, rounds)"]
        for other in range(core):
            lines += [f"if cores == {1 << core | 1 << other}:"]
            lines += [f"    return run_pair(s, {other}, {core}, rounds)"]
    lines += ["effects = s.effects", "left = rounds", "while left > 0:"]
    for core in range(arch.cores):
        one = [f"    {line}" for line in _in_turn(source, rows, str(core))]
        lines += [f"    {line}" for line in [f"if cores & {1 << core}:", *one]]
    return [*lines, "    s.clock = s.clock + 1", "    left -= 1", "return OK"]


def _run_pair(source: Source, rows: dict[int, Instruction]) -> list[str]:
    """The body of ``run_pair(s, first, second, rounds)``: what ``run_cores`` does if two run."""
    lines = ["effects = s.effects", "left = rounds", "while left > 0:"]
    for copy in range(2):
        for core in ("first", "second"):
            lines += [f"    {line}" for line in _in_turn(source, rows, core)]
        lines += ["    s.clock = s.clock + 1", "    left -= 1"]
        lines += ["    if left == 0:", "        break"] if copy == 0 else []
    return [*lines, "return OK"]


def _private(source: Source, row: Instruction) -> list[str]:
    """What a row does in a core that executes in advance; it ends where others could notice."""
    if row.format in REGISTERS_ALONE:
        return alone(source, row)
    if row.format is Format.FENCE:
        return ["pc = pc + 4"]
    size = access_bytes(row.match)
    lines = [
        f"address = (hart.x[{operand('rs1')}] + {operand('offset')}) & WORD",
        "own = address - LOCAL_RAM",
        f"if own < 0 or own >= s.arch.local_ram[core] or own & {size - 1}:",
        "    break",
    ]
    if row.format is Format.STORE:
        lines += ["lead.index[stores] = own >> 2"]
        lines += ["lead.word[stores] = hart.local_ram[own >> 2]", "stores += 1"]
    return [*lines, *called(source, row, "core"), "hart.x[0] = 0", "pc = pc + 4"]


def _run_private(source: Source, known: dict[int, Instruction]) -> list[str]:
    """The body of ``run_private(c, s, k, core, most)``; ``chip.advance`` says what it does."""
    kept = {*PRIVATE_ALWAYS, Format.LOAD, Format.STORE}
    rows = {number: row for number, row in known.items() if row.format in kept}
    lines = ["hart = s.riscv[core]", "lead = c.lead[k]", "pc = hart.pc", "count = 0", "stores = 0"]
    lines += ["while count < most:"]
    for copy in range(COPIES):
        bodies = ((number, row.name, _private(source, row)) for number, row in rows.items())
        one = [*fetched("core", ["break"]), *chosen(bodies, ["break"]), "count += 1"]
        one += ["if count == most:", "    break"] if copy < COPIES - 1 else []
        lines += [f"    {line}" for line in one]
    lines += ["hart.pc = pc", "hart.retired = hart.retired + count", "lead.stores = stores"]
    return [*lines, "return count"]


@cache
def cores(arch: Arch) -> dict[str, FunctionType]:
    """``decode``, ``step``, ``run_cores`` and ``run_private`` for a chip, by name.

    Always the same functions, for a module compiles each but once.
    """
    names = cores_source(arch).compile(f"<tilelab cores {arch.name}>")
    return {name: names[name] for name in ("decode", "step", "run_cores", "run_private")}
