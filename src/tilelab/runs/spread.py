"""Several chips on the workers of a Dask cluster: chips are its actors, a slice their lookahead.

Whoever plays the host holds none of them: it has all run a slice, and what they sent meanwhile put
down between two slices, in the same order as in one process. So results are the same.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from tilelab.chip.chip import Chip
from tilelab.chip.pci import PciBus, PciDevice
from tilelab.chip.several import Arrival, Chips, Link, Transfer, members, put_down, works
from tilelab.chip.waiting import Waiting, waiting
from tilelab.runs.processes import WorkerDiedError
from tilelab.sim.errors import BadInputError, TilelabError
from tilelab.tensix.arch import arch as arch_named
from tilelab.tensix.tables.layout import Place
from tilelab.traffic.calls import CallLog
from tilelab.traffic.condense import condensed
from tilelab.traffic.recording import Replayed, TrafficRecording, play

LOST = "Actor was lost"
"""What Dask says of an actor whose worker is gone."""
LOOK_SECONDS = 0.5
"""How often it is looked whether a worker that does not answer is still there."""


Access = tuple[str, tuple[Any, ...]]
"""An access of the host: its name, as :class:`Device` has it, and its arguments."""
MOST_WRITES = 1 << 12
"""Writes of the host that are sent to a chip together, at most."""


@dataclass(frozen=True)
class Standing:
    """How a chip stands between two slices."""

    time: int = 0
    asleep: bool = False
    works: bool = False
    requests: int = 0
    sent: tuple[Transfer, ...] = ()
    error: TilelabError | None = None
    """What a program did wrong in the slice."""


@dataclass(frozen=True)
class Wanted:
    """A chip that a worker is to hold: parameters as :class:`Chips`."""

    arch: str
    number: int
    count: int
    wiring: tuple[Link, ...] | None
    tiles: tuple[Place, ...] | None
    engine: str


class Held:
    """A chip in a worker's process."""

    def __init__(self, wanted: Wanted) -> None:
        among = members(arch_named(wanted.arch), wanted.count, wanted.wiring)[wanted.number]
        self.chip = Chip(wanted.arch, wanted.tiles, wanted.engine, among=among)
        self.chip.send = lambda *sent: self._sent.append(sent)
        self.device = PciDevice(self.chip)
        self._sent: list[Transfer] = []
        self._noted: list[bytes] = []

    def run(self, now: int, rounds: int) -> Standing:
        """Run a slice, if anything is to be done; all chips have had so many rounds."""
        error = None
        self.chip.c.time = now
        if not self.chip.asleep:
            try:
                self.chip.run(rounds)
            except TilelabError as raised:
                error = raised
        sent = tuple(self._sent)
        self._sent.clear()
        return self._standing(sent, error)

    def take(self, now: int, arrivals: Sequence[tuple[Arrival, tuple[int, int]]]) -> Standing:
        """Put down what has come, each with who sent it."""
        self.chip.c.time = now
        for arrival, sender in arrivals:
            put_down(self.chip, arrival, sender)
        return self._standing()

    def _standing(
        self, sent: tuple[Transfer, ...] = (), error: TilelabError | None = None
    ) -> Standing:
        chip = self.chip
        return Standing(chip.time, chip.asleep, works(chip), chip.requests, sent, error)

    def host(self, now: int, accesses: Sequence[Access]) -> tuple[Any, Standing]:
        """Accesses of the host: what the last one answers, and how the chip stands then."""
        self.chip.c.time = now
        answer = None
        for name, arguments in accesses:
            answer = getattr(self.device, name)(*arguments)
        return answer, self._standing()

    def both_ways(self, value: bool) -> None:
        """As :class:`Chips`."""
        self.chip.c.both_ways = value

    def waiting(self) -> Waiting:
        """Who waits for what."""
        return waiting(self.chip.running)

    def note(self) -> None:
        """Note requests from now on."""
        self.chip.trace_requests(lambda batch: self._noted.append(batch.tobytes()))

    def noted(self) -> bytes:
        """The requests of the NoC that have been carried out since, as ``REQUEST_NOTE``."""
        return b"".join(self._noted)


class Far:
    """A chip that a worker holds, as a host's device; errors as :class:`PciDevice`."""

    def __init__(self, chips: "SpreadChips", number: int) -> None:
        self._ask, self._tell = partial(chips.ask, number), partial(chips.tell, number)

    def read(self, address: int, count: int) -> bytes:
        """As PciDevice."""
        return bytes(self._ask("read", address, count))

    def write(self, address: int, data: bytes) -> None:
        """As PciDevice."""
        self._tell("write", address, data)

    def tile_read(self, place: Place, address: int, count: int) -> bytes:
        """As PciDevice."""
        return bytes(self._ask("tile_read", place, address, count))

    def tile_write(self, place: Place, address: int, data: bytes) -> None:
        """As PciDevice."""
        self._tell("tile_write", place, address, data)

    def broadcast(self, corners: tuple[Place, Place], address: int, data: bytes) -> None:
        """As PciDevice."""
        self._tell("broadcast", corners, address, data)


class SpreadChips(Chips):
    """Chips that the workers of a cluster hold, in turn; they run ahead of their host.

    ``client``: of :func:`tilelab.runs.cluster.connect`. A worker that is lost is a WorkerDiedError,
    and the run over: what its chips had is gone. The client is the caller's to close, which ends
    the chips.
    """

    def __init__(
        self,
        client: Any,
        arch: str = "blackhole",
        count: int = 2,
        wiring: Sequence[Link] | None = None,
        tiles: Sequence[Place] | None = None,
        engine: str = "fast",
    ) -> None:
        self.arch, self.in_step = arch_named(arch), False
        self.members = members(self.arch, count, wiring)
        self.chips, self.threads = (), 1
        self.client = client
        chosen = None if tiles is None else tuple(tiles)
        self.tiles_each = len(self.arch.layout.tensix if chosen is None else chosen)
        workers = sorted(client.nthreads())
        self.holders = [workers[number % len(workers)] for number in range(count)]
        given = tuple(wiring) if wiring is not None else None
        self._futures = [
            client.submit(
                Held,
                Wanted(arch, number, count, given, chosen, engine),
                actor=True,
                workers=[self.holders[number]],
                pure=False,
            )
            for number in range(count)
        ]
        self._actors = [self._result(i, future) for i, future in enumerate(self._futures)]
        self._sent: list[list[Transfer]] = [[] for _ in range(count)]
        self.standing = [Standing() for _ in range(count)]
        self._writes: list[list[Access]] = [[] for _ in range(count)]
        self._everywhere("run", 0, 0)
        self.devices = tuple(Far(self, number) for number in range(count))

    def _result(self, number: int, future: Any) -> Any:
        """What a chip's worker answers; WorkerDiedError if it cannot any more."""
        while True:
            try:
                return future.result(timeout=LOOK_SECONDS)
            except TilelabError:
                raise
            except TimeoutError:
                if self._lives(number):
                    continue
            except Exception as error:  # of many kinds: what they share is that it is lost
                if (
                    self._lives(number)
                    and not isinstance(error, OSError)
                    and LOST not in str(error)
                ):
                    raise
            raise self._gone(number)

    def _gone(self, number: int) -> WorkerDiedError:
        return WorkerDiedError(
            f"WorkerDied: the worker that held chip {number}, {self.holders[number]}, is gone"
        )

    def _lives(self, number: int) -> bool:
        with suppress(OSError, TimeoutError):
            return self.holders[number] in self.client.scheduler_info(-1)["workers"]
        return False

    def _call(self, number: int, name: str, *arguments: Any) -> Any:
        """Ask a chip; what :meth:`_result` waits for."""
        with self.client.as_current():  # an actor looks for its client
            try:
                return getattr(self._actors[number], name)(*arguments)
            except RuntimeError as error:  # known before the scheduler's list has it
                if LOST not in str(error):
                    raise
                raise self._gone(number) from None

    def _each(self, name: str, *arguments: Any) -> list[Any]:
        """Ask all chips the same, side by side."""
        asked = [self._call(number, name, *arguments) for number in range(len(self.members))]
        return [self._result(number, future) for number, future in enumerate(asked)]

    def _everywhere(self, name: str, *arguments: Any) -> None:
        self.standing = self._each(name, *arguments)
        for number, standing in enumerate(self.standing):
            self._sent[number] += standing.sent
        for standing in self.standing:
            if standing.error:
                raise standing.error

    def ask(self, number: int, name: str, *arguments: Any) -> Any:
        """A read of the host at a chip, behind what it has written there."""
        accesses = [*self._writes[number], (name, arguments)]
        self._writes[number].clear()
        asked = self._call(number, "host", self.time, accesses)
        answer, self.standing[number] = self._result(number, asked)
        return answer

    def tell(self, number: int, name: str, *arguments: Any) -> None:
        """A write of the host at a chip: sent before it reads there, or lets time pass."""
        self._writes[number].append((name, arguments))
        if len(self._writes[number]) == MOST_WRITES:
            self._send_writes()

    def _send_writes(self) -> None:
        """Send chips what the host has written."""
        now = self.time
        asked = {
            number: self._call(number, "host", now, tuple(writes))
            for number, writes in enumerate(self._writes)
            if writes
        }
        for number, future in asked.items():
            self._writes[number].clear()
            _, self.standing[number] = self._result(number, future)

    def run(self, rounds: int, quiet: int = 0) -> bool:
        """As Chips."""
        self._send_writes()
        return super().run(rounds, quiet)

    def both_ways(self, value: bool) -> None:
        """As Chips."""
        self._each("both_ways", value)

    @property
    def asleep(self) -> bool:
        """As Chips."""
        return all(one.asleep for one in self.standing)

    @property
    def time(self) -> int:
        """As Chips."""
        return max(one.time for one in self.standing)

    @property
    def requests(self) -> int:
        """As Chips."""
        return sum(one.requests for one in self.standing)

    @property
    def works(self) -> bool:
        """As Chips."""
        return any(one.works for one in self.standing)

    @property
    def tiles(self) -> int:
        """As Chips."""
        return len(self.members) * self.tiles_each

    def _waiting(self) -> Waiting:
        return [one for found in self._each("waiting") for one in found]

    def note(self) -> None:
        """Have chips note requests of the NoC from now on."""
        self._each("note")

    def noted(self) -> list[bytes]:
        """Of each chip, the requests that have been carried out, as bytes of ``REQUEST_NOTE``."""
        return self._each("noted")

    def _run_slice(self, rounds: int, pool: ThreadPoolExecutor) -> None:
        self._everywhere("run", self.time, rounds)

    def meet(self) -> None:
        """As Chips."""
        now = self.time
        arrivals: dict[int, list[tuple[Arrival, tuple[int, int]]]] = {}
        for number, sent in enumerate(self._sent):
            among = self.members[number]
            for tile, address, data in sent:
                assert among
                peer, there = among.links[tile]
                arrived = (there, address, data), (number, tile)
                arrivals.setdefault(peer.number, []).append(arrived)
            sent.clear()
        asked = {to: self._call(to, "take", now, what) for to, what in arrivals.items()}
        for to, future in asked.items():
            self.standing[to] = self._result(to, future)


def replay_spread(
    client: Any,
    recording: TrafficRecording | CallLog,
    engine: str = "fast",
    max_rounds: int = 10_000_000,
    show: Callable[[str], None] = lambda text: None,
) -> Replayed:
    """Play a recording of several chips to chips on a cluster; as ``traffic.recording.replay``.

    A log of calls is played as events: its chips run ahead. BadInputError for a recording of one
    chip, which has nothing to share out, and for one with fast dispatch.
    """
    if recording.chips == 1:
        raise BadInputError(f"{recording.name}: one chip: --cluster shares several out")
    events = tuple(condensed(recording)) if isinstance(recording, CallLog) else recording.events
    played = TrafficRecording(recording.name, recording.arch, events)
    tiles = tuple(recording.tiles)
    chips = SpreadChips(client, played.arch, recording.chips, tiles=tiles, engine=engine)
    return play(played, PciBus(chips, chips.devices), max_rounds, show)
