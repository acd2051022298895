"""One table of a kernel.toml, read key by key: each mistake is a BadInputError of one line."""

from collections.abc import Collection, Sequence
from difflib import get_close_matches
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn

from tilelab.sim.errors import BadInputError
from tilelab.sim.npy import map_npy


class Table:
    """A TOML table that remembers where it stands and which keys were asked for.

    ``path`` is the file and ``name`` the table's place in it. Where a method takes a default, the
    key is optional.
    """

    def __init__(self, path: Path, name: str, content: dict[str, Any]) -> None:
        self._path = path
        self._name = name
        self._content = content
        self._asked: list[str] = []

    @property
    def folder(self) -> Path:
        """The folder of its file, absolute."""
        return self._path.absolute().parent

    def wrong(self, key: str, what: str) -> NoReturn:
        """Raise BadInputError about a key, or with "" about the table."""
        place = ".".join(filter(None, (self._name, key)))
        raise BadInputError(f"{self._path}: {place + ': ' if place else ''}{what}")

    def has(self, key: str) -> bool:
        """Whether the key is there."""
        self._asked.append(key)
        return key in self._content

    def has_table(self, key: str) -> bool:
        """Whether the key is there and holds a table."""
        return isinstance(self._content.get(key), dict)

    def names(self) -> list[str]:
        """All keys, as the file orders them."""
        return list(self._content)

    def finish(self) -> None:
        """Complain about a key that nothing has asked for."""
        for key in self._content:
            if key not in self._asked:
                close = get_close_matches(key, self._asked, 1)
                self.wrong(key, "unknown key" + (f": did you mean {close[0]}?" if close else ""))

    def _get(
        self, key: str, kind: type | tuple[type, ...], what: str, default: object = None
    ) -> Any:
        self._asked.append(key)
        value = self._content.get(key, default)
        if value is None:
            left = [name for name in self._content if name not in self._asked]
            close = get_close_matches(key, left, 1, cutoff=0.7)
            self.wrong(key, "missing" + (f", but there is {close[0]}" if close else ""))
        if not isinstance(value, kind) or isinstance(value, bool):
            self.wrong(key, f"{value!r} is not {what}")
        return value

    def table(self, key: str) -> "Table":
        """The table under the key."""
        content = self._get(key, dict, "a table")
        return Table(self._path, ".".join(filter(None, (self._name, key))), content)

    def tables(self, key: str) -> list["Table"]:
        """The tables of the list under the key; a missing list is empty."""
        items = self._get(key, list, "a list of tables", [])
        tables = []
        for i, item in enumerate(items):
            if not isinstance(item, dict):
                self.wrong(f"{key}[{i}]", f"{item!r} is not a table")
            tables.append(Table(self._path, f"{key}[{i}]", item))
        return tables

    def text(self, key: str, default: str | None = None) -> str:
        """A string."""
        return str(self._get(key, str, "a string", default))

    def choice(self, key: str, among: Collection[str], default: str | None = None) -> str:
        """One of some strings."""
        value = self.text(key, default)
        if value not in among:
            self.wrong(key, f"{value!r} is unknown: choose from {', '.join(among)}")
        return value

    def flag(self, key: str) -> bool:
        """True or false; false if missing."""
        self._asked.append(key)
        value = self._content.get(key, False)
        if not isinstance(value, bool):
            self.wrong(key, f"{value!r} is not true or false")
        return value

    def number(self, key: str, default: int | None = None, alignment: int = 1) -> int:
        """An integer, not negative, a multiple of ``alignment``."""
        value = int(self._get(key, int, "an integer", default))
        if value < 0:
            self.wrong(key, f"{value} is negative")
        if value % alignment:
            self.wrong(key, f"{value:#x} is not a multiple of {alignment}")
        return value

    def numbers(self, key: str, limit: int) -> tuple[int, ...]:
        """A list of integers from 0 to below the limit, at least one; all of them if missing."""
        values = self._get(key, list, "a list of integers", list(range(limit)))
        for value in values:
            if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < limit:
                self.wrong(key, f"{value!r} is not an integer from 0 to {limit - 1}")
        if not values:
            self.wrong(key, "empty")
        return tuple(values)

    def words(self, key: str) -> tuple[int, ...]:
        """A list of words of 32 bits; of a negative number its two's complement."""
        return tuple(self._word(key, value) for value in self._get(key, list, "a list of integers"))

    def word(self, key: str) -> int:
        """A word of 32 bits; of a negative number its two's complement."""
        return self._word(key, self._get(key, int, "an integer"))

    def _word(self, key: str, value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            self.wrong(key, f"{value!r} is not an integer")
        if not -0x80000000 <= value <= 0xFFFFFFFF:
            self.wrong(key, f"{value} has more than 32 bits")
        return value & 0xFFFFFFFF

    def text_or_number(self, key: str) -> str:
        """A string, or an integer's digits."""
        return str(self._get(key, (str, int), "a string or an integer"))

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of strings; none if missing."""
        values = self._get(key, list, "a list of strings", [])
        for value in values:
            if not isinstance(value, str):
                self.wrong(key, f"{value!r} is not a string")
        return tuple(values)

    def names_of(self, key: str, choices: Sequence[str]) -> tuple[int, ...]:
        """A list of some of the choices, as their places among them; none if missing."""
        values = self._get(key, list, "a list of names", [])
        for value in values:
            if value not in choices:
                self.wrong(key, f"{value!r} is none of {choices[0]} to {choices[-1]}")
        return tuple(choices.index(value) for value in values)

    def shape(self, key: str) -> tuple[int, ...]:
        """An array's shape: a list of positive integers."""
        values = self._get(key, list, "a list of integers")
        if not values or any(type(value) is not int or value < 1 for value in values):
            self.wrong(key, f"{values} is not a list of positive integers")
        return tuple(values)

    def tolerance(self, key: str) -> float:
        """A finite number, not negative; 0 if missing."""
        value = float(self._get(key, (int, float), "a number", 0))
        if not isfinite(value) or value < 0:
            self.wrong(key, f"{value} is not a finite number of at least 0")
        return value

    def pair(self, key: str) -> tuple[float, float]:
        """Two numbers, maybe infinite, the lesser first."""
        values = self._get(key, list, "a list of two numbers")
        numbers = [float(one) for one in values if type(one) in (int, float)]
        if len(values) != 2 or len(numbers) != 2 or not numbers[0] <= numbers[1]:
            self.wrong(key, f"{values} is not a list of two numbers, the lesser first")
        return numbers[0], numbers[1]

    def file(self, key: str, *, exist: bool = True, cure: str = "") -> Path:
        """A file beside the kernel.toml, as an absolute path; ``cure``: told if it is missing."""
        name = self.text(key)
        file = self.folder / name
        if exist and not file.is_file():
            self.wrong(key, f"{name}: no such file{cure}")
        return file


def read_array_header(table: Table, key: str, file: Path) -> tuple[tuple[int, ...], str]:
    """Shape and element type of a .npy file of numbers, without reading the numbers."""
    try:
        array = map_npy(file)
    except BadInputError as error:
        table.wrong(key, f"{file.name} {error.summary}")
    return array.shape, str(array.dtype)
