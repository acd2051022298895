"""What the cycle clock noted in a run, and words for it: what all writers of traces start from."""

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tilelab.report.parts import CORE_NAMES, THREAD_NAMES, wait_name
from tilelab.sim.errors import BadInputError
from tilelab.sim.record import Record
from tilelab.tensix.chips.opcodes import UNPACR
from tilelab.tensix.cycle import events
from tilelab.tensix.riscv.sources import Sources
from tilelab.tensix.tables.causes import CAUSES, CORE_CAUSES, WAIT_BANK, WAIT_SEMAPHORE, WAIT_UNIT
from tilelab.tensix.tile.tile import Tile
from tilelab.tensix.words.assembly import disassemble
from tilelab.tensix.words.mop import MopStep
from tilelab.tensix.words.origin import Origin, pushed_at, pusher, unpack_origin
from tilelab.trace.links import Links, links

UNPACKERS = "unpackers"
SHARED = ("misc_unit", "configuration_unit", "sync_unit")
IN_ORDER = ("unpacker 0", "unpacker 1", "packers")
"""They finish one instruction before they go on with the next."""
BANKS = ("SrcA bank 0", "SrcA bank 1", "SrcB bank 0", "SrcB bank 1")
FRAMES, FIRST_PAUSE = 64, 64
LATCHED = (WAIT_SEMAPHORE, WAIT_UNIT, WAIT_BANK)


class Span(NamedTuple):
    """Something that lasts: from a cycle up to another."""

    start: int
    end: int
    value: int
    extra: int


class Recorded:
    """Collects the events of one tile, from now on, and what its registers held every so often.

    ``frames`` are clocks and states: the first as it is now, the others some cycles apart (more,
    the longer the run: at most ``FRAMES``). BadInputError if the tile has the functional clock.
    """

    def __init__(self, tile: Tile, name: str = "kernel") -> None:
        if not isinstance(tile, Tile):
            raise BadInputError(f"a recording is of a Tile, not of {type(tile).__name__}")
        self.tile = tile
        self.name = name
        self.frames = [(int(tile.state.s.clock), tile.state.snapshot())]
        tile.trace(self)
        tile.engine.pause = FIRST_PAUSE
        self._batches: list[npt.NDArray[Any]] = []
        self._links: Links | None = None

    def __call__(self, events: npt.NDArray[Any]) -> None:
        """Take some events."""
        self._batches.append(events)
        engine = self.tile.engine
        if self.end >= self.frames[-1][0] + engine.pause:
            if len(self.frames) >= FRAMES:
                del self.frames[1::2]
                engine.pause *= 2
            self.frames.append((self.end, self.tile.state.snapshot()))

    @property
    def events(self) -> npt.NDArray[Any]:
        """All events so far, in order."""
        if len(self._batches) != 1:
            empty = np.empty(0, events.EVENT)
            self._batches = [np.concatenate([empty, *self._batches])]
        return self._batches[0]

    def rows(self) -> Iterator[tuple[int, ...]]:
        """Each event as numbers: clock, kind, part, value, length, extra."""
        columns = ("clock", "kind", "part", "value", "length", "extra")
        return zip(*(self.events[name].tolist() for name in columns), strict=True)

    @property
    def links(self) -> Links:
        """Which event made which."""
        found = self.events
        if self._links is None or self._links.events is not found:
            self._links = links(found, self.tile.arch.replay_count0)
        return self._links

    @property
    def end(self) -> int:
        """The cycle after the last one."""
        return int(self.tile.state.s.clock)

    @property
    def final(self) -> Record:
        """The tile's state after the last cycle."""
        return self.tile.state.record

    @property
    def sources(self) -> Sources:
        """Where program counters are in the source."""
        return self.tile.sources

    def indices(self, kind: int, part: int | None = None) -> npt.NDArray[Any]:
        """Which events are of a kind, of one part if given."""
        found = self.events
        wanted = found["kind"] == kind
        if part is not None:
            wanted &= found["part"] == part
        return np.flatnonzero(wanted)

    def of(self, kind: int, part: int | None = None) -> npt.NDArray[Any]:
        """The events of a kind, of one part if given."""
        chosen: npt.NDArray[Any] = self.events[self.indices(kind, part)]
        return chosen

    def states(self, kind: int, part: int) -> list[Span]:
        """A part's states as spans, each up to the next."""
        found = self.of(kind, part)
        starts = found["clock"].tolist()
        ends = [*starts[1:], self.end][: len(starts)]
        columns = (starts, ends, found["value"].tolist(), found["extra"].tolist())
        return [Span(*row) for row in zip(*columns, strict=True) if row[1] > row[0]]

    def unit_of(self, word: int) -> str:
        """The unit that executes a word; unpackers are told apart."""
        row = self.tile.arch.instructions.find(word)
        if row is None:
            return "?"
        if row.unit == UNPACKERS:
            return f"unpacker {UNPACR.unpack_block_selection(word)}"
        return str(row.unit)

    def units(self) -> dict[str, list[tuple[int, Span, int]]]:
        """What each unit worked on: ``(thread, span, event)``, cut so that spans do not overlap.

        Units that take a word of each thread in a cycle have one entry per thread.
        """
        found: dict[str, list[tuple[int, Span, int]]] = {}
        name_of = cache(self.unit_of)
        which = self.indices(events.ISSUE)
        issues = self.events[which]
        columns = ("clock", "part", "value", "length", "extra")
        for i, clock, part, word, length, extra in zip(
            which.tolist(), *(issues[column].tolist() for column in columns), strict=True
        ):
            name = name_of(word)
            if name in SHARED:
                name = f"{name} T{part}"
            track = found.setdefault(name, [])
            start = clock
            if track:
                thread, last, event = track[-1]
                if name in IN_ORDER:
                    start = min(max(clock, last.end), clock + length - 1)
                start = max(start, last.start + 1)
                if last.end > start:
                    track[-1] = (thread, last._replace(end=start), event)
            track.append((part, Span(start, max(clock + length, start + 1), word, extra), i))
        return found

    # ------------------------------------------------------------------ words

    def assembly(self, word: int) -> str:
        """A word as assembly."""
        return disassemble(word, self.tile.arch.name)

    def mnemonic(self, word: int) -> str:
        """The name of a word's instruction."""
        row = self.tile.arch.instructions.find(word)
        return row.name if row else f"{word:#010x}"

    def source(self, core: int, pc: int) -> str:
        """Source line, inlined calls and function of a program counter; "" if unknown."""
        return self.sources.describe(core, pc)

    def line(self, core: int, pc: int) -> str:
        """The author's source line of a program counter, ``kernel.cpp:31``; "" if unknown."""
        return self.sources.line(core, pc)

    def gate_cause(self, value: int, extra: int) -> str:
        """What a gate's state is called."""
        name = CAUSES[value][0]
        detail = wait_name(self.tile.state, extra) if value in LATCHED else ""
        return f"{name}: {detail}" if detail else name

    @staticmethod
    def core_cause(value: int) -> str:
        """What a core's state is called."""
        return CORE_CAUSES[value][0]


def place_text(step: MopStep | None) -> str:
    """A place in a MOP's loops in words; "" for none."""
    if step is None:
        return ""
    inner = f", inner {step.inner}" if step.template else ""
    return f"{step.role}, outer {step.outer}{inner}"


@cache
def origin(packed: int) -> Origin:
    """Where a word came from."""
    return unpack_origin(packed)


class Places:
    """Source lines by packed origin, each looked up once."""

    def __init__(self, recording: Recorded) -> None:
        self._source = cache(recording.source)
        self._line = cache(recording.line)

    def source(self, packed: int) -> str:
        """The author's line, the inlined calls and the function; "" if unknown."""
        return self._source(pusher(packed), pushed_at(packed))

    def line(self, packed: int) -> str:
        """The author's line, ``kernel.cpp:31``; "" if unknown."""
        return self._line(pusher(packed), pushed_at(packed))


__all__ = ["CORE_NAMES", "THREAD_NAMES", "Places", "Recorded", "Span", "origin", "place_text"]
