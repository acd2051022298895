"""One program under several protocols and depths: how long each takes, and whether it is safe.

Each run is the program itself, with the protocol's rules and so many slots in every ring. Its trace
gives the time (``cycles/clock.py``) and, for every order of the cores, whether it is safe
(``proof.py``); the credit model proves the ring's rules for any number of tiles.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tilelab.pto.cluster import Cluster
from tilelab.pto.credit_model import Model
from tilelab.pto.cycles.clock import Busy, Timed, clock
from tilelab.pto.cycles.figures import figures
from tilelab.pto.errors import PipeConfigError
from tilelab.pto.explore import ExploreLimitError, explore
from tilelab.pto.program import Program
from tilelab.pto.prove import judge, once
from tilelab.pto.ring import Ring
from tilelab.pto.search import Verdict, search
from tilelab.pto.trace import Result

DEPTHS = (1, 2, 3, 4, 6, 8)
FAST = 1.02  # of the shortest time of a protocol: as good as that
NAMES = {"rendezvous": "rendezvous", "ack/1": "credits", "sparse": "the vendor's code"}


@dataclass
class Row:
    """A protocol at a depth: cycles, the share of them in which Cube and Vector cores both work,
    tiles in 1,000 cycles, and cycles from a tile's push to the end of its pop.

    ``events`` were ordered by the proof, ``states`` searched by the credit model. ``fault``: what
    goes wrong, with the ``order`` of cores that makes it happen, or, where it takes more tiles than
    the program has, the ``command`` that shows it; none: safe.
    """

    protocol: str
    depth: int
    cycles: float = 0
    overlap: float = 0
    rate: float = 0
    latency: float = 0
    events: int = 0
    states: int = 0
    code: str = ""
    fault: str = ""
    order: list[str] = field(default_factory=list)
    command: str = ""
    stalls: dict[str, float] = field(default_factory=dict)

    @property
    def safe(self) -> bool:
        """Whether no order of the cores goes wrong."""
        return not self.fault

    @property
    def name(self) -> str:
        """The protocol as it is spoken of."""
        number = self.protocol.partition("/")[2]
        named = f"chunks of {number}" if self.protocol.startswith("chunk") else ""
        named = named or (f"acknowledge every {number}" if number else self.protocol)
        return NAMES.get(self.protocol, named)


@dataclass
class Comparison:
    """All rows, and what was searched of the recommended ones."""

    rows: list[Row]
    searched: dict[tuple[str, int], Verdict] = field(default_factory=dict)
    assumed: list[str] = field(default_factory=list)

    @property
    def safe(self) -> list[Row]:
        """The rows that are safe."""
        return [row for row in self.rows if row.safe]

    @property
    def fastest(self) -> Row | None:
        """Of the safe rows within ``FAST`` of the shortest time, the one with fewest slots."""
        least = min((row.cycles for row in self.safe), default=0)
        quick = [row for row in self.safe if row.cycles <= FAST * least]
        return min(quick, key=lambda row: (row.depth, row.cycles), default=None)

    def depths(self, protocol: str) -> tuple[int | None, int | None]:
        """The smallest safe depth of a protocol, and the smallest that is fast for it."""
        mine = [row for row in self.safe if row.protocol == protocol]
        least = min((row.cycles for row in mine), default=0)
        fast = [row.depth for row in mine if row.cycles <= FAST * least]
        return min((row.depth for row in mine), default=None), min(fast, default=None)

    @property
    def protocols(self) -> list[str]:
        """The protocols, in order."""
        return list(dict.fromkeys(row.protocol for row in self.rows))


def compare(
    program: Program,
    depths: Sequence[int] = DEPTHS,
    given: list[str] | None = None,
    max_states: int = 2000,
    extra: Sequence[str] = (),
) -> Comparison:
    """Run a program under every protocol and depth. ``given``: figures, as NAME=VALUE."""
    known: dict[Model, Any] = {}
    rows: list[Row] = []
    comparison = Comparison(rows)
    for protocol, depth in _cases(depths, extra):
        row = _run(program, protocol, depth, given, known, comparison)
        if row is not None:
            rows.append(row)
    smallest = min(comparison.safe, key=lambda row: (row.depth, row.cycles), default=None)
    for best in (comparison.fastest, smallest) if max_states else ():
        key = (best.protocol, best.depth) if best is not None else ("", 0)
        if best is not None and key not in comparison.searched:
            comparison.searched[key] = search(_with(program, *key).once(), max_states)
    return comparison


def _cases(depths: Sequence[int], extra: Sequence[str]) -> Iterator[tuple[str, int]]:
    most = max(depths)
    numbers = [number for number in (2, 4, 8) if number <= most]
    names = ["rendezvous", "ack/1"]
    names += [f"{kind}/{number}" for kind in ("ack", "chunk") for number in numbers]
    for protocol in (*names, *extra):
        for depth in depths:
            yield protocol, depth


def _with(program: Program, protocol: str, depth: int) -> Program:
    options = {"protocol": protocol, "slots": depth, "cycles": True}
    return replace(program, options=program.options | options)


def _run(
    program: Program,
    protocol: str,
    depth: int,
    given: list[str] | None,
    known: dict[Model, Any],
    comparison: Comparison,
) -> Row | None:
    """One row; None where the protocol has no such depth."""
    chosen = _with(program, protocol, depth)
    row = Row(protocol, depth)
    try:
        cluster, recorder, failed = once(chosen)
    except PipeConfigError as error:
        if "needs a SlotNum" in error.summary:
            return None
        raise
    result = cluster.result()
    table = figures(cluster.arch.name, given)
    _time(row, result, clock(result, cluster.arch, cluster.vec, table))
    comparison.assumed = [
        f"{one.name}={one.value:g}" for one in table.leaned_on() if one.known == "assumed"
    ]
    verdict = judge(cluster, recorder, failed)
    row.events = verdict.states
    small = next((one for one in result.findings if one.code == "E6"), None)
    if verdict.found:
        bad = verdict.found[0]
        row.code, row.fault, row.order = bad.code, bad.message, bad.schedule
    elif small is not None:  # so many slots do not fit
        row.code, row.fault = small.code, small.message
        row.order = [core for core, _ in recorder.steps]
    else:
        _credits(row, cluster, known)
    return row


def _credits(row: Row, cluster: Cluster, known: dict[Model, Any]) -> None:
    """The credit model's proof of each ring, for any number of tiles."""
    for rings in cluster.rings.values():
        model = _model(rings[0], cluster)
        if model not in known:
            try:
                known[model] = explore(model, 200_000)
            except ExploreLimitError:
                known[model] = None
        verdict = known[model]
        if verdict is None:
            continue
        row.states += verdict.states
        if verdict.found and len(rings) == 1:
            bad = verdict.found[0]
            row.code, row.fault, row.command = bad.code, bad.message, model.command


def _model(ring: Ring, cluster: Cluster) -> Model:
    pipe = ring.pipe
    multi = not hasattr(pipe, "separate_rings")
    return Model(
        ring.slot_num, cluster.arch.name, pipe.direction, ring.protocol.name, None, cluster.vec,
        pipe.nosplit and not cluster.arch.reduces, multi, cluster.flag_bits,
    )  # fmt: skip


def _time(row: Row, result: Result, timed: Timed) -> None:
    row.cycles = timed.total
    row.overlap = _overlap(timed.busy) / timed.total if timed.total else 0
    pushed: dict[tuple[str, int], float] = {}
    popped: dict[tuple[str, int], float] = {}
    for index, (step, tile, _) in enumerate(result.raw):
        if step.phase == "PUSH":
            pushed.setdefault((step.ring, tile), timed.times[index])
        elif step.phase == "POP":
            popped[step.ring, tile] = max(timed.times[index], popped.get((step.ring, tile), 0))
    spans = [popped[key] - at for key, at in pushed.items() if key in popped]
    row.latency = sum(spans) / len(spans) if spans else 0
    row.rate = 1000 * len(popped) / timed.total if timed.total else 0
    for _, stalls in timed.pipes().values():
        for cause, cycles in stalls.items():
            row.stalls[cause] = row.stalls.get(cause, 0) + cycles


def _overlap(busy: list[Busy]) -> float:
    """Cycles in which the Cube and a Vector core both work."""
    marks: list[tuple[float, int, int]] = []
    for one in busy:
        side = 0 if one.core == "cube" else 1
        marks += [(one.start, 1, side), (one.end, -1, side)]
    works, both, last = [0, 0], 0.0, 0.0
    for time, change, side in sorted(marks):
        if works[0] and works[1]:
            both += time - last
        works[side] += change
        last = time
    return both
