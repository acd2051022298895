"""Several Blackhole chips: how they are wired, and what their own firmware says of that.

Sources: ttsim 1.10, whose boards these are, for wirings, telemetry and boot results; the vendor's
``eth_fw_api.h`` and ``dev_msgs.h`` (tt-metal) for names of fields.
"""

from tilelab.tensix.tables.layout import Launch, Member, Several, telemetry

TELEMETRY = 0x10000100
TAGS = {
    1: 0x400, 2: 1, 3: 1, 4: 0, 11: 0x280000, 13: 0x230000, 14: 1000, 15: 900, 16: 540,
    21: 0xFFF, 22: 0x5555, 28: 0x12050000, 32: 1, 52: 0, 38: 1, 35: 0xFFF, 61: 0, 62: 1,
}  # fmt: skip
"""Telemetry by tag: board id, temperatures, clocks, enabled tiles, firmware's version, ..."""

P150, P300 = 0x400_00000001, 0x440_00000001
"""Boards by number: of one chip, of two."""
BOOT = 0x7CC00
"""Boot results of an Ethernet tile (MEM_SYSENG_BOOT_RESULTS_BASE)."""
UP, TRAINED, BOOTED = 1, 2, 0xC0DEA000
OWN, PEER = BOOT + 0x3C0, BOOT + 0x3E0
"""What is known of the link's ends, in boot results."""


def telemetry_words(tags: dict[int, int]) -> dict[int, int]:
    """Words of ARC's telemetry: a version, then the table."""
    return telemetry(tags, TELEMETRY + 4, 0x10000200)


def member(number: int, count: int) -> Member:
    """A chip of boards with two chips each, if there are two or four; else of a board of its own."""
    if count not in BOARDS:
        return Member(number, 0, P150 + number, 1)
    location = 1 - (number & 1) if count == 4 else number
    return Member(number, location, P300 + number // 2, 4 if location else 1)


def arc_words(chip: Member) -> dict[int, int]:
    """Telemetry of one of several chips."""
    own = {1: chip.board >> 32, 2: chip.board & 0xFFFFFFFF, 3: 1 + chip.number}
    own |= {52: chip.location, 38: chip.pcie, 62: 1 + chip.number}
    return telemetry_words(TAGS | own)


def link_words(chip: Member, tile: int, peer: Member, peer_tile: int) -> dict[int, int]:
    """Boot results of an Ethernet tile whose link is up."""
    return {
        BOOT + 4: UP,
        BOOT + 8: TRAINED,
        BOOT + 0x204: UP,
        OWN: chip.location << 8 | tile << 16,
        PEER: peer.location << 8 | peer_tile << 16 | peer_tile << 24,
        **_end(OWN, chip),
        **_end(PEER, peer),
    }


def _end(at: int, chip: Member) -> dict[int, int]:
    return {
        at + 4: chip.board >> 32,
        at + 8: chip.board & 0xFFFFFFFF,
        at + 24: 1 + chip.number,
    }


GRIDS = {8: (2, 4), 16: (4, 4), 32: (4, 8)}
"""Rows and columns of so many chips; of other numbers, one row."""
EAST, WEST, SOUTH, NORTH = (4, 5), (2, 3), (6, 7), (8, 9)
"""Ethernet tiles of a chip in such a grid: two links to each neighbour."""


def grid(count: int) -> tuple[int, int]:
    """How many rows and columns."""
    return GRIDS.get(count, (1, count))


def wiring(count: int) -> tuple[tuple[int, int, int, int], ...]:
    """The vendor's boards of two and of four chips; else a grid, of which a single row is closed."""
    if count in BOARDS:
        return BOARDS[count]
    rows, columns = grid(count)
    made = []
    for chip in range(count):
        row, column = divmod(chip, columns)
        if column + 1 < columns or (rows == 1 and count > 1):
            east = row * columns + (column + 1) % columns
            made += [(chip, out, east, to) for out, to in zip(EAST, WEST, strict=True)]
        if row + 1 < rows:
            made += [(chip, out, chip + columns, to) for out, to in zip(SOUTH, NORTH, strict=True)]
    return tuple(made)


BOARDS = {
    2: ((0, 2, 1, 9), (0, 3, 1, 8)),
    4: (
        *((0, 2, 3, 5), (0, 4, 3, 4), (0, 8, 1, 3), (0, 9, 1, 2)),
        *((1, 4, 2, 4), (1, 5, 2, 2), (2, 8, 3, 3), (2, 9, 3, 2)),
    ),
}
"""Links of one and of two boards of two chips."""
LAUNCH = Launch(
    acknowledged=0x40,
    signal=0x80,
    number=0x10C,
    first=0x110,
    bytes=144,
    base=4,
    text=52,
    arguments=28,
    arguments_at=0x710,
    place_at=0x708,
    pointer=0xFFB00EF0,
)

SEVERAL = Several(
    member=member,
    arc_words=arc_words,
    link_words=link_words,
    wiring=wiring,
    boards=tuple(BOARDS),
    grid=grid,
    stride=1 << 36,
)
