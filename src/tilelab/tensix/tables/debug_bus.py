"""What the debug bus shows (the debug daisychain), as data: groups of 128 bits, and what is in them.

A group is chosen by two numbers, DaisySel and SignalSel. A row says where in a group a value
stands, and which: a part of the state by its name, or one of the values that
``riscv/debug_bus.py`` works out. Bits of a listed group that no row covers read 0: they belong to
what is never busy between two rounds, or are reserved.

Sources: tt-isa-documentation, DebugDaisychain.md (Wormhole); for Blackhole, where that has no
page, tt-exalens, functional_worker_debug_bus_signals.py.
"""

from typing import Final, NamedTuple

CORES: Final = 7
"""DaisySel of the cores' groups."""
FRONTENDS: Final = 1
COUNTERS: Final = 3
ADDRESSES: Final = 6


class Signal(NamedTuple):
    """One value on the bus."""

    daisy: int
    select: int
    first: int
    """Its lowest bit in the group."""
    bits: int
    value: str


def core_signals() -> tuple[Signal, ...]:
    """Where each core is, and what it waits for: the same on every chip."""
    found = []
    for core, select in ((3, 10), (0, 12), (1, 14), (2, 16), (4, 24)):
        found += [
            Signal(CORES, select, 0, 31, f"riscv[{core}].pc"),
            Signal(CORES, select, 64, 30, f"riscv[{core}].pc"),
            Signal(CORES, select + 1, 32, 30, f"riscv[{core}].pc"),
        ]
    found += [Signal(CORES, 1, 115 + i, 1, f"mailbox_ready[3,{to}]") for i, to in enumerate(_ORDER)]
    for t in range(3):
        select = 18 + 2 * t
        found += [
            Signal(CORES, select, 106 + i, 1, f"mailbox_ready[{t},{to}]")
            for i, to in enumerate(_ORDER)
        ]
        found += [
            Signal(CORES, select + 1, 23, 1, "one"),  # nothing is modelled that fills PCBufs
            Signal(CORES, select + 1, 25, 1, f"mop_pending[{t}]"),
            Signal(CORES, select + 1, 26, 1, f"in_flight[{t}]"),
            Signal(CORES, select + 1, 30, 1, f"sync_wait[{t}]"),
            Signal(CORES, select + 1, 84, 1, f"mop_template[{t},0]"),
            Signal(CORES, select + 1, 85, 1, f"mop_template[{t},1]"),
            Signal(CORES, select + 1, 86, 32, f"mop_front[{t}]"),
            Signal(CORES, select + 1, 118, 1, f"mop_waiting[{t}]"),
            Signal(CORES, select + 1, 125, 1, f"input_full[{t}]"),
        ]
    return tuple(found)


_ORDER: Final = (3, 0, 1, 2)
"""Readers of mailboxes: BRISC, then the TRISCs."""


def frontend_signals(word: int, empty: int, full: int, fifo_empty: int) -> tuple[Signal, ...]:
    """What waits at the threads' gates, and their FIFOs before the replay expander."""
    found = []
    for t, select in enumerate((12, 8, 4)):
        found += [
            Signal(FRONTENDS, select, word, 32, f"gate_word[{t}]"),
            Signal(FRONTENDS, select, empty, 1, f"gate_empty[{t}]"),
            Signal(FRONTENDS, select, full, 1, f"late_full[{t}]"),
            Signal(FRONTENDS, select, fifo_empty, 1, f"late_empty[{t}]"),
        ]
    return tuple(found)


def address_signals() -> tuple[Signal, ...]:
    """Address counters of unpackers and packers."""
    found = []
    units = (("adc[0,0]", 0), ("adc[0,1]", 2), ("adc[2,2]", 4))
    for unit, select in units:
        for channel in (0, 1):
            at = ADDRESSES, select + channel
            found += [
                Signal(*at, first, bits, f"{unit}.{name}[{channel}]")
                for name, first, bits in (
                    *(("x", 0, 18), ("x_cr", 18, 18), ("y", 64, 13), ("y_cr", 80, 13)),
                    *(("z", 96, 8), ("z_cr", 104, 8), ("w", 112, 8), ("w_cr", 120, 8)),
                )
            ]
    return tuple(found)


def counter_signals(places: tuple[tuple[str, int], ...]) -> tuple[Signal, ...]:
    """Register window counters; places are bits from the beginning of group 2, in 128-bit groups."""
    return tuple(
        Signal(COUNTERS, 2 + first // 128, first % 128, 10 if ".dst" in name else 6, f"rwc{name}")
        for name, first in places
    )
