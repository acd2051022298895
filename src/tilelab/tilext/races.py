"""Races between threads: who is ordered after whom, by what the sync matrix lets each wait do.

A t_wait orders a thread after its own tile operations only; a t_sync orders threads, but does not
see the tile core's modules (seed lines 413-419). So another thread may use what an operation used
once its own thread has waited for it and then both have met at a t_sync. Scalar accesses are done
at once. Vector clocks, one entry a thread, say what has happened before what.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tilelab.sim.errors import ProgramError
from tilelab.tilext.memory import GRAIN, Access, Outstanding

_HOW = "t_wait in its thread, then a t_sync of both (sync matrix, seed lines 413-419)"


@dataclass
class _Done:
    """The thread's time when an access was complete; None while it is outstanding."""

    time: int | None


@dataclass(frozen=True)
class _Use:
    """What a thread did to some bytes of a memory's grain."""

    thread: int
    name: str
    stores: bool
    start: int
    end: int
    done: _Done


Grain = tuple[str, int]
_Key = tuple[int, ...]


@dataclass
class Races:
    """Follows the memory accesses of threads that share it; raises at the first race."""

    threads: int
    clocks: list[list[int]] = field(init=False)
    grains: dict[Grain, dict[_Key, _Use]] = field(default_factory=dict)
    latest: dict[int, _Done] = field(default_factory=dict)
    held: dict[int, _Done] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.clocks = [[0] * self.threads for _ in range(self.threads)]

    def used(self, thread: int, name: str, access: Access) -> None:
        """Check an access against those of other threads; ProgramError for a race."""
        pieces = list(_pieces(access))
        for grain, start, end, stores in pieces:
            for other in self.grains.get(grain, {}).values():
                apart = other.start >= end or other.end <= start
                if other.thread == thread or apart or not (stores or other.stores):
                    continue
                if not self._before(other, thread):
                    self._race(
                        thread, name, other, f"{grain[0]} memory at {max(start, other.start):#x}"
                    )
        done = self.latest[thread] = _Done(self._tick(thread))
        for grain, start, end, stores in pieces:
            uses = self.grains.setdefault(grain, {})
            key: _Key = (thread, stores, start, end)
            if key in uses and uses[key].done.time is None:
                key = (*key, id(done))  # beside what is still outstanding
            uses[key] = _Use(thread, name, stores, start, end, done)

    def _race(self, thread: int, name: str, other: _Use, what: str) -> None:
        state = "has outstanding" if other.done.time is None else "uses, unordered"
        raise ProgramError(
            f"race: {name} of thread {thread} uses {what}, which {other.name} of thread "
            f"{other.thread} {state}",
            f"They are ordered by {_HOW}.",
        )

    def issued(self, thread: int, operation: Outstanding) -> None:
        """The access that was just checked is of an operation that is not complete."""
        if operation.access.spans:
            self.latest[thread].time = None
            self.held[id(operation)] = self.latest[thread]

    def completed(self, thread: int, operation: Outstanding) -> None:
        """A wait has covered an operation."""
        if (done := self.held.pop(id(operation), None)) is not None:
            done.time = self._tick(thread)

    def met(self, thread: int, others: Iterable[list[int]]) -> None:
        """A thread leaves a t_sync after others that arrived with these clocks."""
        mine = self.clocks[thread]
        for clock in others:
            mine[:] = [max(a, b) for a, b in zip(mine, clock, strict=True)]
        for grain, uses in list(self.grains.items()):
            self.grains[grain] = {k: use for k, use in uses.items() if not self._everywhere(use)}
            if not self.grains[grain]:
                del self.grains[grain]

    def _tick(self, thread: int) -> int:
        self.clocks[thread][thread] += 1
        return self.clocks[thread][thread]

    def _before(self, use: _Use, thread: int) -> bool:
        return use.done.time is not None and self.clocks[thread][use.thread] >= use.done.time

    def _everywhere(self, use: _Use) -> bool:
        return all(self._before(use, t) for t in range(self.threads) if t != use.thread)


def _pieces(access: Access) -> Iterator[tuple[Grain, int, int, bool]]:
    """Yield the grains an access touches, with the bytes it uses there."""
    for span in access.spans:
        for address in span.addresses:
            end = address + span.size
            for number in range(address // GRAIN, (end - 1) // GRAIN + 1):
                low, high = max(address, number * GRAIN), min(end, (number + 1) * GRAIN)
                yield (span.space, number), low, high, span.stores
