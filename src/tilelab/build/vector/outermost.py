"""Outermost conditions need no flag stack, as the vendor's compiler has it: all lanes are enabled.

SFPPUSHC goes, and SFPENCC, which enables all lanes, stands for SFPPOPC. SFPCOMPC takes an empty
stack for all lanes (SFPCOMPC.md). Nothing changes where lanes may be disabled outside: in a
function with flag words of the source's own, or whose conditions reach beyond a basic block, and in
a text in which anything is called within a condition.
"""

from collections.abc import Iterator

from tilelab.build.vector.raw import word_of
from tilelab.build.vector.replays import leaves_block
from tilelab.build.vector.text import find_functions
from tilelab.isa.instruction import InstructionSet
from tilelab.tensix.arch import arch as arch_named
from tilelab.tensix.words.ttinsn import to_ttinsn

ENABLE_ALL = 0x8A00300A
FLAGS = {"SFPENCC", "SFPPUSHC", "SFPPOPC", "SFPCOMPC", "SFPSETCC", "SFPLE", "SFPGT"}
PUSH, POP = 1, -1


class _NestedError(Exception):
    """Conditions of a function are not all within basic blocks."""


def without_outermost_pushes(text: str, arch: str) -> str:
    """An assembly text whose outermost conditions use no flag stack."""
    lines = text.splitlines()
    rows = arch_named(arch).instructions
    changed: dict[int, str] = {}
    for first, last, _ in find_functions(lines):
        try:
            changed |= dict(_changed(lines, first, last, rows))
        except _NestedError:
            if _calls(lines[first:last]):
                return text
    kept = (changed.get(i, line) for i, line in enumerate(lines))
    return "\n".join(line for line in kept if line) + "\n"


def _calls(lines: list[str]) -> bool:
    return any(line.split()[:1] in (["call"], ["jal"], ["jalr"]) for line in lines)


def _changed(
    lines: list[str], first: int, last: int, rows: InstructionSet
) -> Iterator[tuple[int, str]]:
    """The lines of a function that change: to nothing, or to another."""
    depth = 0
    for i in range(first, last):
        kind = _kind(lines[i], rows)
        if kind is None:
            if depth and leaves_block(lines[i]):
                raise _NestedError
            continue
        if kind == PUSH and not depth:
            yield i, ""
        depth += kind
        if depth < 0:
            raise _NestedError
        if kind == POP and not depth:
            yield i, f"\t.word\t{to_ttinsn(ENABLE_ALL):#010x}\t# sfpencc 0x003,10"
    if depth:
        raise _NestedError


def _kind(line: str, rows: InstructionSet) -> int | None:
    """What a line does to the flag stack; None for what is no word that concerns flags.

    _NestedError for a flag word of the source's own, and for other uses of the stack.
    """
    word = word_of(line)
    row = None if word is None else rows.find(word)
    if word is None or row is None or row.name not in FLAGS:
        return None
    if not line.lstrip().startswith(".word"):
        if word == ENABLE_ALL:
            return 0
        raise _NestedError
    if row.name not in ("SFPPUSHC", "SFPPOPC"):
        return 0
    if row.decode(word)["instr_mod1"]:
        raise _NestedError
    return PUSH if row.name == "SFPPUSHC" else POP
