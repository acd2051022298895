"""Colours by meaning, for a light and a dark ground: bubbles are warm, work is cool.

The page and notebooks share them, so that one colour means one thing everywhere.
"""

from typing import Final

Pair = tuple[str, str]

UNITS: Final[dict[str, Pair]] = {
    "matrix_unit": ("#2f6fdb", "#6f9dff"),
    "vector_unit": ("#7a4fd0", "#b292ff"),
    "unpacker 0": ("#0e8a8a", "#45c9c9"),
    "unpacker 1": ("#2b9b63", "#6fd8a0"),
    "packers": ("#4c8f1d", "#a3d35c"),
    "sync_unit": ("#7b8797", "#9eabbd"),
    "scalar_unit": ("#8a6d3b", "#cbae78"),
    "configuration_unit": ("#5c6b8a", "#8fa1c7"),
    "misc_unit": ("#94a3b8", "#75859b"),
    "mover": ("#3b7f8f", "#7fc3d3"),
}
"""By the unit's name, as traces give it, in the order in which they are shown."""
OTHER: Final[Pair] = ("#888888", "#999999")
"""What has no colour of its own."""

CAUSES: Final[tuple[Pair, ...]] = (
    ("#2f6fdb", "#6f9dff"),  # issued
    ("#e6e8ec", "#272c35"),  # FIFO empty
    ("#e255a1", "#ff8cc8"),  # MOP transition
    ("#c9b6d9", "#5b4a6b"),  # absorbed
    ("#d8c7a0", "#6a5c3c"),  # recorded
    ("#f0a92e", "#f5be5b"),  # semaphore
    ("#e8843c", "#f39c5f"),  # unit to drain
    ("#d9693a", "#ef8560"),  # bank
    ("#f6cf7a", "#8d763a"),  # wait released
    ("#d64545", "#f26d6d"),  # operands
    ("#b03a6b", "#e06c9b"),  # Src banks full
    ("#a01fa8", "#e070e8"),  # Dst hazard
    ("#c98b6b", "#a8704f"),  # unit busy
    ("#b59a7a", "#8f7757"),  # unit shared
    ("#c2a13d", "#a58a35"),  # thread held
    ("#9a6fd6", "#7c58b0"),  # result late
    ("#8f3030", "#c05a5a"),  # mutex
    ("#c3cad6", "#3d4654"),  # at rest
)
"""By the number of a wait gate's cause; last, what nothing counts."""

CORES: Final[tuple[Pair, ...]] = (
    ("#5a8f5a", "#6fae6f"),  # executed
    ("#e8843c", "#f39c5f"),  # load latency
    ("#e255a1", "#ff8cc8"),  # mispredicted
    ("#b59a7a", "#8f7757"),  # divide
    ("#9db8e6", "#41587f"),  # back-pressure
    ("#f0a92e", "#f5be5b"),  # sync
    ("#f6cf7a", "#8d763a"),  # mailbox
    ("#e6e8ec", "#272c35"),  # in reset
    ("#9a6fd6", "#7c58b0"),  # instruction fetch
    ("#d64545", "#f26d6d"),  # store queue full
    ("#c3cad6", "#3d4654"),  # at rest
)
"""By the number of a core's cause; last, what nothing counts."""
