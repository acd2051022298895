"""A whole chip: its Tensix tiles, DRAM, and everything else that answers on its NoC.

Tiles run one after the other, a slice of rounds each, in a fixed order; one in which nothing can
change until somebody writes to it sleeps and costs nothing. Runs repeat exactly.
"""

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from tilelab.chip import problems
from tilelab.chip.engine import ChipEngine, ReferenceChip
from tilelab.chip.memory import Among, ChipMemory, ethernet_cores, number
from tilelab.chip.problems import failed, sentence
from tilelab.chip.state import (
    ASLEEP,
    CYCLES,
    NOTED,
    PROBLEM,
    SLICE,
    STAGE,
    WANT_HOST_READ,
    WANT_HOST_WRITE,
    WANT_LINK,
)
from tilelab.sim.errors import BadInputError
from tilelab.sim.kernel import OK
from tilelab.sim.record import Record
from tilelab.tensix.arch import arch as arch_named
from tilelab.tensix.noc import niu as n
from tilelab.tensix.report.explain import told
from tilelab.tensix.run.engine import rows
from tilelab.tensix.run.rounds import STOP_TRACE
from tilelab.tensix.tables.layout import Place
from tilelab.tensix.tile.tile import Tile
from tilelab.tensix.words.origin import CORE_NAMES

DELIVERIES = ("prompt", "late")
KINDS = ("read", "atomic", "write", "request of no type")

ReadHost = Callable[[int, int], bytes]
WriteHost = Callable[[int, bytes], None]
Send = Callable[[int, int, bytes], None]
"""The Ethernet tile that sends, an address at its peer, and the bytes."""
REQUEST_NOTE = np.dtype(list(NOTED.items()))
"""A request of the NoC that has been carried out; ``from`` and ``to`` are places, x | y << 6, and
``to`` of a broadcast its first and last corner, first << 12 | last."""
RequestSink = Callable[[npt.NDArray[Any]], None]


class Chip:
    """A chip with some or all of its Tensix tiles; DRAM, ARC and Ethernet tiles are all there.

    ``tiles``: the coordinates of those that exist, as programs and hosts use them; all by default.
    ``engine``: as :class:`tilelab.tensix.Tile`. ``delivery``: ``prompt``, what a tile asks of the
    NoC is done at once; ``late``, as late as can be, and whoever uses data that a read has not
    brought yet (fast engine) is an UndefinedBehaviorError, which names the read. ``in_step``: it
    runs by :meth:`clock`, each as much as the vendor's simulator does in one. ``clock``: as
    :class:`Tile`; under the cycle clock requests take time on the NoC and in DRAM, by the figures
    of ``arch.noc_times``.
    ``junk``: as :class:`Tile`, of each of its tiles. ``among``: :class:`Chips` gives it, for it is
    one of several.
    BadInputError for a place that is no Tensix tile, or an unknown word.
    """

    def __init__(
        self,
        arch: str = "blackhole",
        tiles: Iterable[Place] | None = None,
        engine: str = "fast",
        delivery: str = "prompt",
        in_step: bool = False,
        clock: str = "functional",
        junk: int | None = None,
        among: Among | None = None,
    ) -> None:
        if clock == "cycle" and among:
            raise BadInputError("the cycle clock is one chip's: several have the functional one")
        if clock == "cycle" and (engine != "fast" or delivery != "prompt" or in_step):
            raise BadInputError("the cycle clock of a chip: fast engine, prompt delivery, ahead")
        if delivery not in DELIVERIES:
            known = " or ".join(DELIVERIES)
            raise BadInputError(f"no delivery is called {delivery!r}: choose {known}")
        self.arch = arch_named(arch)
        self.delivery = delivery
        self.number = among.member.number if among else 0
        """Among several chips."""
        layout = self.arch.layout
        if tiles is not None and not isinstance(tiles, Iterable):
            raise BadInputError(f"tiles are places such as (1, 2), not {tiles!r}")
        chosen = layout.tensix if tiles is None else tuple(tiles)
        for place in chosen:
            if place not in layout.tensix:
                where = ",".join(map(str, place)) if isinstance(place, tuple) else repr(place)
                raise BadInputError(f"{arch} has no Tensix tile at {where}")
        self.engine = engine
        self.timing = clock
        self.junk = junk
        self.memory = ChipMemory(self.arch, chosen, in_step, among)
        self.c = self.memory.c
        self.c.late = delivery == "late"
        self.c.slice = CYCLES if clock == "cycle" else SLICE
        self.tiles = {place: self._make_tile() for place in chosen}
        which = f"chip {among.member.number}, " if among else ""
        self.running = [
            (f"{which}Tensix tile {x},{y}", tile) for (x, y), tile in self.tiles.items()
        ]
        """What has cores that run, and its name; Ethernet tiles come last."""
        for x, y in ethernet_cores(self.arch, in_step, among):
            self.running.append((f"{which}Ethernet tile {x},{y}", Tile(arch, engine=engine)))
        for _name, tile in self.running:
            self.memory.add_tile(tile.state.s)
        self._kernels = self._make_engine()
        for i in range(len(self.running)):
            self._kernels.call("connect", i)
        self._kernels.call("leave_ethernet")
        self.read_host: ReadHost | None = None
        """Reads host memory: an address, and how many bytes; None: there is none."""
        self.write_host: WriteHost | None = None
        self.send: Send | None = None
        """Takes what leaves over a link."""
        self._request_sinks: list[RequestSink] = []
        self.looks: list[Callable[[], None]] = []
        self.at_rest: list[Callable[[], None]] = []
        """Called: every so often while it runs; when nothing can change without the host."""

    def _make_tile(self) -> Tile:
        return Tile(self.arch.name, self.engine, self.timing, self.junk)

    def _make_engine(self) -> ChipEngine:
        """What calls the chip's kernels. The compiler is only imported if it is needed."""
        if self.engine == "reference":
            return ReferenceChip(self.memory)
        compiled = import_module("tilelab.chip.compiled")
        engines = [tile.engine for _name, tile in self.running]
        how = "cycle" if self.timing == "cycle" else self.delivery
        made: ChipEngine = compiled.FastChip(self.memory, engines, compiled.code(self.arch, how))
        return made

    @property
    def time(self) -> int:
        """Rounds that have passed at the tile that has run longest."""
        return self.c.time

    @property
    def requests(self) -> int:
        """NoC requests that have been carried out."""
        return self.c.requests

    @property
    def asleep(self) -> bool:
        """Whether nothing can change any more without the host."""
        return not self.c.awake

    # ------------------------------------------------------------------ the host's accesses

    def read(self, place: Place, address: int, count: int) -> bytes:
        """Read bytes at a place of the NoC, as the host does.

        BadInputError where nothing that is modelled answers.
        """
        data = b""
        while len(data) < count:
            at, size = address + len(data), min(STAGE, count - len(data))
            if self.call("read_place", number(place), at, size) == PROBLEM:
                self._refuse("reads", count, address, place)
            data += self.memory.stage[:size].tobytes()
        return data

    def write(self, place: Place, address: int, data: bytes) -> None:
        """Write bytes at a place of the NoC, as the host does; errors as :meth:`read`."""
        for at, size in self.staged(address, data):
            if self.call("write_place", number(place), at, size) == PROBLEM:
                self._refuse("writes", len(data), address, place)

    def wake(self, place: Place) -> None:
        """Say that a tile has been written to otherwise than by this chip."""
        self._kernels.call("wake", list(self.tiles).index(place))

    def broadcast(self, corners: tuple[Place, Place], address: int, data: bytes) -> None:
        """Write bytes to all Tensix tiles of a rectangle, from its first corner to its last."""
        (x0, y0), (x1, y1) = corners
        at = x1 | y1 << 6 | x0 << 12 | y0 << 18
        for to, size in self.staged(address, data):
            if self.call("broadcast", at, to, size) == PROBLEM:
                self._refuse("writes", len(data), address, (x0, y0))

    def staged(self, address: int, data: bytes) -> Iterator[tuple[int, int]]:
        """Lay out data part by part: where each goes, and its size."""
        for at in range(0, len(data), STAGE):
            part = data[at : at + STAGE]
            self.fill_stage(part)
            yield address + at, len(part)

    def fill_stage(self, data: bytes) -> None:
        """Lay out what is to be written."""
        self.memory.stage[: len(data)] = np.frombuffer(data, np.uint8)

    def _refuse(self, does: str, count: int, address: int, place: Place) -> NoReturn:
        where = f"{count} bytes at {address:#x} of {place[0]},{place[1]}"
        raise BadInputError(f"the host {does} {where}: {sentence(self.c)}")

    # ------------------------------------------------------------------ running

    def call(self, name: str, *arguments: int) -> int:
        """Call one of the chip's kernels; what it wants of host memory is done meanwhile."""
        while True:
            code = self._kernels.call(name, *arguments)
            if code not in (WANT_HOST_READ, WANT_HOST_WRITE, WANT_LINK):
                return code
            if not self._move_host_memory(code):
                return PROBLEM

    def _move_host_memory(self, code: int) -> bool:
        address, count = self.c.host_address, self.c.host_count
        if code == WANT_LINK and self.send:
            self.send(self.c.link, address, self.memory.stage[:count].tobytes())
        elif code == WANT_HOST_READ and self.read_host:
            self.fill_stage(self.read_host(address, count))
        elif code == WANT_HOST_WRITE and self.write_host:
            self.write_host(address, self.memory.stage[:count].tobytes())
        else:
            self.c.problem = problems.NO_HOST
            return False
        self.c.host_done = 1
        return True

    def run(self, rounds: int) -> bool:
        """Run every tile by at most so many rounds; True as soon as :attr:`asleep`.

        A failed check raises, naming the tile.
        """
        for tile in self.tiles.values():
            tile.engine.watch_trace()
        self._kernels.call("start_run", rounds)
        while True:
            code = self.call("go_on")
            for tile in self.tiles.values():
                tile.engine.collect()
            self._collect_requests()
            for look in self.looks:
                look()
            if code in (OK, ASLEEP):
                for call in self.at_rest if self.asleep else ():
                    call()
                return self.asleep
            if code != STOP_TRACE:
                self.fail(code)

    def trace_requests(self, sink: RequestSink) -> None:
        """Give ``sink`` the requests of the NoC as arrays of ``REQUEST_NOTE``, in order."""
        self._request_sinks.append(sink)
        self.c.noting = 1

    def _collect_requests(self) -> None:
        """Hand noted requests over."""
        count = self.c.noted
        if not count:
            return
        batch = rows(self.memory.record, REQUEST_NOTE, "noted", count)
        self.c.noted = 0
        for sink in self._request_sinks:
            sink(batch)

    def clock(self) -> None:
        """Let a chip in step do what one clock of its host is worth; errors as :meth:`run`."""
        code = self.call("pass_clock")
        if code != OK:
            self.fail(code)

    def fail(self, code: int) -> NoReturn:
        """Raise what the tile in turn did wrong: a failed check's code, or PROBLEM."""
        name, tile = self.running[self.c.turn]
        if code > OK:
            engine = tile.state.s.engine
            thread = engine.fault_thread if engine.fault_thread >= 0 else None
            error = tile.engine.fail(code, thread, engine.fault_word, engine.fault_origin)
            error.add_note(f"in {name}")
            raise error
        noc = tile.state.s.noc
        r = noc.request[self.c.next % (noc.requests or len(noc.request))]
        length = f"{r.length} bytes, NOC_CTRL {r.control:#x}"
        lines = [
            f"asked  NoC {r.niu} {KINDS[r.control & 3]} of {length}",
            f"target {r.target:#x} at {_coordinates(r.target_at)}",
            f"return {r.ret:#x} at {_coordinates(r.ret_at)}",
            f"from   {tile.sources.describe_pc(r.core, r.pc)}",
        ]
        who = f"{name}, {CORE_NAMES.get(r.core, 'host')}, cycle {int(tile.state.s.clock)}"
        raise told(failed(self.c), sentence(self.c, r.ret), who, lines)

    def report(self) -> dict[str, Any]:
        """What ran so far: of each tile that ran at all, instructions by core and of the Tensix."""
        tiles = []
        for place, tile in self.tiles.items():
            tiles += tile_report(place, *(tile.state.record[part] for part in REPORTED))
        return {
            "arch": self.arch.name,
            "rounds": self.time,
            "noc_requests": self.requests,
            "tiles": tiles,
        }


REPORTED = ("riscv", "frontend")
"""The parts of a tile's record that a report is made of."""


def tile_report(place: Place, riscv: Record, frontend: Record) -> list[dict[str, Any]]:
    """Of a tile that ran at all, instructions by core and of the Tensix."""
    retired = riscv["retired"].tolist()
    if not any(retired):
        return []
    counts = {CORE_NAMES[core]: count for core, count in enumerate(retired) if count}
    issued = int(frontend["issued"].sum())
    return [{"place": place, "retired": counts, "tensix_instructions": issued}]


def _coordinates(at: int) -> Place:
    """The coordinates of a unicast target, or where a broadcast ends."""
    return at & 63, at >> 6 & 63


assert KINDS.index("read") == n.READ
