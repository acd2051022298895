"""What pto-isa's own instructions read and write, where its trace macro says something else."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from pto_harness import pto
from tilelab.pto.native.rewrite import told

ISA = os.environ.get("TILELAB_PTO_ISA", "")
KERNEL = Path(__file__).parent / "native" / "vector_operands.cpp"
SOURCE = KERNEL.read_text(encoding="utf-8")

needs_isa = pytest.mark.skipif(
    not ISA, reason="TILELAB_PTO_ISA is not set; git clone https://github.com/hw-native-sys/pto-isa"
)


def run(kernel: Path, arch: str) -> list[dict[str, str]]:
    words = ["cc", str(kernel), "--pto-isa", ISA, "--arch", arch, "--cores", "vec", "--json"]
    strict = ["--strict-barriers"] if arch == "a2a3" else []
    outcome = pto(*words, *strict)
    assert outcome.exit_code in (0, 1), outcome.output
    return json.loads(outcome.stdout)["findings"]


@needs_isa
@pytest.mark.parametrize("arch", ["a2a3", "a5"])
def test_results_scratch_and_events_are_what_the_npu_makes_of_them(arch):
    assert run(KERNEL, arch) == []


@needs_isa
@pytest.mark.parametrize(
    ("old", "new", "code", "said"),
    [
        ("a, loaded)", "a)", "H14", "no set_flag/wait_flag from PIPE_MTE2 to PIPE_V"),
        ("(go, e, made)", "(go, e)", "H14", "no set_flag/wait_flag from PIPE_V to PIPE_MTE3"),
        ("TLOAD(x, gi);", "", "H15", "TXOR reads vec0 UB byte 0x5000"),
        ("TINTERLEAVE(d, c, b, a, loaded)", "loaded.Wait()", "H15", "TAXPY reads vec0 UB"),
        ("TREM(e, c, d, tmp);", "", "H15", "TADD reads vec0 UB byte 0x4000"),
        ("AFTER_VECTOR;\n    TAXPY", "TAXPY", "H14", "no pipe_barrier(PIPE_V)"),
        ("AFTER_VECTOR;\n    TAXPY", "TAXPY_IMPL", "H14", "no pipe_barrier(PIPE_V)"),
    ],
)  # fmt: skip
def test_what_is_missing_is_told_with_its_line(tmp_path, old, new, code, said):
    assert SOURCE.count(old) == 1
    kernel = tmp_path / "k.cpp"
    kernel.write_text(SOURCE.replace(old, new), encoding="utf-8")
    messages = [one["message"] for one in run(kernel, "a2a3") if one["code"] == code]
    assert any(said in message and re.search(r"k\.cpp:\d+: ", message) for message in messages)


def test_instructions_that_run_unseen_are_told():
    text = """
    TSYNC(events...);
    TMRGSORT_IMPL<Dst, exhausted>(
        dst, list, tmp, src0);
    MAP_INSTR_IMPL(TMRGSORT, dst, src);
        TQUANT_IMPL<a>(dst, src, scale, tmp, offset);
    TPUSH_IMPL<Pipe>(pipe, tile);
"""
    seen = told(text, "h")
    assert (
        "{ PTO_INSTR_SCOPE(TMRGSORT, dst, list, tmp, src0); TMRGSORT_IMPL<Dst, exhausted>(" in seen
    )
    assert 'PTO_INSTR_SCOPE_ROLES(TQUANT, "OIISI", dst, src, scale, tmp, offset)' in seen
    assert seen.count("SCOPE") == 2
    assert seen.count("\n") == text.count("\n") + 1
