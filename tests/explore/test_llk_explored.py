"""The vendor's kernels with results of unpackers and packers late: none leaves anything else."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from llk_kernels import VECTORS, elfs_of, index
from tilelab.explore.explorer import Explorer
from tilelab.explore.schedule import DOCUMENTED, Delay
from tilelab.tensix.riscv.elf import load_elf
from tilelab.tensix.tables.cores import CORE_IDS
from tilelab.tensix.tile.tile import Tile
from tilelab.vendor.llk import harness

MOST = 60
"""Late results of a kernel that are run, evenly from all."""
RESULT = 0x20000
"""Where in L1 the vendor's tests keep their parameters, inputs and results, to the end."""


def explorer(slug: str) -> Explorer:
    elfs = elfs_of(slug)
    tile = Tile()
    device = harness.TileBackend(tile)
    harness.write_inputs(device, VECTORS / slug)
    harness.start(device, elfs)
    for core, number in CORE_IDS.items():
        if (elfs / f"{core}.elf").is_file():
            tile.programs[number] = load_elf(elfs / f"{core}.elf")
    done = {harness.MAILBOXES + 4 * i: harness.KERNEL_COMPLETE for i in range(3)}
    return Explorer(tile, lambda ran: ran.read(RESULT, 0x170000 - RESULT), done, 5_000_000)


def chosen(made: Explorer) -> Iterator[Delay]:
    """Late words of unpackers and packers, evenly from all."""
    late = [one for one in made.late if one.reachable == DOCUMENTED]
    late = [one for one in late if one.where.startswith(("ttunpacr", "ttpacr"))]
    for i in np.linspace(0, len(late) - 1, min(MOST, len(late))).astype(int):
        yield late[i]


@pytest.mark.llk
@pytest.mark.parametrize("entry", index(), ids=lambda entry: entry["slug"])
def test_a_late_unpacker_or_packer_changes_nothing(entry: dict[str, Any]) -> None:
    made = explorer(entry["slug"])
    assert made.base.kind == "done"
    differ = [str(late) for late in chosen(made) if made.run((late,)).differs(made.base)]
    assert differ == []


@pytest.mark.llk
def test_there_are_such_words() -> None:
    assert any(list(chosen(explorer(entry["slug"]))) for entry in index()[:3])
