"""The memory of a chip: its record, filled as the chip's layout says, DRAM and Ethernet."""

import mmap
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from tilelab.chip.answers import SOFT_RESET
from tilelab.chip.flight_record import CARRIED, FLIGHTS
from tilelab.chip.state import (
    ARC,
    CHIP,
    DRAM,
    ETHERNET,
    HOST,
    PLACES,
    SLICE,
    TENSIX,
    ChipState,
)
from tilelab.sim.errors import BadInputError
from tilelab.sim.record import Record, aligned_bytes, view
from tilelab.tensix.arch import Arch
from tilelab.tensix.state import HEADER_BYTES
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.layout import Member, Place

PEER_SHIFT = 12
"""Of ``peer``: places are numbers below."""
ETHERNET_RESET = 0xFFB121B0
NO_RESERVE = 0x4000
"""Linux's MAP_NORESERVE, which Python's module does not name in all versions."""


def number(place: Place) -> int:
    """A place as kernels name it."""
    return place[0] | place[1] << 6


def dram_bytes(arch: Arch) -> int:
    """Of all banks."""
    return arch.layout.dram_bytes * len(set(arch.layout.dram.values()))


@dataclass(frozen=True)
class Among:
    """Which one of several chips this is, and how it is wired to the others."""

    member: Member
    links: dict[int, tuple[Member, int]] = field(default_factory=dict)
    """The chip and the Ethernet tile there that each Ethernet tile is wired to."""


def ethernet_cores(arch: Arch, in_step: bool, among: Among | None = None) -> tuple[Place, ...]:
    """The Ethernet tiles whose cores run what the host writes there."""
    about = arch.layout.ethernet
    if in_step and about.unlinked_run:
        return about.places
    return tuple(about.places[tile] for tile in sorted(among.links)) if among else ()


def chip_record(
    arch: Arch, tiles: Sequence[Place], in_step: bool = False, among: Among | None = None
) -> npt.NDArray[np.uint8]:
    """A header for addresses and then the record of a chip that powers up with these tiles."""
    memory = aligned_bytes(HEADER_BYTES + CHIP.itemsize, HEADER_BYTES)
    record = memory[HEADER_BYTES:].view(CHIP).reshape(())
    record["in_step"] = in_step
    record["pace"]["anew"] = 1
    record["slice"] = SLICE
    _tiles(record, arch, tiles)
    _cores(record, arch, len(tiles), ethernet_cores(arch, in_step, among))
    _others(record, arch)
    if among:
        _neighbours(record, arch, among)
    _host_side(record, arch)
    _physical(record, arch)
    record["flights_left"] = FLIGHTS
    return memory


def _tiles(record: Record, arch: Arch, tiles: Sequence[Place]) -> None:
    layout = arch.layout
    record["translated"] = np.arange(PLACES)
    for x in layout.columns:
        for y in layout.rows:
            physical = number((layout.columns[x], layout.rows[y]))
            record["translated"][physical] = number((x, y))
    record["tiles"] = len(tiles)
    for i, (x, y) in enumerate(tiles):
        record["place_of"][i] = number((x, y))
        record["physical_of"][i] = number((layout.columns[x], layout.rows[y]))
        record["physical_at"][number((x, y))] = record["physical_of"][i]
        record["kind"][number((x, y))] = TENSIX
        record["index"][number((x, y))] = i


def _cores(record: Record, arch: Arch, first: int, places: Sequence[Place]) -> None:
    """Ethernet tiles whose core runs are like Tensix tiles with one core."""
    record["states"] = first + len(places)
    for i, (x, y) in enumerate(places, first):
        about = arch.layout.ethernet
        record["place_of"][i] = number((x, y))
        record["physical_of"][i] = number((about.columns[x], about.rows[y]))
        record["ethernet_state"][about.places.index((x, y))] = 1 + i


def _neighbours(record: Record, arch: Arch, among: Among) -> None:
    """What is otherwise where there are several chips."""
    several = arch.layout.several
    assert several
    words = arch.layout.arc_words | several.arc_words(among.member)
    record["arc_value"][: len(words)] = list(words.values())
    at = list(arch.layout.ethernet.words)
    for tile, (peer, peer_tile) in among.links.items():
        left = several.link_words(among.member, tile, peer, peer_tile)
        at += [address for address in left if address not in at]
        for address, word in left.items():
            record["ethernet_word"][tile, at.index(address)] = word
        record["linked"][tile] = 1
        place = number(arch.layout.ethernet.places[peer_tile])
        record["peer"][tile] = peer.number << PEER_SHIFT | place
    record["ethernet_words"] = len(at)
    record["ethernet_word_at"][: len(at)] = at


def _others(record: Record, arch: Arch) -> None:
    layout = arch.layout
    for place, bank in layout.dram.items():
        record["kind"][number(place)] = DRAM
        record["index"][number(place)] = bank
    for i, place in enumerate(layout.ethernet.places):
        record["kind"][number(place)] = ETHERNET
        record["index"][number(place)] = i
    registers = {ETHERNET_RESET: layout.ethernet.reset_bits}
    registers |= dict.fromkeys(layout.ethernet.registers, 0)
    assert next(iter(registers)) == ETHERNET_RESET, SOFT_RESET
    record["ethernet_registers"] = len(registers)
    record["ethernet_address"][: len(registers)] = list(registers)
    record["ethernet_register"][:, : len(registers)] = list(registers.values())
    words = layout.ethernet.words
    record["ethernet_words"] = len(words)
    record["ethernet_word_at"][: len(words)] = list(words)
    record["ethernet_word"][:, : len(words)] = list(words.values())
    record["kind"][number(layout.arc)] = ARC
    record["kind"][number(layout.pcie)] = HOST
    record["arc_words"] = len(layout.arc_words)
    record["arc_address"][: len(layout.arc_words)] = list(layout.arc_words)
    record["arc_value"][: len(layout.arc_words)] = list(layout.arc_words.values())


def _physical(record: Record, arch: Arch) -> None:
    """Where on the NoC what is no Tensix tile is: the SoC's description has the same order."""
    layout, soc = arch.layout, arch.soc
    ports = {bank: iter(places) for bank, places in enumerate(soc.dram)}
    for place, bank in layout.dram.items():
        record["physical_at"][number(place)] = number(next(ports[bank]))
    for place, there in zip(layout.ethernet.places, soc.ethernet, strict=False):
        record["physical_at"][number(place)] = number(there)
    record["physical_at"][number(layout.arc)] = number(soc.arc)
    record["physical_at"][number(layout.pcie)] = number(soc.pcie[0])


def _host_side(record: Record, arch: Arch) -> None:
    host = arch.layout.host
    record["windows"] = len(host.windows)
    for i, windows in enumerate(host.windows):
        record["window_first"][i] = windows.first
        record["window_count"][i] = windows.count
        record["window_base"][i] = windows.base
        record["window_shift"][i] = windows.size.bit_length() - 1
    record["host_registers"] = len(host.registers)
    record["host_offset"][: len(host.registers)] = list(host.registers)
    record["host_register"][: len(host.registers)] = list(host.registers.values())


def dram_memory(arch: Arch) -> npt.NDArray[np.uint8]:
    """All banks; errors as :func:`reserved`."""
    return reserved(dram_bytes(arch), f"{dram_bytes(arch) >> 30} GiB of DRAM")


def reserved(size: int, what: str) -> npt.NDArray[np.uint8]:
    """Memory of which only those pages take up room that have been written to.

    BadInputError where there is no room for its addresses.
    """
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    if sys.platform == "linux":
        flags |= NO_RESERVE
    try:
        memory = mmap.mmap(-1, size, flags=flags)
    except OSError as error:
        raise BadInputError(f"no room for the addresses of {what}: {error}") from None
    return np.frombuffer(memory, np.uint8)


class ChipMemory:
    """``memory`` (a header, then ``record``), DRAM, Ethernet, and ``c``, what kernels take."""

    def __init__(
        self, arch: Arch, tiles: Sequence[Place], in_step: bool = False, among: Among | None = None
    ) -> None:
        self.memory = chip_record(arch, tiles, in_step, among)
        self.record: Record = self.memory[HEADER_BYTES:].view(CHIP).reshape(())
        self.dram = dram_memory(arch)
        about = arch.layout.ethernet
        self.ethernet = np.zeros(len(about.places) * about.memory, np.uint8)
        self.carried = reserved(CARRIED * FLIGHTS, "what the NoC carries")
        self.c = self._view(arch)

    def _view(self, arch: Arch) -> ChipState:
        inner: Any = view(self.record)
        made: Any = type("ChipView", (type(inner),), {})()
        for slot in type(inner).__slots__:
            setattr(made, slot, getattr(inner, slot))
        made.arch, made.dram, made.ethernet = arch, self.dram.data, self.ethernet.data
        made.carried = self.carried.data
        made.tile = []
        return cast(ChipState, made)

    def add_tile(self, state: State) -> None:
        """Say where the next tile's state is."""
        cast(list[State], self.c.tile).append(state)

    @property
    def stage(self) -> npt.NDArray[np.uint8]:
        """What is read, or to be written."""
        found: npt.NDArray[np.uint8] = self.record["stage"]
        return found
