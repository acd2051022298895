"""The bytes of a run that was not compiled: what its journal says of them.

The journal is read on whenever an operation reaches bytes by address, and at the end of a run in
which one did; a run of pushes and pops alone costs nothing. A Python or IR program does one
operation after another on each core, so a core is one agent of ``Order``; signals and waits join
the cores. Slots have rules of their own, told while the program runs; what reaches bytes by address
is told here: two cores in no order, bytes that nothing wrote, pushed tiles overwritten before
anyone read them. Needs the trace. A tile popped without a copy is its slot, and its lease tells
when it is used too late.

Not modelled: what a program's own Python does to a tile's ``data``; it counts as written, and so no
result of an operation counts as unread there (in IR every read is an operation).
"""

from tilelab.pto.errors import Finding, HazardError, LostHazard, RaceHazard, UnwrittenHazard
from tilelab.pto.memory import Memory, Rows
from tilelab.pto.order import Mail, Order
from tilelab.pto.shadow import Access, Clash, Region, Shadow
from tilelab.pto.shared import Shared
from tilelab.pto.trace import Record, Step

PAGE = 1 << 22  # bytes of one region: a memory's far ends do not cost what lies between
_SPACE = 1 << 40  # of one memory, among the shadow's addresses
_KINDS: dict[str, type[HazardError]] = {
    "race": RaceHazard, "unwritten": UnwrittenHazard, "lost": LostHazard,
}  # fmt: skip


class Watch:
    """Reads a journal from its begin."""

    def __init__(self, shared: Shared) -> None:
        self.shared = shared
        self.shadow = Shadow(shared.every_read)
        self.order = Order(shared.vec + 1, ())
        self._core = {name: number for number, name in enumerate(shared.core_names)}
        self._mail: Mail[int] = Mail(shared.arch.reduces, shared.vec)
        self._bases: dict[int, int] = {}
        self._told: set[tuple[str, str, str]] = set()
        self._at = 0  # events read so far
        self._filled: dict[int, int] = {}  # of a memory's fills, how many are known

    def end(self) -> None:
        """The run has ended: what is left, if anything was watched."""
        if self._at:
            self.read()

    def read(self) -> None:
        """Go through the events since the last time."""
        for memory in self.shared.memories():
            known = self._filled.get(memory.where, 0)
            self._filled[memory.where] = len(memory.filled)
            for rows in memory.filled[known:]:
                self._fill(memory, rows)
        events, at = self.shared.events, self._at
        self._at = len(events)
        for record in events[at:]:
            step = record[0]
            if step.signals:
                clock = self.order.snapshot(self._agent(step.core))
                self._mail.signal(self._core[step.core], step.flag, clock)
            elif step.waits:
                self._wait(step)
            if step.reach is not None:
                self._touch(record)

    def _fill(self, memory: Memory, rows: Rows) -> None:
        """Bytes that hold something from the start: what was written since stays known."""
        for address, part in self._parts(memory, rows):
            self.shadow.host_fill(address, part.nbytes)

    # -- who knows of whom

    def _agent(self, core: str) -> int:
        return self.order.agent(self._core[core], "S")

    def _wait(self, step: Step) -> None:
        clock = self._mail.take(self._core[step.core], step.flag)
        if clock is not None:
            self.order.join(self._agent(step.core), clock)

    # -- bytes

    def _parts(self, memory: Memory, rows: Rows) -> list[tuple[int, Rows]]:
        """An access cut where pages end, each part with its address in the shadow."""
        base = self._bases.setdefault(memory.where, _SPACE * (len(self._bases) + 1))
        first, last = rows.start // PAGE, (rows.end - 1) // PAGE
        local = memory not in (self.shared.gm, self.shared.control)
        for page in range(first, last + 1):
            if self.shadow.find(base + page * PAGE) is None:
                self.shadow.add(Region(memory.name, base + page * PAGE, PAGE, local=local))
        if first == last:
            return [(base + rows.start, rows._replace(start=0))]
        found = []
        for row in range(rows.rows):
            start = rows.start + row * rows.stride
            end = start + rows.nbytes
            while start < end:
                size = min(end, (start // PAGE + 1) * PAGE) - start
                found.append((base + start, Rows(0, 1, size, size)))
                start += size
        return found

    def _touch(self, record: Record) -> None:
        step, tile, _ = record
        reach = step.reach
        assert reach is not None
        agent = self._agent(step.core)
        access = Access(agent, self.order.event(agent), 0, step.op, 0)
        access.line = reach.where
        if step.ring:
            access.payload = (step.ring, tile)
        number = self.shadow.note(access)
        for spans, write in ((reach.reads, False), (reach.writes, True)):
            for memory, rows in spans:
                for address, part in self._parts(memory, rows):
                    for clash in self.shadow.touch(self.order, number, address, part, write):
                        self._tell(step, memory, clash)
        self.order.done(agent)

    def _tell(self, step: Step, memory: Memory, clash: Clash) -> None:
        mine, theirs = clash.mine, clash.theirs
        if theirs is not None and mine.payload[0] and mine.payload[0] == theirs.payload[0]:
            return  # two steps of one ring: its slots' rules tell
        what = f"{step.core}: {self._name(mine)}"
        other = "" if theirs is None else self._other(theirs)
        key = (clash.kind, what + mine.line, other)
        if key in self._told:
            return
        self._told.add(key)
        error = _KINDS[clash.kind]
        place = f"{memory.name} {self._address(memory, clash):#x}"
        if theirs is None:
            text = f"{what} reads {place}, which nothing has written"
        else:
            text = f"{what} {_verb(clash.writes[0])} {place}, which {other} "
            text += (
                f"put there and {'no core' if theirs.payload[0] else 'nothing'} has read"
                if clash.kind == "lost"
                else f"{_verb(clash.writes[1])}; no signal and wait orders them"
            )
        finding = Finding(
            error.code, clash.kind, f"{mine.line}{text} ({error.code})", step.core, mine.payload[0],
            mine.payload[1], step=self.shared.journal.step,
        )  # fmt: skip
        self.shared.journal.report("hazard", finding, error)

    def _address(self, memory: Memory, clash: Clash) -> int:
        return clash.base + clash.offset - self._bases[memory.where]

    @staticmethod
    def _name(access: Access) -> str:
        ring, tile = access.payload
        return f"{access.op} of tile {tile} on {ring}" if ring else access.op

    def _other(self, access: Access) -> str:
        """The access that was there before, with its line."""
        core = self.shared.core_names[self.order.core_of(access.agent)]
        line = access.line.removesuffix(": ")
        return f"{core}'s {self._name(access)}{f' at {line}' if line else ''}"


def _verb(write: bool) -> str:
    return "writes" if write else "reads"
