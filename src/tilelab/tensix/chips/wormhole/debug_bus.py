"""Wormhole's signals on the debug bus."""

from tilelab.tensix.tables.debug_bus import (
    ADDRESSES,
    COUNTERS,
    Signal,
    address_signals,
    core_signals,
    counter_signals,
    frontend_signals,
)

_COUNTERS = (
    *((f"[{t}].src{cr}[0]", 16 * t + at) for t in range(3) for cr, at in (("", 0), ("_cr", 8))),
    *(
        (f"[{t}].src{cr}[1]", 48 + 16 * t + at)
        for t in range(3)
        for cr, at in (("", 0), ("_cr", 8))
    ),
    *((f"[{t}].dst{cr}", 96 + 32 * t + at) for t in range(3) for cr, at in (("", 0), ("_cr", 16))),
)
_BANKS = tuple(
    Signal(ADDRESSES, 9, first + 16 * k, 1, name.format(k))
    for k in range(2)
    for name, first in (
        *(("src_unpackers[{}]", 84), ("src_matrix[{}]", 85)),
        *(("src[{}].valid[1]", 90), ("src[{}].valid[0]", 91)),
        *(("src[{}].matrix_bank", 92), ("src[{}].unpack_bank", 94)),
    )
)
SIGNALS = (
    *core_signals(),
    *frontend_signals(55, 87, 89, 90),
    *address_signals(),
    *counter_signals(_COUNTERS),
    *(Signal(COUNTERS, 4, 58 + 2 * t, 2, f"rwc[{t}].fidelity") for t in range(3)),
    *_BANKS,
)
