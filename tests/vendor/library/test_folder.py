"""Where the drop-in library is laid out."""

from pathlib import Path

import pytest

from tilelab.cli.usage import BOARDS
from tilelab.tensix.arch import ARCHES, arch
from tilelab.vendor.library.folder import lay_out, one_tile, part_of


def test_another_simulators_library_is_not_written_through_a_link(tmp_path: Path) -> None:
    other = tmp_path / "vendor.so"
    other.write_bytes(b"the vendor's")
    (tmp_path / "sim").mkdir()
    (tmp_path / "sim" / "libttsim.so").symlink_to(other)
    library = lay_out(tmp_path / "sim", "blackhole", one_tile(arch("blackhole")))
    assert library == tmp_path.resolve() / "sim" / "libttsim.so"
    assert other.read_bytes() == b"the vendor's"


def test_the_boards_that_the_command_knows_are_the_chips() -> None:
    assert sorted(BOARDS) == sorted(name for chip in ARCHES.values() for name in chip.soc.boards)


@pytest.mark.parametrize(
    ("board", "chip", "tiles", "views"),
    [
        ("p100a", "blackhole", 120, 7),
        ("p150a", "blackhole", 140, 8),
        ("n150", "wormhole", 72, 12),
        ("n300", "wormhole", 64, 12),
    ],
)
def test_a_boards_chip_has_its_tiles_and_dram(
    board: str, chip: str, tiles: int, views: int, tmp_path: Path
) -> None:
    name, places, count, _ = part_of("wormhole", False, board)
    assert name == chip
    lay_out(tmp_path, name, places, views=count)
    lines = (tmp_path / "soc_descriptor.yaml").read_text().splitlines()
    [workers] = [line for line in lines if line.startswith("functional_workers")]
    assert len(workers.split(",")) == tiles
    assert sum("{channel" in line for line in lines) == views
