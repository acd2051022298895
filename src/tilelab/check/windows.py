"""What the checker does about which tiles of a circular buffer may be used: those handed over.

Who drains a buffer may use the tiles that it has seen there and not given back; who fills it, the
room that it has seen and not handed over. Each side knows the other's count as its core has last
read it. Looked at are unpackers, packers, and NoC requests of the core; of each access where it
begins. Whoever neither drains nor fills a buffer, or fills what it reads, is not asked.

And whether there was anything in a tile that a packer has packed. Rows of Dst that were cleared
read as zeros, and a tile may have rows that nothing computes. But a tile of which nothing has been
computed since it was cleared is not what anybody means to pack.

Source: the vendor's circular_buffer.h and its checks (tt-metal#38930).
"""

from typing import Final

from tilelab.check import accesses, places
from tilelab.check.accesses import is_word, report, report_of
from tilelab.check.formats import compares
from tilelab.check.rules import L1_OTHER
from tilelab.check.shadow import ARRAYS, DST, EPOCH_MASK, GRANULE_SHIFT, NOBODY
from tilelab.check.view import Checking
from tilelab.check.watch import Watch
from tilelab.formats.data_format import DataFormat
from tilelab.sim.checks import Policy
from tilelab.sim.errors import NonContractualBehaviorError, UndefinedBehaviorError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.packers import early, late
from tilelab.tensix.backend.unpackers import input as unpack_input
from tilelab.tensix.chips.opcodes import ZEROACC
from tilelab.tensix.noc import niu
from tilelab.tensix.state.records import Request
from tilelab.tensix.tables.figures import PACK_PIPE

WATCH = Watch("tiles of circular buffers")
# of each kind of L1 that is a circular buffer: 1 + its number, where it begins, bytes of a tile
WATCH.field("kind_buffer", "u1", (256,))
WATCH.field("kind_begin", "<u4", (256,))
WATCH.field("kind_tile", "<u4", (256,))
WATCH.field("unpack_context", "<u4")
WATCH.field("unpack_kind", "u1", (2,))  # where each unpacker has read last
WATCH.field("packed_kind", "u1")  # where a packer has written last
WATCH.field("packed_row", "<u4")  # 1 + the last row of the packed tile that was only cleared
WATCH.field("packed_clear", "<u8")  # its mark
WATCH.field("packed_data", "u1")  # whether the tile has a row that something has computed
PACKERS: Final = 4
ROW: Final = 16
NUMBER: Final = 5
"""Where in what a finding is about the tile's number begins, behind the buffer's."""


def tile_of(tile: places.Noted, value: int) -> str:
    """Which tile of which buffer."""
    return f"tile {value >> NUMBER} of c_{value & 31}"


def other_array(tile: places.Noted, value: int) -> str:
    """An array that is reached from another one."""
    names = (places.array(tile, number) for number in (value >> 8, value & 255))
    return "data of {}, with a base address in {}".format(*names)


CB_UNSEEN: Final = WATCH.rule(
    "cb-read-unwaited",
    NonContractualBehaviorError,
    "uses {where}, which its core has not seen there",
    "pushed last",
    "tt-metal: circular_buffer.h",
    "cb_wait_front for as many tiles as are used, before they are",
    place=tile_of,
)
CB_NO_ROOM: Final = WATCH.rule(
    "cb-write-unreserved",
    NonContractualBehaviorError,
    "writes {where}, which its core has not seen free",
    "popped last",
    "tt-metal: circular_buffer.h",
    "cb_reserve_back for as many tiles as are written, before they are",
    place=tile_of,
)
READS_OTHER: Final = WATCH.rule(
    "l1-read-other-buffer",
    UndefinedBehaviorError,
    "unpacks {where}",
    "",
    "Unpackers/README.md",
    "set the unpacker's counters back behind each tile, and check the tile's number: together with "
    "the base address they reach into what is not meant",
    place=other_array,
)


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
def kind_at(s: Checking, address: int) -> int:
    """The kind of L1 at an address; of one beyond it, of L1's last."""
    return s.shadow_kind[min(address, s.arch.l1_size - 1) >> GRANULE_SHIFT]


@kernel
def uses_tile(s: Checking, core: int, address: int, writes: int) -> int:
    """What acts now, for a core, begins to read or write L1 at an address."""
    c = s.shadow
    kind = kind_at(s, address)
    if kind < ARRAYS or c.kind_buffer[kind] == 0:
        return OK
    mine = 2 * (c.kind_buffer[kind] - 1) + 1 - writes
    other = mine ^ 1
    by = c.counted_by[mine]
    seen = c.seen[core, other]
    # a buffer that nobody counts, and whose counter the core has not read, may be no buffer to it
    begins = by == NOBODY and seen and not writes and c.counted_by[other] != 1 + core
    if by != 1 + core and not begins:
        return OK
    capacity = c.capacity[mine >> 1]
    tile = (address - c.kind_begin[kind]) // c.kind_tile[kind]
    ahead = (tile + capacity - c.counter[mine] % capacity) % capacity
    if writes:
        seen += capacity
    if ahead < (seen - c.counter[mine] & EPOCH_MASK):
        return OK
    value = tile << NUMBER | mine >> 1
    return report_of(s, CB_NO_ROOM if writes else CB_UNSEEN, value, c.counted[other])


@WATCH.at(unpack_input.check_input)
@kernel
def unpacks(
    s: Checking,
    t: int,
    u: int,
    bit_address: int,
    bits: int,
    count: int,
    stride: int,
    transpose: int,
) -> int:
    """An unpacker reads data from an address on."""
    c = s.shadow
    address = bit_address >> 3
    compares(s, address, c.unpack_format)
    uses_tile(s, t, address, 0)
    kind = kind_at(s, address)
    if kind == c.unpack_kind[u]:
        return OK  # asked when it first came there
    c.unpack_kind[u] = kind
    base = unpack_input.tile_base(s, t, u, c.unpack_context)
    begun = kind_at(s, base)
    if min(kind, begun) < ARRAYS or kind == begun:
        return OK
    return report(s, READS_OTHER, kind << 8 | begun, 0)


@WATCH.at(unpack_input.tile_base)
@kernel
def begins(s: Checking, t: int, u: int, context: int) -> None:
    """An unpacker's base address is that of a context."""
    s.shadow.unpack_context = context


@WATCH.at(late.store_run)
@kernel
def packs(s: Checking, data: int, exponents: int, out_format: int, n: int, accumulate: int) -> int:
    """A packer writes data of a format at an address."""
    c = s.shadow
    kind = kind_at(s, data)
    compares(s, data, out_format)
    if kind == 0 and c.packed_kind and kind_at(s, data - 1) == c.packed_kind:
        if c.kind_format[c.packed_kind] == 1 + out_format:
            report(s, L1_OTHER, data, 0)
    c.packed_kind = kind
    return uses_tile(s, c.row, data, 1)


@WATCH.at(early.copy_row_bf16)
@kernel
def copies(s: Checking, at: int, to: int) -> int:
    """A packer copies a row of bf16 to the half-words from one on."""
    return packs(s, to << 1, 0, DataFormat.BF16, ROW, 0)


@WATCH.at(niu.count_answered)
@kernel
def brings(s: Checking, r: Request, sent: int, answers: int, reached: int) -> int:
    """A NoC request has been answered: if it is a read, its data are in L1."""
    return uses_tile(s, r.core, r.ret, 1) if sent == niu.READS_SENT else OK


@WATCH.at(niu.count_write)
@kernel
def takes(s: Checking, r: Request, acks: int) -> int:
    """A NoC write has been carried out: its data were taken from L1."""
    return OK if r.control & niu.INLINE else uses_tile(s, r.core, r.target, 0)


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
