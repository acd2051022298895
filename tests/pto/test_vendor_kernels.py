"""pto-isa's own TPUSH/TPOP tests, unmodified, against their goldens.

TILELAB_PTO_ISA names a checkout. Without it these tests are skipped; a folder that is set and
holds no kernels is a failure.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tilelab.pto import schedules as ways
from tilelab.pto.native.build import build
from tilelab.pto.native.run import Options, run

ISA = Path(os.environ.get("TILELAB_PTO_ISA", ""))
SET = "TILELAB_PTO_ISA" in os.environ

pytestmark = pytest.mark.skipif(
    not SET,
    reason="TILELAB_PTO_ISA is not set; git clone https://github.com/hw-native-sys/pto-isa",
)


def kernels():
    found = sorted(ISA.glob("tests/npu/*/src/st/testcase/tpushpop*/*_kernel.cpp")) if SET else []
    return [pytest.param(file, id="/".join((file.parts[-6], file.parent.name))) for file in found]


def test_the_folder_holds_kernels():
    assert kernels(), f"{ISA}: no tests/npu/*/src/st/testcase/tpushpop*; is it a pto-isa checkout?"


@pytest.mark.parametrize("kernel", kernels())
def test_kernels_match_their_goldens_and_are_silent(kernel, tmp_path):
    arch = kernel.parts[-6]
    subprocess.run(
        [sys.executable, str(kernel.parent / "gen_data.py")],
        cwd=tmp_path, check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    (tmp_path / "run").mkdir()
    built = build(kernel, [kernel.parent / "main.cpp"], ISA, arch)
    protocol = "sparse" if arch == "a2a3" else "sparse_fixed"
    for order in (ways.in_turn(), ways.first("cube"), ways.first("vec"), ways.at_random(1)):
        outcome = run(built, Options(arch, protocol, folder=tmp_path / "run", trace=False), order)
        assert outcome.error is None, outcome.error
        cases = re.findall(r"^(ok|FAILED) (\S+)$", outcome.output, re.MULTILINE)
        written = re.findall(
            r"^\s*TEST_F?\(", (kernel.parent / "main.cpp").read_text(), re.MULTILINE
        )
        assert len(cases) == len(written) > 0
        assert [name for verdict, name in cases if verdict != "ok"] == []
        told = [f.message for f in outcome.findings if f.code != "H11"]
        assert told == []


@pytest.mark.skipif(not (ISA / "tests/npu/a5").is_dir(), reason="no A5 tests in the checkout")
def test_the_vendors_credits_overrun_where_the_scheme_says(tmp_path):
    folder = ISA / "tests/npu/a5/src/st/testcase/tpushpop_vc"
    subprocess.run(
        [sys.executable, str(folder / "gen_data.py")],
        cwd=tmp_path, check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    (tmp_path / "run").mkdir()
    built = build(folder / "tpushpop_vc_kernel.cpp", [folder / "main.cpp"], ISA, "a5")
    for case in ("*case3_*", "*case6_*", "*case9_*", "*case12_*"):
        options = Options("a5", "sparse", arguments=[f"--gtest_filter={case}"],
                          folder=tmp_path / "run", trace=False)  # fmt: skip
        outcome = run(built, options, ways.in_turn())
        assert "E10" in {finding.code for finding in outcome.findings}
