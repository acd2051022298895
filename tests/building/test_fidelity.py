"""What each fidelity costs a matmul that multiplies in blocks (docs/cycles.md)."""

import json
import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from tilelab.cli.main import main

EXAMPLE = Path(__file__).parents[2] / "examples" / "matmul_block"
FIDELITIES = ("LoFi", "HiFi2", "HiFi3", "HiFi4")
PRODUCTS, MVMULS, FLOP = 1 * 8 * 2 * 4, 16, 4096
"""Tiles multiplied by tiles in the first block; MVMULs of one, a phase; operations of an MVMUL."""


def test_a_fidelity_phase_costs_its_mvmuls_and_no_more(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("ziglang", reason="ziglang is not installed")
    for fidelity in FIDELITIES:
        made = shutil.copytree(EXAMPLE, tmp_path / fidelity)
        text = (made / "kernel.toml").read_text()
        assert '"LoFi"' in text
        (made / "kernel.toml").write_text(text.replace('"LoFi"', f'"{fidelity}"'))
    # one block of sixteen: the outputs of the others are not written, so the runs fail
    assert main(["run", "--cycles", "--json", "-D", "num_blocks=1", str(tmp_path)]) == 1
    kernels = json.loads(capsys.readouterr().out)["kernels"]
    found = {kernel["name"].split()[0]: kernel["breakdown"] for kernel in kernels}
    cycles = [found[name]["cycles"] for name in FIDELITIES]
    phase = PRODUCTS * MVMULS
    first, *others = (after - before for before, after in pairwise(cycles))
    assert others == [phase] * 2
    assert 0.95 * phase < first <= phase  # LoFi waits a little for what more phases hide
    shares = []
    for phases, name in enumerate(FIDELITIES, 1):
        made = found[name]
        assert made["flop"] == phases * phase * FLOP
        shares.append(made["flops"] / made["peak_flops"])
        assert shares[-1] == pytest.approx(phases * phase / made["cycles"])
    assert shares == sorted(shares)
    assert shares[0] > 0.5
