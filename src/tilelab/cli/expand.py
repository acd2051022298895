"""``tilelab expand``: what each thread's expanders emit.

A short program can expand to millions of words, so none of them are kept: one pass counts, a
second one prints.
"""

import json as json_format
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tilelab.cli.streams import read_text, shown
from tilelab.cli.usage import CHIP, JSON, argument, command, flag, option
from tilelab.sim.errors import BadInputError
from tilelab.tensix.frontend.expand import Word, thread_expander
from tilelab.tensix.words.assembly import Program, Statement, assemble, disassemble

MAX_WORDS = 10_000_000


class TooManyWordsError(BadInputError):
    """A program expands to more words than the user wants to see."""


@dataclass
class Expansion:
    """One thread's program and how much it becomes: ``emitted[push]`` words of each push."""

    arch: str
    file: str
    statements: list[Statement] = field(default_factory=list)
    pushed: list[Statement] = field(default_factory=list)
    emitted: Counter[int] = field(default_factory=Counter)

    def place(self, push: int) -> str:
        """The source line of a push: ``program.s:12``."""
        return f"{Path(self.file).name}:{self.pushed[push].line}"

    def words(self) -> Iterator[Word]:
        """Expand, from the state after reset, in program order."""
        thread = thread_expander(self.arch)
        for statement in self.statements:
            if statement.mop_cfg is not None:
                thread.write_mop_cfg(statement.mop_cfg, statement.word)
            else:
                yield from thread.push(statement.word)


def expand_program(program: Program, arch: str, max_words: int = MAX_WORDS) -> dict[int, Expansion]:
    """Count what every thread's statements become.

    TooManyWordsError if it is more than ``max_words`` words for all threads together.
    """
    threads: dict[int, Expansion] = {}
    for statement in program.statements:
        expansion = threads.setdefault(statement.thread, Expansion(arch, program.file))
        expansion.statements.append(statement)
        if statement.mop_cfg is None:
            expansion.pushed.append(statement)
    left = max_words
    for expansion in threads.values():
        for word in expansion.words():
            left -= 1
            if left < 0:
                line = expansion.pushed[word.push].line
                raise TooManyWordsError(
                    f"{program.file}:{line}: the program expands to more than {max_words:,} words; "
                    "raise --max-words to see them all"
                )
            expansion.emitted[word.push] += 1
    return dict(sorted(threads.items()))


def _provenance(expansion: Expansion, word: Word) -> dict[str, Any]:
    statement = expansion.pushed[word.push]
    recorded = None
    if word.replay is not None:
        recorder = word.replay.recorded_by
        line = expansion.pushed[recorder].line if recorder >= 0 else None
        recorded = {"slot": word.replay.slot, "recorded_by_line": line}
    return {
        "push": word.push,
        "line": statement.line,
        "source": statement.text,
        "mop": word.mop._asdict() if word.mop else None,
        "replay": recorded,
    }


def _write_list(name: str, items: Iterator[Any]) -> None:
    """Write one list of a JSON object, item by item."""
    sys.stdout.write(f', "{name}": [')
    for i, item in enumerate(items):
        sys.stdout.write((", " if i else "") + json_format.dumps(item))
    sys.stdout.write("]")


def _write_document(threads: dict[int, Expansion], provenance: bool) -> None:
    """Write the JSON document."""
    sys.stdout.write('{"threads": {')
    for i, (number, expansion) in enumerate(threads.items()):
        counts = f'"pushed": {len(expansion.pushed)}, "issued": {expansion.emitted.total()}'
        sys.stdout.write(f'{", " if i else ""}"{number}": {{{counts}')
        _write_list("words", (f"{word.word:#010x}" for word in expansion.words()))
        if provenance:
            places = (_provenance(expansion, word) for word in expansion.words())
            _write_list("provenance", places)
        sys.stdout.write("}")
    sys.stdout.write("}}\n")


def _from(expansion: Expansion, word: Word) -> str:
    parts = [expansion.place(word.push)]
    if word.mop is not None:
        parts.append(f"MOP {word.mop.role}[{word.mop.outer},{word.mop.inner}]")
    if word.replay is not None:
        parts.append(f"slot {word.replay.slot}")
    return " > ".join(parts)


def _print_thread(number: int, expansion: Expansion, arch: str, provenance: bool) -> None:
    emitted = expansion.emitted
    write = sys.stdout.write
    write(f"thread {number}: {len(expansion.pushed)} pushed, {emitted.total()} issued\n")
    for push, statement in enumerate(expansion.pushed):
        if emitted[push] != 1:
            write(f"  {expansion.place(push)}: {statement.text} -> {emitted[push]} words\n")
    for index, word in enumerate(expansion.words()):
        text = f"{index:6}  {word.word:#010x}  {disassemble(word.word, arch)}"
        write(f"{text:<56} < {_from(expansion, word)}\n" if provenance else f"{text}\n")


@command()
def expand(
    file: str = argument("FILE", "Assembly; - is stdin."),
    arch: str = CHIP,
    json: bool = JSON,
    provenance: bool = flag("Say where each word came from."),
    max_words: int = option(
        "Refuse a program that expands to more words than this.", default=10_000_000, min=0
    ),
) -> None:
    """Expand a program's MOPs and REPLAYs: what each thread's wait gate gets."""
    threads = expand_program(assemble(read_text(file), arch, shown(file)), arch, max_words)
    if json:
        _write_document(threads, provenance)
        return
    for number, expansion in threads.items():
        _print_thread(number, expansion, arch, provenance)
