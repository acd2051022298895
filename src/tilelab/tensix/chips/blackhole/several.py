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

P300, GALAXY = 0x440_00000001, 0x470_00000001
"""Boards by number: of two chips, of 32."""
BOOT = 0x7CC00
"""Boot results of an Ethernet tile (MEM_SYSENG_BOOT_RESULTS_BASE)."""
UP, TRAINED, BOOTED = 1, 2, 0xC0DEA000
OWN, PEER = BOOT + 0x3C0, BOOT + 0x3E0
"""What is known of the link's ends, in boot results."""


def telemetry_words(tags: dict[int, int]) -> dict[int, int]:
    """Words of ARC's telemetry: a version, then the table."""
    return telemetry(tags, TELEMETRY + 4, 0x10000200)


def member(number: int, count: int) -> Member:
    """A chip of boards with two chips each; of 32, of one board."""
    if count == 32:
        return Member(number, number, GALAXY, 4 if number & 1 else 1)
    location = 1 - (number & 1) if count == 4 else number & 1
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


GALAXY_LINKS = (
    "0.2-2.4 0.4-14.2 0.6-21.0 1.2-20.4 1.4-30.4 1.6-9.0 2.6-6.0 3.2-8.4 3.4-10.2 3.6-28.0 "
    "4.0-10.6 4.2-28.4 4.4-15.2 4.6-25.6 5.2-23.4 5.4-19.2 5.6-22.0 6.4-21.2 6.6-31.6 7.2-10.4 "
    "7.4-19.4 7.6-15.0 8.6-31.0 9.2-16.4 9.4-18.4 9.6-12.6 11.4-23.2 11.6-27.0 12.0-19.6 "
    "12.2-22.4 12.4-15.4 13.0-24.6 13.2-17.4 13.4-16.2 13.6-29.6 14.4-30.2 14.6-25.0 15.6-18.6 "
    "16.0-20.6 16.6-22.6 17.0-26.6 17.6-27.6 18.0-30.6 18.2-25.4 20.2-24.4 21.4-25.2 21.6-28.6 "
    "22.2-29.4 23.6-29.0 24.2-26.4 27.4-29.2 28.2-31.4 "
)
"""Of a board of 32, pairs of links: CHIP.TILE-CHIP.TILE, and the tiles behind these."""


def galaxy() -> tuple[tuple[int, int, int, int], ...]:
    """The links of a board of 32 chips."""
    made = []
    for pair in GALAXY_LINKS.split():
        chip, tile, peer, there = map(int, pair.replace("-", ".").split("."))
        made += [(chip, tile + i, peer, there + i) for i in range(2)]
    return tuple(made)


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
    wirings={
        2: ((0, 2, 1, 9), (0, 3, 1, 8)),
        4: (
            *((0, 2, 3, 5), (0, 4, 3, 4), (0, 8, 1, 3), (0, 9, 1, 2)),
            *((1, 4, 2, 4), (1, 5, 2, 2), (2, 8, 3, 3), (2, 9, 3, 2)),
        ),
        32: galaxy(),
    },
    ring=((2, 9), (3, 8)),
    stride=1 << 36,
)
