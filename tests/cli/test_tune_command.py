"""``tilelab tune`` as a command."""

from pathlib import Path

import pytest
from command import tilelab

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-D", "nun_tiles=1"], "has no constant 'nun_tiles'"),
        (["-D", "num_tiles=4..1"], "the least first"),
        (["-D", "num_tiles=0..1000"], "the least first"),
        (["--source", "nosuch.cpp"], "nosuch.cpp: no such file"),
        (["--fidelity", "HiFi5"], "choose of LoFi"),
        (["--fidelity", "LoFi"], "has no math_fidelity"),
        (["--jobs", "2", "--cluster", "x"], "excludes --cluster"),
    ],
)
def test_what_cannot_be_tried_is_refused(
    capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    done = tilelab(capsys, "tune", EXAMPLES / "datacopy", *arguments)
    assert done.code == 2
    assert message in done.err
