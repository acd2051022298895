"""Cores that wait for a circular buffer: the report names it, and the counts."""

import re
import shutil
from pathlib import Path

import pytest

from tilelab.build.compilers import GCC, find_compiler
from tilelab.build.kernel import build_kernel
from tilelab.elf.frames import Frame
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.run import load, run_kernel
from tilelab.sim.errors import DeadlockError
from tilelab.tensix import Tile
from tilelab.tensix.report.buffer_wait import waited_buffer, wanted
from tilelab.tensix.tables.l1_map import CIRCULAR_BUFFERS

MATMUL = Path(__file__).parents[3] / "examples" / "matmul"


def hang(change: str, to: str, folder: Path) -> str:
    """The report of the matmul with one call changed, which must hang."""
    if shutil.which(GCC) is None:
        pytest.skip(f"no {GCC}")
    kernel = folder / "matmul"
    shutil.copytree(MATMUL, kernel)
    source = (kernel / "kernel.cpp").read_text()
    assert change in source
    (kernel / "kernel.cpp").write_text(source.replace(change, to))
    build_kernel(read_kernel_file(kernel), find_compiler("gcc"))
    with pytest.raises(DeadlockError) as raised:
        run_kernel(read_kernel_file(kernel), Tile())
    return str(raised.value.detail)


@pytest.mark.parametrize(
    ("buffer", "wanted", "counts"),
    [
        ("cb_a", 2, "0: 1 of 2 tiles; no core pushes it (12 received, 11 acknowledged)"),
        ("cb_a", 9, "0: 8 of 9 tiles; no core pushes it (12 received, 4 acknowledged)"),
        ("cb_b", 13, "1: 12 of 13 tiles; no core pushes it (12 received, 0 acknowledged)"),
        ("cb_b", 100_000, "1: 12 of 100000 tiles; no core pushes it (12 received, 0 acknowledged)"),
    ],
)
def test_a_core_that_waits_for_tiles_names_the_buffer(
    buffer: str, wanted: int, counts: str, tmp_path: Path
) -> None:
    report = hang(f"cb_wait_front({buffer}, 1)", f"cb_wait_front({buffer}, {wanted})", tmp_path)
    line = next(line for line in report.splitlines() if "waits for circular buffer" in line)
    assert line.endswith(f"waits for circular buffer {counts}")
    assert re.search(r"TRISC0 pc 0x\w+ \(kernel.cpp:(19|20) → cb_wait_front → ", line)


@pytest.mark.parametrize(
    ("wanted", "counts"),
    [
        (2, "it goes on when 2 are left; no core pops it (3 received, 0 acknowledged)"),
        (4, "it goes on when 0 are left; no core pops it (1 received, 0 acknowledged)"),
        (5, "it wants more than there is; no core pops it (0 received, 0 acknowledged)"),
    ],
)
def test_a_core_that_waits_for_room_names_the_buffer(
    wanted: int, counts: str, tmp_path: Path
) -> None:
    report = hang("cb_reserve_back(cb_out, 1)", f"cb_reserve_back(cb_out, {wanted})", tmp_path)
    line = next(line for line in report.splitlines() if "waits for room in" in line)
    assert line.endswith(f"waits for room in circular buffer 16: {counts}")
    assert "kernel.cpp:43 → cb_reserve_back → " in line


def test_the_examples_own_programs_name_theirs() -> None:
    """A host that fills c_1 with fewer tiles than the kernel takes."""
    tile = Tile()
    load(tile, read_kernel_file(MATMUL))
    counter = CIRCULAR_BUFFERS.start + 8
    while not int.from_bytes(tile.read(counter, 4), "little"):
        tile.run(1)
    tile.write(counter, (5).to_bytes(4, "little"))
    with pytest.raises(DeadlockError) as raised:
        tile.run(100_000)
    report = raised.value.detail
    assert "TRISC0 waits for c_1" in raised.value.summary
    assert "waits for circular buffer 1: 0 of 1 tiles; no core pushes it (5 received, 5" in report
    assert "from TRISC1 pc 0xa208 (kernel.cpp:31 → run → templates.h:91, " in report


def test_looking_changes_nothing_and_other_loops_are_no_wait() -> None:
    tile = Tile()
    tile.write(0, (0x6F).to_bytes(4, "little"))  # j .
    before, l1 = tile.state.snapshot(), tile.state.l1.copy()
    inside = (Frame("main", "k.cpp", 3), Frame("cb_wait_front", "circular_buffers.h", 9))
    assert wanted(tile.state, 0, inside) == waited_buffer(tile.state, 0, inside) == ""
    assert wanted(tile.state, 0, inside[:1]) == ""
    assert not tile.state.diff(before)
    assert (tile.state.l1 == l1).all()
