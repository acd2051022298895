"""What a compiled core's records mean for ``Order`` and ``Shadow``, and the findings they give."""

from dataclasses import dataclass, replace

from tilelab.pto.cluster import Cluster
from tilelab.pto.errors import Finding, RaceHazard
from tilelab.pto.flags import Counter, FlagBank
from tilelab.pto.memory import Rows
from tilelab.pto.native import machine as mc
from tilelab.pto.native.lines import Lines
from tilelab.pto.native.machine import Entry, KernelCrash, Machine
from tilelab.pto.native.work import Moved, work_of
from tilelab.pto.order import BUFFERS, EVENTS, PIPES, Mail, Order
from tilelab.pto.pipes import (
    PIPE_NUMBER,
    PIPE_T,
    PLACES,
    adds,
    pipe_of,
    streaming,
    unit_flag,
)
from tilelab.pto.shadow import Access, Clash, Region, Shadow
from tilelab.pto.trace import Work
from tilelab.sim.errors import UndefinedBehaviorError

READ, WRITE, KEEPS = 1, 2, 4  # KEEPS: a part is written, and the rest stays
_MOST = 100  # findings of one run; what follows is counted, not told
_FIX, _M = PIPES.index("FIX"), PIPES.index("M")


class OrderedFlags(FlagBank):
    """Flags whose signals carry what their pipe had done."""

    order: Order
    mail: Mail[int]

    def signal_vec(self, flag: int, lanes: tuple[int, ...], pipe: str = "") -> None:
        """The Cube signals."""
        clock = self.order.snapshot(self.order.agent(0, pipe or "S"))
        self.mail.from_cube(flag, lanes, clock)
        super().signal_vec(flag, lanes, pipe)

    def signal_cube(self, flag: int, lane: int, pipe: str = "") -> None:
        """A Vector core signals."""
        clock = self.order.snapshot(self.order.agent(lane + 1, pipe or "S"))
        self.mail.from_vec(flag, lane, clock)
        super().signal_cube(flag, lane, pipe)

    def taken(self, core: int, counter: Counter, pipe: str) -> None:
        """A core has waited: one pipe of it, or ("") all, know what the signal knew."""
        clock = self.mail.take(core, counter[1])
        if clock is None:
            return
        if pipe and pipe != "S":
            self.order.join(self.order.agent(core, pipe), clock)
        else:
            self.order.join_core(core, clock)


Site = tuple[str, int]  # a role, and an address counted from its library's begin


@dataclass
class Place:
    """A place of the kernel that synchronises: what it does there (a phase that waits or signals in
    this run is a bit of ``effects``, as in its record).
    """

    kind: int
    core: int
    where: int
    text: str = ""
    effects: int = 0
    line: str = ""


class Checker:
    """Reads records of all cores of one cluster."""

    def __init__(
        self,
        machine: Machine,
        cluster: Cluster,
        shadow: Shadow,
        lines: Lines,
        auto: bool,
        told: set[tuple[object, ...]],
        strict: bool = False,
        by_setter: bool = False,
    ) -> None:
        self.machine = machine
        self.cluster = cluster
        self.shadow = shadow
        self.lines = lines
        self.auto = (
            auto  # the compiler orders the pipes of a core: its instructions are one sequence
        )
        self.strict = strict  # every dependence on PIPE_V of A2/A3 wants its barrier
        barriers = ("V",) if cluster.arch.reduces and not auto else ()
        self.order = Order(cluster.vec + 1, barriers, by_setter)
        self.payload: dict[int, tuple[str, int]] = {}  # core: ring and tile that it pushes
        self.landing: dict[int, tuple[str, int]] = {}  # and that it pops
        self.overruns: set[int] = set()  # cores that push into a slot still held
        self.moved: dict[int, Moved] = {}  # the tile that a core pushes or pops
        self.clashes = 0
        self.changes: dict[tuple[str, int], int] = {}  # what a run leaves out, by role and offset
        self.sites: dict[Site, Place] = {}
        self.pairs: set[tuple[Site, Site]] = set()  # a set_flag, and a wait_flag that took it
        self._told = told  # what was said in an earlier block or launch is not said again
        self._pipes: dict[tuple[object, ...], str | None] = {}

    def read(self, core: int, entries: list[Entry]) -> Entry | None:
        """Take in what a core noted; returns the request it stopped at, if it stopped at one."""
        for entry in entries:
            if entry.kind in (mc.SET_FLAG, mc.WAIT_FLAG, mc.BARRIER) and self.change(core, entry):
                continue
            if entry.kind == mc.OP:
                self._op(core, entry)
            elif entry.kind == mc.SET_FLAG:
                self._set(core, entry)
            elif entry.kind == mc.WAIT_FLAG:
                self._wait(core, entry)
            elif entry.kind == mc.BARRIER:
                pipe = PIPE_T[entry.words[0]] if 0 <= entry.words[0] < len(PIPE_T) else "?"
                self._sync(core, f"pipe_barrier(PIPE_{pipe})", Work("BARRIER", pipe))
                self.order.barrier(core, None if pipe == "ALL" else PIPE_NUMBER[entry.words[0]])
            elif entry.kind in (mc.GET_BUF, mc.RLS_BUF):
                self._buffer(core, entry)
            elif entry.kind == mc.ERROR:
                found = (self.lines.find(core, frame) for frame in entry.words[1:])
                where = next((line for line in found if line), "")
                name = self.cluster.core_names[core] if core != mc.HOST else "the host's program"
                raise KernelCrash(f"{where}{name}: {self.machine.text(entry.words[0])}")
            else:
                return entry
        return None

    def change(self, core: int, entry: Entry) -> int:
        """What the run's options leave out of a record; every place that synchronises is noted."""
        if entry.kind == mc.OP:
            return 0
        site = self.site(core, entry.where)
        if site not in self.sites:
            self.sites[site] = Place(entry.kind, core, entry.where, _said(entry))
        return self.changes.get(site, 0)

    def site(self, core: int, where: int) -> Site:
        """A return address as it is in every run and on both Vector cores."""
        return "cube" if core == mc.CUBE else "vec", self.lines.offset(core, where)

    # -- instructions

    def _op(self, core: int, entry: Entry) -> None:
        words = entry.words
        op, function, count = self.machine.text(words[0]), words[1], words[2]
        operands = [words[3 + 6 * k : 9 + 6 * k] for k in range(count)]
        pipe = self._pipe(op, operands)
        if pipe is None:
            return
        order = self.order
        agent = order.agent(core, pipe)
        if self.auto:
            order.barrier(core, None)
        elif pipe in ("FIX", "M") and function and unit_flag(self.machine.text(function)):
            base = core * len(PIPES)
            order.join(agent, order.snapshot(base + (_M if pipe == "FIX" else _FIX)))
        if self.cluster.journal.tracing:
            self.cluster.journal.op(self.cluster.core_names[core], op, f"PIPE_{pipe}")
            if self.cluster.journal.timing:
                text = self.machine.text(function) if function else ""
                self.cluster.journal.charge(work_of(op, pipe, operands, text, self.moved.get(core)))
        time = order.event(agent)
        access = Access(agent, time, self.shadow.block, op, entry.where)
        access.adds = op == "TSTORE" and bool(function) and adds(self.machine.text(function))
        writes = core in self.payload and pipe == self.payload_pipe(core)
        if writes:
            access.payload = self.payload[core]
            access.overrun = core in self.overruns
        elif core in self.landing and any(o[0] & WRITE and PLACES[o[1]] != "GM" for o in operands):
            access.payload, access.landed = self.landing[core], True
        if pipe == "V" and order.loose and not self.strict:
            access.streams = frozenset(
                (o[2], o[2] + (o[3] - 1) * o[5] + o[4]) for o in streaming(op, operands)
            )
        number = self.shadow.note(access)
        if self.auto:  # the compiler places the tiles: only global memory has addresses
            operands = [o for o in operands if PLACES[o[1]] == "GM"]
        written = False  # its result; what it writes besides that is scratch
        for role, _, address, rows, nbytes, stride in sorted(operands, key=lambda o: o[0] & WRITE):
            shape = Rows(0, rows, nbytes, stride)
            if role & READ:
                self._tell(core, self.shadow.touch(order, number, address, shape, False))
            if role & WRITE:
                if written:
                    number = self.shadow.note(replace(access, carries=False))
                self.shadow.accesses[number].patches = bool(role & KEEPS)
                self._tell(core, self.shadow.touch(order, number, address, shape, True))
                written = True
        order.done(agent)

    def payload_pipe(self, core: int) -> str:
        """The pipe by which a core's pushes move."""
        return "FIX" if core == 0 else "MTE3"

    def _pipe(self, op: str, operands: list[tuple[int, ...]]) -> str | None:
        key = (op, *((o[0], o[1]) for o in operands))
        if key not in self._pipes:
            sources = [PLACES[o[1]] for o in operands if o[0] & READ]
            target = next((PLACES[o[1]] for o in operands if o[0] & WRITE), "")
            self._pipes[key] = pipe_of(op, sources, target) if operands else None
        return self._pipes[key]

    def _tell(self, core: int, clashes: list[Clash]) -> None:
        self.clashes += len(clashes)
        for clash in clashes:
            other = clash.theirs
            key = (clash.kind, core, clash.mine.where, other.where if other else 0)
            if key in self._told:
                continue
            self._told.add(key)
            if len(self._told) > _MOST:
                return
            code = {"race": "H14", "unwritten": "H15", "lost": "H16", "outside": "E6"}[clash.kind]
            text = self._describe(core, clash)
            self._report(code, clash.kind, core, text)

    def _describe(self, core: int, clash: Clash) -> str:
        mine, region = clash.mine, clash.region
        what = f"{self.lines.find(core, mine.where)}{self.cluster.core_names[core]}: {mine.op}"
        if clash.kind == "outside":
            if not region:
                verb = "writes" if clash.writes[0] else "reads"
                return f"{what} {verb} {clash.offset:#x}, outside every allocation"
            return f"{what} reaches byte {clash.offset:#x} of {region}"
        place = f"{region} byte {clash.offset:#x}"
        if clash.kind == "unwritten":
            return f"{what} reads {place}, which nothing has written"
        assert clash.theirs is not None
        theirs = clash.theirs
        other = theirs.agent // len(PIPES)
        by = f"{theirs.op} at {self.lines.find(other, theirs.where).removesuffix(': ')}"
        if clash.kind == "lost":
            ring, tile = theirs.payload
            if not ring:
                return f"{what} overwrites {place}, which {by} wrote and nothing has read"
            return (
                f"{what} overwrites {place}, tile {tile} of {ring}, which "
                f"{'nothing' if theirs.landed else 'no core'} has read ({by})"
            )
        verbs = [("writes" if write else "reads") for write in clash.writes]
        names = PIPES[mine.agent % len(PIPES)], PIPES[theirs.agent % len(PIPES)]
        who = "" if other == core else f"{self.cluster.core_names[other]} "
        need = (
            f"no pipe_barrier(PIPE_{names[0]}) stands between them"
            if mine.agent == theirs.agent
            else f"no set_flag/wait_flag from PIPE_{names[1]} to PIPE_{names[0]} orders them"
            if other == core
            else "no signal and wait orders them"
        )
        if theirs.block != self.shadow.block:
            need = (
                f"they are in blocks {theirs.block} and {self.shadow.block}, which nothing orders"
            )
        return (
            f"{what} {verbs[0]} {place} on PIPE_{names[0]}, which {who}{by} {verbs[1]} on "
            f"PIPE_{names[1]}; {need}"
        )

    # -- flags inside a core

    def _pair(self, core: int, entry: Entry, verb: str) -> tuple[int, int, int, str]:
        source, target, event = entry.words[:3]
        names = [PIPE_T[p] if 0 <= p < len(PIPE_T) else "?" for p in (source, target)]
        text = f"{verb}(PIPE_{names[0]}, PIPE_{names[1]}, {event})"
        if "ALL" in names or "?" in names or not 0 <= event < EVENTS:
            where = self.lines.find(core, entry.where)
            raise UndefinedBehaviorError(
                f"{where}{self.cluster.core_names[core]}: {text}: no such pipes or event"
            )
        op = "SET" if verb == "set_flag" else "WAIT"
        self._sync(core, text, Work(op, names[0], target=names[1], event=event))
        return PIPE_NUMBER[source], PIPE_NUMBER[target], event, text

    def _sync(self, core: int, text: str, work: Work) -> None:
        journal = self.cluster.journal
        if journal.tracing:
            journal.op(self.cluster.core_names[core], "SYNC", text)
            if journal.timing:
                journal.charge(work)

    def _set(self, core: int, entry: Entry) -> None:
        source, target, event, text = self._pair(core, entry, "set_flag")
        if self.order.set_flag(core, source, target, event, entry.where) > 1:
            self._once(
                "H17",
                core,
                entry.where,
                f"{text}, but the event is already set: a wait_flag is missing",
            )

    def _wait(self, core: int, entry: Entry) -> None:
        source, target, event, text = self._pair(core, entry, "wait_flag")
        found = self.order.wait_flag(core, source, target, event)
        if found is not None:
            set_at, meant = found
            self.pairs.add((self.site(core, set_at), self.site(core, entry.where)))
            if meant != target:
                at = self.lines.find(core, set_at).removesuffix(": ")
                said = f"takes what the set_flag at {at} meant for PIPE_{PIPES[meant]}"
                self._once("H17", core, entry.where, f"{text} {said}")
        else:
            self._once(
                "H17", core, entry.where, f"{text}, but no set_flag comes before it: the pipe hangs"
            )

    def _buffer(self, core: int, entry: Entry) -> None:
        """``get_buf`` and ``rls_buf``: a lock that pipes of one core hand to one another."""
        which, buffer = entry.words[:2]
        name = PIPE_T[which] if 0 <= which < len(PIPE_T) else "?"
        get = entry.kind == mc.GET_BUF
        text = f"{'get_buf' if get else 'rls_buf'}(PIPE_{name}, {buffer})"
        if self.cluster.arch.reduces or name in ("?", "ALL") or not 0 <= buffer < BUFFERS:
            why = "A5 alone has it" if self.cluster.arch.reduces else "no such pipe or buffer"
            where = self.lines.find(core, entry.where)
            raise UndefinedBehaviorError(f"{where}{self.cluster.core_names[core]}: {text}: {why}")
        self._sync(core, text, Work("GET" if get else "RELEASE", name, event=buffer))
        pipe = PIPE_NUMBER[which]
        if not get:
            if not self.order.release_buffer(core, pipe, buffer):
                self._once("H17", core, entry.where, f"{text}, but this pipe does not hold it")
            return
        held = self.order.get_buffer(core, pipe, buffer, entry.where)
        if held is not None:
            at = self.lines.find(core, held[1]).removesuffix(": ")
            why = f"PIPE_{PIPES[held[0]]} has held it since {at}: the pipe hangs"
            self._once("H17", core, entry.where, f"{text}, but {why}")

    def _once(self, code: str, core: int, where: int, text: str) -> None:
        key = (code, core, where)
        if key not in self._told:
            self._told.add(key)
            name = self.cluster.core_names[core]
            self._report(code, "event", core, f"{self.lines.find(core, where)}{name}: {text}")

    def end(self) -> None:
        """The cores have ended: events that were set and not waited for."""
        for core, source, target, event, count, where in self.order.standing():
            text = f"set_flag(PIPE_{PIPES[source]}, PIPE_{PIPES[target]}, {event}) is left set"
            times = "" if count == 1 else f" {count} times"
            self._once("H17", core, where, f"{text}{times} at the end: no wait_flag took it")
        for (core, buffer), (pipe, where) in self.order.held.items():
            text = f"get_buf(PIPE_{PIPES[pipe]}, {buffer}) is left held at the end: no rls_buf"
            self._once("H17", core, where, text)

    def _report(self, code: str, kind: str, core: int, text: str) -> None:
        finding = Finding(
            code, kind, text, self.cluster.core_names[core], step=self.cluster.journal.step
        )
        self.cluster.journal.report("hazard", finding, RaceHazard)


def _said(entry: Entry) -> str:
    """A synchronisation inside a core, as the kernel writes it."""
    names = [f"PIPE_{PIPE_T[word]}" for word in entry.words[:2] if 0 <= word < len(PIPE_T)]
    if entry.kind == mc.BARRIER:
        return f"pipe_barrier({names[0]})" if names else ""
    verb = {mc.SET_FLAG: "set_flag", mc.WAIT_FLAG: "wait_flag"}.get(entry.kind, "")
    return f"{verb}({', '.join(names)}, {entry.words[2]})" if verb else ""


def regions_of(machine: Machine, cluster: Cluster) -> list[Region]:
    """Each core's memories, with the capacity that the architecture gives them."""
    found = []
    for lane in range(-1, cluster.vec):
        for number, name in enumerate(PLACES):
            if name == "GM":
                continue
            core = cluster.core_names[lane + 1]
            capacity = cluster.arch.capacity.get(name, 1 << 16)
            found.append(
                Region(
                    f"{core} {name}",
                    machine.place(lane, number),
                    machine.place_bytes,
                    capacity,
                    local=True,
                )
            )
    return found
