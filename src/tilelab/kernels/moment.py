"""A tile at a moment, in a file: what to run, where nothing else says how it came to be.

``NAME.npz`` holds the tile's whole state, its programs' ELFs, the words of L1 that say that the
program is done, and which bytes of L1 are its result. ``tilelab check``, ``debug`` and ``gdb`` take
it as a target; the plugin for the vendor's tests writes one for each kernel that a test starts.
"""

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from tilelab.elf.program import Program
from tilelab.kernels.expansions import ExpansionTally
from tilelab.kernels.result import KernelResult
from tilelab.kernels.run import CHUNK, collect, cycle_limit
from tilelab.sim.checks import Check, Policy, declared
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import read_file, writing
from tilelab.tensix.arch import arch as arch_named
from tilelab.tensix.riscv.elf import program_of
from tilelab.tensix.run.stop_reason import StopReason
from tilelab.tensix.state import TensixState
from tilelab.tensix.tables.cores import CORE_IDS
from tilelab.tensix.tile.tile import Tile

SUFFIX: Final = ".npz"
VERSION: Final = 2
LARGEST_HEADER: Final = 1 << 16
"""Characters that describe a state's record; NumPy reads 10,000 unless it is told otherwise."""


@dataclass(frozen=True)
class Moment:
    """A tile's state, and what is to become of it."""

    path: Path
    arch: str
    options: Mapping[str, int]
    """Named readings of the documents that the tile was made with (:class:`.Tile`)."""
    record: npt.NDArray[Any] = field(repr=False)
    l1: npt.NDArray[np.uint8] = field(repr=False)
    iram: npt.NDArray[np.uint8] = field(repr=False)
    programs: Mapping[str, Program]
    """By core, for source lines; their code is in L1 already."""
    policies: Mapping[str, str]
    """Policies of its tile that are not the defaults; whoever runs it may choose others."""
    done: Mapping[int, int]
    """Words of L1, by address, that all hold these values in the end; none: when all rests."""
    result: tuple[int, int]
    """Where the result is: the first address of L1 and the one behind the last."""

    def put(self, tile: Tile) -> None:
        """Make a fresh tile of the same chip what it was then; BadInputError if it is another."""
        if tile.arch.name != self.arch:
            raise BadInputError(f"{self.path}: is for {self.arch}; the tile is {tile.arch.name}")
        if self.options != tile.options:
            names = ", ".join(f"{name}={value}" for name, value in self.options.items())
            raise BadInputError(f"{self.path}: its tile was made with {names}, this one is not")
        chosen = tile.state.record["fault"]["policy"].copy()
        tile.state.restore(self.record)
        tile.state.record["fault"]["policy"] = chosen
        for name in self.policies.keys() - set(changed_policies(chosen)):
            tile.set_policy(name, self.policies[name])
        tile.state.iram[:] = self.iram
        tile.write(0, self.l1)
        tile.programs.update({CORE_IDS[core]: program for core, program in self.programs.items()})

    def result_of(self, tile: Tile) -> bytes:
        """What a tile that has run holds where the result is."""
        return tile.read(self.result[0], self.result[1] - self.result[0])


def changed_policies(table: npt.NDArray[Any]) -> dict[str, str]:
    """The machine's checks of which a tile's table says other than the default, with what."""
    return {
        row.name: Policy(table[row.code]).name.lower()
        for row in declared(Check)
        if table[row.code] != (row.policy or Policy.ERROR)
    }


def write_moment(
    path: Path,
    tile: Mapping[str, Any],
    elfs: Mapping[str, Path],
    done: Mapping[int, int],
    result: tuple[int, int],
) -> None:
    """Write a moment; ``tile`` is what :meth:`Tile.__getstate__` gave then.

    Of ``elfs``, by core, those are kept whose code is what L1 held. BadInputError if that fails.
    """
    made = {k: v for k, v in tile["made"].items() if k not in ("engine", "clock", "junk")}
    l1 = np.frombuffer(tile["l1"], np.uint8)
    kept = {core: path.read_bytes() for core, path in elfs.items() if _holds(l1, path)}
    about = {
        "version": VERSION,
        "arch": made.pop("arch"),
        "options": made,
        "policies": changed_policies(np.asarray(tile["record"])["fault"]["policy"]),
        "done": {str(address): value for address, value in done.items()},
        "result": list(result),
        "programs": {core: str(elfs[core].resolve()) for core in kept},
    }
    arrays: dict[str, Any] = {
        "about": np.frombuffer(json.dumps(about).encode(), np.uint8),
        "record": np.asarray(tile["record"]),
        "l1": l1,
        "iram": np.frombuffer(tile["iram"], np.uint8),
        **{f"elf_{core}": np.frombuffer(image, np.uint8) for core, image in kept.items()},
    }
    with writing(path) as at, at.open("wb") as file:
        np.savez_compressed(file, **arrays)


def _holds(l1: npt.NDArray[np.uint8], path: Path) -> bool:
    """Whether a program's code is in L1."""
    segments = program_of(path.read_bytes(), path).segments
    return all(l1[at : at + len(data)].tobytes() == data for at, data in segments[:1])


def read_moment(path: Path) -> Moment:
    """Read a moment; BadInputError if the file holds none."""
    try:
        content = io.BytesIO(read_file(path))
        with np.load(content, allow_pickle=False, max_header_size=LARGEST_HEADER) as saved:
            about = json.loads(saved["about"].tobytes())
            if about["version"] != VERSION:
                raise BadInputError(f"{path}: a moment of version {about['version']!r}")
            state = TensixState(arch_named(about["arch"]))
            moment = Moment(
                path,
                about["arch"],
                {str(name): int(value) for name, value in about["options"].items()},
                saved["record"],
                _sized(saved["l1"], state.l1),
                _sized(saved["iram"], state.iram),
                {
                    core: program_of(saved[f"elf_{core}"].tobytes(), Path(elf))
                    for core, elf in about["programs"].items()
                    if core in CORE_IDS
                },
                {str(name): str(policy) for name, policy in about["policies"].items()},
                {int(address): int(value) for address, value in about["done"].items()},
                (int(about["result"][0]), int(about["result"][1])),
            )
    except BadInputError:
        raise
    except (OSError, ValueError, KeyError, TypeError, IndexError, BadZipFile, EOFError) as error:
        raise BadInputError(f"{path}: holds no moment of a tile: {error}") from None
    if not 0 <= moment.result[0] < moment.result[1] <= len(moment.l1):
        raise BadInputError(f"{path}: its result is not in L1")
    state.restore(moment.record)
    return moment


def _sized(saved: npt.NDArray[Any], memory: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    if saved.dtype != memory.dtype or saved.shape != memory.shape:
        raise ValueError("a memory is not of the chip's size")
    return saved


def run_moment(
    moment: Moment,
    tile: Tile,
    max_cycles: int,
    progress: Callable[[int], None] | None = None,
) -> KernelResult:
    """Go on from a moment on a fresh tile until the program is done; errors as ``run_kernel``."""
    tally = ExpansionTally()
    tile.observe(tally)
    moment.put(tile)
    last = int(tile.state.s.clock) + max_cycles
    while (left := last - int(tile.state.s.clock)) > 0:
        reason = tile.run(min(left, CHUNK), watch=moment.done)
        if progress is not None:
            progress(int(tile.state.s.clock))
        if reason is StopReason.CONDITION or (reason is StopReason.IDLE and not moment.done):
            return collect(str(moment.path), tile, [], tally)
        if reason is StopReason.IDLE:
            raise tile.deadlock()
    raise cycle_limit(tile, max_cycles)
