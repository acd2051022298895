"""The vendor's compiled kernels through the server and the vendor's own driver, bit for bit.

As ``tests/vendor/llk/test_llk.py``, with the unmodified tt-umd between the host and the tile.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from llk_kernels import VECTORS, elfs_of, index
from tilelab.vendor.llk.harness import replay
from tilelab.vendor.llk.served import ServedTiles

tt_umd: Any = pytest.importorskip("tt_umd", reason="no tt-umd: pip install tilelab[exalens]")

AT = (1, 1)


class Driver:
    """A tile behind the vendor's driver, as the harness wants it."""

    def __init__(self, tiles: ServedTiles) -> None:
        self.tiles = tiles
        options = tt_umd.SimulationConnectorOptions()
        options.simulator_directory = tiles.folder
        self.held = tt_umd.SimulationConnector.discover(options)
        parts = self.held if isinstance(self.held, tuple) else (self.held,)
        self.device = next(part for part in parts if isinstance(part, dict))[0]

    def read(self, address: int, count: int) -> bytes:
        return bytes(self.device.noc_read(*AT, address, count))

    def write(self, address: int, data: bytes) -> None:
        self.device.noc_write(*AT, address, data)

    def reg_read(self, address: int) -> int:
        return int(self.device.noc_read32(*AT, address))

    def reg_write(self, address: int, value: int) -> None:
        self.device.noc_write32(*AT, address, value)


@pytest.fixture(scope="module")
def driver() -> Iterator[Driver]:
    tiles = ServedTiles("blackhole")
    yield Driver(tiles)
    tiles.close()


@pytest.mark.llk
@pytest.mark.parametrize("entry", index(), ids=lambda entry: entry["slug"])
def test_kernel_leaves_the_recorded_bytes(entry: dict[str, Any], driver: Driver) -> None:
    elfs = elfs_of(entry["slug"])
    driver.tiles.renew(
        {
            "arch": "blackhole",
            "engine": "fast",
            "clock": "functional",
            "options": {},
            "warn": [],
        }
    )
    result = replay(driver, VECTORS / entry["slug"], elfs, limit=1_000_000)
    print(f"{entry['slug']}: {result}")
    assert result.differ == 0, str(result)
    assert driver.tiles.report()["problem"] is None
