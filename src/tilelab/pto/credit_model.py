"""The credit state of a pipe, and what one step of one core does to it.

Used by ``tilelab.pto.explore``; the rules themselves are those of ``tilelab.pto.protocol``.
"""

import math
from dataclasses import dataclass
from typing import Any

from tilelab.pto.config import Direction, TPipe
from tilelab.pto.errors import PipeConfigError
from tilelab.pto.paths import find_arch, find_path
from tilelab.pto.protocol import Protocol

_NAMES = {"push": "TPUSH", "pop": "TPOP", "tfree": "TFREE", "use": "use"}
OPS = tuple(_NAMES)
State = tuple[tuple[int, ...], tuple[int, ...]]
Faults = list[tuple[str, str, str]]  # kind, code, message


@dataclass(frozen=True)
class Model:
    """What is explored: one pipe, the body each core repeats, and the toggles.

    ``cube`` and ``vec`` are operations per iteration ("push", "pop", "tfree", "use"); empty: what
    the direction asks for. ``record_period=k``: the producer signals ready with every k-th tile
    only; 0: never. ``wait_period=k``: the consumer waits at every k-th tile (0: never).
    ``flag_bits=0``: counters do not overflow.
    """

    slots: int
    arch: str = "a2a3"
    direction: Direction = Direction.DIR_C2V
    protocol: str = "seed"
    tiles: int | None = None
    vec: int = 2
    nosplit: bool = False
    multi: bool = False
    flag_bits: int = 4
    cube: tuple[str, ...] = ()
    vec_ops: tuple[str, ...] = ()
    allocate: bool = True
    free: bool = True
    record_period: int = 1
    wait_period: int = 1
    use_after_pop: bool = False


@dataclass
class Peaks:
    """The largest values seen in a search."""

    overrun: int = 0
    ready: int = 0
    lead: int = 0


@dataclass(frozen=True)
class RingModel:
    """One direction: its rules and where its counters start."""

    rules: Protocol
    late_free: bool
    half: str
    lanes: tuple[int, ...]
    base: int  # index of its first counter

    def counter(self, kind: int, tag: int, lane: int) -> int:
        """Index of a counter: kind 0 ready, 1 free."""
        at = (tag % self.rules.slot_num if self.rules.tagged else 0) * 2 + kind
        return self.base + at * len(self.lanes) + lane


class Actor:
    """One core's repeated program, with how often each operation precedes each place in it."""

    def __init__(self, name: str, lane: int, body: list[tuple[str, int]]) -> None:
        self.name = name
        self.lane = lane
        self.body = body
        self.before: list[dict[tuple[str, int], int]] = []
        counts: dict[tuple[str, int], int] = {}
        for step in body:
            self.before.append(dict(counts))
            counts[step] = counts.get(step, 0) + 1
        self.per_body = counts

    def done(self, step: tuple[str, int], place: int) -> int:
        """How many of ``step`` were done at a place (0: not yet opened; 1: about to start)."""
        if place <= 1 or step not in self.per_body:
            return 0
        iteration, offset = divmod(place - 1, len(self.body))
        return iteration * self.per_body[step] + self.before[offset].get(step, 0)


class CreditModel:
    """The cores' programs over the credit state."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.limit = (1 << model.flag_bits) - 1 if model.flag_bits else 1 << 62
        self.rings = self._rings()
        self.actors = self._actors()
        self.vectors = [index for index, actor in enumerate(self.actors) if actor.lane >= 0]
        periods = [model.record_period or 1, model.wait_period or 1]
        periods += [r.rules.slot_num for r in self.rings] + [r.rules.period for r in self.rings]
        self.period = math.lcm(*periods)
        self.startup = model.slots + 1
        self.peaks = Peaks()

    def _rings(self) -> list[RingModel]:
        model = self.model
        arch = find_arch(model.arch)
        pipe = TPipe(0, model.direction, 1, model.slots)
        alone = model.vec == 1 or (model.nosplit and not arch.reduces)
        lanes = (0,) if alone else (0, 1)
        rings: list[RingModel] = []
        base = 0
        for half in model.direction.halves:
            path = find_path(arch, pipe, half)
            rules = Protocol(model.protocol, model.slots, model.arch, model.multi)
            rules.flags_of(0, len(rings))  # what no pipe could have is not proved either
            rings.append(RingModel(rules, path.late_free, half, lanes, base))
            base += 2 * len(lanes) * (model.slots if rules.tagged else 1)
        self.counters = base
        return rings

    def _actors(self) -> list[Actor]:
        bodies = {"cube": list(self.model.cube), "vec": list(self.model.vec_ops)}
        for side, produces in (("cube", "C2V"), ("vec", "V2C")):
            if not bodies[side]:
                for ring in self.rings:
                    bodies[side] += ["push"] if ring.half == produces else self._consume(ring)
        actors = [Actor("cube", -1, self._bind(bodies["cube"], "C2V"))]
        for lane in self.rings[0].lanes:
            actors.append(Actor(f"vec{lane}", lane, self._bind(bodies["vec"], "V2C")))
        return actors

    def _consume(self, ring: RingModel) -> list[str]:
        use = ["use"] if self.model.use_after_pop else []
        frees = ring.rules.tfree_frees() and not ring.rules.pop_frees(ring.late_free)
        return ["pop", *use, *(["tfree"] if frees else [])]

    def _bind(self, ops: list[str], produces: str) -> list[tuple[str, int]]:
        """Attach each operation to its ring."""
        body = []
        for op in ops:
            if op not in OPS:
                raise PipeConfigError(f"no operation {op!r}; there are {', '.join(OPS)}")
            wanted = [i for i, r in enumerate(self.rings) if (r.half == produces) == (op == "push")]
            if not wanted:
                raise PipeConfigError(f"{self.model.direction.name}: this core cannot {op}")
            body.append((op, wanted[0]))
        return body

    # -- semantics of one step

    def step(self, state: State, index: int) -> tuple[State, Faults] | None:
        """The state after actor ``index`` moves, and what went wrong; None if it cannot move."""
        places, old = state
        actor, place = self.actors[index], places[index]
        counters = list(old)
        bad: Faults = []
        if place == 0:
            self._open(actor, counters)
        elif self._ended(actor, place):
            if place < 0 or not self._close(actor, place, counters):
                return None
            return self._moved(places, index, -1, counters, bad)
        else:
            op, which = actor.body[(place - 1) % len(actor.body)]
            number = actor.done((op, which), place)
            if not getattr(self, f"_{op}")(
                actor, self.rings[which], which, number, places, counters, bad
            ):
                return None
        self._check_overflow(counters, bad)
        return self._moved(places, index, place + 1, counters, bad)

    def _moved(
        self, places: tuple[int, ...], index: int, place: int, counters: list[int], bad: list[Any]
    ) -> tuple[State, list[Any]]:
        moved = (*places[:index], place, *places[index + 1 :])
        return (self._normal(moved), tuple(counters)), bad

    def _ended(self, actor: Actor, place: int) -> bool:
        tiles = self.model.tiles
        return place < 0 or (tiles is not None and place - 1 >= tiles * len(actor.body))

    def _normal(self, places: tuple[int, ...]) -> tuple[int, ...]:
        """Places modulo the protocol's period, once every actor is past the start."""
        if self.model.tiles is not None:
            return places
        sizes = [len(actor.body) for actor in self.actors]
        least = min((p - 1) // size for p, size in zip(places, sizes, strict=True))
        turns = (least - self.startup) // self.period
        if turns <= 0:
            return places
        return tuple(p - turns * self.period * size for p, size in zip(places, sizes, strict=True))

    def _lanes(self, actor: Actor, ring: RingModel) -> tuple[int, ...]:
        return ring.lanes if actor.lane < 0 else (actor.lane,)

    def _take(
        self, actor: Actor, ring: RingModel, kind: int, tag: int, counters: list[int], n: int = 1
    ) -> bool:
        slots = [ring.counter(kind, tag, lane) for lane in self._lanes(actor, ring)]
        if any(counters[slot] < n for slot in slots):
            return False
        for slot in slots:
            counters[slot] -= n
        return True

    def _give(
        self, actor: Actor, ring: RingModel, kind: int, tag: int, counters: list[int]
    ) -> None:
        for lane in self._lanes(actor, ring):
            counters[ring.counter(kind, tag, lane)] += 1

    def _consumes(self, actor: Actor, ring: RingModel) -> bool:
        return (ring.half == "C2V") == (actor.lane >= 0)

    def _open(self, actor: Actor, counters: list[int]) -> None:
        for ring in self.rings:
            if self._consumes(actor, ring):
                for credit in range(ring.rules.initial_credits):
                    self._give(actor, ring, 1, credit, counters)

    def _close(self, actor: Actor, place: int, counters: list[int]) -> bool:
        for which, ring in enumerate(self.rings):
            if self._consumes(actor, ring):
                continue
            if ring.rules.tagged:
                tags = range(ring.rules.slot_num)
                if not all(self._take(actor, ring, 1, tag, counters) for tag in tags):
                    return False
            else:
                drain = ring.rules.drain_count(actor.done(("push", which), place))
                if not self._take(actor, ring, 1, 0, counters, drain):
                    return False
        return True

    def _peers(self, actor: Actor) -> list[int]:
        return self.vectors if actor.lane < 0 else [0]

    def _released(self, which: int, ring: RingModel, consumer: int, places: tuple[int, ...]) -> int:
        if not self.model.free:
            return 0
        op = "pop" if ring.rules.pop_frees(ring.late_free) else "tfree"
        actor = self.actors[consumer]
        return actor.done((op, which), self._place(consumer, places))

    def _place(self, index: int, places: tuple[int, ...]) -> int:
        if places[index] >= 0:
            return places[index]
        return 1 + (self.model.tiles or 0) * len(self.actors[index].body)

    def _push(
        self,
        actor: Actor,
        ring: RingModel,
        which: int,
        tile: int,
        places: tuple[int, ...],
        counters: list[int],
        bad: Faults,
    ) -> bool:
        waits = self.model.allocate and ring.rules.waits_free(tile)
        if waits and not self._take(actor, ring, 1, tile, counters):
            return False
        released = min(self._released(which, ring, peer, places) for peer in self._peers(actor))
        lead = tile + 1 - released
        over = lead - ring.rules.slot_num
        self.peaks.lead = max(self.peaks.lead, lead)
        if over > 0:
            self.peaks.overrun = max(self.peaks.overrun, over)
            bad.append(
                (
                    "overrun",
                    "E10",
                    f"{ring.half} tile {tile} overwrites tile {tile - ring.rules.slot_num}, "
                    f"unreleased ({released} of {tile} tiles released)",
                )
            )
        period = self.model.record_period
        if period and (tile + 1) % period == 0:
            self._give(actor, ring, 0, tile, counters)
        return True

    def _pop(
        self,
        actor: Actor,
        ring: RingModel,
        which: int,
        tile: int,
        places: tuple[int, ...],
        counters: list[int],
        bad: Faults,
    ) -> bool:
        period = self.model.wait_period
        if period and tile % period == 0 and not self._take(actor, ring, 0, tile, counters):
            return False
        pushed = min(
            self.actors[p].done(("push", which), self._place(p, places)) for p in self._peers(actor)
        )
        records = self.model.record_period
        ready = pushed // records * records if records else 0
        if ready <= tile:
            bad.append(
                ("stale-read", "E11", f"{ring.half} tile {tile} is read; {ready} tiles are ready")
            )
        if ring.rules.pop_frees(ring.late_free):
            self._release(actor, ring, tile, tile, counters)
        return True

    def _tfree(
        self,
        actor: Actor,
        ring: RingModel,
        which: int,
        number: int,
        places: tuple[int, ...],
        counters: list[int],
        bad: Faults,
    ) -> bool:
        if not ring.rules.tfree_frees():
            return True
        popped = actor.done(("pop", which), self._place(self.actors.index(actor), places))
        if popped <= number or ring.rules.pop_frees(ring.late_free):
            bad.append(("double-free", "E13", f"{ring.half}: TFREE {number} with no slot held"))
        newest = popped - 1 if ring.rules.name == "sparse" else number
        self._release(actor, ring, number, newest, counters)
        return True

    def _release(
        self, actor: Actor, ring: RingModel, tile: int, decide: int, counters: list[int]
    ) -> None:
        if self.model.free and ring.rules.signals_free(decide):
            self._give(actor, ring, 1, tile, counters)

    def _use(
        self,
        actor: Actor,
        ring: RingModel,
        which: int,
        tile: int,
        places: tuple[int, ...],
        counters: list[int],
        bad: Faults,
    ) -> bool:
        rewriter = tile + ring.rules.slot_num
        push = ("push", which)
        pushed = [self.actors[p].done(push, self._place(p, places)) for p in self._peers(actor)]
        if max(pushed) > rewriter:
            what = f"{ring.half} tile {tile} is used after tile {rewriter} rewrote its slot"
            bad.append(("use-after-free", "E12", what))
        return True

    def _check_overflow(self, counters: list[int], bad: Faults) -> None:
        reduces = self.model.arch == "a2a3"
        for ring in self.rings:
            lanes = len(ring.lanes)
            for at in range(
                0, 2 * lanes * (ring.rules.slot_num if ring.rules.tagged else 1), lanes
            ):
                group = counters[ring.base + at : ring.base + at + lanes]
                kind = (at // lanes) % 2
                joins = reduces and (ring.half == "C2V") == (kind == 1)
                low = min(group)
                highest = max(low, max(group) - low) if joins and lanes > 1 else max(group)
                if kind == 0:
                    self.peaks.ready = max(self.peaks.ready, highest)
                if highest > self.limit:
                    name = "free" if kind else "ready"
                    what = f"{ring.half} {name} counter reaches {highest}: more than {self.limit}, "
                    what += f"the most that {self.model.flag_bits} bits hold"
                    bad.append(("flag-overflow", "E14", what))

    def describe(self, actor: Actor, place: int) -> str:
        """The operation at a place, in words."""
        if place == 0:
            return "open"
        if self._ended(actor, place):
            return "close"
        op, which = actor.body[(place - 1) % len(actor.body)]
        tile = actor.done((op, which), place)
        ring = self.rings[which]
        return f"{_NAMES[op]} of {ring.half} tile {tile}"
