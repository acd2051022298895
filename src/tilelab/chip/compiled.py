"""The machine code of a whole chip: its kernels, and those of its tiles."""

from collections.abc import Sequence
from types import FunctionType
from typing import Final

import numpy as np

from tilelab.chip import advance, timed
from tilelab.chip.engine import KERNELS
from tilelab.chip.flight_record import CARRIED, FLIGHTS
from tilelab.chip.memory import ChipMemory, dram_bytes
from tilelab.chip.state import CHIP
from tilelab.kernelpy.layout import Buffer, record
from tilelab.kernelpy.machine import Machine
from tilelab.kernelpy.module import Module
from tilelab.kernelpy.tiers import Code
from tilelab.kernelpy.watch import Watch, watched_module
from tilelab.tensix.arch import Arch
from tilelab.tensix.noc.late import reads_l1
from tilelab.tensix.run import cycles
from tilelab.tensix.run.engine import Engine
from tilelab.tensix.run.speed import batches, fast, generate_cores
from tilelab.tensix.state import HEADER_BYTES

L1: Final = 0
"""The buffer of a tile's machine that is its L1."""


def machine(arch: Arch, tile: Machine | None = None) -> Machine:
    """What ``c`` means in kernels of a chip; ``tile``: and ``s`` in those of its tiles."""
    about = arch.layout.ethernet
    return Machine(
        record(CHIP),
        {
            "dram": Buffer(0, 1, dram_bytes(arch)),
            "ethernet": Buffer(1, 1, len(about.places) * about.memory),
            "carried": Buffer(2, 1, CARRIED * FLIGHTS),
        },
        {"arch": arch},
        parts={"tile": ("address_of", tile or fast.machine(arch))},
        name="c",
    )


def module(arch: Arch, how: str = "prompt", apart: bool = True, quick: bool = False) -> Module:
    """Everything that runs a chip; ``late``: and sees who uses data that have not come yet.

    ``cycle``: its tiles run by cycles where they would run by rounds. ``apart``, ``quick``: as
    :func:`fast.prepared` says.
    """
    made = fast.prepared(arch, machine(arch), apart=apart, quick=quick)
    if how == "cycle":
        made.instead[batches.run_rounds] = cycles.run_cycles
        made.instead |= timed.INSTEAD
    if how == "late":
        watched_module(made, Watch(buffers={L1: (reads_l1, None)}, watched=is_watched))
    return add_kernels(made, arch)


def add_kernels(made: Module, arch: Arch) -> Module:
    """Compile what is called from outside, and all that this calls."""
    made.instead[advance.run_private] = generate_cores.cores(arch)["run_private"]
    for name, kernel in KERNELS.items():
        made.add(kernel, name)
    return made


def is_watched(kernel: FunctionType) -> bool:
    """Whether a kernel's reads of L1 are somebody's use of data.

    All but the watch's own, and what is generated: that fetches instructions.
    """
    return bool(kernel.__module__) and not kernel.__module__.startswith("tilelab.tensix.noc.")


def code(arch: Arch, how: str = "prompt") -> Code:
    """The compiled code of a chip, made or taken from the cache; ``how`` as :func:`module`."""
    name = "chip" if how == "prompt" else f"{how} chip"
    return fast.variant(arch, name, lambda quick: module(arch, how, quick=quick))


class FastChip:
    """Calls a chip's kernels compiled."""

    def __init__(
        self,
        memory: ChipMemory,
        engines: Sequence[Engine],
        code: Code,
    ) -> None:
        self._memory = memory
        header = memory.memory[:HEADER_BYTES].view(np.uint64)
        for index, buffer in enumerate((memory.dram, memory.ethernet, memory.carried)):
            header[HEADER_BYTES // 8 - 1 - index] = buffer.ctypes.data
        for i, engine in enumerate(engines):
            assert isinstance(engine, fast.FastEngine)
            memory.c.address_of[i] = engine.address
        self._c = memory.memory.ctypes.data + HEADER_BYTES
        self._functions = {
            name: code.function(name, kernel.__code__.co_argcount)
            for name, kernel in KERNELS.items()
        }

    def call(self, name: str, *arguments: int) -> int:
        """Call a kernel with a chip and integers."""
        return self._functions[name](self._c, *arguments)
