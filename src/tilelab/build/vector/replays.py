"""Lets the replay buffer issue what unrolled vector code repeats, as the vendor's compiler does.

A core then pushes one word for many. Sequences are looked for within a basic block, and end at
whatever is no word of the compiler's own: a source's words, and the core's instructions. Places in
the buffer that the source records into itself are left alone; nothing is done in a function that
records or replays by itself, or in a text that records what is known only at run time.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tilelab.build.vector.raw import word_of
from tilelab.build.vector.text import find_functions
from tilelab.isa.instruction import InstructionSet
from tilelab.tensix.arch import arch as arch_named
from tilelab.tensix.words.ttinsn import to_ttinsn

BUFFER = 32
"""Words that the replay buffer of a thread holds (REPLAY.md)."""
SHORTEST = 4
"""Recording a shorter sequence gains next to nothing (the vendor's choice, too)."""
UNKNOWN = "tt.replay"
"""Marks, in a comment, a REPLAY that is known only at run time."""
_JUMPS = re.compile(r"(?:b[a-z]+|j[a-z]*|call|tail|ret|mret)\b")
_DEBUG_LABEL = re.compile(r"^\.L(?:tmp|VL|BB|BE|BI|loc)\d+:")


@dataclass(frozen=True)
class Span:
    """Places of the buffer."""

    start: int
    length: int


@dataclass
class Repeated:
    """A sequence and where it stands, each time by the number of its first word."""

    words: tuple[int, ...]
    at: list[int]

    @property
    def saved(self) -> int:
        """Words that a core pushes less: all but REPLAY of each repetition, and one to record."""
        return (len(self.at) - 1) * (len(self.words) - 1) - 1


Run = list[tuple[int, int]]
"""Words that follow each other, each with the number of its line."""


def with_replays(text: str, arch: str) -> str:
    """An assembly text whose repeated vector words are recorded once, and replayed."""
    lines = text.splitlines()
    rows = arch_named(arch).instructions
    if any(UNKNOWN in line for line in lines):
        return text
    taken: set[int] = set()
    own: list[tuple[int, int]] = []
    for first, last, _ in find_functions(lines):
        used = [fields for line in lines[first:last] if (fields := _replay(line, rows))]
        if not used:
            own.append((first, last))
        for fields in used:
            taken |= {(fields["start_idx"] + i) % BUFFER for i in range(fields["len"] or BUFFER)}
    spans = _free(taken)
    changed: dict[int, list[str]] = {}
    for first, last in own:
        for block in _blocks(lines, first, last, rows):
            changed |= _replayed(lines, block, spans)
    return "\n".join(_rewritten(lines, changed)) + "\n"


def _rewritten(lines: Sequence[str], changed: dict[int, list[str]]) -> Iterator[str]:
    for i, line in enumerate(lines):
        yield from changed.get(i, [line])


def _replay(line: str, rows: InstructionSet) -> dict[str, int] | None:
    """The fields of the REPLAY that a line issues, if it does."""
    word = word_of(line)
    row = None if word is None else rows.find(word)
    return (
        row.decode(word) if row is not None and word is not None and row.name == "REPLAY" else None
    )


def _free(taken: set[int]) -> list[Span]:
    """The places that are left, the longest span of them first."""
    spans, start = [], 0
    for place in range(BUFFER + 1):
        if place == BUFFER or place in taken:
            spans.append(Span(start, place - start))
            start = place + 1
    return sorted((s for s in spans if s.length >= SHORTEST), key=lambda s: (-s.length, s.start))


def _blocks(lines: list[str], first: int, last: int, rows: InstructionSet) -> Iterator[list[Run]]:
    """The runs of words of each basic block."""
    runs: list[Run] = [[]]
    for i in range(first, last):
        line = lines[i]
        said = line.split("#", maxsplit=1)[0].strip()
        if (word := _own_word(line, rows)) is not None:
            runs[-1].append((word, i))
        elif leaves_block(line):
            yield runs
            runs = [[]]
        elif said and not said.endswith(":") and (not said.startswith(".") or word_of(line)):
            if runs[-1]:
                runs.append([])
    yield runs


def leaves_block(line: str) -> bool:
    """Whether a basic block ends at a line: a label that may be jumped to, a jump, a call."""
    said = line.split("#", maxsplit=1)[0].strip()
    if said.endswith(":"):
        return not _DEBUG_LABEL.match(said)
    return bool(_JUMPS.match(said))


def _own_word(line: str, rows: InstructionSet) -> int | None:
    """The word of a line that the compiler made: of the vector unit, or ``dst_reg++``."""
    if not line.lstrip().startswith(".word") or (word := word_of(line)) is None:
        return None
    row = rows.find(word)
    return word if row and (row.name.startswith("SFP") or row.name == "INCRWC") else None


def _replayed(lines: list[str], runs: list[Run], spans: Iterable[Span]) -> dict[int, list[str]]:
    """What becomes of lines of a block, where sequences of it go into the free spans."""
    changed: dict[int, list[str]] = {}
    free = list(spans)
    while free and (best := _best(runs, free[0].length)):
        fitting = [span for span in free if span.length >= len(best.words)]
        span = min(fitting, key=lambda s: s.length)
        free.remove(span)
        rest = Span(span.start + len(best.words), span.length - len(best.words))
        free = sorted([*free, *[rest] * (rest.length >= SHORTEST)], key=lambda s: -s.length)
        pieces = list(_divided(runs, best))
        instances = [piece for piece, instance in pieces if instance]
        for number, run in enumerate(instances):
            changed |= _written(lines, run, span.start, record=number == 0)
        runs = [piece for piece, instance in pieces if piece and not instance]
    return changed


def _best(runs: list[Run], longest: int) -> Repeated | None:
    """The sequence that saves most; of several the longest, of those the first."""
    best: Repeated | None = None
    for length in range(min(longest, BUFFER), SHORTEST - 1, -1):
        seen: dict[tuple[int, ...], Repeated] = {}
        base = 0
        for run in runs:
            words = [word for word, _ in run]
            for i in range(len(run) - length + 1):
                sequence = tuple(words[i : i + length])
                found = seen.setdefault(sequence, Repeated(sequence, []))
                if not found.at or found.at[-1] + length <= base + i:
                    found.at.append(base + i)
            base += len(run)
        for found in seen.values():
            if found.saved > (best.saved if best else 0):
                best = found
    return best


def _divided(runs: list[Run], best: Repeated) -> Iterator[tuple[Run, bool]]:
    """The runs in pieces: each instance of a sequence, and what is left between them."""
    length, at, base = len(best.words), set(best.at), 0
    for run in runs:
        begin = i = 0
        while i < len(run):
            if base + i in at:
                yield run[begin:i], False
                yield run[i : i + length], True
                begin = i = i + length
            else:
                i += 1
        yield run[begin:], False
        base += len(run)


def _written(lines: list[str], run: Run, start: int, *, record: bool) -> dict[int, list[str]]:
    """The lines of an instance of a sequence, where it is recorded or replayed."""
    word = 0x04 << 24 | start << 14 | len(run) << 4 | 3 * record
    shown = f"ttreplay {start},{len(run)},{int(record)},{int(record)}"
    made = {i: [lines[i]] if record else [] for _, i in run}
    made[run[0][1]].insert(0, f"\t.word\t{to_ttinsn(word):#010x}\t# {shown}")
    return made
