"""Synchronisation: t_wait on counters of outstanding operations, t_sync between threads.

Seed lines 423, 441-475. DTE group wait and mbarrier have no encoding in the document: an overlay's
instruction with the verb ``group_wait`` or ``mbarrier_wait`` runs here. A semaphore is a ``user``
instruction.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tilelab.tilext.errors import MissingSpecification
from tilelab.tilext.races import Races
from tilelab.tilext.state import TileCore
from tilelab.tilext.verbs import refuse_unknown

Values = Mapping[str, int]


_KNOWN = {
    "mem": frozenset({"global/share", "st_cnt", "ld_cnt", "st_en", "ld_en", "rs2_en"}),
    "tma": frozenset({"tma_group_id"}),
    "mbarrier": frozenset({"rs1", "mbar"}),
}
SYNC_OPERANDS = frozenset({"nonblk", "sync_id", "imm", "rs2", "rs2_en", "scope"})


def wait(core: TileCore, name: str, values: Values) -> None:
    """Complete what a t_wait waits for; when it commits, nothing of that is outstanding.

    A copy ends with its group, or with the mbarrier that it signals; a copy whose group the
    user's table does not say is covered by t_wait.all alone.
    """
    mode = core.profile.forms[name].mode
    refuse_unknown(name, values, _KNOWN.get(mode, frozenset()))
    if mode == "mem":
        _wait_memory(core, values)
    elif mode == "tma":
        group = values["tma_group_id"]
        core.complete(lambda operation: operation.counter == "tma" and operation.group == group)
    elif mode == "mbarrier":
        barrier = values["mbar"] if "mbar" in values else core.read_x(values["rs1"])
        core.complete(lambda operation: operation.barrier == barrier)
    elif mode == "all":
        core.complete(lambda operation: True)
    else:
        core.retire(mode, 0)


def _wait_memory(core: TileCore, values: Values) -> None:
    """Commit when the load and store counters of one memory are at most ld_cnt and st_cnt."""
    if "st_en" not in values:
        raise MissingSpecification("t_wait-enables", "t_wait.mem without st_en and ld_en")
    if core.parameters.global_space is None:
        raise MissingSpecification("t_wait-space", f"global/share {values['global/share']}")
    space = "g" if values["global/share"] == core.parameters.global_space else "s"
    if values["st_en"]:
        core.retire(f"t{space}st", values["st_cnt"])
    if values["ld_en"]:
        core.retire(f"t{space}ld", values["ld_cnt"])


@dataclass
class Barrier:
    """Threads that have arrived, those that wait and for whom, those let go but not yet run.

    ``clocks`` are those threads' times when they arrived.
    """

    arrived: set[int] = field(default_factory=set)
    waiting: dict[int, frozenset[int]] = field(default_factory=dict)
    released: set[int] = field(default_factory=set)
    clocks: dict[int, list[int]] = field(default_factory=dict)


@dataclass
class SyncGroup:
    """Threads that synchronise with each other: barriers by scope and sync_id."""

    barriers: dict[tuple[int, int], Barrier] = field(default_factory=dict)
    races: Races | None = None

    def arrive(self, thread: int, key: tuple[int, int], mask: int, *, block: bool) -> bool:
        """Arrive; return whether the thread may go on. A thread that may not asks again."""
        barrier = self.barriers.setdefault(key, Barrier())
        if thread in barrier.released:
            barrier.released.discard(thread)
            return True
        if thread not in barrier.waiting:
            if thread in barrier.arrived:
                raise MissingSpecification("t_sync-reuse", f"thread {thread}, sync_id {key[1]}")
            barrier.arrived.add(thread)
            if self.races is not None:
                barrier.clocks[thread] = list(self.races.clocks[thread])
            if not block:
                self._release(barrier)
                return True
            barrier.waiting[thread] = frozenset(n for n in range(8) if mask >> n & 1)
        self._release(barrier)
        if thread in barrier.released:
            barrier.released.discard(thread)
            return True
        return False

    def _release(self, barrier: Barrier) -> None:
        ready = [t for t, threads in barrier.waiting.items() if threads <= barrier.arrived]
        for thread in ready:
            if self.races is not None:
                self.races.met(thread, [barrier.clocks[t] for t in barrier.waiting[thread]])
            barrier.arrived -= barrier.waiting.pop(thread) | {thread}
            barrier.released.add(thread)

    def who_waits(self) -> list[str]:
        """Return a line for every thread that waits: for which threads, at which sync_id."""
        return [
            f"thread {thread} waits at sync_id {key[1]} (scope {key[0]}) for threads "
            f"{', '.join(str(t) for t in sorted(threads - barrier.arrived))}"
            for key, barrier in self.barriers.items()
            for thread, threads in barrier.waiting.items()
        ]


def sync(core: TileCore, group: SyncGroup, name: str, values: Values) -> bool:
    """Run a t_sync; return whether the thread may go on.

    nonblk 0 only arrives, as line 423 says; 1 waits for the threads of the mask (question
    t_sync-nonblk).
    """
    refuse_unknown(name, values, SYNC_OPERANDS)
    if "imm" in values:
        number, mask = values["sync_id"], values["imm"]
    else:
        number = core.read_x(values["sync_id"])
        if not values.get("rs2_en"):
            raise MissingSpecification("t_sync-mask", "t_sync.reg without rs2")
        mask = core.read_x(values["rs2"]) & 0xFF
    return group.arrive(core.thread, (values["scope"], number), mask, block=bool(values["nonblk"]))
