"""Whole programs on the model: load, run, compare; what ``tilelab tilext run`` does.

A machine file (TOML) states what the document leaves to the chip::

    profile = "repaired"
    operations = "operations.py"      # its register(core) fills core.operations and core.csr
    [parameters]                      # of tilelab.tilext.state.Parameters
    tile_bytes = 1024
    tile_count = 64
    vlen = 256
    [overlay]                         # as an overlay file, or its name
    [mma.int8]                        # D += A B: a name for mmauop's code, the types, m, n, k
    code = 5
    a = "int8"
    b = "int8"
    d = "int32"
    shape = [16, 16, 64]
    [vectors]                         # 32-bit elements of vector registers at the start
    v1 = [1024]
"""

import importlib.util
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tilelab.sim.errors import BadInputError, DeadlockError, ProgramError
from tilelab.tilext.assembler import Assembler
from tilelab.tilext.matrices import dtype_of, matrix_product
from tilelab.tilext.objdump import ELF_MAGIC
from tilelab.tilext.profile import Profile, load_profile
from tilelab.tilext.races import Races
from tilelab.tilext.scalar.assembler import Program, assemble_program
from tilelab.tilext.scalar.elf import load_elf
from tilelab.tilext.scalar.hart import RETURN, USERS_MODULE, Hart
from tilelab.tilext.state import Parameters, TileCore
from tilelab.tilext.sync import SyncGroup

_RA, _SP = 1, 2
_STACK = 1 << 14  # bytes of each thread, from the top of global memory
_KEYS = {"profile", "overlay", "operations", "parameters", "mma", "vectors"}
_SETTINGS = {
    *("tile_bytes", "tile_count", "vlen", "global_bytes", "share_bytes", "global_space"),
    *("interlock", "completes_in_order", "nibble_order", "masked_loads_keep"),
}
DEFAULTS: dict[str, Any] = {"tile_bytes": 1024, "tile_count": 64, "vlen": 256}


@dataclass
class Machine:
    """A profile, parameters, and what registers the operations on a core."""

    profile: Profile
    parameters: Parameters
    register: Sequence[Callable[[TileCore], None]] = ()
    vectors: Mapping[int, list[int]] = field(default_factory=dict)

    def cores(self, threads: int) -> list[TileCore]:
        """Return a core for each thread; they share their memories."""
        cores = [TileCore(self.parameters, self.profile, thread=n) for n in range(threads)]
        for core in cores:
            core.memory = cores[0].memory
            for number, elements in self.vectors.items():
                core.v[number].view("<u4")[: len(elements)] = elements
            for register in self.register:
                _call(register, core)
        return cores


def load_machine(path: Path | None) -> Machine:
    """Read a machine file; BadInputError says what is wrong with it."""
    if path is None:
        return Machine(load_profile(), Parameters(**DEFAULTS))
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise BadInputError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    return machine_of(data, path)


def machine_of(data: Mapping[str, Any], path: Path) -> Machine:
    """The machine that the contents of a file state; errors as :func:`load_machine`."""
    if unknown := data.keys() - _KEYS:
        raise BadInputError(f"{path}: unknown key {min(unknown)}")
    try:
        overlay = data.get("overlay", {})
        if isinstance(overlay, str):
            overlay = path.parent / overlay
        settings = data.get("parameters", {})
        if strange := settings.keys() - _SETTINGS:
            raise BadInputError(f"{path}: parameters has no {min(strange)}")
        profile = load_profile(data.get("profile", "repaired"), overlay)
        register = [_product(path, name, values) for name, values in data.get("mma", {}).items()]
        if "operations" in data:
            register.append(_operations(path.parent / data["operations"]))
        vectors = {_vector(path, n): list(e) for n, e in data.get("vectors", {}).items()}
        parameters = Parameters(**DEFAULTS | settings)
        if any(len(e) * 32 > parameters.vlen or not _u32(e) for e in vectors.values()):
            raise BadInputError(f"{path}: vectors are lists of 32-bit numbers, at most vlen bits")
        return Machine(profile, parameters, register, vectors)
    except (TypeError, AttributeError):
        raise BadInputError(f"{path}: a value has the wrong type") from None


def _call(register: Callable[[TileCore], None], core: TileCore) -> None:
    try:
        register(core)
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise BadInputError(f"register(core) raised {reason}") from error


def _u32(elements: list[int]) -> bool:
    return all(isinstance(e, int) and 0 <= e < 1 << 32 for e in elements)


def _vector(path: Path, name: str) -> int:
    if not (name[:1] == "v" and name[1:].isdigit() and int(name[1:]) < 32):
        raise BadInputError(f"{path}: vectors.{name} is not v0 to v31")
    return int(name[1:])


def _product(path: Path, name: str, values: Mapping[str, Any]) -> Callable[[TileCore], None]:
    wanted = {"code", "a", "b", "d", "shape"}
    if values.keys() != wanted:
        raise BadInputError(f"{path}: mma.{name} wants {', '.join(sorted(wanted))}")
    types = [dtype_of(values[key]) for key in "abd"]
    code, shape = values["code"], values["shape"]
    if not (isinstance(shape, list) and len(shape) == 3 and all(type(one) is int for one in shape)):
        raise BadInputError(f"{path}: mma.{name}: shape is [m, n, k]")
    if type(code) is not int or code < 0:
        raise BadInputError(f"{path}: mma.{name}: code is a number")
    operation = matrix_product(types[0], types[1], types[2], (shape[0], shape[1], shape[2]))

    def register(core: TileCore) -> None:
        core.operations.mma[code] = operation

    return register


def _operations(path: Path) -> Callable[[TileCore], None]:
    """Return register(core) of a Python file."""
    spec = importlib.util.spec_from_file_location(USERS_MODULE, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise BadInputError(f"{path}: no such Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise BadInputError(f"{path}: {type(error).__name__}: {error}") from None
    register = getattr(module, "register", None)
    if not callable(register):
        raise BadInputError(f"{path}: has no function register(core)")
    return register  # type: ignore[no-any-return]


def load_program(data: bytes, name: str, profile: Profile) -> Program:
    """Return a program: an ELF, or assembly text."""
    if data.startswith(ELF_MAGIC):
        return load_elf(data, name)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInputError(f"{name}: neither an ELF nor UTF-8 text (byte {error.start})") from None
    program = assemble_program(text, Assembler(profile))
    if not program.segments:
        raise BadInputError(f"{name}: has no instruction in it")
    return program


@dataclass(frozen=True)
class Outcome:
    """How a run ended: exit status of each thread, instructions in all, tile instructions."""

    statuses: tuple[int, ...]
    executed: int
    tiles: int


class Run:
    """A program loaded into threads that are ready to run."""

    def __init__(self, machine: Machine, program: Program, threads: int = 1) -> None:
        self.program = program
        self.cores = machine.cores(threads)
        memory = self.cores[0].memory["global"]
        for address, content in program.segments:
            if address + len(content) > len(memory):
                raise BadInputError(
                    f"the program has {len(content)} bytes at {address:#x}; global memory has "
                    f"{len(memory):#x}"
                )
            memory[address : address + len(content)] = np.frombuffer(content, np.uint8)
        if threads * _STACK > len(memory):
            raise BadInputError(f"{threads} stacks of {_STACK} bytes do not fit global memory")
        races = Races(threads) if threads > 1 else None
        group = SyncGroup(races=races) if threads > 1 else None
        self.harts = []
        for number, core in enumerate(self.cores):
            core.observer = races
            core.x[_RA], core.x[_SP] = RETURN, len(memory) - number * _STACK
            self.harts.append(Hart(core, program.entry, group, where=self._where))
        self.group = group
        self.output = b""
        for hart in self.harts:
            hart.output = self._print

    def _print(self, data: bytes) -> None:
        self.output += data

    def _where(self, pc: int) -> str:
        """Return what messages call an address."""
        if pc in self.program.lines:
            return f"line {self.program.lines[pc]} ({pc:#x})"
        near = [(at, n) for n, at in self.program.symbols.items() if at <= pc]
        if not near:
            return f"{pc:#x}"
        at, name = max(near)
        return f"{pc:#x} ({name}+{pc - at:#x})"

    def run(self, limit: int = 20_000_000) -> Outcome:
        """Run to the end, an instruction of each thread in turn.

        DeadlockError; ProgramError for more than ``limit`` instructions, and for an end while tile
        operations are outstanding.
        """
        while left := [hart for hart in self.harts if not hart.done]:
            moved = False
            for hart in left:
                moved = hart.step() or moved
            if not moved:
                waits = "; ".join(self.group.who_waits()) if self.group else "the thread waits"
                raise DeadlockError(f"deadlock: {waits}")
            if sum(hart.executed for hart in self.harts) > limit:
                raise ProgramError(f"{limit:,} instructions and no end: {self._where(left[0].pc)}")
        for core in self.cores:
            if core.outstanding:
                names = ", ".join(dict.fromkeys(o.name for o in core.outstanding))
                raise ProgramError(
                    f"thread {core.thread} ends while {names} is outstanding: no t_wait covers it"
                )
        return Outcome(
            tuple(hart.status or 0 for hart in self.harts),
            sum(hart.executed for hart in self.harts),
            sum(hart.tiles for hart in self.harts),
        )
