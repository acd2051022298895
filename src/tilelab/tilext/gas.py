"""Mixed assembly for GNU as and LLVM: the tile lines of a ``.s`` become ``.insn``, the rest stays.

Labels, directives, scalar instructions and comments pass through as they are; so does everything
that is not the name of a tile instruction, for the assembler to judge. Each line stays one line,
so that the assembler's messages name the user's lines. Operands are numbers and registers: symbols
and arguments of ``.macro`` are not known here and are refused.
"""

import re
from collections.abc import Iterator

from tilelab.tilext.assembler import Assembler, at_line, insn_line

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:\\.|[^\\])|/\*.*?(?:\*/|$)|//.*|\#.*|;|[^"\'/#;]+|.')
_LABELS = re.compile(r"(?:\s*[\w.$]+\s*:)*\s*")
_END = "*/"


def translate(text: str, assembler: Assembler) -> str:
    """Return assembly in which tile instructions are ``.insn r``; errors name the line."""
    out, inside = [], False
    for number, line in enumerate(text.splitlines(), 1):
        new, inside = _line(line, number, assembler, inside=inside)
        out.append(new)
    return "".join(f"{line}\n" for line in out)


def statements(text: str) -> Iterator[tuple[int, str]]:
    """Yield line numbers (from 1) and the statements of a text, labels included, comments not."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if inside:
            if _END not in line:
                continue
            line = line[line.index(_END) + len(_END) :]
        tokens, inside = _tokens(line)
        for code, _ in _statements(tokens):
            if code.strip():
                yield number, code


def _tokens(line: str) -> tuple[list[str], bool]:
    """Return a line's code, strings, comments and semicolons, and whether a comment goes on."""
    tokens = [found[0] for found in _TOKEN.finditer(line)]
    last = tokens[-1] if tokens else ""
    return tokens, last.startswith("/*") and (not last.endswith(_END) or last == "/*/")


def _line(line: str, number: int, assembler: Assembler, *, inside: bool) -> tuple[str, bool]:
    """Return a line translated, and whether it ends inside a comment."""
    start = ""
    if inside:
        if _END not in line:
            return line, True
        cut = line.index(_END) + len(_END)
        start, line = line[:cut], line[cut:]
    tokens, inside = _tokens(line)
    texts: list[str] = []
    parts = [
        _statement(code, number, assembler, texts) + rest for code, rest in _statements(tokens)
    ]
    new = start + "".join(parts)
    if texts and not tokens[-1].startswith(("#", "//", "/*")):
        new = f"{new.rstrip()}  # {'; '.join(texts)}"
    return new, inside


def _statements(tokens: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the code of each statement and what separates it from the next."""
    code = ""
    for token in tokens:
        if token == ";" or token.startswith(("#", "//", "/*")):
            yield code, token
            code = ""
        else:
            code += token
    yield code, ""


def _statement(code: str, number: int, assembler: Assembler, texts: list[str]) -> str:
    """Return a statement, translated if it is a tile instruction, which is noted in ``texts``."""
    found = _LABELS.match(code)
    labels = found[0] if found else ""
    body = " ".join(code[len(labels) :].split())
    name, _, rest = body.partition(" ")
    if name not in assembler.profile.table or rest.startswith("="):
        return code
    with at_line(number):
        words = assembler.line(body)
    texts.append(body)
    return labels + "; ".join(insn_line(word) for word in words)
