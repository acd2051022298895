"""Where the time went: the cycle clock's counters as named numbers, and what bounds a run."""

from dataclasses import asdict, dataclass
from html import escape
from typing import Any

import numpy as np

from tilelab.report import palette
from tilelab.report.interval import Interval, interval
from tilelab.report.parts import PartTime, UnitTime, core_time, thread_time, unit_times
from tilelab.sim.errors import BadInputError
from tilelab.tensix.chips.opcodes import MVMUL, SFPLOADMACRO
from tilelab.tensix.report.explain import SEMAPHORE_NAMES
from tilelab.tensix.report.html import Html, table
from tilelab.tensix.state import CORES, THREADS, TensixState
from tilelab.tensix.tables import causes
from tilelab.tensix.tables.units import FLOP_PER_MVMUL, FLOP_PER_SFPMAD, Unit
from tilelab.tensix.tile.junk import FIRMWARE_SCRATCH

ADVISED, LEAST_ADVISED = 3, 0.02
"""How many kinds of bubbles are advised on, and from which share of the cycles."""


@dataclass(frozen=True)
class Breakdown:
    """Where the cycles of a run went."""

    cycles: int
    clock_mhz: int
    threads: list[PartTime]
    cores: list[PartTime]
    units: list[UnitTime]
    stalled_stages: list[tuple[int, int]]
    """By thread: cycles in which the MOP expander and the replay expander were held up."""
    flop: int
    """Operations of the matrix unit."""
    vector_flop: int
    """Operations of the vector unit's own multiply-adds, all lanes; none that a macro scheduled."""
    macros: int
    """SFPLOADMACROs, which may schedule more multiply-adds."""
    firmware_throttle: bool
    """Whether firmware's throttle flag is set in L1."""
    bytes_in: int
    bytes_out: int
    interval: Interval
    """Between which cycles it may lie on a card."""
    chain: list[str]
    """Why the run took its time: each line is the reason for the one before it."""
    advice: list[str]
    """What would shorten the bounding thread, and by how much if nothing else changed."""

    def _per_second(self, operations: int) -> float:
        return operations * self.clock_mhz * 1e6 / self.cycles if self.cycles else 0.0

    @property
    def flops(self) -> float:
        """Operations per second that the matrix unit achieved."""
        return self._per_second(self.flop)

    @property
    def peak_flops(self) -> float:
        """Operations per second at one MVMUL per cycle."""
        return FLOP_PER_MVMUL * self.clock_mhz * 1e6

    @property
    def vector_flops(self) -> float:
        """Operations per second that the vector unit achieved."""
        return self._per_second(self.vector_flop)

    @property
    def vector_peak_flops(self) -> float:
        """Operations per second at one SFPMAD per cycle."""
        return FLOP_PER_SFPMAD * self.clock_mhz * 1e6

    def as_dict(self) -> dict[str, Any]:
        """For JSON and pages."""
        rates = ("flops", "peak_flops", "vector_flops", "vector_peak_flops")
        return {**asdict(self), **{name: getattr(self, name) for name in rates}}

    @property
    def bound(self) -> str:
        """What bounds the run, in a few words."""
        return self.chain[-1] if self.chain else "nothing ran"

    def _repr_html_(self) -> str:
        """For notebooks."""
        return _html(self)


def breakdown(state: TensixState) -> Breakdown:
    """Read the counters of a tile that has run under the cycle clock.

    BadInputError for the functional clock, which counts no time.
    """
    if not isinstance(state, TensixState):
        raise BadInputError(f"a breakdown is of tile.state, not of {type(state).__name__}")
    if not state.s.cycle.on:
        raise BadInputError('a breakdown needs the cycle clock: Tile(..., clock="cycle")')
    cycles = int(state.s.clock)
    threads = [thread_time(state, t, cycles) for t in range(THREADS)]
    cores = [core_time(state, core, cycles) for core in range(CORES)]
    units = unit_times(state, cycles)
    cycle = state.record["cycle"]
    made = Breakdown(
        cycles=cycles,
        clock_mhz=state.arch.figures.clock_mhz.value,
        threads=threads,
        cores=cores,
        units=units,
        stalled_stages=[(int(a), int(b)) for a, b in cycle["stage_stalled"]],
        flop=_flop(state, Unit.MATRIX),
        vector_flop=_flop(state, Unit.VECTOR),
        macros=int(state.record["engine"]["issued"][:, SFPLOADMACRO].sum()),
        firmware_throttle=bool(state.l1[FIRMWARE_SCRATCH] & 1),
        bytes_in=int(cycle["fetched"].sum()),
        bytes_out=int(cycle["packed"]),
        interval=interval(state, cycles),
        chain=[],
        advice=[],
    )
    made.chain.extend(_chain(state, made))
    if made.chain:
        made.advice.extend(_advice(threads[_last(state)]))
    return made


def _flop(state: TensixState, unit: Unit) -> int:
    """Operations of the instructions that a unit took."""
    issued = state.record["engine"]["issued"].sum(axis=0)
    rows = [row for row in state.arch.instructions.values() if row.unit is unit]
    return sum(int(issued[row.opcode]) * row.flop for row in rows)


# ---------------------------------------------------------------- what bounds a run


def _chain(state: TensixState, made: Breakdown) -> list[str]:
    """Follow the blame: from the thread that issued last, to what it waited for most, and so on."""
    if not any(thread.active for thread in made.threads):
        return []
    t = _last(state)
    lines: list[str] = []
    seen: set[int] = set()
    while t >= 0 and t not in seen:
        seen.add(t)
        line, t = _blame(state, made, t)
        lines.append(line)
    return lines


def _last(state: TensixState) -> int:
    """The thread that a run ends with: that of the products, or else that which issued last."""
    matrix = state.record["engine"]["issued"][:, MVMUL]
    cycle: Any = state.record["cycle"]
    return int(matrix.argmax()) if matrix.any() else int(np.argmax(cycle["last_issue"]))


def _advice(thread: PartTime) -> list[str]:
    """Its longest kinds of bubbles: what it would gain without them, if nothing else changed."""
    cures = {causes.CAUSES[cause][0]: cure for cause, cure in causes.ADVICE.items()}
    counts = [(n, name) for name, n in thread.idle.items() if name in cures]
    return [
        f"{thread.name}, {name}: up to -{n:,} cycles: {cures[name]}"
        for n, name in counts[:ADVISED]
        if n >= LEAST_ADVISED * thread.cycles
    ]


def _blame(state: TensixState, made: Breakdown, t: int) -> tuple[str, int]:
    """One link: what a thread spent most cycles on, and which thread to ask next, or -1."""
    thread = made.threads[t]
    counts = state.record["cycle"]["thread_cycles"][t]
    cause = int(counts.argmax())
    share = f"{counts[cause] / made.cycles:.0%}"
    if cause == causes.ISSUED:
        what = f", {thread.nops / made.cycles:.0%} NOPs" if thread.nops else ""
        return f"{thread.name} issues in {share} of all cycles{what}", -1
    name, meaning = causes.CAUSES[cause]
    if cause == causes.FIFO_EMPTY:
        return _blame_core(state, made, t, share)
    detail = next(iter(thread.waits), "")
    line = f"{thread.name}: {name} {share}" + (f", most of it {detail}" if detail else "")
    if cause == causes.BANK_MATRIX:
        return f"{thread.name} waits for operands {share}", _issuer(state, "UNPACR")
    if cause == causes.BANK_UNPACK:
        return f"{thread.name} waits for a free Src bank {share}", _issuer(state, "MVMUL")
    if cause == causes.WAIT_SEMAPHORE:
        return line, _semaphore_partner(state, t)
    if cause in (causes.WAIT_UNIT, causes.UNIT_BUSY):
        return line, -1
    return f"{line} ({meaning})", -1


def _blame_core(state: TensixState, made: Breakdown, t: int, share: str) -> tuple[str, int]:
    core = made.cores[t]
    if core.cycles == core.idle.get(causes.CORE_CAUSES[causes.CORE_RESET][0]):
        return f"{made.threads[t].name}'s FIFO is empty {share}: the host pushed no more", -1
    parts = [f"executes {core.utilisation:.0%}"]
    parts += [f"{name} {n / core.cycles:.0%}" for name, n in list(core.idle.items())[:3]]
    waited = next(iter(made.threads[t].waits), "")
    if waited and next(iter(core.idle)) == causes.CORE_CAUSES[causes.CORE_SYNC][0]:
        parts.append(f"with its thread behind {waited}")
    for name, n in list(core.waits.items())[:1]:
        if n >= LEAST_ADVISED * core.cycles:
            parts.append(f"of all that polling {name} {n / core.cycles:.0%}")
    return f"{made.threads[t].name}'s FIFO is empty {share}: {core.name} {', '.join(parts)}", -1


def _issuer(state: TensixState, name: str) -> int:
    """The thread that issued most of an instruction, -1 if none did."""
    counts = state.record["engine"]["issued"][:, state.arch.instructions[name].opcode]
    return int(counts.argmax()) if counts.any() else -1


def _semaphore_partner(state: TensixState, t: int) -> int:
    """The other thread of a semaphore wait by tt-llk's use: math and pack share MATH_PACK."""
    waits = state.record["cycle"]["wait_semaphore"][t]
    index = int(waits.sum(axis=1).argmax())
    if SEMAPHORE_NAMES[index] != "MATH_PACK":
        return -1
    return 1 if t == 2 else 2


THREAD_COLOURS = {causes.CAUSES[i][0]: palette.CAUSES[i][0] for i in causes.CAUSES}
THREAD_COLOURS[causes.AT_REST[0]] = palette.CAUSES[-1][0]
CORE_COLOURS = {causes.CORE_CAUSES[i][0]: palette.CORES[i][0] for i in causes.CORE_CAUSES}
CORE_COLOURS[causes.AT_REST[0]] = palette.CORES[-1][0]
"""The colour of each cause, by its name, for a light ground."""


def _html(made: Breakdown) -> str:
    """Where the time went: bars by cause, and what bounds the run."""
    rows: list[list[Any]] = []
    kinds = (
        (made.threads, THREAD_COLOURS),
        ([core for core in made.cores if core.active], CORE_COLOURS),
    )
    for parts, colours in kinds:
        for part in parts:
            share = f"{part.utilisation:.1%}"
            rows.append(
                [
                    part.name,
                    Html(_bar(part, colours)),
                    share,
                    ", ".join(f"{name} {n:,}" for name, n in part.idle.items()),
                ]
            )
    flops = ""
    if made.flop:
        flops = f", {made.flops / 1e12:.2f} of {made.peak_flops / 1e12:.2f} TFLOP/s"
    chain, advice = (
        "".join(f"<div>{escape(line)}</div>" for line in lines)
        for lines in (made.chain, made.advice)
    )
    return (
        f"<div><b>{made.cycles:,} cycles{flops}</b>"
        + table(("", "", "active", "bubbles"), rows)
        + "".join(_legend(parts, colours) for parts, colours in kinds)
        + f"<b>bound by</b>{chain}<b>what would shorten it</b>{advice}</div>"
    )


def _bar(part: PartTime, colours: dict[str, str]) -> str:
    """A part's cycles as a bar, each cause in its own colour, which is the page's."""
    active = next(iter(colours))
    counts = {active: part.active, **part.idle}
    spans = "".join(
        f"<span title='{escape(name)} {n:,}' style='display:inline-block;height:14px;"
        f"width:{260 * n / max(part.cycles, 1):.1f}px;background:{colours[name]}'></span>"
        for name, n in counts.items()
    )
    return f"<span style='display:inline-flex;width:260px'>{spans}</span>"


def _legend(parts: list[PartTime], colours: dict[str, str]) -> str:
    """The colours of those causes that occur."""
    used = {name for part in parts for name in part.idle}
    if not parts:
        return ""
    square = "display:inline-block;width:11px;height:11px;border-radius:3px;margin-right:5px"
    entries = "".join(
        f"<span style='margin-right:16px'><span style='{square};background:{colour}'></span>"
        f"{escape(name)}</span>"
        for i, (name, colour) in enumerate(colours.items())
        if i == 0 or name in used
    )
    return f"<div>{entries}</div>"
