"""What source panels of a chip's tiles show: each set of programs once, however many ran it."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from tilelab.chip.programs import JoinedProgram
from tilelab.trace.chip.recorded import Piece
from tilelab.trace.page.code import code, lines_of

SUFFIXES: Final = (".cpp", ".cc", ".h", ".hpp")


class Listings:
    """Listings by number. ``roots``: folders below which the sources of kernels are."""

    def __init__(self, roots: Iterable[Path]) -> None:
        self.rows: list[dict[str, Any]] = []
        self._roots = tuple(roots)
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._index: dict[str, Path | None] | None = None
        self._lines: dict[str, list[str]] = {}

    def number(self, piece: Piece) -> int:
        """The number of a piece's listing."""
        key = tuple(
            (core, part.path, part.by)
            for core, program in sorted(piece.sources.programs.items())
            for part in (program.parts if isinstance(program, JoinedProgram) else ())
        )
        if key not in self._numbers:
            self._numbers[key] = len(self.rows)
            self.rows.append(self._listing(piece))
        return self._numbers[key]

    def _listing(self, piece: Piece) -> dict[str, Any]:
        made = code(piece.sources, piece.tile.arch.name)
        names = {row[3].rpartition(":")[0] for rows in made["code"].values() for row in rows}
        for name in sorted(names - made["files"].keys() - {""}):
            if found := self._file(name):
                made["files"][name] = found
        return made

    def _file(self, name: str) -> list[str]:
        """The lines of the only file of a name; none if there are several, or there is none."""
        if self._index is None:
            self._index = {}
            for root in self._roots:
                for folder, _folders, files in os.walk(root):
                    for file in files:
                        if file.endswith(SUFFIXES):
                            known = file in self._index
                            self._index[file] = None if known else Path(folder) / file
        path = self._index.get(name)
        if name not in self._lines:
            self._lines[name] = lines_of(path) if path else []
        return self._lines[name]
