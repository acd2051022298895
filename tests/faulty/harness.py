"""Faulty programs and their healthy twins, out of one text.

A line that begins with ``-`` is of the faulty program alone, one with ``+`` of its twin alone.
``# this`` and ``# other`` mark the two parties of the finding that is expected.
"""

from dataclasses import dataclass
from pathlib import Path

from tilelab.tensix.check.engine import CheckedTile
from tilelab.tensix.check.run import Checked, checked, set_policies
from tilelab.tensix.programs.assembly_run import run_program
from tilelab.tensix.words.assembly import assemble

PROGRAMS = Path(__file__).parent / "programs"


@dataclass(frozen=True)
class Faulty:
    """A program with one fault."""

    name: str
    check: str
    stands_for: str
    arch: str
    also: str
    """What the machine itself then refuses, if it does."""
    text: str

    def lines(self, healthy: bool) -> list[str]:
        """The lines of the faulty program, or of its twin."""
        drop, keep = ("-", "+") if healthy else ("+", "-")
        lines = self.text.splitlines()
        return [line.removeprefix(f"{keep} ") for line in lines if not line.startswith(f"{drop} ")]

    def places(self) -> list[str]:
        """``file:line`` of the marked parties, this one first."""
        lines = list(enumerate(self.lines(healthy=False), 1))
        return [
            f"{self.name}.s:{number}"
            for mark in ("# this", "# other")
            for number, line in lines
            if line.endswith(mark)
        ]

    def run(self, healthy: bool) -> Checked:
        """Run one of the two under the checker."""
        tile = CheckedTile(self.arch)
        set_policies(tile, ())
        text = "\n".join(self.lines(healthy)) + "\n"
        program = assemble(text, self.arch, f"{self.name}.s")
        return checked(self.name, tile, lambda tile: run_program(program, tile, 100_000))


def read(path: Path) -> Faulty:
    """Read a program and what it says about itself."""
    text = path.read_text(encoding="ascii")
    said = {"arch": "blackhole", "also": ""}
    for line in text.splitlines():
        for key in ("check", "stands for", "arch", "also"):
            if line.startswith(f"# {key} "):
                said[key] = line.removeprefix(f"# {key} ")
    return Faulty(path.stem, said["check"], said["stands for"], said["arch"], said["also"], text)


def corpus() -> list[Faulty]:
    """All faulty programs."""
    return [read(path) for path in sorted(PROGRAMS.glob("*.s"))]
