"""The places in the source that an address came from, once debugging data are read."""

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any, NamedTuple


class Frame(NamedTuple):
    """A place in the source: in which function, in which file (without its folder), which line.

    ``function`` and ``file`` are empty and ``line`` is 0 where the compiler does not say.
    """

    function: str
    file: str
    line: int

    @property
    def place(self) -> str:
        """``file.cpp:12``, or "" if even the file is unknown."""
        return f"{self.file}:{self.line or '?'}" if self.file else ""


@dataclass(eq=False)
class Scope:
    """A function's code, or an inlined call's within it: where, and where the call stands."""

    name: str
    ranges: list[tuple[int, int]]
    parent: "Scope | None"
    call_file: str = ""
    call_line: int = 0
    depth: int = 0


class DebugInfo:
    """What an ELF's debugging data say; ``code``: its (start, end) of code.

    ``note`` is empty, or one clause that says what the file lacks.
    """

    def __init__(self, code: list[tuple[int, int]]) -> None:
        self.note = ""
        self.code = code
        self._known: dict[int, tuple[Frame, ...]] = {}
        self._starts: list[int] = []
        self._owners: list[Scope | None] = []
        self._row_starts: list[int] = []
        self._rows: list[tuple[str, int]] = []

    def document(self) -> dict[str, Any]:
        """All of it, as JSON can hold it; :meth:`of_document` takes it back."""
        scopes: dict[Scope, int] = {}  # those around a scope come before it
        for owner in self._owners:
            around: list[Scope] = []
            while owner is not None and owner not in scopes:
                around.append(owner)
                owner = owner.parent
            for scope in reversed(around):
                scopes[scope] = len(scopes)
        texts = {text: i for i, text in enumerate(dict.fromkeys(file for file, _ in self._rows))}
        return {
            "note": self.note,
            "scopes": [
                (one.name, scopes[one.parent] if one.parent else -1, one.call_file, one.call_line)
                for one in scopes
            ],
            "starts": self._starts,
            "owners": [scopes[owner] if owner else -1 for owner in self._owners],
            "row_starts": self._row_starts,
            "files": list(texts),
            "rows": [(texts[file], line) for file, line in self._rows],
        }

    @classmethod
    def of_document(cls, document: dict[str, Any], code: list[tuple[int, int]]) -> "DebugInfo":
        """What :meth:`document` was made of."""
        made = cls(code)
        made.note = document["note"]
        scopes: list[Scope] = []
        for name, parent, file, line in document["scopes"]:
            scopes.append(Scope(name, [], scopes[parent] if parent >= 0 else None, file, line))
        made._starts, made._row_starts = document["starts"], document["row_starts"]
        made._owners = [scopes[owner] if owner >= 0 else None for owner in document["owners"]]
        files = document["files"]
        made._rows = [(files[file], line) for file, line in document["rows"]]
        return made

    def frames(self, pc: int) -> tuple[Frame, ...]:
        """The places that an address came from: the author's call first, the innermost line last.

        Empty if nothing is known.
        """
        found = self._known.get(pc)
        if found is None:
            found = self._known[pc] = self._frames(pc)
        return found

    def _frames(self, pc: int) -> tuple[Frame, ...]:
        scope = _at(self._starts, self._owners, pc)
        file, line = _at(self._row_starts, self._rows, pc) or ("", 0)
        found = [Frame(scope.name if scope else "", file, line)]
        while scope is not None and scope.parent is not None:
            found.append(Frame(scope.parent.name, scope.call_file, scope.call_line))
            scope = scope.parent
        return tuple(reversed(found)) if len(found) > 1 or any(found[0]) else ()

    def edges(self) -> list[int]:
        """The addresses of code at which :meth:`frames` may change, in order."""
        found = {*self._row_starts, *self._starts}
        return sorted(at for at in found if any(start <= at < end for start, end in self.code))


def _at(starts: list[int], values: list[Any], address: int) -> Any:
    """The value of the last stretch that begins at or before an address; None before all."""
    index = bisect_right(starts, address) - 1
    return values[index] if index >= 0 else None
