"""Which programs a tile's cores ran: those whose machine code lies where the cores were."""

from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tilelab.chip.running import MovedProgram, running_program
from tilelab.elf.frames import Frame
from tilelab.elf.program import Program
from tilelab.tensix.riscv.core import fetch_index
from tilelab.tensix.riscv.sources import Sources
from tilelab.tensix.tile.tile import Tile

AROUND: Final = 128
"""Bytes around a program counter by which programs are told; a multiple of an instruction."""
KERNELS: Final = "kernels"
"""The folder of tt-metal's cache that kernels are in, each in one of its name; firmware is not."""
DISPATCH: Final = "cq_"
"""How the names of the dispatcher's kernels begin."""


@dataclass(frozen=True)
class JoinedProgram(Program):
    """Programs of one core that lie side by side: firmware and kernels."""

    parts: tuple[MovedProgram, ...] = ()
    """By address."""

    def at(self, pc: int) -> MovedProgram | None:
        """The program that an address is in."""
        i = bisect_right(self.parts, pc, key=start_of) - 1
        return self.parts[i] if i >= 0 and pc in extent(self.parts[i]) else None

    def function(self, pc: int) -> str:
        """As Program."""
        part = self.at(pc)
        return part.function(pc) if part else ""

    def frames(self, pc: int) -> tuple[Frame, ...]:
        """As Program."""
        part = self.at(pc)
        return part.frames(pc) if part else ()

    @property
    def note(self) -> str:
        """As Program."""
        return next((part.note for part in self.parts if part.note), "")


def start_of(program: MovedProgram) -> int:
    """Where a program's code begins in the core's memory."""
    return program.segments[0][0] + program.by


def extent(program: MovedProgram) -> range:
    """The addresses of a program's code."""
    start = start_of(program)
    return range(start, start + len(program.segments[0][1]))


def joined(parts: list[MovedProgram]) -> JoinedProgram:
    """Several programs as one, each where it lies; there is at least one."""
    ordered = tuple(sorted(parts, key=start_of))
    symbols = [(at + part.by, name) for part in ordered for at, name in part.symbols]
    segments = tuple((start_of(part), part.segments[0][1]) for part in ordered)
    return JoinedProgram(
        ordered[-1].path, start_of(ordered[0]), segments, tuple(symbols), parts=ordered
    )


def kernel_name(path: Path) -> str:
    """The name of the kernel that a program is, "" for firmware."""
    parts = path.parts
    return parts[parts.index(KERNELS) + 1] if KERNELS in parts[:-1] else ""


class Finder:
    """Finds the programs of tiles; what lies around a program counter is looked for once."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, int, bytes], MovedProgram | None] = {}

    def program(self, tile: Tile, core: int, pc: int) -> MovedProgram | None:
        """The program at an address, as the tile's memory is now."""
        index = fetch_index(tile.state.s, core, pc)
        if index < 0:
            return None
        first = max(0, 4 * index - AROUND)
        key = core, pc, tile.state.code[first : first + 2 * AROUND].tobytes()
        if key not in self._found:
            self._found[key] = running_program(tile.state, core, pc)
        return self._found[key]

    def runs_kernel(self, tile: Tile, core: int) -> bool:
        """Whether a core runs a kernel, not firmware or the dispatcher; notes its program."""
        program = self.program(tile, core, int(tile.state.s.riscv[core].pc))
        name = kernel_name(program.path) if program else ""
        if program and name:
            tile.sources.programs[core] = program
        return bool(name) and not name.startswith(DISPATCH)

    def sources(self, tile: Tile, counters: dict[int, list[int]]) -> Sources:
        """Where cores' program counters are in the source; they are given by core, in order."""
        made = Sources()
        for core, pcs in counters.items():
            parts: list[MovedProgram] = []
            unknown = -1
            for pc in pcs:
                if any(pc in extent(part) for part in parts) or pc < unknown:
                    continue
                part = self.program(tile, core, pc)
                if part is None:
                    unknown = pc + AROUND
                else:
                    parts.append(part)
            if parts:
                made.programs[core] = joined(parts)
        return made


def kernels(sources: Sources) -> list[str]:
    """The names of the kernels among programs, each once; the dispatcher's are not."""
    found: dict[str, None] = {}
    for program in sources.programs.values():
        for part in program.parts if isinstance(program, JoinedProgram) else ():
            name = kernel_name(part.path)
            if name and not name.startswith(DISPATCH):
                found[name] = None
    return list(found)
