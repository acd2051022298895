"""What debuggers wait for and what cores' own debug hardware is set to, in the state's record."""

from typing import Final

from tilelab.sim.record import record_type

STOPS_WANTED, CORES_WATCHED = 1, 2
"""Bits of ``engine.attention``: a debugger waits for stops; a core's debug hardware looks on."""

MAX_STOPS: Final = 64
MAX_WORDS: Final = 4096
"""Words that all stops together may look at."""
RECENT: Final = 1024
"""Hits whose clocks are kept."""

ARRIVE, LEAVE, CHANGED, REACHED, BECOMES = 1, 2, 3, 4, 5
RECORD, L1 = 0, 1

STOP = record_type(
    [
        ("kind", "u1"),
        ("space", "u1"),  # RECORD or L1
        ("core", "u1"),
        ("low", "<u4"),  # of addresses; of words: the first one's index
        ("high", "<u4"),  # the address after the last; of words: how many
        ("mask", "<u4"),  # of the first word
        ("last_mask", "<u4"),
        ("shift", "u1"),  # of a number in the first word, or the first two
        ("value", "<u8"),  # a number's limit or value
        ("seen", "<u4"),  # where in ``seen`` the words are kept
    ]
)
STOPS = record_type(
    [
        ("count", "u1"),
        ("note", "u1"),  # 1: go on after a hit
        ("hits", "<u8"),  # how many there were
        ("clock", "<u8", (RECENT,)),  # of the last hits, hit k at k % RECENT
        ("hit", "u1", (MAX_STOPS,)),  # which were hit then
        ("retired", "<u8", (8,)),  # what each core had executed when last looked at
        ("stop", STOP, (MAX_STOPS,)),
        ("seen", "<u4", (MAX_WORDS,)),
    ]
)
"""What a debugger waits for; no part of the machine."""

WATCHPOINTS: Final = 8
CORE_DEBUG = record_type(
    [
        ("halted", "u1"),
        ("stepping", "u1"),  # 1: halt after the next instruction
        ("steps", "u1"),  # STEP commands since it was halted
        ("status", "<u4"),  # why it halted, as the status register says it
        ("argument", "<u4", (2,)),
        ("result", "<u4"),
        ("settings", "<u4"),  # four bits for each watchpoint
        ("watch", "<u4", (WATCHPOINTS,)),
        ("next_hits", "u1"),  # watchpoints that the next instruction's access will hit
        ("executed", "<u8"),  # how many instructions when it was last looked at
    ]
)
"""One core's debug hardware."""
