"""A chip's SoC description, as the vendor's driver wants it beside the library, as data.

Coordinates here are physical ones of NoC 0. Source: the vendor's ``soc_descriptors``.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from tilelab.tensix.tables.layout import Layout, Place


@dataclass(frozen=True)
class View:
    """A part of a DRAM bank that is interleaved over as a bank of its own."""

    channel: int
    ethernet_endpoints: tuple[int, int]
    """Which of the bank's tiles Ethernet tiles use, on NoC 0 and on NoC 1."""
    worker_endpoints: tuple[int, int]
    """Likewise Tensix tiles."""
    offset: int


@dataclass(frozen=True)
class Board:
    """What a chip of a board has: which it has varies from one to the next, here the first ones."""

    tiles: Place
    """Columns and rows of Tensix tiles."""
    grid: Place
    """Of these, what tt-metal lets programs compute on: the last column or row dispatches."""
    views: int
    """Of DRAM."""


@dataclass(frozen=True)
class Soc:
    """What the description says besides the places of Tensix tiles."""

    name: str
    grid: Place
    arc: Place
    pcie: tuple[Place, ...]
    dram: tuple[tuple[Place, ...], ...]
    views: tuple[View, ...]
    view_bytes: int
    ethernet: tuple[Place, ...]
    router_only: tuple[Place, ...]
    bank_bytes: int
    boards: dict[str, Board]


def _places(places: Iterable[Place]) -> str:
    return "[" + ", ".join(f"{x}-{y}" for x, y in places) + "]"


def _view(view: View) -> str:
    return (
        f"{{channel: {view.channel}, eth_endpoint: {list(view.ethernet_endpoints)}, "
        f"worker_endpoint: {list(view.worker_endpoints)}, address_offset: {view.offset}}}"
    )


def soc_description(
    soc: Soc, layout: Layout, tiles: Iterable[Place], l1_bytes: int, views: int | None = None
) -> str:
    """The text of ``soc_descriptor.yaml`` for a chip with these Tensix tiles and DRAM views."""
    workers = [(layout.columns[x], layout.rows[y]) for x, y in tiles]
    lines = [
        f"grid: {{x_size: {soc.grid[0]}, y_size: {soc.grid[1]}}}",
        f"arc: {_places([soc.arc])}",
        f"pcie: {_places(soc.pcie)}",
        "dram:",
        *(f"  - {_places(bank)}" for bank in soc.dram),
        "dram_views:",
        *(f"  - {_view(view)}" for view in soc.views[:views]),
        f"dram_view_size: {soc.view_bytes}",
        f"eth: {_places(soc.ethernet)}",
        f"functional_workers: {_places(workers)}",
        "harvested_workers: []",
        f"router_only: {_places(soc.router_only)}",
        f"worker_l1_size: {l1_bytes}",
        f"dram_bank_size: {soc.bank_bytes}",
        f"eth_l1_size: {layout.ethernet.memory}",
        f"arch_name: {soc.name}",
        "features:",
        "  noc: {translation_id_enabled: True}",
        "  unpacker: {version: 2, inline_srca_trans_without_srca_trans_instr: True}",
        "  math: {dst_size_alignment: 32768}",
        "  packer: {version: 2}",
        "  overlay: {version: 2}",
    ]
    return "\n".join(lines) + "\n"
