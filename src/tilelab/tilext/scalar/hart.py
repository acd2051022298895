"""One hardware thread: the scalar core runs RV64IMC and hands tile words to its tile core.

Scalar memory is the global memory, byte for byte. A scalar access to what a tile operation has
outstanding is checked like a tile operation's. Ends: ``ecall`` with a7 = 93 (exit, status in a0),
``ebreak``, or a return to where it was started from; ``ecall`` with a7 = 64 writes to stdout.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from tilelab.riscv.fields import access_bytes, csr, funct3, rd, rs1, rs2, sign_extend
from tilelab.riscv.table import RV64, Format, Instruction
from tilelab.sim.errors import ProgramError, TilelabError
from tilelab.tilext.disassembler import Decoded, Disassembler
from tilelab.tilext.machine import execute
from tilelab.tilext.memory import Access, Span
from tilelab.tilext.scalar.compressed import expand
from tilelab.tilext.scalar.integer import MASK64, RUN, Run
from tilelab.tilext.state import TileCore
from tilelab.tilext.sync import SyncGroup

RETURN = MASK64 - 1  # where a program returns to when it is done
_EXIT, _WRITE, _A0, _A7 = 93, 64, 10, 17
_CSR_KINDS = {1: "w", 2: "s", 3: "c"}
_UNSIGNED = 4  # in a load's funct3
_INSTRET, _HARTID, _SCRATCH = 0xC02, 0xF14, 0x340


USERS_MODULE = "tilext_operations"
"""The name under which a user's file of operations is imported."""

Scalar = tuple[int, Instruction, Run | None, int, int]
"""A word, its row, what it computes, its immediate, and how many bytes it has in memory."""

_IMMEDIATES = ("imm", "offset", "target", "upper")


@dataclass
class Hart:
    """A thread's program counter and its tile core, whose ``x`` are its registers."""

    core: TileCore
    pc: int
    group: SyncGroup | None = None
    output: Callable[[bytes], None] = lambda data: None
    where: Callable[[int], str] = hex
    executed: int = 0
    tiles: int = 0
    status: int | None = None
    csr: dict[int, int] = field(default_factory=lambda: {_SCRATCH: 0})

    def __post_init__(self) -> None:
        self.memory = self.core.memory["global"].data
        self.disassembler = Disassembler(self.core.profile)
        self.opcodes = frozenset(self.core.profile.opcode.values())
        self.decoded: dict[bytes, tuple[Decoded, int]] = {}
        self.rows: dict[int, Scalar] = {}

    @property
    def done(self) -> bool:
        """True once the program has ended; ``status`` is then its exit status."""
        return self.status is not None

    def step(self) -> bool:
        """Run one instruction; False if the thread waits. Errors name the place."""
        pc = self.pc
        if pc == RETURN:
            self.status = 0
            return True
        try:
            return self._step(pc)
        except TilelabError as error:
            error.summary = f"{self.where(pc)}: {error.summary}"
            raise
        except Exception as error:
            if not _in_users_file(error):
                raise
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            raise ProgramError(
                f"{self.where(pc)}: a registered operation raised {reason}"
            ) from error

    def _step(self, pc: int) -> bool:
        if pc & 1 or not 0 <= pc <= len(self.memory) - 2:
            raise ProgramError(f"no instruction can be at {pc:#x}")
        word = int.from_bytes(self.memory[pc : pc + 4], "little")
        if word & 3 != 3:
            word &= 0xFFFF
        elif word & 0x7F in self.opcodes:
            return self._tile(pc)
        found = self.rows.get(word)
        if found is None:
            found = self.rows[word] = self._decode(word)
        self.executed += 1
        self.pc = self._scalar(pc, *found) & MASK64
        return True

    @staticmethod
    def _decode(word: int) -> Scalar:
        """Return a scalar instruction; a compressed one as what it stands for."""
        size, whole = 4, word
        if word & 3 != 3:
            size, expanded = 2, expand(word)
            if expanded is None:
                raise ProgramError(f"{word:#06x} is not a compressed instruction of RV64IMC")
            whole = expanded
        row = RV64.find(whole)
        if row is None:
            raise ProgramError(f"{word:#010x} is not an instruction of RV64IM or this profile")
        read = (
            place.read for name, place in row.format.value.operands.items() if name in _IMMEDIATES
        )
        imm = sum(sign_extend(number(whole), 32) for number in read)
        return whole, row, RUN.get(row.name), imm, size

    def _tile(self, pc: int) -> bool:
        data = bytes(self.memory[pc : pc + 12])
        found = self.decoded.get(data)
        if found is None:
            words = [
                int.from_bytes(data[at : at + 4], "little") for at in range(0, len(data) & ~3, 4)
            ]
            item = self.disassembler.decode_at(words, 0)
            if not item.certain:
                raise ProgramError(self.disassembler.text(item))
            found = self.decoded[data] = item.candidates[0], 4 * len(item.words)
        instruction, size = found
        if not execute(self.core, instruction, self.group):
            return False
        self.executed += 1
        self.tiles += 1
        self.pc = pc + size
        return True

    def _scalar(
        self, pc: int, word: int, row: Instruction, run: Run | None, imm: int, size: int
    ) -> int:
        """Run a scalar instruction; return the next pc."""
        form, core = row.format, self.core
        to, a, b = rd(word), core.read_x(rs1(word)), core.read_x(rs2(word))
        if run is not None:
            if form is Format.BRANCH:
                return pc + (imm if run(a, b) else size)
            core.write_x(to, run(a, b if form is Format.REGISTER else imm))
        elif form is Format.LOAD:
            place = self._place(row, a + imm, stores=False)
            value = int.from_bytes(place, "little")
            extends = not funct3(word) & _UNSIGNED
            core.write_x(to, sign_extend(value, 8 * len(place)) if extends else value)
        elif form is Format.STORE:
            place = self._place(row, a + imm, stores=True)
            place[:] = (b & (1 << 8 * len(place)) - 1).to_bytes(len(place), "little")
        elif form is Format.UPPER:
            core.write_x(to, imm + (pc if row.name == "auipc" else 0))
        elif form in (Format.JUMP, Format.JUMP_REGISTER):
            core.write_x(to, pc + size)
            return pc + imm if form is Format.JUMP else a + imm & ~1
        elif form in (Format.CSR, Format.CSR_IMMEDIATE):
            self._csr(row, word, a)
        elif form is Format.ENVIRONMENT:
            self._system(row)
        return pc + size

    def _place(self, row: Instruction, address: int, *, stores: bool) -> memoryview:
        """Return the bytes a scalar access names, checked against outstanding operations."""
        address &= MASK64
        size = access_bytes(row.match)
        if address > len(self.memory) - size:
            raise ProgramError(
                f"{row.name}: global memory has {len(self.memory):#x} bytes, "
                f"the access is at {address:#x}"
            )
        if self.core.outstanding or self.core.observer is not None:
            access = Access(spans=(Span("global", (address,), stores, size),))
            self.core.use(row.name, access)
        return self.memory[address : address + size]

    def _csr(self, row: Instruction, word: int, a: int) -> None:
        number, source = csr(word), rs1(word)
        operand = source if row.format is Format.CSR_IMMEDIATE else a
        known = {_INSTRET: self.executed, _HARTID: self.core.thread} | self.csr
        if number not in known:
            raise ProgramError(f"{row.name}: CSR {number:#x} is not modelled")
        old, kind = known[number], _CSR_KINDS[funct3(word) & 3]
        if kind == "w" or source:
            if number not in self.csr:
                raise ProgramError(f"{row.name}: CSR {number:#x} is read-only")
            changed = {"w": operand, "s": old | operand, "c": old & ~operand}
            self.csr[number] = changed[kind]
        self.core.write_x(rd(word), old)

    def _system(self, row: Instruction) -> None:
        if row.name == "ebreak":
            self.status = 0
            return
        call = self.core.read_x(_A7)
        if call == _EXIT:
            self.status = sign_extend(self.core.read_x(_A0), 32)
        elif call == _WRITE:
            start, count = self.core.read_x(11), self.core.read_x(12)
            if start + count > len(self.memory):
                raise ProgramError(f"write of {count} bytes at {start:#x} is outside memory")
            self.output(bytes(self.memory[start : start + count]))
            self.core.write_x(_A0, count)
        else:
            raise ProgramError(f"ecall {call} is not known: a7 is 93 (exit) or 64 (write)")


def _in_users_file(error: Exception) -> bool:
    """Return whether an error passed through the user's operations."""
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_globals.get("__name__") == USERS_MODULE:
            return True
        step = step.tb_next
    return False
