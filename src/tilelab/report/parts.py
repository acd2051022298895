"""A run's threads, cores and units: the cycle clock's counters as named numbers."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from tilelab.tensix.report.explain import SEMAPHORE_NAMES
from tilelab.tensix.state import CORES, TensixState
from tilelab.tensix.tables import causes
from tilelab.tensix.tables.figures import PORT_NAMES
from tilelab.tensix.words.origin import CORE_NAMES as PUSHERS

THREAD_NAMES = ("T0 unpack", "T1 math", "T2 pack")
CORE_NAMES = tuple(PUSHERS[core] for core in range(CORES))
PIPE_NAMES = {
    0: "the scalar unit",
    1: "unpacker 0",
    2: "unpacker 1",
    3: "the packer",
    4: "packer 1",
    5: "packer 2",
    6: "packer 3",
    7: "the matrix unit",
    8: "the vector unit",
    10: "the mover",
    -2: "the core's requests",
    -3: "the configuration unit",
}
UNIT_NAMES = (
    *PORT_NAMES,
    *(f"unpacker {u}" for u in range(2)),
    *(f"packer {p}" for p in range(4)),
)
"""As ``state.cycle.unit_idle`` numbers them."""
NOT_ASKED = "not asked"
POLLED = ("tiles (cb_wait_front)", "room (cb_reserve_back)")
BANK_NAMES = (
    "SrcA's bank to be free",
    "SrcB's bank to be free",
    "SrcA to be valid",
    "SrcB to be valid",
)


@dataclass(frozen=True)
class PartTime:
    """One thread's or core's cycles: how many did something, and the rest by cause."""

    name: str
    cycles: int
    active: int
    idle: dict[str, int]
    """Cycles without progress by name of the cause, most first."""
    waits: dict[str, int] = field(default_factory=dict)
    """What latched waits and busy units were, in detail, most first; of a core, which circular
    buffers it polled: these cycles are instructions and loads as well."""
    nops: int = 0
    """Of the active cycles, those that issued a NOP."""

    @property
    def utilisation(self) -> float:
        """The share of cycles in which something was issued or executed."""
        return self.active / self.cycles if self.cycles else 0.0


@dataclass(frozen=True)
class UnitTime:
    """One unit: instructions it took, cycles in which it was occupied."""

    name: str
    instructions: int
    busy: int
    idle: int
    """Cycles in which it was not asked, or could not begin: with ``busy`` all of them."""
    utilisation: float
    causes: dict[str, int] = field(default_factory=dict)
    """The idle cycles by cause, most first: why a gate held back a word for it, or ``not asked``.
    They add up to ``idle``. Of the misc unit, which takes a word of each thread, there are none."""


def _sorted(counts: dict[str, int]) -> dict[str, int]:
    return dict(sorted(((k, v) for k, v in counts.items() if v), key=lambda item: -item[1]))


def thread_time(state: TensixState, t: int, cycles: int) -> PartTime:
    """Where the cycles of a thread's gate went."""
    counts = state.record["cycle"]["thread_cycles"][t]
    idle = {causes.CAUSES[i][0]: int(counts[i]) for i in range(1, causes.CAUSE_COUNT)}
    idle[causes.AT_REST[0]] = max(0, cycles - int(counts.sum()))
    nop = state.arch.instructions["NOP"].opcode
    return PartTime(
        name=THREAD_NAMES[t],
        cycles=cycles,
        active=int(counts[causes.ISSUED]),
        idle=_sorted(idle),
        waits=_sorted(_waits(state, t)),
        nops=int(state.record["engine"]["issued"][t, nop]),
    )


def condition_name(state: TensixState, bit: int) -> str:
    """What a condition bit of STALLWAIT waits for."""
    pipe = state.arch.timing.conditions[bit]
    if pipe == -1:
        return BANK_NAMES[bit - state.arch.condition_src_a_cleared]
    return PIPE_NAMES[pipe]


def wait_name(state: TensixState, source: int) -> str:
    """What a latched wait waits for, by ``state.cycle.wait_source``."""
    if source >= 0x40:
        return ""
    if source >= 0x20:
        at = "at its maximum" if source >= 0x30 else "zero"
        return f"semaphore {source & 15} ({SEMAPHORE_NAMES[source & 15]}) is {at}"
    return condition_name(state, source)


def _waits(state: TensixState, t: int) -> dict[str, int]:
    cycle = state.record["cycle"]
    found: dict[str, int] = {}
    for bit in np.flatnonzero(cycle["wait_unit"][t]):
        found[condition_name(state, int(bit))] = int(cycle["wait_unit"][t, bit])
    for i, which in np.argwhere(cycle["wait_semaphore"][t]):
        name = wait_name(state, (0x30 if which else 0x20) + int(i))
        found[name] = int(cycle["wait_semaphore"][t, i, which])
    for port in np.flatnonzero(cycle["busy_with"][t]):
        found[f"{PORT_NAMES[port]} busy"] = int(cycle["busy_with"][t, port])
    return found


def core_time(state: TensixState, core: int, cycles: int) -> PartTime:
    """Where the cycles of a core went."""
    counts = state.record["cycle"]["core_cycles"][core]
    idle = {causes.CORE_CAUSES[i][0]: int(counts[i]) for i in range(1, causes.CORE_CAUSE_COUNT)}
    idle[causes.AT_REST[0]] = max(0, cycles - int(counts.sum()))
    active = int(counts[causes.CORE_RETIRED])
    return PartTime(CORE_NAMES[core], cycles, active, _sorted(idle), _sorted(_polls(state, core)))


def _polls(state: TensixState, core: int) -> dict[str, int]:
    """The circular buffers that a core polled, with what it waited for there."""
    polled = state.record["cycle"]["polled"][core]
    return {
        f"buffer {buffer} for {POLLED[side]}": int(polled[buffer, side])
        for buffer, side in np.argwhere(polled).tolist()
    }


def _idle_causes(counts: npt.NDArray[Any], name: str, idle: int) -> dict[str, int]:
    """A unit's idle cycles by cause; what no gate's word explains is ``not asked``."""
    if name not in UNIT_NAMES:
        return {NOT_ASKED: idle} if idle else {}
    row = counts[UNIT_NAMES.index(name)]
    found = {causes.CAUSES[i][0]: int(row[i]) for i in range(1, causes.CAUSE_COUNT)}
    left = idle
    for cause, n in sorted(found.items(), key=lambda item: -item[1]):
        found[cause] = min(n, left)  # what was begun last may not be over
        left -= found[cause]
    return _sorted({**found, NOT_ASKED: left})


def unit_times(state: TensixState, cycles: int) -> list[UnitTime]:
    """The units that took instructions, those that were busiest first."""
    engine, cycle = state.record["engine"], state.record["cycle"]
    counts: dict[str, int] = {}
    for opcode in np.flatnonzero(engine["issued"].sum(axis=0)):
        row = state.arch.instructions.by_opcode[int(opcode)]
        count = int(engine["issued"][:, opcode].sum())
        counts[str(row.unit)] = counts.get(str(row.unit), 0) + count
    busy = {name: int(n) for name, n in zip(PORT_NAMES, cycle["port_cycles"], strict=True)}
    busy["misc_unit"] = counts.get("misc_unit", 0)  # it takes one of each thread

    def unit(name: str, count: int, spent: int) -> UnitTime:
        spent = min(spent, cycles)  # what was begun last may not be over
        why = _idle_causes(cycle["unit_idle"], name, cycles - spent)
        return UnitTime(name, count, spent, cycles - spent, spent / cycles, why)

    found = [
        unit(name, count, busy.get(name, count))
        for name, count in counts.items()
        if name not in ("unpackers", "packers")
    ]
    moved = [(f"unpacker {u}", int(cycle["fetch_cycles"][u])) for u in range(2)]
    moved += [(f"packer {p}", int(cycle["pack_cycles"][p])) for p in range(4)]
    for name, spent in moved:
        if spent:
            found.append(unit(name, counts[f"{name.split()[0]}s"], spent))
    return sorted(found, key=lambda unit: -unit.busy)
