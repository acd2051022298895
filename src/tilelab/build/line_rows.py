"""Gives each instruction word its row in the table of source lines."""

import re
from collections.abc import Iterable, Iterator

_LOC = re.compile(r"^\s*\.loc\s+\d+\s+\d+(?:\s+\d+)?")
_OTHER_SECTION = (".section", ".text", ".data", ".bss")


def with_rows(lines: Iterable[str]) -> Iterator[str]:
    """Assembly in which a ``.word`` is of the line that the ``.loc`` before it names.

    An assembler puts a ``.loc`` into the table when the next instruction comes. For GNU's a
    ``.word`` is none: the line would begin behind the word. At a second ``.loc`` it puts the first
    one in, where it stands; so one that a word follows is said twice.
    """
    waiting = ""
    for line in lines:
        words = line.split("#", maxsplit=1)[0].split()
        first = words[0] if words else ""
        if found := _LOC.match(line):
            waiting = found[0]
        elif first == ".word" and waiting:
            yield waiting
            waiting = ""
        elif first in _OTHER_SECTION or not (first.startswith(".") or first.endswith(":")):
            waiting = waiting if not first else ""
        yield line
