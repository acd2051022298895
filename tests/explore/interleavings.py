"""Small programs of cores, a model of them, and every interleaving of it: nothing of the explorer.

An operation is a name, then what it takes. ``ld w``, ``poll w``: load a word of L1, until it is not
0; ``st w n``, ``flag w n``: store a sum, or a number; ``post``, ``get``, ``rd``, ``wait``: of a
semaphore; ``send c``, ``recv c``, ``has c``: of mailboxes. Each is one access.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from riscv_program import T0, T1, T2, addi, bne, li, lw, sw
from tilelab.tensix.tables.tile_registers import MAILBOXES, PC_BUF, SEMAPHORES

WORDS = [0x20000 + 32 * i for i in range(3)]
SUMS = [0x21000 + 32 * i for i in range(4)]
DONE = [0x22000 + 32 * i for i in range(4)]
SUM = 8
MASK = (1 << 32) - 1
MOST_SENT = 4
MOST = 3000
"""Interleavings of a program, at most."""
Operation = tuple[Any, ...]
Event = tuple[int, int]
"""A core, and which of its operations."""
Program = list[list[Operation]]
KINDS = (
    ["ld", "st"],
    ["ld", "st", "flag", "poll"],
    ["post", "get", "rd", "wait"],
    ["ld", "st", "post", "get", "wait"],
    ["send", "recv", "has", "ld", "st"],
)


class TooManyError(Exception):
    """A program has too many interleavings."""


def drawn(rng: random.Random) -> tuple[Program, list[int]]:
    """A program of two or three cores, and its semaphores' values at first."""
    cores = rng.choice([2, 2, 2, 3, 3])
    program: Program = [[] for _ in range(cores)]
    objects = rng.choice([1, 1, 2])
    kinds = rng.choice(KINDS)
    for _ in range(rng.randrange(5, 10 if cores == 2 else 8)):
        core, kind = rng.randrange(cores), rng.choice(kinds)
        if kind in ("send", "recv", "has"):
            other = rng.choice([c for c in range(cores) if c != core])
            program[core].append((kind, other))
        elif kind in ("st", "flag"):
            number = rng.randrange(kind == "st", 4)
            program[core].append((kind, rng.randrange(objects), number))
        else:
            program[core].append((kind, rng.randrange(objects)))
    return program, [rng.randrange(3) for _ in range(2)]


def code(core: int, operations: list[Operation], rng: random.Random) -> list[int]:
    """The core's instructions, with a few that do nothing in between."""
    words = li(SUM, core + 1)
    for kind, which, *number in operations:
        words += [addi(0, 0, 0)] * rng.randrange(6)
        words += li(T0, _address(core, kind, which))
        if kind in ("ld", "rd", "recv", "has"):
            words += [lw(T2, T0), _add(SUM, SUM, SUM), _add(SUM, SUM, T2)]
        elif kind in ("poll", "wait"):
            words += [lw(T2, T0), bne(T2, 0, -1) & ~(1 << 12)]  # beq
        elif kind == "st":
            words += [addi(SUM, SUM, number[0]), sw(SUM, T0)]
        elif kind == "send":
            words += [sw(SUM, T0)]
        else:
            stored = {"flag": number[0] if number else 0, "post": 0, "get": 1}[kind]
            words += [addi(T1, 0, stored), sw(T1, T0)]
    words += [*li(T0, SUMS[core]), sw(SUM, T0)]
    return [*words, *li(T0, DONE[core]), addi(T1, 0, 1), sw(T1, T0)]


def _add(rd: int, a: int, b: int) -> int:
    return b << 20 | a << 15 | rd << 7 | 0x33


def _address(core: int, kind: str, which: int) -> int:
    if kind in ("ld", "st", "flag", "poll"):
        return WORDS[which]
    if kind in ("send", "recv", "has"):
        return MAILBOXES + ((which + 1) & 3) * 0x1000 + (4 if kind == "has" else 0)
    return PC_BUF + SEMAPHORES + 4 * which


@dataclass
class Machine:
    """What the operations work on."""

    at: list[int]
    sums: list[int]
    semaphores: list[int]
    words: list[int] = field(default_factory=lambda: [0] * len(WORDS))
    boxes: dict[Event, tuple[int, ...]] = field(default_factory=dict)
    """By writer and reader."""

    def after(self, core: int, operation: Operation) -> "Machine | None":
        """What it is after a core's next operation; None if that waits."""
        kind, which, *number = operation
        new = Machine(self.at[:], self.sums[:], self.semaphores[:], self.words[:], dict(self.boxes))
        read: int | None = None
        if kind in ("ld", "poll"):
            read = self.words[which]
        elif kind in ("rd", "wait"):
            read = self.semaphores[which]
        elif kind in ("st", "flag"):
            new.sums[core] += number[0] if kind == "st" else 0
            new.words[which] = new.sums[core] & MASK if kind == "st" else number[0]
        elif kind in ("post", "get"):
            value = self.semaphores[which] + (1 if kind == "post" else -1)
            new.semaphores[which] = min(15, max(0, value))
        elif kind == "send":
            if sum(len(box) for (by, _), box in self.boxes.items() if by == core) >= MOST_SENT:
                return None
            new.boxes[core, which] = (*self.boxes.get((core, which), ()), self.sums[core])
        else:
            box = self.boxes.get((which, core), ())
            if kind == "recv" and not box:
                return None
            read = box[0] if kind == "recv" else int(bool(box))
            if kind == "recv":
                new.boxes[which, core] = box[1:]
        if kind in ("poll", "wait"):
            if not read:
                return None
        elif read is not None:
            new.sums[core] = 2 * self.sums[core] + read
        new.sums[core] &= MASK
        new.at[core] += 1
        return new


def dependent(program: Program, a: Event, b: Event) -> bool:
    """Whether the order of two operations of different cores is one of the order's."""
    if a[0] == b[0]:
        return False
    (first, x), (second, y) = (_touched(e[0], program[e[0]][e[1]]) for e in (a, b))
    return first == second and (x != y or x == "writes")


def _touched(core: int, operation: Operation) -> tuple[tuple[Any, ...], str]:
    kind, which = operation[:2]
    if kind == "send":
        return ("box", core, which), "writes"
    if kind in ("recv", "has"):
        return ("box", which, core), "reads"
    if kind in ("ld", "poll", "st", "flag"):
        return ("word", which), "writes" if kind in ("st", "flag") else "reads"
    return ("semaphore", which), kind if kind in ("post", "get") else "reads"


@dataclass
class Everything:
    """What comes of all interleavings."""

    program: Program
    base: dict[Event, int]
    """Where the undisturbed run made each operation."""
    ends: dict[Any, int] = field(default_factory=dict)
    """By what a program leaves, or "hang": how many dependent pairs are turned, at least."""
    orders: dict[frozenset[tuple[Event, Event]], int] = field(default_factory=dict)
    """How many pairs each order turns, of those in which the program ends."""
    count: int = 0

    def go_on(self, machine: Machine, path: list[Event], pairs: list[tuple[Event, Event]]) -> None:
        """Go on from here in every way."""
        stuck = True
        for core, operations in enumerate(self.program):
            if machine.at[core] < len(operations):
                after = machine.after(core, operations[machine.at[core]])
                if after is not None:
                    stuck = False
                    event = core, machine.at[core]
                    new = [(e, event) for e in path if dependent(self.program, e, event)]
                    self.go_on(after, [*path, event], pairs + new)
        if stuck:
            self._end(machine, path, pairs)

    def _end(self, machine: Machine, path: list[Event], pairs: list[tuple[Event, Event]]) -> None:
        self.count += 1
        if self.count > MOST:
            raise TooManyError
        if len(path) == sum(map(len, self.program)):
            end: Any = tuple(machine.sums), tuple(machine.words), tuple(machine.semaphores)
            turned = sum(self.base[a] > self.base[b] for a, b in pairs)
            self.orders[frozenset(pairs)] = turned
        else:
            end = "hang"
            pairs = [*pairs, *self._never(path)]
            turned = sum(self.base[a] > self.base[b] for a, b in pairs)
        self.ends[end] = min(turned, self.ends.get(end, turned))

    def _never(self, path: list[Event]) -> Iterator[tuple[Event, Event]]:
        """Pairs of which only the first one came, and the second one never does."""
        every = {(c, i) for c, theirs in enumerate(self.program) for i in range(len(theirs))}
        for event in path:
            for other in every - set(path):
                if dependent(self.program, event, other):
                    yield event, other


def everything(program: Program, semaphores: list[int], base: dict[Event, int]) -> Everything:
    """Run all interleavings; TooManyError if there are more than ``MOST``."""
    made = Everything(program, base)
    cores = range(len(program))
    made.go_on(Machine([0 for _ in cores], [c + 1 for c in cores], semaphores), [], [])
    return made
