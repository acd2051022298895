"""Recorded runs of the vendor's low-level kernels, and their compiled programs, read from files.

All is read before a device is asked for anything: a host that unpacks files between two accesses
leaves the processor's caches full of that, which is measured with the accesses.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tilelab.kernels.kernel_toml.file import LARGEST_L1
from tilelab.sim.errors import BadInputError
from tilelab.tensix.riscv.elf import LARGEST_RAM, load_elf

PROGRAMS = ("brisc", "trisc0", "trisc1", "trisc2")
Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Code:
    """What is loaded of a program; an ELF's debug information is many times as large."""

    entry: int
    segments: tuple[tuple[int, bytes], ...]


Programs = Mapping[str, Code]
"""A kernel's programs, by :data:`PROGRAMS`."""


@dataclass(frozen=True)
class Vector:
    """A recorded run: what the host writes first, and what is in L1 at the end."""

    inputs: tuple[tuple[int, bytes], ...]
    """Addresses, and what belongs there."""
    results: tuple[tuple[int, Bytes, Bytes], ...]
    """Addresses, what belongs there, and which of these bytes the kernel determines (not 0)."""


def read_programs(elfs: Path | Programs) -> Programs:
    """The programs in a folder's brisc.elf and trisc0.elf to trisc2.elf, or as they are given."""
    if not isinstance(elfs, Path):
        return elfs
    programs = {}
    for name in PROGRAMS:
        program = load_elf(elfs / f"{name}.elf")
        program.check_fits(LARGEST_L1, LARGEST_RAM)
        programs[name] = Code(program.entry, program.segments)
    return programs


def read_inputs(vector: Path) -> tuple[tuple[int, bytes], ...]:
    """What the host wrote before the kernel of a recorded vector ran: addresses and bytes."""
    if not (vector / "meta.json").is_file():
        raise BadInputError(f"{vector}: no recorded vector (meta.json is missing)")
    events = json.loads((vector / "meta.json").read_text())["events"]
    with np.load(vector / "io.npz") as payload:
        return tuple(
            (address, payload[f"blob{rest[0]}"].tobytes())
            for kind, address, *rest in events
            if kind == "write"
        )


def read_vector(vector: Path) -> Vector:
    """A folder's meta.json, io.npz and expect.npz; see docs/testing.md."""
    inputs = read_inputs(vector)
    with np.load(vector / "expect.npz") as expected:
        results = tuple(
            (int(name[1:], 16), expected[name], expected[f"m{name[1:]}"])
            for name in sorted(expected.files)
            if name.startswith("a")
        )
    return Vector(inputs, results)
