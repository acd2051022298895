"""What the checker does when a packer has packed a tile: was there anything in it?

Rows of Dst that were cleared read as zeros, and a tile may have rows that nothing computes. But a
tile of which nothing has been computed since it was cleared is not what anybody means to pack.
"""

from typing import Final

from tilelab.check import accesses
from tilelab.check.accesses import is_word, report
from tilelab.check.shadow import DST
from tilelab.check.view import Checking
from tilelab.check.watch import Watch
from tilelab.sim.checks import Policy
from tilelab.sim.errors import NonContractualBehaviorError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.chips.opcodes import ZEROACC
from tilelab.tensix.tables.figures import PACK_PIPE

PACKERS: Final = 4
WATCH = Watch("tiles that are packed")
WATCH.field("packed_row", "<u4")  # 1 + the last row of the packed tile that was only cleared
WATCH.field("packed_clear", "<u8")  # its mark
WATCH.field("packed_data", "u1")  # whether the tile has a row that something has computed

DST_EMPTY: Final = WATCH.rule(
    "dst-never-computed",
    NonContractualBehaviorError,
    "packs a tile that ends with {where}, of which nothing has been computed since it was cleared",
    "cleared it",
    "Dst.md",
    "check the tile's number in Dst: pack what was computed, and compute before packing",
    policy=Policy.WARN,
)


@kernel
def reads_dst(s: Checking, row: int) -> int:
    """A row of Dst is read: by a packer, to be written to L1."""
    c = s.shadow
    if PACK_PIPE <= c.pipe < PACK_PIPE + PACKERS:
        mark = c.writer[DST + row]
        if mark and is_word(s, mark, ZEROACC):
            c.packed_row = 1 + row
            c.packed_clear = mark
        else:
            c.packed_data = 1
    return accesses.reads_dst(s, row)


@kernel
def ends_packed(s: Checking) -> int:
    """A packer's tile is through."""
    c = s.shadow
    if c.packed_row and not c.packed_data:
        report(s, DST_EMPTY, c.packed_row - 1, c.packed_clear)
    c.packed_row = 0
    c.packed_data = 0
    return OK
