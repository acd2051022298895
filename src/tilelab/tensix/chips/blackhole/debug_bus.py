"""Blackhole's signals on the debug bus."""

from tilelab.tensix.tables.debug_bus import (
    COUNTERS,
    Signal,
    address_signals,
    core_signals,
    counter_signals,
    frontend_signals,
)

_COUNTERS = (
    *(("[0].src[0]", 0), ("[0].src_cr[0]", 10), ("[1].src[0]", 24), ("[1].src_cr[0]", 30)),
    *(("[2].src[0]", 40), ("[2].src_cr[0]", 50), ("[0].src[1]", 60), ("[0].src_cr[1]", 70)),
    *(("[1].src[1]", 84), ("[1].src_cr[1]", 90), ("[2].src[1]", 100), ("[2].src_cr[1]", 110)),
    *((f"[{t}].dst{cr}", 120 + 20 * t + at) for t in range(3) for cr, at in (("", 0), ("_cr", 10))),
)
SIGNALS = (
    *core_signals(),
    *frontend_signals(40, 73, 75, 76),
    *address_signals(),
    *counter_signals(_COUNTERS),
    *(Signal(COUNTERS, 4, 60 + 2 * t, 2, f"rwc[{t}].fidelity") for t in range(3)),
)
