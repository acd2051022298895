"""The tile's performance counters: their registers, and which of them tilelab counts.

Five banks count while a program runs. What each counter's signal is, is documented by name and a
sentence (tt-llk, ``docs/performance_counters/hardware_reference.md``, ``tools/include/
perf_counters``); where that leaves a choice, figures of cards decided (tt-metal#56320).
docs/cycles.md shows ``performance_counters.txt``, which has them all in words.
"""

from enum import IntEnum
from typing import Final, NamedTuple

from tilelab.tensix.tables.units import Unit


class Bank(IntEnum):
    """A group of counters that are started, stopped and read together."""

    INSTRN_THREAD = 0
    FPU = 1
    TDMA_UNPACK = 2
    L1 = 3
    TDMA_PACK = 4


BANKS: Final = len(Bank)
CONTROLS: Final = (0x000, 0x018, 0x00C, 0x030, 0x0F0)
"""By bank, offset of its three registers: reference period, mode, start and stop."""
OUTPUTS: Final = (0x100, 0x120, 0x108, 0x118, 0x110)
"""By bank, offset of its two results: cycles, then the count that the mode selects."""
START_ALL: Final = 0x03C
STARTED_BY_ALL: Final = (Bank.INSTRN_THREAD, Bank.FPU)
MUX: Final = 0x218
"""Which eight of L1's ports are counted, from bit 4 on."""
PERIOD, MODE, CONTROL = "PERIOD", "MODE", "CONTROL"

THREADS: Final = 3
"""Threads that have counters."""
CLASSES: Final = (
    ("CFG", (Unit.CONFIG,)),
    ("SYNC", (Unit.SYNC,)),
    ("THCON", (Unit.SCALAR,)),
    ("XSEARCH", ()),
    ("MOVE", (Unit.MOVER,)),
    ("MATH", (Unit.MATRIX, Unit.VECTOR)),
    ("UNPACK", (Unit.UNPACK,)),
    ("PACK", (Unit.PACK,)),
)
"""Kinds of instructions, in the order of their selects, and the units of each."""
NO_CLASS: Final = 255
SHARED_WAITS: Final = ("SRCA_CLEAR", "SRCB_CLEAR", "SRCA_VALID", "SRCB_VALID")
"""In the order of STALLWAIT's conditions."""
WAITS: Final = (
    *("THCON_IDLE", "UNPACK_IDLE", "PACK_IDLE", "MATH_IDLE", "NONZERO_SEM", "NONFULL_SEM"),
    *("MOVE_IDLE", "CFG_IDLE", "SFPU_IDLE"),
)
NOT_WAITED: Final = "CFG_IDLE"
"""What a core's requests hold up is not modelled, so no wait for it is counted."""
NONZERO_SEM, NONFULL_SEM = WAITS.index("NONZERO_SEM"), WAITS.index("NONFULL_SEM")
GRANTS: Final = 256
"""Selects from here on are the other half of a bank: grants, not requests."""

_names = [
    *(f"{name}_INSTRN_AVAILABLE_{t}" for name, _ in CLASSES for t in range(THREADS)),
    *(f"THREAD_STALLS_{t}" for t in range(THREADS)),
    *(f"WAITING_FOR_{wait}" for wait in SHARED_WAITS),
    *(f"WAITING_FOR_{wait}_{t}" for t in range(THREADS) for wait in WAITS),
    *(f"THREAD_INSTRUCTIONS_{t}" for t in range(THREADS)),
    "ANY_THREAD_STALL",
    *("FPU_COUNTER", "SFPU_COUNTER", "MATH_COUNTER"),
    *("MATH_INSTRN_STARTED", "MATH_INSTRN_AVAILABLE"),
    *(f"UNPACK{u}_BUSY_THREAD{t}" for t in range(2) for u in range(2)),
    "L1_0_UNPACKER_0",
    *(f"PACKER_BUSY_{p}" for p in range(4)),
    "MATH_NOT_SCOREBOARD_STALLED",
]
EVENT: Final = {name: number for number, name in enumerate(_names)}
"""What is counted, by name: where in ``state.cycle.counted``."""
EVENTS: Final = len(EVENT)
AVAILABLE: Final = 0
STALLS: Final = EVENT["THREAD_STALLS_0"]
SHARED: Final = EVENT["WAITING_FOR_SRCA_CLEAR"]
WAITING: Final = EVENT["WAITING_FOR_THCON_IDLE_0"]
INSTRUCTIONS: Final = EVENT["THREAD_INSTRUCTIONS_0"]
ANY_STALL: Final = EVENT["ANY_THREAD_STALL"]
FPU: Final = EVENT["FPU_COUNTER"]
SFPU: Final = EVENT["SFPU_COUNTER"]
MATH: Final = EVENT["MATH_COUNTER"]
MATH_STARTED: Final = EVENT["MATH_INSTRN_STARTED"]
MATH_AVAILABLE: Final = EVENT["MATH_INSTRN_AVAILABLE"]
UNPACK_BUSY: Final = EVENT["UNPACK0_BUSY_THREAD0"]
L1_UNPACKER: Final = EVENT["L1_0_UNPACKER_0"]
PACK_BUSY: Final = EVENT["PACKER_BUSY_0"]
NOT_SCOREBOARD: Final = EVENT["MATH_NOT_SCOREBOARD_STALLED"]
FIRST_EVENT: Final = (0, FPU, MATH_STARTED, L1_UNPACKER, PACK_BUSY)
END_EVENT: Final = (FPU, MATH_STARTED, L1_UNPACKER, PACK_BUSY, EVENTS)
"""By bank, the events that it counts."""


class PerformanceCounter(NamedTuple):
    """A counter that tilelab models: the select that reads it, and what it counts."""

    bank: Bank
    select: int
    event: str


def _instruction_counters(shared: int, apart: int, first_wait: int) -> list[PerformanceCounter]:
    """Those of the threads; the waits' selects differ from chip to chip."""
    selects = {name: number for number, name in enumerate(_names[: STALLS + THREADS])}
    selects |= {f"WAITING_FOR_{w}": shared + apart * n for n, w in enumerate(SHARED_WAITS)}
    selects |= {_names[WAITING + n]: first_wait + n for n in range(THREADS * len(WAITS))}
    selects |= {f"THREAD_INSTRUCTIONS_{t}": GRANTS + 8 * t for t in range(THREADS)}
    selects["ANY_THREAD_STALL"] = GRANTS + 27
    return [
        PerformanceCounter(Bank.INSTRN_THREAD, select, name)
        for name, select in selects.items()
        if "XSEARCH" not in name and NOT_WAITED not in name
    ]


def performance_counters(
    shared: int, apart: int, first_wait: int, packers: int
) -> tuple[PerformanceCounter, ...]:
    """A chip's counters that tilelab models.

    ``shared``, ``apart``, ``first_wait``: select of the first wait that threads share, from there
    to the next one, and of the first that they do not; ``packers``: the last one's select is 18.
    """
    return (
        *_instruction_counters(shared, apart, first_wait),
        PerformanceCounter(Bank.FPU, 0, "FPU_COUNTER"),
        PerformanceCounter(Bank.FPU, 1, "SFPU_COUNTER"),
        PerformanceCounter(Bank.FPU, GRANTS + 1, "MATH_COUNTER"),
        PerformanceCounter(Bank.TDMA_UNPACK, 3, "MATH_INSTRN_STARTED"),
        PerformanceCounter(Bank.TDMA_UNPACK, 4, "MATH_INSTRN_AVAILABLE"),
        *(
            PerformanceCounter(Bank.TDMA_UNPACK, 7 + 2 * t + u, f"UNPACK{u}_BUSY_THREAD{t}")
            for t in range(2)
            for u in range(2)
        ),
        *(
            PerformanceCounter(Bank.TDMA_PACK, 19 - packers + p, f"PACKER_BUSY_{p}")
            for p in range(packers)
        ),
        PerformanceCounter(Bank.TDMA_PACK, GRANTS + 16, "MATH_NOT_SCOREBOARD_STALLED"),
        PerformanceCounter(Bank.L1, 0, "L1_0_UNPACKER_0"),
    )


def place(bank: int, select: int) -> int:
    """Where :func:`counter_events` has what a bank's select reads."""
    return bank << 8 | (select >> 8 & 1) << 7 | select & 0x7F


def counter_events(counters: tuple[PerformanceCounter, ...]) -> tuple[int, ...]:
    """For each bank's select, by :func:`place`, the event that it reads; -1: not modelled."""
    events = [-1] * (BANKS << 8)
    for counter in counters:
        events[place(counter.bank, counter.select)] = EVENT[counter.event]
    return tuple(events)


CLASS_OF: Final[dict[str, int]] = {
    unit: number for number, (_, units) in enumerate(CLASSES) for unit in units
}
