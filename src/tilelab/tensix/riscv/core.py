"""One RISC-V core, one instruction at a time.

The rows say what an instruction is (``table.py``), kernels what it does; this module fetches,
decodes, dispatches by format and moves pc. Decoding is remembered by word, outside the state: it
depends on nothing else, so code may change under a running core.

Source: tt-isa-documentation, BabyRISCV/README.md. Not modelled: timing (one instruction is one
step), instruction caches (a core sees changed code at once).
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from tilelab.riscv.disassembly import disassemble, find
from tilelab.riscv.table import Format
from tilelab.sim.checks import check, fault
from tilelab.sim.errors import UndefinedBehaviorError
from tilelab.sim.kernel import OK, WORD, kernel
from tilelab.tensix.arch import ARCHES, Arch
from tilelab.tensix.riscv import (  # noqa: F401 (they bind kernels to rows)
    bit_manipulation,
    control,
    csr,
    integer,
    push_instruction,
)
from tilelab.tensix.riscv.load_store import load_atomic, store_atomic
from tilelab.tensix.riscv.semantics import EXECUTE, constants
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.tile_registers import IRAM
from tilelab.tensix.words.origin import NCRISC, origin_of

ILLEGAL = check(
    "illegal-instruction",
    UndefinedBehaviorError,
    "{value:#010x} is no RISC-V instruction that the core has",
    page="BabyRISCV/README.md",
)
FETCH = check(
    "fetch-outside-l1",
    UndefinedBehaviorError,
    "there is no instruction to fetch at {value:#x}: code is in L1, in whole words",
    page="BabyRISCV/README.md",
)

Decoded = tuple[Format | None, Callable[..., Any], tuple[int, ...]]


@kernel
def fetch_index(s: State, core: int, pc: int) -> int:
    """Where ``s.l1_32`` holds the instruction at an address, or -1: NCRISC's RAM is behind L1."""
    if pc & 3:
        return -1
    if pc < s.arch.l1_size:
        return pc >> 2
    if core == NCRISC and IRAM <= pc < IRAM + s.arch.iram:
        index: int = (s.arch.l1_size + pc - IRAM) >> 2
        return index
    return -1


@kernel
def fetch_word(s: State, core: int, pc: int) -> int:
    """The instruction at an address; where there is none, 3, which is no Tensix instruction."""
    index = fetch_index(s, core, pc)
    if index < 0:
        return 3
    word: int = s.l1_32[index]
    return word


@kernel
def blame_core(s: State, core: int) -> None:
    """Note that it is a core's own instruction that failed a check."""
    s.engine.fault_thread = -1
    s.engine.fault_word = 0
    s.engine.fault_origin = origin_of(core, s.riscv[core].pc)


@kernel
def _illegal(s: State, core: int, word: int) -> int:
    return fault(s, ILLEGAL, word)


class _Decoder(dict[int, Decoded]):
    """Word → format, kernel and operands, for one chip; fills itself."""

    def __init__(self, arch: Arch) -> None:
        super().__init__()
        self.extensions = arch.extensions

    def __missing__(self, word: int) -> Decoded:
        row = find(word, self.extensions)
        if row is None:
            decoded: Decoded = (None, _illegal, (word,))
        else:
            execute = partial(EXECUTE[row.name], **constants(row))
            decoded = (row.format, execute, row.operands(word))
        self[word] = decoded
        return decoded


_DECODERS = {name: _Decoder(arch) for name, arch in ARCHES.items()}


def decoded(s: State, word: int) -> tuple[Format | None, tuple[int, ...]]:
    """A word's format and its operands; None for what is no instruction of the chip's cores."""
    form, _execute, operands = _DECODERS[s.arch.name][word]
    return form, operands


def step(s: State, core: int) -> int:
    """Execute the core's next instruction; OK, or why it did not (then nothing has changed)."""
    hart = s.riscv[core]
    pc = hart.pc
    index = fetch_index(s, core, pc)
    if index < 0:
        return fault(s, FETCH, pc)
    form, execute, operands = _DECODERS[s.arch.name][s.l1_32[index]]
    x = hart.x
    if form is Format.IMMEDIATE or form is Format.SHIFT:
        rd, a, b = operands
        x[rd] = execute(x[a], b)
        hart.pc = pc + 4
    elif form is Format.REGISTER:
        rd, a, b = operands
        x[rd] = execute(x[a], x[b])
        hart.pc = pc + 4
    elif form is Format.BRANCH:
        a, b, offset = operands
        hart.pc = (pc + offset) & WORD if execute(x[a], x[b]) else pc + 4
    elif form is Format.UNARY:
        rd, a = operands
        x[rd] = execute(x[a])
        hart.pc = pc + 4
    else:
        if form is Format.ATOMIC:
            status = _atomic(s, core, execute, operands)
        else:
            status = execute(s, core, *operands)
        if status != OK:
            return status
        if form is None or not form.value.sets_pc:
            hart.pc = pc + 4
    x[0] = 0
    hart.retired += 1
    return OK


@kernel
def advance(s: State, core: int) -> int:
    """Execute the core's next instruction, and note what it waits for, or that it is to blame.

    OK, a WAIT code or a failed check's code.
    """
    code = step(s, core)
    if code > 0:
        blame_core(s, core)
    else:
        s.engine.core_wait[core] = code
    return code


def _atomic(s: State, core: int, combine: Callable[..., int], operands: tuple[int, ...]) -> int:
    rd, rs1, rs2 = operands
    x = s.riscv[core].x
    address = x[rs1]
    status, old = load_atomic(s, core, address)
    if status == OK:
        status = store_atomic(s, core, address, combine(old, x[rs2]))
    if status == OK:
        x[rd] = old
    return status


def instruction_at(s: State, pc: int) -> str:
    """The instruction at an address of L1, as assembly; "" if there can be none."""
    if pc & 3 or not 0 <= pc < s.arch.l1_size:
        return ""
    return disassemble(s.l1_32[pc >> 2], pc)
