"""How far a run's cycles may be off, from how well the mechanisms are known that it used.

The blame for every cycle is followed from the thread that ended last: a wait for another thread, or
for its core, is what that spent its time on, until a mechanism is reached. A mechanism's share of
the cycles times its spread is what it may be off; these add up.
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np

from tilelab.tensix.report.explain import SEMAPHORE_NAMES
from tilelab.tensix.state import CORES, THREADS, TensixState
from tilelab.tensix.tables import causes, figures
from tilelab.tensix.tables import mechanisms as known
from tilelab.tensix.tables.mechanisms import Mechanism

UNPACK, MATH, PACK = range(THREADS)
OF_PORT = {
    figures.NO_PORT: known.SHARED,
    figures.MATRIX_PORT: known.MATRIX,
    figures.VECTOR_PORT: known.VECTOR,
    figures.SCALAR_PORT: known.SCALAR,
    figures.UNPACK_PORT: known.UNPACKERS,
    figures.PACK_PORT: known.PACKERS,
    figures.CONFIG_PORT: known.CONFIGURATION,
    figures.SYNC_PORT: known.WAITS,
    figures.MOVER_PORT: known.MOVER,
}
OF_PIPE = {
    figures.SCALAR_PIPE: known.SCALAR,
    figures.MATRIX_PIPE: known.MATRIX,
    figures.VECTOR_PIPE: known.VECTOR,
    figures.MOVER_PIPE: known.MOVER,
    **dict.fromkeys(range(figures.UNPACK_PIPE, figures.UNPACK_PIPE + 2), known.UNPACKERS),
    **dict.fromkeys(range(figures.PACK_PIPE, figures.PACK_PIPE + 4), known.PACKERS),
}
OF_CAUSE = {
    causes.MOP_TRANSITION: known.EXPANDERS,
    causes.ABSORBED: known.EXPANDERS,
    causes.RECORDED: known.EXPANDERS,
    causes.WAIT_LAG: known.WAITS,
    causes.DST_HAZARD: known.MATRIX,
    causes.RESULT_LATE: known.VECTOR,
    causes.UNIT_TAKEN: known.SHARED,
    causes.MUTEX: known.MAILBOXES,
}
OF_CORE = {
    causes.CORE_RETIRED: known.INTEGER,
    causes.CORE_OPERAND: known.LOADS,
    causes.CORE_BRANCH: known.BRANCHES,
    causes.CORE_BUSY: known.DIVIDE,
    causes.CORE_MAILBOX: known.MAILBOXES,
    causes.CORE_FETCH: known.FETCH,
    causes.CORE_STORE: known.STORES,
}
POLLING = (causes.CORE_RETIRED, causes.CORE_OPERAND)
"""What the turns of a polling loop count as."""
CORE = THREADS
"""Parts are threads, and behind them cores."""
Blame = list[tuple[float, Mechanism | int]]
"""Cycles, with what they were spent on: a mechanism, or another part that was waited for."""


@dataclass(frozen=True)
class Interval:
    """Between which cycles the run may lie on a card, and the mechanism that decides most."""

    low: int
    high: int
    weakest: str
    rows: int
    """Published figures of silicon that the weakest mechanism was held to."""
    shares: dict[str, float]
    """The part of the cycles that each mechanism decides, most first."""

    def text(self, cycles: int) -> str:
        """``± 4 % (weakest: ..., 7 rows)``."""
        below, above = (abs(bound - cycles) / max(cycles, 1) for bound in (self.low, self.high))
        sign = (
            f"± {above:.0%}" if f"{below:.0%}" == f"{above:.0%}" else f"−{below:.0%} +{above:.0%}"
        )
        rows = f"{self.rows} row{'s' * (self.rows != 1)}" if self.rows else "no row"
        return f"{sign.replace('%', ' %')} (weakest: {self.weakest}, {rows})"


class _Blames:
    """What each part of a tile spent its cycles on."""

    def __init__(self, state: TensixState) -> None:
        self.state = state
        self.cycle: Any = state.record["cycle"]
        self.issued = state.record["engine"]["issued"]
        self.shares: dict[Mechanism, float] = defaultdict(float)

    def follow(self, part: int, weight: float, above: tuple[int, ...] = ()) -> None:
        """Spread a weight over what a part spent its time on; who waits for it is no reason."""
        entries = self._thread(part, bool(above)) if part < CORE else self._core(part - CORE)
        entries = [(n, of) for n, of in entries if n and of not in (part, *above)]
        total = sum(n for n, _ in entries)
        if not total:
            self.shares[known.WAITS] += weight
        for n, of in entries:
            if isinstance(of, Mechanism):
                self.shares[of] += weight * n / total
            else:
                self.follow(of, weight * n / total, (*above, part))

    def _thread(self, t: int, waited_for: bool) -> Blame:
        counts = self.cycle["thread_cycles"][t]
        found: Blame = [(float(counts[cause]), of) for cause, of in OF_CAUSE.items()]
        found.append((float(counts[causes.FIFO_EMPTY]), CORE + t))
        found.append((float(counts[causes.BANK_MATRIX] + counts[causes.WAIT_BANK]), UNPACK))
        found.append((float(counts[causes.BANK_UNPACK]), MATH))
        found += self._issued(t)
        found += [
            (float(n), OF_PORT[port]) for port, n in enumerate(self.cycle["busy_with"][t]) if n
        ]
        for bit, n in enumerate(self.cycle["wait_unit"][t]):
            if n and (pipe := self.state.arch.timing.conditions[bit]) != -1:
                found.append((float(n), OF_PIPE.get(pipe, known.CONFIGURATION)))
        found += self._semaphores(t)
        found.append((float(counts[causes.THREAD_HELD]), self._holder(t)))
        if waited_for and t == UNPACK:
            found.append((float(self.cycle["fetch_cycles"].max()), known.UNPACKERS))
        if waited_for and t == PACK:
            found.append((float(self.cycle["pack_cycles"].max()), known.PACKERS))
        return found

    def _issued(self, t: int) -> Blame:
        ports: dict[int, float] = defaultdict(float)
        for opcode in np.flatnonzero(self.issued[t]):
            ports[self.state.arch.timing.port[int(opcode)]] += float(self.issued[t, opcode])
        return [
            (n, OF_PORT[port] if port != figures.UNPACK_PORT else known.SHARED)
            for port, n in ports.items()
        ]

    def _holder(self, t: int) -> Mechanism:
        """What holds a whole thread: the scalar unit, or an unpacker's start."""
        port = self.state.arch.timing.port
        scalar = sum(
            int(self.issued[t, op]) for op in range(256) if port[op] == figures.SCALAR_PORT
        )
        return known.SCALAR if scalar and self.state.arch.timing.over else known.UNPACKERS

    def _semaphores(self, t: int) -> Blame:
        found: Blame = []
        for index, waits in enumerate(self.cycle["wait_semaphore"][t]):
            other = {MATH: PACK, PACK: MATH}.get(t)
            known_pair = SEMAPHORE_NAMES[index] == "MATH_PACK" and other is not None
            found.append((float(waits.sum()), other if known_pair and other else known.MAILBOXES))
        return found

    def _core(self, core: int) -> Blame:
        counts = self.cycle["core_cycles"][core]
        waited = self._polls(core)
        worked = float(counts[causes.CORE_RETIRED] + counts[causes.CORE_OPERAND])
        left = max(0.0, 1 - sum(n for n, _ in waited) / worked) if worked else 0.0
        found: Blame = [
            (float(counts[cause]) * (left if cause in POLLING else 1), of)
            for cause, of in OF_CORE.items()
        ]
        found += waited
        if core < THREADS:
            found.append((float(counts[causes.CORE_PUSH] + counts[causes.CORE_SYNC]), core))
        return found

    def _polls(self, core: int) -> Blame:
        """What a core polled circular buffers for: who fills them, or drains them.

        That is who looks at the other counter. Threads, not their cores, unpack and pack.
        """
        found: Blame = []
        for buffer, side in np.argwhere(self.cycle["polled"][core]).tolist():
            n = float(self.cycle["polled"][core, buffer, side])
            looked = np.flatnonzero(self.cycle["looked"][:, 1 - side] >> buffer & 1)
            others = [other for other in looked.tolist() if other != core]
            parts = [other if other < THREADS else CORE + other for other in others]
            found += [(n / len(parts), part) for part in parts] or [(n, known.MAILBOXES)]
        return found


def interval(state: TensixState, cycles: int) -> Interval:
    """The interval of a run that took so many cycles under the cycle clock."""
    blames = _Blames(state)
    cycle = blames.cycle
    if cycle["last_issue"].any():
        blames.follow(int(np.argmax(cycle["last_issue"])), 1.0)
    else:
        busy = cycle["core_cycles"][:, causes.CORE_RETIRED]
        blames.follow(CORE + int(np.argmax(busy[:CORES])), 1.0)
    widths = {of: share * of.spread / 100 for of, share in blames.shares.items()}
    width = sum(widths.values())
    weakest = max(widths, key=lambda of: widths[of])
    shares = sorted(blames.shares.items(), key=lambda item: -item[1])
    return Interval(
        low=round(cycles * (1 - width)),
        high=round(cycles * (1 + width)),
        weakest=weakest.name,
        rows=weakest.rows,
        shares={of.name: share for of, share in shares if share},
    )
