"""Registers of the performance counters: started, stopped, selected and read.

What is counted, cycle by cycle, is in ``cycle/counters.py``; the functional clock counts nothing,
so that there a count cannot be read. Source: tt-llk, docs/performance_counters/
hardware_reference.md. Not modelled: mode 1 (stop after the reference period), mode 2.
"""

from typing import Final

from tilelab.sim.checks import Policy, check, fault, fault2, refuse2
from tilelab.sim.errors import UnimplementedFunctionalityError
from tilelab.sim.kernel import OK, WORD, kernel
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.performance_counters import (
    BANKS,
    CONTROLS,
    END_EVENT,
    FIRST_EVENT,
    MUX,
    OUTPUTS,
    START_ALL,
    STARTED_BY_ALL,
    Bank,
)
from tilelab.tensix.tables.tile_registers import DEBUG_REGISTERS

NO_BANK: Final = -1
NO_COUNT: Final = 0xFFFFFFFF
"""What a counter that is not modelled reads as if that only warns; tt-llk takes it for missing."""
MUX_SHIFT: Final = 4
L1: Final = int(Bank.L1)
PAGE: Final = "tt-llk hardware_reference.md"

CLOCK = check(
    "performance-counter-functional",
    UnimplementedFunctionalityError,
    "the performance counter at {value:#010x} counts cycles, which the functional clock has not",
    page=PAGE,
    cure="run under the cycle clock",
)
MODE = check(
    "performance-counter-mode",
    UnimplementedFunctionalityError,
    "the mode of performance counters in {value:#x} is not modelled: only mode 0 is",
    page=PAGE,
)
AT_REST = check(
    "performance-counter-at-rest",
    UnimplementedFunctionalityError,
    "the tile was at rest for {value} of {value2} cycles, in which nothing is counted",
    page=PAGE,
    cure="run the kernel on one tile",
)
NOT_COUNTED = check(
    "performance-counter-not-modelled",
    UnimplementedFunctionalityError,
    "select {value} of performance counter bank {value2} is not modelled",
    page=PAGE,
    cure="leave it out; docs/cycles.md lists what is counted",
    policy=Policy.ERROR,
)


@kernel
def _start(s: State, bank: int) -> None:
    """Begin to count from zero."""
    for event in range(FIRST_EVENT[bank], END_EVENT[bank]):
        s.cycle.counted[event] = 0
    s.cycle.count_cycles[bank] = 0
    s.cycle.count_since[bank] = s.clock
    s.cycle.count_on = s.cycle.count_on | 1 << bank
    if bank == L1:
        s.cycle.count_mux = s.debug_register[MUX >> 2]


@kernel
def _stop(s: State, bank: int) -> int:
    """Freeze a bank that counts; a check's code if it has not been looked at all the time."""
    if not s.cycle.count_on >> bank & 1:
        return OK
    s.cycle.count_on = s.cycle.count_on & ~(1 << bank)
    cycles = s.clock - s.cycle.count_since[bank]
    rested = cycles - s.cycle.count_cycles[bank]
    if rested > 1:  # one: who starts or stops it within a cycle is not there in all of it
        return fault2(s, AT_REST, rested, cycles)
    return OK


@kernel
def _control(s: State, bank: int, rises: int) -> int:
    """Start and stop a bank: bits that were 0 before count."""
    if rises & 1:
        _start(s, bank)
    return _stop(s, bank) if rises & 2 else OK


@kernel
def write_counter(s: State, offset: int, value: int) -> int:
    """Before a debug register is written: what that does if it is a counter's; a check's code."""
    rises = value & ~s.debug_register[offset >> 2]
    if offset == START_ALL:
        code = _control(s, STARTED_BY_ALL[0], rises)
        return code if code != OK else _control(s, STARTED_BY_ALL[1], rises)
    for bank in range(BANKS):
        if offset == CONTROLS[bank] + 4 and value & 0xFF:
            return fault(s, MODE, value)
        if offset == CONTROLS[bank] + 8:
            return _control(s, bank, rises)
    return OK


@kernel
def output_bank(offset: int) -> int:
    """The bank that a debug register is a result of, or NO_BANK."""
    for bank in range(BANKS):
        if offset & ~4 == OUTPUTS[bank]:
            return bank
    return NO_BANK


@kernel
def _event(s: State, bank: int, select: int) -> int:
    """What a bank's select reads, or -1."""
    if bank == L1:
        mux = s.debug_register[MUX >> 2] >> MUX_SHIFT & s.arch.counter_mux
        counted = s.cycle.count_mux >> MUX_SHIFT & s.arch.counter_mux
        if mux != counted or 0 < mux < s.arch.counter_mux_positions:
            return -1
    return s.arch.counter_events[bank << 8 | (select >> 8 & 1) << 7 | select & 0x7F]


@kernel
def read_counter(s: State, bank: int, offset: int) -> tuple[int, int]:
    """A bank's result: cycles, or the count that its mode selects; ``(status, value)``."""
    if not s.cycle.on:
        return fault(s, CLOCK, DEBUG_REGISTERS + offset), 0
    s.private_effects = s.private_effects + 1
    if not offset & 4:
        return OK, s.cycle.count_cycles[bank] & WORD
    select = s.debug_register[CONTROLS[bank] + 4 >> 2] >> 8
    event = _event(s, bank, select)
    if event >= 0:
        return OK, s.cycle.counted[event] & WORD
    if refuse2(s, NOT_COUNTED, select, bank):
        return NOT_COUNTED, 0
    return OK, NO_COUNT
