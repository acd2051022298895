"""The fast engine: the scheduler and every kernel, compiled into one call."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import tilelab
from tilelab.kernelpy.build import Library, compiled
from tilelab.kernelpy.layout import Buffer, record
from tilelab.kernelpy.machine import Machine
from tilelab.kernelpy.module import Module
from tilelab.sim.errors import BadInputError
from tilelab.tensix.arch import Arch
from tilelab.tensix.backend import semantics
from tilelab.tensix.riscv import core, load_store
from tilelab.tensix.riscv.csr import read_csr, write_csr
from tilelab.tensix.run import batches, execute, generate, generate_cores, rounds
from tilelab.tensix.run import cycles as clock
from tilelab.tensix.run.reference import CHUNK, ReferenceEngine
from tilelab.tensix.state import HEADER_BYTES, TensixState
from tilelab.tensix.state.layout import layout_of

ACCESSES = (
    *(load_store.lb, load_store.lh, load_store.lw, load_store.lbu, load_store.lhu),
    *(load_store.sb, load_store.sh, load_store.sw, load_store.load_atomic),
    load_store.store_atomic,
)
"""What cores do with memory."""
BOUNDS_CHECK = "TILELAB_BOUNDSCHECK"


def machine(arch: Arch) -> Machine:
    """What ``s`` means in kernels of this chip."""
    code = arch.l1_size + arch.iram
    return Machine(
        record(layout_of(arch)),
        {
            "l1": Buffer(0, 1, arch.l1_size),
            "l1_16": Buffer(0, 2, arch.l1_size // 2),
            "l1_32": Buffer(0, 4, code // 4),
            "record_32": Buffer(3, 4, layout_of(arch).itemsize // 4, whole=True),
            "code_word": Buffer(1, 4, code // 4),
            "code_operation": Buffer(2, 8, code // 4),
        },
        {
            "arch": arch,
            "f": arch.places,
            "config_mask": arch.config_mask,
            "block_mask": arch.block_masks(),
        },
    )


def module(arch: Arch, checked: bool = False) -> Module:
    """Everything that runs a tile of this chip; ``checked``: every index is."""
    made = prepared(arch, machine(arch), checked)
    add_entries(made)
    return made


def prepared(arch: Arch, machine: Machine, checked: bool = False) -> Module:
    """A module to which nothing is added yet, with what the chip's tables generate."""
    made = Module(machine, f"tensix_{arch.name}", checked)
    cores = generate_cores.cores(arch)
    made.instead = {
        execute.execute: generate.dispatch(arch),
        semantics.scheduled: generate.scheduled(arch),
        core.step: cores["step"],
        rounds.run_cores: cores["run_cores"],
    }
    # a loop of its own, undisturbed by what surrounds it
    made.attributes = dict.fromkeys((rounds.run_cores, *ACCESSES, read_csr, write_csr), "noinline")
    # each access is made for its size
    made.attributes |= dict.fromkeys(
        (load_store.load, load_store.load_to, load_store.store), "alwaysinline"
    )
    return made


def add_entries(made: Module) -> None:
    """Compile what an engine calls, and all that this calls."""
    made.add(batches.run_rounds, "run_rounds")
    made.add(clock.run_cycles, "run_cycles")
    made.add(execute.execute, "execute")


def _note(text: str) -> None:
    if sys.stderr.isatty():
        _warn(text)


def _warn(text: str) -> None:
    print(f"tilelab: {text}", file=sys.stderr)


_LIBRARIES: dict[str, Library] = {}


def bounds_checked() -> bool:
    """Whether the environment asks for compiled code that checks every index."""
    return os.environ.get(BOUNDS_CHECK, "") not in ("", "0")


def library(arch: Arch, checked: bool = False) -> Library:
    """The compiled code of a chip's profile, made or taken from the cache."""
    bounds = "bounds checked" if checked else ""
    return variant(arch, bounds, lambda: module(arch, checked))


def variant(arch: Arch, how: str, make: Callable[[], Module]) -> Library:
    """Compiled code of a chip's profile; ``how`` names what is different, "" if nothing is."""
    facts = f"{arch.options()}, {how}"
    if facts not in _LIBRARIES:
        _LIBRARIES[facts] = Library(image(arch, how, make))
    return _LIBRARIES[facts]


def image(arch: Arch, how: str, make: Callable[[], Module | bytes]) -> bytes:
    """An object file for a chip's profile, made or from the cache; ``how`` as :func:`variant`."""
    facts = f"{arch.options()}{', ' if how else ''}{how}"
    package = Path(tilelab.__file__).parent
    folders = [*(package / part for part in ("sim", "isa", "tensix")), arch.folder]
    sources = {
        path for at in folders for kind in ("*.py", "*.txt", "*.ll") for path in at.rglob(kind)
    }
    what = f"the {arch.name} tile{', ' if how else ''}{how}"
    try:
        return compiled(make, sorted(sources), facts, what, _note, _warn)
    except OSError as error:
        raise BadInputError(str(error)) from error


class FastEngine(ReferenceEngine):
    """Runs a tile's state as the reference engine does, compiled."""

    def __init__(self, state: TensixState, describe_pc: Callable[[int, int], str]) -> None:
        super().__init__(state, describe_pc)
        words = state.code.size // 4
        self._buffers: list[npt.NDArray[Any]] = [
            state.l1,
            np.zeros(words, np.uint32),
            np.zeros(words, np.uint64),
            state.memory[HEADER_BYTES:],
        ]
        header = state.memory[:HEADER_BYTES].view(np.uint64)
        for index, buffer in enumerate(self._buffers):
            header[HEADER_BYTES // 8 - 1 - index] = buffer.ctypes.data
        self._s = state.memory.ctypes.data + HEADER_BYTES
        self._checked = bounds_checked()
        self._code = code = self.library()
        self._run_rounds = code.function("run_rounds", 2)
        self._run_cycles = code.function("run_cycles", 2)
        self._execute = code.function("execute", 3)

    @property
    def address(self) -> int:
        """Where the state's record is, for compiled code."""
        return self._s

    def library(self) -> Library:
        """The compiled code that this engine runs."""
        return library(self.state.arch, self._checked)

    def execute(self, t: int, word: int) -> int:
        """Execute one word at its unit; returns OK, a wait code or a check's code."""
        code = self._execute(self._s, t, word)
        if self._checked:
            self._code.raise_outside()
        return code

    def rounds(self, count: int) -> int:
        """Run rounds: OK, a STOP code or a failed check's code."""
        run = self._run_cycles if self.s.cycle.on else self._run_rounds
        code = run(self._s, min(count, CHUNK))
        if self._checked:
            self._code.raise_outside()
        return code
