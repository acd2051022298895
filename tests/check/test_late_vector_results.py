"""A result of the vector unit that is late, on Wormhole: only who reads it too soon is told."""

import pytest

from tilelab.check.engine import CheckedTile
from tilelab.check.findings import findings
from tilelab.kernels.assembly_run import run_program
from tilelab.tensix.words.assembly import assemble

START = ".thread 1\nsfploadi L1,16256,0\nsfploadi L2,16384,0\n"


@pytest.mark.parametrize(
    ("words", "late"),
    [
        ("sfpadd L1,L2,L10,0\nsfpmov L3,L1,0", True),
        ("sfpswap L2,L1,1\nsfpmov L3,L2,0", False),  # the unit takes nothing until it is through
        (
            "sfpadd L1,L2,L10,0\nsfpshft L2,L1,0x003,1",
            False,
        ),  # by an immediate: LReg[1] is not read
    ],
)
def test_only_who_reads_a_result_too_soon_is_told(words: str, late: bool) -> None:
    tile = CheckedTile("wormhole")
    run_program(assemble(START + words, "wormhole", "x"), tile, 1000)
    found = [one.check for one in findings(tile)]
    assert (found == ["sfpu-latency"]) == late, found
