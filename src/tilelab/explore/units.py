"""Words of the scalar unit, unpackers and packers that are issued in time, but executed late.

Such a unit waits for L1, for as long as others contend for it (L1.md): only STALLWAIT, tensix_sync
or the unit's next word says that it is through. What it reads, L1 or Dst, and what it writes is
then as if the word came so late. Configuration is taken as it is issued, so an unpacker's or
packer's word is put off no longer than to the next word of its thread, or store of a core, that may
change that; words that change address counters come behind it.
"""

from typing import Final

from tilelab.explore.late import drains
from tilelab.explore.plan import BEHIND
from tilelab.explore.view import Exploring
from tilelab.sim.kernel import kernel
from tilelab.tensix.arch import opcodes
from tilelab.tensix.chips.opcodes import STALLWAIT, UNPACR
from tilelab.tensix.tables.figures import MATRIX_PIPE, SCALAR_PIPE, UNPACK_PIPE
from tilelab.tensix.tables.units import Unit

OVERTAKING: Final = (Unit.SYNC, Unit.MATRIX, Unit.VECTOR)
ALSO_OVERTAKING: Final = (
    *("NOP", "SETDMAREG", "STOREREG"),
    *("STOREIND", "LOADIND", "ATINCGET", "ATSWAP"),
)
COUNTERS: Final = ("SETADC", "INCADC", "ADDRCR")
"""What the names of instructions begin with that change address counters, and nothing else."""
OVERTAKES: Final = opcodes(lambda row: row.unit in OVERTAKING or row.name in ALSO_OVERTAKING)
"""Instructions that change nothing that an unpacker or packer takes."""
COUNTS: Final = opcodes(lambda row: row.name.startswith(COUNTERS))


@kernel
def waits_for(s: Exploring, t: int, word: int, other: int, late: int, unit: int) -> int:
    """Whether a thread's word waits for one that is late; ``late``, ``unit``: 1 + their pipes."""
    if late == SCALAR_PIPE + 1:
        return 1 if t == other and (unit == late or drains(s, word, SCALAR_PIPE)) else 0
    if unit == late:
        return 1
    if t != other:
        return 0
    if word >> 24 == STALLWAIT:
        behind = UNPACK_PIPE + 2 if late == UNPACK_PIPE + 1 else MATRIX_PIPE
        for pipe in range(late - 1, behind):
            if drains(s, word, pipe):
                return 1
        return 0
    if COUNTS[word >> 24]:
        return 1 if s.plan.behind[t] == BEHIND else 0
    return 0 if OVERTAKES[word >> 24] else 1


@kernel
def puts_behind(s: Exploring, t: int, word: int) -> int:
    """Keep a word of address counters until the thread's late word is through; whether it is one.

    Nobody sees these but its unpackers and packers, whose next word waits for that as well.
    """
    p = s.plan
    if not COUNTS[word >> 24]:
        return 0
    p.behind_word[t, p.behind[t]] = word
    p.behind[t] += 1
    return 1


@kernel
def accepted(s: Exploring, word: int, late: int) -> int:
    """Whether a unit takes a word: an unpacker waits for its bank first."""
    if late != UNPACK_PIPE + 1:
        return 1
    src = s.src[UNPACR.unpack_block_selection(word)]
    return 0 if src.valid[src.unpack_bank] else 1
