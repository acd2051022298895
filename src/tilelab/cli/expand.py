"""``tilelab expand``: what each thread's expanders emit."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Annotated, Any

import typer

from tilelab.cli.console import print_json, read_text, stdout
from tilelab.tensix.assembly import Program, Statement, assemble, disassemble
from tilelab.tensix.frontend.expand import ThreadExpander, Word, thread_expander


@dataclass
class Expansion:
    """One thread's program and what it became."""

    thread: ThreadExpander
    pushed: list[Statement] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)


def expand_program(program: Program, arch: str) -> dict[int, Expansion]:
    """Expand every thread's statements, in program order."""
    threads: dict[int, Expansion] = {}
    for statement in program.statements:
        if statement.thread not in threads:
            threads[statement.thread] = Expansion(thread_expander(arch))
        expansion = threads[statement.thread]
        if statement.mop_cfg is not None:
            expansion.thread.write_mop_cfg(statement.mop_cfg, statement.word)
        else:
            expansion.pushed.append(statement)
            expansion.words += expansion.thread.push(statement.word)
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


def _document(threads: dict[int, Expansion], provenance: bool) -> dict[str, Any]:
    document: dict[str, Any] = {}
    for number, expansion in threads.items():
        entry: dict[str, Any] = {
            "pushed": len(expansion.pushed),
            "issued": len(expansion.words),
            "words": [f"{word.word:#010x}" for word in expansion.words],
        }
        if provenance:
            entry["provenance"] = [_provenance(expansion, word) for word in expansion.words]
        document[str(number)] = entry
    return {"threads": document}


def _from(expansion: Expansion, word: Word) -> str:
    parts = [f"line {expansion.pushed[word.push].line}"]
    if word.mop is not None:
        parts.append(f"MOP {word.mop.role}[{word.mop.outer},{word.mop.inner}]")
    if word.replay is not None:
        parts.append(f"slot {word.replay.slot}")
    return " > ".join(parts)


def _print_thread(number: int, expansion: Expansion, arch: str, provenance: bool) -> None:
    emitted = Counter(word.push for word in expansion.words)
    print_line = stdout.out
    print_line(f"thread {number}: {len(expansion.pushed)} pushed, {len(expansion.words)} issued")
    for push, statement in enumerate(expansion.pushed):
        if emitted[push] != 1:
            print_line(f"  line {statement.line}: {statement.text} -> {emitted[push]} words")
    for index, word in enumerate(expansion.words):
        text = f"{index:6}  {word.word:#010x}  {disassemble(word.word, arch)}"
        print_line(f"{text:<56} < {_from(expansion, word)}" if provenance else text)


def expand(
    file: Annotated[str, typer.Argument(help="Assembly program, or - for stdin.")],
    arch: Annotated[str, typer.Option(help="blackhole or wormhole.")] = "blackhole",
    json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
    provenance: Annotated[
        bool, typer.Option("--provenance", help="Say where each word came from.")
    ] = False,
) -> None:
    """Expand a program's MOPs and REPLAYs: what each thread's wait gate gets."""
    program = assemble(read_text(file), arch, file=file)
    threads = expand_program(program, arch)
    if json:
        print_json(_document(threads, provenance))
        return
    for number, expansion in threads.items():
        _print_thread(number, expansion, arch, provenance)
