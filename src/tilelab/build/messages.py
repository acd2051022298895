"""Reads what compilers and linkers say: the first error, at the user's own line."""

import re
from pathlib import Path

_ERROR = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d+):(?:\d+:)? (?:fatal )?error: (?P<text>.*)$")
_UNDEFINED = re.compile(r"undefined (?:symbol: |reference to [`'])(?P<name>[^'\n]*)'?")
_PLACE = re.compile(r"(?P<file>[^\s:>(]+):(?P<line>\d+)")


def first_error(messages: str, source: Path) -> str:
    """One line for the first error: ``file:line: what``, at the source's line if one is named.

    An error inside a header is put at the line of the source that the messages say led there.
    Empty if the messages hold no error that can be read.
    """
    lines = messages.splitlines()
    for i, line in enumerate(lines):
        if found := _ERROR.match(line):
            own = found["line"] if _is(found["file"], source) else _led_there(lines, i, source)
            place = f"{source}:{own}" if own else f"{found['file']}:{found['line']}"
            forbidden = _FORBIDDEN.search(line)
            return f"{place}: {forbidden['text'] if forbidden else found['text']}"
        if found := _UNDEFINED.search(line):
            own = _led_there(lines, i, source)
            return f"{source}{':' if own else ''}{own}: nothing defines {found['name']}"
    return ""


def what_is_too_long(messages: str) -> str:
    """What of a program a linker finds no room for, in core.ld's regions; "" if nothing."""
    for region, what in (("code", "its code is"), ("private", "its variables are")):
        if re.search(rf"region [`']{region}'", messages):
            excess = re.findall(rf"region [`']{region}':? overflowed by (\d+) bytes", messages)
            much = f"{max(map(int, excess)):,} bytes " if excess else ""
            return f"{what} {much}longer than the core has room for"
    return ""


def _is(file: str, source: Path) -> bool:
    named = Path(file)
    return named == source if named.is_absolute() else named.name == source.name


def _led_there(lines: list[str], at: int, source: Path) -> str:
    """The line of the source that the messages of one error name; "" if none."""
    first = at
    while first and not _ERROR.match(lines[first - 1]):
        first -= 1
    last = at + 1
    while last < len(lines) and not _ERROR.match(lines[last]):
        last += 1
    for line in (*lines[at:last], *lines[first:at]):
        if line.startswith(("In file included from", "                 from")):
            continue
        for found in _PLACE.finditer(line):
            if _is(found["file"], source):
                return found["line"]
    return ""


_FORBIDDEN = re.compile(
    r"call to '(?:\w+::)*(?P<name>\w+)[^']*' declared with.*error.*: (?P<text>.*)$"
)
_INLINED = re.compile(r"(?P<file>[^\s@\[\]]+):(?P<line>\d+):\d+")


def forbidden_call(messages: str) -> tuple[str, str] | None:
    """Name and text of the function declared an error that the messages complain of."""
    for line in messages.splitlines():
        if found := _FORBIDDEN.search(line):
            return found["name"], found["text"]
    return None


def call_line(assembly: str, name: str, source: Path) -> int | None:
    """The source's line that a call of the function comes from, by Clang's comments."""
    place = None
    for line in assembly.splitlines():
        word = line.split(None, 1)[:1]
        if word == [".loc"]:
            place = source_line(line, source)
        elif word in (["call"], ["tail"]) and f"{len(name)}{name}" in line:
            return place
    return None


def innermost(loc: str) -> tuple[str, int] | None:
    """File and line of what a ``.loc`` directive's comment says is inlined, by its name there."""
    found = _INLINED.search(loc.partition("#")[2])
    return (found["file"], int(found["line"])) if found else None


def source_line(loc: str, source: Path) -> int | None:
    """The source's line in a ``.loc`` directive, whose comment says what is inlined where."""
    for found in _INLINED.finditer(loc.partition("#")[2]):
        if _is(found["file"], source):
            return int(found["line"])
    return None
