"""How a figure of the vendor's performance tests is made of their reports."""

from pathlib import Path

import pytest

from tilelab.calibrate.checkouts import Kernels
from tilelab.calibrate.llk import Llk

REPORT = "marker,mean(MATH_ISOLATE)\nINIT,3\nTILE_LOOP,%s\n"
CYCLES = {"": 1200.5, "-fno-unroll-loops": 900.25, "-DENABLE_GATHERING": 70.5}


@pytest.mark.parametrize(("chip", "cycles"), [("wormhole", 900.25), ("blackhole", 70.5)])
def test_the_least_of_a_chips_builds_counts(
    monkeypatch: pytest.MonkeyPatch, chip: str, cycles: float
) -> None:
    def run(self: Llk, arch: str, folder: Path, *arguments: str, options: str = "") -> str:
        assert (arch, arguments) == (chip, ("a variant",))
        (folder / "a.post.csv").write_text(REPORT % CYCLES[options])
        return ""

    monkeypatch.setattr(Llk, "_pytest", run)
    assert Llk(Kernels([]))._measured(chip, "a variant") == cycles
