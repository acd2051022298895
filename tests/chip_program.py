"""A chip of few tiles, and programs for their cores that use the NoC."""

from typing import Protocol

from riscv_program import HALT, RESET_BITS, RESET_PC, T0, T1, T2, bne, li, load, lw, store, sw
from tilelab.chip.chip import Chip
from tilelab.tensix.arch import Arch
from tilelab.tensix.tables.layout import Place
from tilelab.tensix.tables.tile_registers import DEBUG_REGISTERS, NOC, SOFT_RESET_0

BRISC = 3
CHIPS = ("blackhole", "wormhole")
PLACES: dict[str, tuple[Place, Place, Place]] = {
    "blackhole": ((1, 2), (2, 2), (1, 3)),
    "wormhole": ((18, 18), (19, 18), (18, 19)),
}
DRAM: dict[str, Place] = {"blackhole": (17, 12), "wormhole": (0, 0)}
"""A tile of bank 0."""
READ, ATOMIC, WRITE = 0x2090, 0x2091, 0x2092
"""NOC_CTRL of requests that want a response, as the vendor's kernels write it."""
BROADCAST = 1 << 5
INLINE = 1 << 3
INCREMENT = 0x107C
"""NOC_AT_LEN_BE of an atomic increment of all 32 bits of a word."""
SOFT_RESET = DEBUG_REGISTERS + SOFT_RESET_0
RESULT = 0x8000
"""Where programs leave what they find."""


def make(arch: str, engine: str, tiles: int = 1) -> Chip:
    """A chip of few tiles; ``engine`` may be ``cycle``: the fast one, under the cycle clock."""
    if engine == "cycle":
        return Chip(arch, PLACES[arch][:tiles], clock="cycle")
    return Chip(arch, PLACES[arch][:tiles], engine)


def at(place: Place, start: Place = (0, 0)) -> int:
    """Coordinates as a request has them."""
    return place[0] | place[1] << 6 | start[0] << 12 | start[1] << 18


def niu_register(niu: int, offset: int) -> int:
    return NOC + 0x10000 * niu + offset


def counter(niu: int, index: int) -> int:
    return niu_register(niu, 0x200 + 4 * index)


def request(
    arch: Arch, control: int, target: tuple[int, int], ret: tuple[int, int], length: int,
    data: int = 0, niu: int = 0, initiator: int = 0, tag: int = 0,
) -> list[int]:  # fmt: skip
    """Stores that initiate a request; ``target`` and ``ret`` are an address and coordinates."""
    values = {0x18: tag, 0x1C: control, 0x20: length, arch.noc.data: data}
    for lo, (address, place) in ((0x00, target), (0x0C, ret)):
        high = address >> 32
        values[lo] = address & 0xFFFFFFFF
        if shift := arch.noc.coordinate_shift:
            values[lo + 4] = high | place << shift
        else:
            values |= {lo + 4: high, lo + 8: place}
    base = niu_register(niu, initiator * arch.noc.stride)
    words = [word for offset, value in values.items() for word in store(base + offset, value)]
    return [*words, *store(base + arch.noc.go, 1)]


def wait_register(address: int, value: int) -> list[int]:
    return [*li(T0, address), *li(T1, value), lw(T2, T0), bne(T2, T1, -1)]


def keep(address: int, slot: int) -> list[int]:
    """Copy a register to the results."""
    return [*load(T1, address), *li(T0, RESULT + 4 * slot), sw(T1, T0)]


class Device(Protocol):
    """What a host can do with a chip."""

    def read(self, place: Place, address: int, count: int) -> bytes: ...

    def write(self, place: Place, address: int, data: bytes) -> None: ...


def boot(chip: Device, place: Place, programs: dict[int, list[int]]) -> None:
    """Write programs to a tile and release their cores, as a host does."""
    for core, words in programs.items():
        code = b"".join(word.to_bytes(4, "little") for word in [*words, HALT])
        chip.write(place, RESET_PC[core], code)
    reset = int.from_bytes(chip.read(place, SOFT_RESET, 4), "little")
    for core in programs:
        reset &= ~(1 << RESET_BITS[core])
    chip.write(place, SOFT_RESET, reset.to_bytes(4, "little"))


def word(chip: Chip, place: Place, address: int) -> int:
    return int.from_bytes(chip.read(place, address, 4), "little")


def results(chip: Chip, place: Place, count: int) -> list[int]:
    return [word(chip, place, RESULT + 4 * slot) for slot in range(count)]
