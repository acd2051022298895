"""Where words and instructions come from in the source: what reports, traces and pages ask."""

from dataclasses import dataclass, field

from tilelab.elf.frames import Frame
from tilelab.elf.program import Program
from tilelab.tensix.words.origin import CORE_NAMES, HOST


@dataclass
class Sources:
    """The programs of a tile's cores, by core, and the assembly file whose words the host pushes.

    A program counter of the host is a line of that file.
    """

    programs: dict[int, Program] = field(default_factory=dict)
    host_file: str = ""

    def describe_pc(self, core: int, pc: int) -> str:
        """Name a program counter: core, address, source line and function where known."""
        where = self.describe(core, pc)
        if core == HOST:
            return where or f"host's push {pc}"
        return f"{CORE_NAMES[core]} pc {pc:#x}" + (f" ({where})" if where else "")

    def describe(self, core: int, pc: int) -> str:
        """Source line, inlined calls and function of a program counter; "" if unknown."""
        if core == HOST:
            return f"{self.host_file}:{pc}" if self.host_file else ""
        program = self.programs.get(core)
        return program.describe(pc) if program else ""

    def line(self, core: int, pc: int) -> str:
        """The author's source line of a program counter, ``kernel.cpp:31``; "" if unknown."""
        return self.stack(core, pc)[-1]

    def stack(self, core: int, pc: int) -> tuple[str, ...]:
        """The author's lines of a program counter, the innermost first, then its callers'."""
        program = self.programs.get(core)
        return program.stack(pc) if program else (self.describe(core, pc),)

    def frames(self, core: int, pc: int) -> tuple[Frame, ...]:
        """The places of a program counter, the author's first; none if unknown."""
        program = self.programs.get(core)
        return program.frames(pc) if program else ()

    @property
    def notes(self) -> list[str]:
        """One line for each program whose source lines are not all known, saying why."""
        return list(dict.fromkeys(p.note for p in self.programs.values() if p.note))
