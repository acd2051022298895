"""The debug bus: 128 bits of what goes on in the tile, chosen by a host, read or sampled into L1.

Which bits are what is data (``tables/debug_bus.py`` and each chip's ``debug_bus.py``).

Source: tt-isa-documentation, DebugDaisychain.md. Not modelled: groups that no row is in; what is
only ever seen within a cycle (requests on their way, instructions in a pipeline); that what is
seen is some cycles old.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Any, Final

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import UndefinedBehaviorError, UnimplementedFunctionalityError
from tilelab.sim.fifo import slot
from tilelab.sim.kernel import OK
from tilelab.tensix.chips.opcodes import MOP
from tilelab.tensix.frontend.fifo import LATE_CAPACITY, mop_pending, unfinished
from tilelab.tensix.riscv.debug_hardware import LOADS, next_access
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.debug_bus import Signal
from tilelab.tensix.tables.tile_registers import (
    DEBUG_REGISTERS,
    MAILBOXES,
    MOP_SYNC,
    PC_BUF,
    TENSIX_SYNC,
)

L1_FIRST: Final = DEBUG_REGISTERS + 0x48
L1_LAST: Final = DEBUG_REGISTERS + 0x4C
L1_MODE: Final = DEBUG_REGISTERS + 0x50
CONTROL: Final = DEBUG_REGISTERS + 0x54
DATA: Final = DEBUG_REGISTERS + 0x5C
ENABLE: Final = 1 << 29
SAMPLE_BYTES: Final = 16
SAMPLED: Final = 1 << 20
"""Samples go to addresses below this."""
WRITE_TRIGGER: Final = 1 << 12
STAY, GO_ON, REGULAR, PREPARE = 0, 1, 4, 0xF
"""What REG2's WriteMode says."""

NO_SIGNAL = check(
    "debug-bus-signal",
    UnimplementedFunctionalityError,
    "the debug bus's signals that {value:#010x} selects are not modelled",
    page="DebugDaisychain.md",
)
SAMPLE_MODE = check(
    "debug-bus-sample",
    UndefinedBehaviorError,
    "{value:#010x} in RISCV_DEBUG_REG_DBG_L1_MEM_REG2 is no way to sample the debug bus",
    page="DebugDaisychain.md",
)
SAMPLE_PLACE = check(
    "debug-bus-sample-place",
    UndefinedBehaviorError,
    "the debug bus cannot be sampled to {value:#x}: 1 MiB of L1 is in its reach",
    page="DebugDaisychain.md",
)


def _waits_at(s: State, core: int) -> int:
    """The address that a core's next instruction loads from; -1 if it is no load."""
    kind, address = next_access(s, core)
    return address if kind == LOADS else -1


def _mailbox_ready(s: State, box: int, reader: int) -> int:
    """0 while a core waits for something in the empty mailbox from another, or from itself."""
    number = (box + 1) & 3  # addresses count BRISC first
    waits = _waits_at(s, reader) >> 12 == (MAILBOXES >> 12) + number
    return int(not (waits and s.riscv[reader].running and s.mailbox[reader][box].count == 0))


def _sync_wait(s: State, t: int) -> int:
    """Whether a TRISC waits for its words, or its MOPs, to be done."""
    at = _waits_at(s, t)
    if not s.riscv[t].running or not PC_BUF <= at < PC_BUF + 0x1000:
        return 0
    if at - PC_BUF == TENSIX_SYNC:
        return int(unfinished(s, t))
    return int(at - PC_BUF == MOP_SYNC and mop_pending(s, t))


def _mop_front(s: State, t: int) -> int:
    """The word that the MOP expander works on, or is about to take; 0 if there is none."""
    frontend = s.frontend[t]
    if frontend.mop_active:
        return int(frontend.mop_word)
    fifo = frontend.input_fifo
    return int(fifo.data[slot(fifo, 0)]) if fifo.count else 0


def _mop_template(s: State, t: int, template: int) -> int:
    """Whether a MOP of a template is being expanded."""
    frontend = s.frontend[t]
    word = int(frontend.mop_word)
    return int(frontend.mop_active and word >> 24 == MOP and MOP.mop_type(word) == template)


Value = Callable[..., int]
VALUES: Final[dict[str, Value]] = {
    "one": lambda s: 1,
    "mailbox_ready": _mailbox_ready,
    "mop_pending": lambda s, t: int(mop_pending(s, t)),
    "in_flight": lambda s, t: int(unfinished(s, t)),
    "sync_wait": _sync_wait,
    "mop_template": _mop_template,
    "mop_front": _mop_front,
    "mop_waiting": lambda s, t: int(s.frontend[t].mop_active or s.frontend[t].input_fifo.count > 0),
    "input_full": lambda s, t: int(s.frontend[t].input_fifo.count >= s.arch.input_fifo[t]),
    "gate_word": lambda s, t: int(s.frontend[t].gate_word) if s.frontend[t].gate_full else 0,
    "gate_empty": lambda s, t: int(not s.frontend[t].gate_full),
    "late_full": lambda s, t: int(s.frontend[t].late_fifo.count >= LATE_CAPACITY),
    "late_empty": lambda s, t: int(s.frontend[t].late_fifo.count == 0),
    "src_unpackers": lambda s, k: 1 - s.src[k].valid[s.src[k].unpack_bank],
    "src_matrix": lambda s, k: int(s.src[k].valid[s.src[k].matrix_bank]),
}
"""What is worked out, by its name; the others are parts of the state."""
_PART = re.compile(r"([a-z_0-9]+)(?:\[([\d,]+)\])?\.?")


def _read(s: State, text: str) -> int:
    """A signal's value, by its name."""
    part: Any = s
    for name, indexes in _PART.findall(text):
        numbers = [int(n) for n in indexes.split(",") if n]
        if name in VALUES:
            return VALUES[name](s, *numbers)
        part = getattr(part, name)
        for number in numbers:
            part = part[number]
    return int(part)


@cache
def _groups(rows: tuple[Signal, ...]) -> dict[tuple[int, int], tuple[Signal, ...]]:
    """A chip's signals by DaisySel and SignalSel."""
    found: dict[tuple[int, int], tuple[Signal, ...]] = {}
    for signal in rows:
        whole = 128 - signal.first
        at = signal.daisy, signal.select
        found[at] = (*found.get(at, ()), signal)
        if signal.bits > whole:  # it goes on in the next group
            rest = signal._replace(select=signal.select + 1, first=-whole)
            found[at[0], at[1] + 1] = (*found.get((at[0], at[1] + 1), ()), rest)
    return found


def shown(s: State) -> int:
    """The 128 bits that are on the bus; -1 if what is selected is not modelled."""
    selected = int(s.debug_register[CONTROL - DEBUG_REGISTERS >> 2])
    if not selected & ENABLE:
        return 0
    signals = _groups(s.arch.debug_bus).get((selected >> 16 & 0xFF, selected & 0xFFFF))
    if signals is None:
        return -1
    group = 0
    for signal in signals:
        value = _read(s, signal.value) & (1 << signal.bits) - 1
        group |= value << signal.first if signal.first >= 0 else value >> -signal.first
    return group & (1 << 128) - 1


def read_data(s: State) -> tuple[int, int]:
    """Read RISCV_DEBUG_REG_DBG_RD_DATA: ``(status, value)``."""
    selected = int(s.debug_register[CONTROL - DEBUG_REGISTERS >> 2])
    group = shown(s)
    if group < 0:
        return fault(s, NO_SIGNAL, selected), 0
    return OK, group >> 32 * (selected >> 25 & 3) & 0xFFFFFFFF


def write_mode(s: State, value: int) -> int:
    """Write RISCV_DEBUG_REG_DBG_L1_MEM_REG2; OK or a failed check's code.

    The next sample's place is kept in REG0. Regular samples, between which time passes, are
    :func:`write_sampling`'s.
    """
    index = L1_MODE - DEBUG_REGISTERS >> 2
    before = int(s.debug_register[index])
    mode = value & 0xF
    if mode not in (STAY, GO_ON, REGULAR, PREPARE) or (mode == PREPARE and value & WRITE_TRIGGER):
        return fault(s, SAMPLE_MODE, value)
    s.debug_register[index] = value
    if mode in (STAY, GO_ON) and value & ~before & WRITE_TRIGGER:
        return sample(s, int(mode == GO_ON))
    return OK


def sample(s: State, step: int = 1) -> int:
    """Write what is on the bus to L1, and go on to the next place; OK or a failed check's code."""
    index = L1_FIRST - DEBUG_REGISTERS >> 2
    place = int(s.debug_register[index])
    address = place * SAMPLE_BYTES
    if address + SAMPLE_BYTES > SAMPLED:
        return fault(s, SAMPLE_PLACE, address)
    group = shown(s)
    if group < 0:
        return fault(s, NO_SIGNAL, int(s.debug_register[CONTROL - DEBUG_REGISTERS >> 2]))
    for i in range(4):
        s.l1_32[(address >> 2) + i] = group >> 32 * i & 0xFFFFFFFF
    s.debug_register[index] = place + step
    return OK


def write_sampling(s: State, value: int, run: Callable[[int], object]) -> int:
    """Write REG2 where time can pass: regular samples are taken, and ``run`` lets so many rounds
    pass between them, before this returns; OK or a failed check's code."""
    samples, interval = regular_samples(s, value)
    code = write_mode(s, value)
    for taken in range(samples):
        if taken and code == OK:
            run(interval)
        code = sample(s) if code == OK else code
    return code


def regular_samples(s: State, value: int) -> tuple[int, int]:
    """How many samples a value written to REG2 asks for, and so many rounds apart; 0 if none."""
    before = int(s.debug_register[L1_MODE - DEBUG_REGISTERS >> 2])
    if value & 0xF != REGULAR or not value & ~before & WRITE_TRIGGER:
        return 0, 0
    first, last = (int(s.debug_register[r - DEBUG_REGISTERS >> 2]) for r in (L1_FIRST, L1_LAST))
    return max(0, last - first), (value >> 4 & 0xFF) + 1
