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

    @property
    def command(self) -> str:
        """What explores one that a ring's protocol gives."""
        named = {"slots": self.slots, "arch": self.arch, "direction": self.direction.name[4:]}
        named |= {"protocol": self.protocol, "vec": self.vec, "flag-bits": self.flag_bits}
        words = [f"--{name} {value}" for name, value in named.items()]
        words += ["--nosplit"] * self.nosplit + ["--multi"] * self.multi
        return " ".join(("tilelab pto explore pipe", *words))


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

    def total(self, step: tuple[str, int], tiles: int | None) -> int:
        """How many of ``step`` there will be; none where the program repeats for ever."""
        return 0 if tiles is None else tiles * self.per_body.get(step, 0)

    def done(self, step: tuple[str, int], place: int) -> int:
        """How many of ``step`` were done at a place (0: not yet opened; 1: about to start)."""
        if place <= 1 or step not in self.per_body:
            return 0
        iteration, offset = divmod(place - 1, len(self.body))
        return iteration * self.per_body[step] + self.before[offset].get(step, 0)


@dataclass(slots=True)
class Move:
    """One operation of an actor on a ring; it changes the counters, and notes what goes wrong."""

    actor: Actor
    ring: RingModel
    which: int  # the ring's place
    tile: int  # how many such operations of the actor came before
    places: tuple[int, ...]
    counters: list[int]
    bad: Faults

    @property
    def lanes(self) -> tuple[int, ...]:
        """The Vector cores that it reaches."""
        return self.ring.lanes if self.actor.lane < 0 else (self.actor.lane,)

    @property
    def consumes(self) -> bool:
        """Whether the actor is the ring's consumer."""
        return (self.ring.half == "C2V") == (self.actor.lane >= 0)

    def take(self, kind: int, tag: int, n: int = 1) -> bool:
        """Take signals, if they are there."""
        slots = [self.ring.counter(kind, tag, lane) for lane in self.lanes]
        if any(self.counters[slot] < n for slot in slots):
            return False
        for slot in slots:
            self.counters[slot] -= n
        return True

    def give(self, kind: int, tag: int) -> None:
        """Signal."""
        for lane in self.lanes:
            self.counters[self.ring.counter(kind, tag, lane)] += 1


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
        moves = [
            Move(actor, ring, which, 0, places, counters, bad)
            for which, ring in enumerate(self.rings)
        ]
        if place == 0:
            self._open(moves)
        elif self._ended(actor, place):
            if place < 0 or not self._close(moves, place):
                return None
            return self._moved(places, index, -1, counters, bad)
        else:
            op, which = actor.body[(place - 1) % len(actor.body)]
            moves[which].tile = actor.done((op, which), place)
            if not getattr(self, f"_{op}")(moves[which]):
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

    def _open(self, moves: list[Move]) -> None:
        for move in moves:
            if move.consumes:
                for credit in range(move.ring.rules.initial_credits):
                    move.give(1, credit)

    def _close(self, moves: list[Move], place: int) -> bool:
        for move in moves:
            if move.consumes:
                continue
            rules = move.ring.rules
            if rules.tagged:
                if not all(move.take(1, tag) for tag in range(rules.slot_num)):
                    return False
            elif not move.take(
                1, 0, rules.drain_count(move.actor.done(("push", move.which), place))
            ):
                return False
        return True

    def _others(self, move: Move, op: str) -> list[int]:
        """How often each core at the ring's other end has done an operation."""
        peers = self.vectors if move.actor.lane < 0 else [0]
        step = (op, move.which)
        return [self.actors[p].done(step, self._place(p, move.places)) for p in peers]

    def _pushes(self, move: Move) -> int:
        """How many tiles its producer will push."""
        producer = self.actors[self.vectors[0] if move.actor.lane < 0 else 0]
        return producer.total(("push", move.which), self.model.tiles)

    def _released(self, move: Move) -> int:
        if not self.model.free:
            return 0
        pop_frees = move.ring.rules.pop_frees(move.ring.late_free)
        return min(self._others(move, "pop" if pop_frees else "tfree"))

    def _place(self, index: int, places: tuple[int, ...]) -> int:
        if places[index] >= 0:
            return places[index]
        return 1 + (self.model.tiles or 0) * len(self.actors[index].body)

    def _push(self, move: Move) -> bool:
        ring, tile = move.ring, move.tile
        if self.model.allocate and ring.rules.waits_free(tile) and not move.take(1, tile):
            return False
        released = self._released(move)
        lead = tile + 1 - released
        over = lead - ring.rules.slot_num
        self.peaks.lead = max(self.peaks.lead, lead)
        if over > 0:
            self.peaks.overrun = max(self.peaks.overrun, over)
            what = f"{ring.half} tile {tile} overwrites tile {tile - ring.rules.slot_num}, "
            what += f"unreleased ({released} of {tile} tiles released)"
            move.bad.append(("overrun", "E10", what))
        period = self.model.record_period
        last = tile + 1 == move.actor.total(("push", move.which), self.model.tiles)
        # The last chunk need not be full: its producer's close says that it is ready.
        if period and (tile + 1) % period == 0 and (ring.rules.signals_ready(tile) or last):
            move.give(0, tile)
        return True

    def _pop(self, move: Move) -> bool:
        ring, tile, period = move.ring, move.tile, self.model.wait_period
        waits = period and tile % period == 0 and ring.rules.waits_ready(tile)
        if waits and not move.take(0, tile):
            return False
        records = self.model.record_period * (ring.rules.chunk or 1)
        pushed = min(self._others(move, "push"))
        ready = pushed // records * records if records else 0
        if ring.rules.chunk and pushed == self._pushes(move):
            ready = pushed
        if ready <= tile:
            what = f"{ring.half} tile {tile} is read; {ready} tiles are ready"
            move.bad.append(("stale-read", "E11", what))
        if ring.rules.pop_frees(ring.late_free):
            self._release(move, tile)
        return True

    def _tfree(self, move: Move) -> bool:
        rules, number = move.ring.rules, move.tile
        if not rules.tfree_frees():
            return True
        index = self.actors.index(move.actor)
        popped = move.actor.done(("pop", move.which), self._place(index, move.places))
        if popped <= number or rules.pop_frees(move.ring.late_free):
            what = f"{move.ring.half}: TFREE {number} with no slot held"
            move.bad.append(("double-free", "E13", what))
        self._release(move, popped - 1 if rules.name == "sparse" else number)
        return True

    def _release(self, move: Move, decide: int) -> None:
        if self.model.free and move.ring.rules.signals_free(decide):
            move.give(1, move.tile)

    def _use(self, move: Move) -> bool:
        rewriter = move.tile + move.ring.rules.slot_num
        if max(self._others(move, "push")) > rewriter:
            what = (
                f"{move.ring.half} tile {move.tile} is used after tile {rewriter} rewrote its slot"
            )
            move.bad.append(("use-after-free", "E12", what))
        return True

    def _check_overflow(self, counters: list[int], bad: Faults) -> None:
        reduces = find_arch(self.model.arch).reduces
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
