"""A program's source lines the other way round: from a line or a function to its addresses."""

from bisect import bisect_right
from functools import cached_property
from typing import Final

from tilelab.elf.frames import Frame
from tilelab.elf.program import Program

INSTRUCTION: Final = 4


class LineIndex:
    """Where in its code a program's lines and functions are."""

    def __init__(self, program: Program) -> None:
        self.program = program

    @cached_property
    def _edges(self) -> list[int]:
        return self.program.debug.edges()

    @cached_property
    def _lines(self) -> dict[tuple[str, int], list[int]]:
        """Where the code of each line begins, be it the line's own or inlined into it."""
        found: dict[tuple[str, int], list[int]] = {}
        before: set[tuple[str, int]] = set()
        for address in self._edges:
            here = {(frame.file, frame.line) for frame in self.program.frames(address)}
            for line in here - before:
                found.setdefault(line, []).append(address)
            before = here
        return found

    def files(self) -> set[str]:
        """The names of all source files that have code."""
        return {file for file, _ in self._lines if file}

    def line(self, file: str, line: int) -> tuple[int, list[int]]:
        """The first line from a given one on that has code, and where it begins; 0 if none has."""
        lines = [number for name, number in self._lines if name == file and number >= line]
        if not lines:
            return 0, []
        return min(lines), self._lines[file, min(lines)]

    def function(self, name: str) -> list[int]:
        """Where functions of a name begin, with or without what they are members of."""
        return [
            address
            for address, symbol in self.program.symbols
            if symbol == name or symbol.endswith(f"::{name}")
        ]

    def stretch(self, pc: int, *, author: bool) -> tuple[int, int]:
        """The addresses around one that are of its line: of the author's, or the innermost.

        Of an address whose line is unknown, that instruction alone.
        """
        wanted = self.key(pc, author)
        index = bisect_right(self._edges, pc) - 1
        if index < 0 or wanted is None:
            return pc, pc + INSTRUCTION
        low = high = index
        while low and self.key(self._edges[low - 1], author) == wanted:
            low -= 1
        while high < len(self._edges) and self.key(self._edges[high], author) == wanted:
            high += 1
        end = self._edges[high] if high < len(self._edges) else self._end(pc)
        return self._edges[low], end

    def key(self, pc: int, author: bool) -> tuple[Frame, ...] | None:
        """What tells one line from another: the author's, or the innermost; None if unknown."""
        frames = [frame for frame in self.program.frames(pc) if frame.file]
        if not frames:
            return None
        # the innermost line is one of its own in each call that it is inlined by
        return (frames[0],) if author else tuple(frames)

    def _end(self, pc: int) -> int:
        ends = [at + len(data) for at, data in self.program.segments if at <= pc < at + len(data)]
        return ends[0] if ends else pc + INSTRUCTION
