"""The fast engine: the scheduler and every kernel, compiled into one call."""

import os
import sys
from collections.abc import Callable
from ctypes import c_int64
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tilelab.kernelpy.build import Compiler, Library, fuses
from tilelab.kernelpy.layout import Buffer, record
from tilelab.kernelpy.machine import Machine
from tilelab.kernelpy.module import Module
from tilelab.kernelpy.tiers import Code, Tiers
from tilelab.sim.checks import fault, fault2, refuse, refuse2
from tilelab.sim.errors import BadInputError
from tilelab.sim.kernel import OK
from tilelab.tensix.arch import Arch
from tilelab.tensix.backend import register_map, semantics
from tilelab.tensix.backend.matrix_unit import numerics
from tilelab.tensix.backend.packers.config import read_kind
from tilelab.tensix.backend.vector_unit import dst_moves, fma, fma_host, load_macro
from tilelab.tensix.cycle.cores import begin, go, held, run_ahead
from tilelab.tensix.riscv import core, host, load_store
from tilelab.tensix.riscv.csr import read_csr, write_csr
from tilelab.tensix.riscv.host_tools import TOOLS
from tilelab.tensix.run import cycles, execute, rounds
from tilelab.tensix.run.engine import CHUNK, Engine
from tilelab.tensix.run.rounds import STOP_TRACE
from tilelab.tensix.run.speed import (
    batches,
    generate,
    generate_ahead,
    generate_cores,
    settle,
    stream,
)
from tilelab.tensix.state import HEADER_BYTES, TensixState
from tilelab.tensix.state.layout import layout_of

ACCESSES = load_store.load, load_store.load_to, load_store.store, load_store.store_from
"""What cores do with memory: a part of each core's loop."""
ELSEWHERE = load_store.load_elsewhere, load_store.store_elsewhere
"""What cores do with memory that is not L1."""
BOUNDS_CHECK = "TILELAB_BOUNDSCHECK"
COMPILED = ("isa", "riscv", "sim", "tensix", "chip", "check", "explore", "vendor/library")
"""The rooms whose kernels, or tables, compiled code is made of."""


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


def module(arch: Arch, checked: bool = False, quick: bool = False) -> Module:
    """Everything that runs a tile of this chip; ``checked``: every index is."""
    made = prepared(arch, machine(arch), checked, quick=quick)
    add_entries(made)
    made.add(settle.look, "look")
    made.add(settle.change, "change")
    return made


def prepared(
    arch: Arch, machine: Machine, checked: bool = False, apart: bool = True, quick: bool = False
) -> Module:
    """A module to which nothing is added yet, with what the chip's tables generate.

    ``apart``: in units that others may share; ``quick``: to be compiled in the least time.
    """
    made = Module(machine, f"tensix_{arch.name}", checked)
    made.quick = quick
    cores = generate_cores.cores(arch)
    # a chip without vector instructions of its own has no dispatch for them
    vector = generate.dispatches(arch).get("dispatch_vector_unit", generate.dispatch(arch))
    made.instead = {
        execute.execute: generate.dispatch(arch),
        stream.execute_vector: vector,
        semantics.scheduled: generate.scheduled(arch),
        core.step: cores["step"],
    }
    if not quick:  # it holds every instruction many times, to run fast
        made.instead[rounds.run_cores] = cores["run_cores"]
        made.instead[run_ahead] = generate_ahead.ahead(arch)
        # a part of the loop that plays words back, and there of every instruction
        in_loop = vector, load_macro.issue, stream.play, dst_moves.begin_access
        made.attributes = dict.fromkeys(in_loop, "alwaysinline")
        made.attributes[load_macro.issue_beside] = "noinline"
        made.twice = frozenset(["vector_unit"])
    # loops of their own, undisturbed by what surrounds them, and what is called from several places
    alone = rounds.run_cores, *ELSEWHERE, read_csr, write_csr, batches.run_rounds, cycles.run_cycles
    made.attributes |= dict.fromkeys(alone, "noinline")
    # what is done at most once keeps out of the way of what is done always
    made.attributes |= dict.fromkeys((fault, fault2, refuse, refuse2), "cold noinline")
    # each access is made for its size
    made.attributes |= dict.fromkeys(ACCESSES, "alwaysinline")
    # what a core's cycle looks at before its instruction, the instruction looks at again
    made.attributes |= dict.fromkeys((held, begin, go), "alwaysinline")
    # made for each of the instructions that have it, and for one sum in a column or two
    made.attributes |= dict.fromkeys(semantics.shared(arch), "alwaysinline")
    made.attributes |= dict.fromkeys((numerics.accumulate, read_kind), "alwaysinline")
    if fuses():
        made.instead[fma.summed_by_host] = fma_host.summed_by_host
        made.attributes[fma.summed_by_host] = "noinline"
    if apart and not checked:
        made.homes = homes(arch)
    return made


def homes(arch: Arch) -> dict[Callable[..., Any], str]:
    """What is compiled apart, and in which unit: so that engines that differ elsewhere share it."""
    at: dict[Callable[..., Any], str] = {}
    for name, function in generate.dispatches(arch).items():
        if name != "dispatch":
            at[function] = name.removeprefix("dispatch_")
    at[load_macro.elapse] = "vector_unit"
    at[register_map.write_shared] = "others"
    called = *ELSEWHERE, read_csr, write_csr, host.host_read, host.host_write
    at |= dict.fromkeys(called, "memory")
    at |= dict.fromkeys((core.step, rounds.run_cores), "cores")
    at[stream.play_vector] = "vector_unit"
    at |= {cycles.run_cycles: "cycles", batches.run_rounds: "run"}
    return at


def add_entries(made: Module) -> None:
    """Compile what an engine calls, and all that this calls."""
    made.add(settle.run, "run")
    made.add(settle.settle, "settle")
    made.add(execute.execute, "execute")


def _warn(text: str) -> None:
    print(f"tilelab: {text}", file=sys.stderr)


_CODE: dict[str, Code] = {}


def bounds_checked() -> bool:
    """Whether the environment asks for compiled code that checks every index."""
    return os.environ.get(BOUNDS_CHECK, "") not in ("", "0")


def code(arch: Arch, checked: bool = False) -> Code:
    """The compiled code of a chip's profile, made or taken from the cache."""
    if checked:
        make = partial(module, arch, True)
        return _made(arch, "bounds checked", lambda its: Library(*its.images(make)))
    return variant(arch, "", lambda quick: module(arch, quick=quick))


def variant(arch: Arch, how: str, make: Callable[[bool], Module]) -> Code:
    """Compiled code of a chip's profile; ``how`` names what is different, "" if nothing is.

    ``make`` is told whether its module is to be compiled quickly.
    """
    return _made(arch, how, lambda its: Tiers(its, make))


def _made(arch: Arch, how: str, make: Callable[[Compiler], Code]) -> Code:
    facts = f"{arch.options()}, {how}"
    if facts not in _CODE:
        try:
            _CODE[facts] = make(compiler(arch, how))
        except OSError as error:
            raise BadInputError(str(error)) from error
    return _CODE[facts]


def compiler(arch: Arch, how: str) -> Compiler:
    """What makes code for a chip's profile, or takes it from the cache; ``how`` as above."""
    facts = f"{arch.options()}{', ' if how else ''}{how}"
    package = Path(__file__).parents[3]
    folders = [*(package / part for part in COMPILED), arch.folder]
    sources = {
        path for at in folders for kind in ("*.py", "*.txt", "*.ll") for path in at.rglob(kind)
    }
    what = f"the {arch.name} tile{', ' if how else ''}{how}"
    return Compiler(sorted(sources), facts, what, _warn, _warn)


class FastEngine(Engine):
    """Runs a tile's state as the reference engine does, compiled."""

    watched = False
    """Whether its code tells others what it does: then a host's accesses are not part of it."""

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
        self._s = c_int64(state.memory.ctypes.data + HEADER_BYTES)
        self._fault = state.s.fault
        self._checked = bounds_checked()
        self._code = code = self.code()
        self._run = code.function("run", 2)
        self._settle = code.function("settle", 4)
        self._execute = code.function("execute", 3)
        if not self.watched:
            self._look = code.function("look", 2)
            self._change = code.function("change", 3)

    @property
    def address(self) -> int:
        """Where the state's record is, for compiled code."""
        return self._s.value

    def code(self) -> Code:
        """The compiled code that this engine runs."""
        return code(self.state.arch, self._checked)

    def execute(self, t: int, word: int) -> int:
        """Execute one word at its unit; returns OK, a wait code or a check's code."""
        code = self._execute(self._s, t, word)
        if self._checked:
            self._code.raise_outside()
        return code

    def read_register(self, address: int) -> tuple[int, int]:
        """A tile register, or a word of L1, as a host reads it: OK or a check's code, and it."""
        if self.watched or address in TOOLS:
            return super().read_register(address)
        value = self._look(self._s, address)
        if self._checked:
            self._code.raise_outside()
        return (OK, value) if value >= 0 else (-value, 0)

    def write_register(self, address: int, value: int) -> int:
        """Write a tile register, or a word of L1, as a host does: OK or a check's code."""
        if self.watched or address in TOOLS:
            return super().write_register(address, value)
        code = self._change(self._s, address, value)
        if self._checked:
            self._code.raise_outside()
        return code

    def rounds(self, count: int) -> int:
        """Run rounds: OK, a STOP code or a failed check's code."""
        code = self._run(self._s, min(count, CHUNK))
        if self._checked:
            self._code.raise_outside()
        return code

    def settled(self, count: int, address: int, words: int) -> int:
        """Run rounds to the first change of words of L1, see ``settle``."""
        code = self._settle(self._s, count, address, words)
        if self._checked:
            self._code.raise_outside()
        return code

    def settle(self, count: int, address: int, words: int) -> int:
        """As an engine does; most calls of a host find nothing more to do."""
        if self._checked or self._in_parts(count):
            return super().settle(count, address, words)
        code = self._settle(self._s, count, address, words)
        if code > OK or code == STOP_TRACE or self._fault.warnings:
            return self._finished(code, self.s.engine.end)
        return code
