"""What compilers do not say of common mistakes: conditions left open, headers left out."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

COMPUTING: Final = (
    *("compute_kernel", "vector", "activations", "functions", "several_tiles", "typecast", "print"),
    "templates",
)
"""Headers that compute kernels include; one that another brings along stands before it."""
MOVING: Final = ("data_movement",)
"""The same of readers and writers."""
INCLUDER: Final = "every.cpp"
_QUIET = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|^\s*#(?:\\\n|[^\n])*",
    re.DOTALL | re.MULTILINE,
)
_CONDITION = re.compile(r"\bv_(?:if|elseif|else|endif|block|endblock)\b")
_ENDS: Final = {"v_if": "v_endif", "v_block": "v_endblock"}
_SYNTAX = re.compile(r"\bexpected\b|\bextraneous\b|\bsfpi_lanes\b")
_UNKNOWN = re.compile(
    r"(?:undeclared identifier|unknown type name|no template named) '(?P<clang>\w+)'"
    r"|['‘](?P<gcc>\w+)['’] (?:was not declared in this scope|does not name a type)"
)
_MARKER = re.compile(r'^# (?P<line>\d+) "(?P<file>[^"]*)"')

_VECTORS: Final = (
    (
        re.compile(r"from '(?:sfpi::)?vBool' to 'bool'"),
        "lanes differ: v_if(…) … v_endif takes a condition of vectors",
    ),
    (
        re.compile(r"from '(?:sfpi::)?v\w+' to (?:non-scalar type )?'(?:sfpi::)?v\w+'"),
        "convert<To>(x) converts the numbers, as<To>(x) keeps the bits",
    ),
)
"""What an error about vectors is answered by."""


def of_vectors(error: str) -> str:
    """What helps against an error about types of vectors; "" if it is none."""
    return next((hint for said, hint in _VECTORS if said.search(error)), "")


def open_condition(error: str, source: str) -> tuple[int, str] | None:
    """Line and sentence for a ``v_if`` without ``v_endif``, or the reverse, behind an error.

    None if the error is none of syntax, or if the source's conditions are in order.
    """
    if not _SYNTAX.search(error):
        return None
    text = _QUIET.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), source)
    opened: list[tuple[str, int]] = []
    for found in _CONDITION.finditer(text):
        word, line = found[0], text.count("\n", 0, found.start()) + 1
        if word in _ENDS:
            opened.append((word, line))
            continue
        wanted = "v_block" if word == "v_endblock" else "v_if"
        if not opened or opened[-1][0] != wanted:
            return line, f"{word} without {wanted}"
        if word in _ENDS.values():
            opened.pop()
    if opened:
        word, line = opened[-1]
        return line, f"{word} without {_ENDS[word]}"
    return None


def unknown_name(error: str) -> str:
    """The name that an error says nothing declares; "" if it says no such thing."""
    found = _UNKNOWN.search(error)
    return (found["clang"] or found["gcc"]) if found else ""


def header_of(name: str, headers: Sequence[str], preprocess: Callable[[str], str]) -> str:
    """Which of the headers declares a name; "" if none.

    ``preprocess`` gives the preprocessed form of a text that it calls ``INCLUDER``.
    """
    text = preprocess("".join(f"#include <tilelab/{one}.h>\n" for one in headers))
    word = re.compile(rf"\b{name}\b")
    at = ""
    for file, number, line in _places(text):
        if file == INCLUDER:
            at = headers[min(number, len(headers)) - 1]
        elif word.search(line):
            return at
    return ""


def is_included(name: str, preprocessed: str, source: str) -> bool:
    """Whether what a source includes has a name: then it lacks its namespace, or is another."""
    word = re.compile(rf"\b{name}\b")
    return any(file != source and word.search(line) for file, _, line in _places(preprocessed))


def _places(preprocessed: str) -> Iterator[tuple[str, int, str]]:
    """Each line of a preprocessed text behind its last marker's file and line."""
    file, number = "", 1
    for line in preprocessed.splitlines():
        if marker := _MARKER.match(line):
            file, number = marker["file"], int(marker["line"])
        yield file, number, "" if marker else line
