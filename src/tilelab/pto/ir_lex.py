"""The IR's words: types with what stands in their angle brackets are one."""

import re
from typing import NamedTuple

from tilelab.pto.errors import IRError

TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*)
      | (?P<string>"[^"\n]*")
      | (?P<number>-?(?:0x[0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?))
      | (?P<value>%[\w$.-]+(?:\#\d+|:\d+(?=\s*=))?)
      | (?P<label>\^[\w$.-]+)
      | (?P<symbol>@[\w$.-]+)
      | (?P<typed>[!\#][\w.]+|(?:memref|tensor|vector)(?=<)|(?=<))
      | (?P<word>[A-Za-z_][\w.]*)
      | (?P<mark>->|[(){}\[\],:=])""",
    re.VERBOSE,
)


class Tok(NamedTuple):
    """A word, its kind and its line."""

    kind: str
    text: str
    line: int


def lex(text: str) -> list[Tok]:
    """The words of a text, or IRError."""
    tokens: list[Tok] = []
    at, line = 0, 1
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise IRError(f"unexpected {text[at]!r}", line)
        kind, word = match.lastgroup or "", match.group()
        end = match.end()
        if kind == "typed" and text[end : end + 1] == "<":
            end = _closing(text, end, line)
            word = text[at:end]
        if kind != "space":
            tokens.append(Tok(kind, re.sub(r"\s+", " ", word), line))
        line += text.count("\n", at, end)
        at = end
    tokens.append(Tok("end", "the end", line))
    return tokens


def _closing(text: str, at: int, line: int) -> int:
    depth = 0
    for index in range(at, len(text)):
        depth += {"<": 1, ">": -1}.get(text[index], 0)
        if depth == 0:
            return index + 1
    raise IRError("'<' is never closed", line)
