"""Blackhole's signals on the debug bus."""

from tilelab.tensix.tables.debug_bus import (
    address_signals,
    core_signals,
    counter_signals,
    frontend_signals,
)

_COUNTERS = (
    *(("[0].src_a", 0), ("[0].src_a_cr", 10), ("[1].src_a", 24), ("[1].src_a_cr", 30)),
    *(("[2].src_a", 40), ("[2].src_a_cr", 50), ("[0].src_b", 60), ("[0].src_b_cr", 70)),
    *(("[1].src_b", 84), ("[1].src_b_cr", 90), ("[2].src_b", 100), ("[2].src_b_cr", 110)),
    *((f"[{t}].dst{cr}", 120 + 20 * t + at) for t in range(3) for cr, at in (("", 0), ("_cr", 10))),
)
SIGNALS = (
    *core_signals(),
    *frontend_signals(40, 73, 75, 76),
    *address_signals(),
    *counter_signals(_COUNTERS),
)
