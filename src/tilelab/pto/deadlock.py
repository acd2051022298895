"""Explaining a deadlock: who waits for whom, on which flag, and what probably went wrong."""

from dataclasses import asdict, dataclass
from typing import Any

from tilelab.pto.config import NO_SPLIT, TPipe
from tilelab.pto.core import Core
from tilelab.pto.errors import HAZARDS, DrainDeadlock
from tilelab.pto.flags import SUBBLOCK_ALIAS
from tilelab.pto.ring import Ring
from tilelab.pto.seat import Seat
from tilelab.pto.shared import Shared
from tilelab.sim.errors import DeadlockError


@dataclass(frozen=True)
class CoreWait:
    """One node of the wait-for graph."""

    core: str
    op: str
    phase: str
    primitive: str
    pipe: str
    flag: int
    count: int
    ring: str
    tile: int
    slot: int
    waits_for: tuple[str, ...]

    def __str__(self) -> str:
        pipe = f"PIPE_{self.pipe}, " if self.pipe else ""
        where = f" tile {self.tile} slot {self.slot} of {self.ring}" if self.ring else ""
        return (
            f"{self.core}: {self.op} {self.phase} {self.primitive}({pipe}{self.flag}) "
            f"count {self.count}{where}; waits for {' and '.join(self.waits_for)}"
        )


@dataclass(frozen=True)
class DeadlockReport:
    """The wait-for graph, the cores that ended or never ran, and the likely cause by its number."""

    waits: tuple[CoreWait, ...]
    finished: tuple[str, ...]
    absent: tuple[str, ...]
    cause: str
    reason: str
    draining: bool = False

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    def __str__(self) -> str:
        lines = [str(wait) for wait in self.waits]
        lines += [f"{name}: ended" for name in self.finished]
        lines += [f"{name}: has no program" for name in self.absent]
        return "\n".join([*lines, f"likely cause {self.cause}: {self.reason}"])


def explain(cluster: Shared, cores: list[Core], live: list[Core]) -> DeadlockError:
    """The error for a state in which no core of ``live`` can run."""
    state = dict.fromkeys(cluster.core_names, "has no program")
    state |= {core.name: "ended" for core in cores}
    state |= {core.name: "waits" for core in live}
    waits = tuple(_node(cluster, core, state) for core in live)
    causes = [_cause(cluster, cores, core, state) for core in live]
    code, reason = min(causes, key=lambda cause: _RANK.index(cause[0]))
    if code in ("H12", "H1") and _cycle(waits):
        code = "H12"
        reason = f"{HAZARDS['H12']}: " + ", ".join(
            f"{wait.core} in {wait.op} of {wait.ring or 'a raw flag'} waits for "
            f"{' and '.join(wait.waits_for)}"
            for wait in waits
        )
    draining = all(wait.phase == "DRAIN" for wait in waits)
    report = DeadlockReport(
        waits,
        tuple(name for name, what in state.items() if what == "ended"),
        tuple(name for name, what in state.items() if what == "has no program"),
        code,
        reason,
        draining,
    )
    first = waits[0]
    where = f" of tile {first.tile} on {first.ring}" if first.ring else ""
    summary = (
        f"deadlock: {first.core} waits for flag {first.flag} in {first.op}{where} "
        f"and no core can run [{code}]"
    )
    if draining:
        return DrainDeadlock(summary, str(report), report)
    error = DeadlockError(summary, str(report), report)
    error.code = "E9"
    return error


# Most telling cause first; a core that merely waits for a stuck one comes last.
_RANK = ["H2", "H3", "H5", "H4", "H1", "H11", "H12"]


def _peers(cluster: Shared, core: Seat) -> tuple[str, ...]:
    """The cores whose signal a waiting core lacks."""
    assert core.waiting is not None
    wait = core.waiting[4]
    if core.lane >= 0:
        return ("cube",)
    if cluster.arch.reduces:
        lanes = cluster.flags.missing(wait.flag) or list(range(cluster.vec))
        return tuple(f"vec{lane}" for lane in lanes)
    return (f"vec{wait.flag // SUBBLOCK_ALIAS}",)


def _node(cluster: Shared, core: Core, state: dict[str, str]) -> CoreWait:
    assert core.waiting is not None
    op, phase, ring, tile, wait = core.waiting
    counters, index = wait.counter
    peers = tuple(
        peer if state[peer] == "waits" else f"{peer} ({state[peer]})"
        for peer in _peers(cluster, core)
    )
    return CoreWait(
        core.name,
        op,
        phase,
        cluster.arch.wait,
        wait.pipe,
        wait.flag,
        counters[index],
        ring.name if ring else "",
        tile,
        tile % ring.slot_num if ring else -1,
        peers,
    )


def _cycle(waits: tuple[CoreWait, ...]) -> bool:
    """Whether some waiting core waits, through others, for itself."""
    edges = {wait.core: wait.waits_for for wait in waits}
    for start, first in edges.items():
        seen: set[str] = set()
        front = list(first)
        while front:
            name = front.pop()
            if name == start:
                return True
            if name in edges and name not in seen:
                seen.add(name)
                front += edges[name]
    return False


def _cause(
    cluster: Shared, cores: list[Core], core: Core, state: dict[str, str]
) -> tuple[str, str]:
    assert core.waiting is not None
    _, phase, ring, tile, wait = core.waiting
    if ring is None:
        return "H1", f"no core sets flag {wait.flag}, for which {core.name} waits"
    if phase == "WAIT":
        return _starved_consumer(cluster, core, ring, tile, state)
    return _starved_producer(cluster, cores, core, ring, phase, tile, state)


def _starved_consumer(
    cluster: Shared, core: Core, ring: Ring, tile: int, state: dict[str, str]
) -> tuple[str, str]:
    peers = _peers(cluster, core)
    if core.lane == 1 and ring.credit_lanes() == (0,):
        return "H5", f"{HAZARDS['H5']}; on a nosplit pipe only vec0 may execute TPOP"
    if core.lane == 1 and not cluster.arch.reduces and _unsplit(ring, tile):
        return "H5", (
            f"{HAZARDS['H5']}: tile {tile} was pushed with TILE_NO_SPLIT, which is sub-block 0's "
            "alone; push and pop with a split, or let only vec0 execute TPOP"
        )
    if ring.skipped_records and max(ring.pushed) > tile:
        return "H2", (
            f"{HAZARDS['H2']}; tile {tile} was pushed, {ring.skipped_records} pushes did not record"
        )
    if ring.half == "V2C" and max(ring.pushed) > tile:
        absent = [peer for peer in peers if state[peer] != "waits"]
        if absent:
            what = "the A2/A3 reduce" if cluster.arch.reduces else "the flag at +16"
            return "H4", (
                f"{' and '.join(absent)} never pushed tile {tile}, so {what} never completes"
            )
    if all(state[peer] != "waits" for peer in peers):
        pushed = min(ring.pushed[lane] for lane in ring.producers())
        return "H1", f"{HAZARDS['H1']}: {pushed} tiles were pushed, {core.name} pops tile {tile}"
    return "H12", f"{core.name} waits for {' and '.join(peers)}, which waits too"


def _unsplit(ring: Ring, tile: int) -> bool:
    """Whether a tile was pushed to a TPipe, and with no split."""
    slot = ring.slots[tile % ring.slot_num]
    return isinstance(ring.pipe, TPipe) and slot.tile >= tile and slot.split == NO_SPLIT


def _starved_producer(
    cluster: Shared,
    cores: list[Core],
    core: Core,
    ring: Ring,
    phase: str,
    tile: int,
    state: dict[str, str],
) -> tuple[str, str]:
    peers = _peers(cluster, core)
    if ring.skipped_frees:
        return "H3", f"{HAZARDS['H3']}; {ring.skipped_frees} pops or TFREEs did not free (isFree)"
    held = {
        consumer.name: end.held
        for consumer in cores
        for pipe in consumer.pipes
        if (end := pipe.consumer) is not None
        and end.ring is ring
        and end.held
        # One that waits at another pipe may yet free: that is a circle.
        and (consumer.waiting is None or consumer.waiting[2] is ring)
    }
    if held:
        who = ", ".join(f"{name} holds {count} popped tile(s)" for name, count in held.items())
        return "H3", f"{HAZARDS['H3']}; {who}: TFREE is missing (protocol {ring.protocol.name})"
    joined = [one.name for one in cores if ring in one.joined]
    absent = [peer for peer in peers if peer not in joined]
    if absent and {"vec0", "vec1"} & {*joined} and core.lane < 0:
        return (
            "H4",
            f"{' and '.join(absent)} does not take part in {ring.name}, so its credits never come",
        )
    if all(state[peer] != "waits" for peer in peers):
        code = "H11" if phase == "DRAIN" else "H3"
        pushed = max(ring.pushed)
        return code, (
            f"{core.name} needs a free slot of {ring.name}, but {' and '.join(peers)} ended after "
            f"popping {min(ring.popped[lane] for lane in ring.consumers)} of {pushed} tiles"
        )
    return "H12", f"{core.name} waits for {' and '.join(peers)}, which waits too"
