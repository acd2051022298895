"""``tilelab run --cycles``: the breakdown as text and as a document."""

import json
from pathlib import Path

import pytest
from command import tilelab

EXAMPLES = Path(__file__).parents[2] / "examples"
THROTTLED = """
    .mopcfg 0, 1
    .mopcfg 1, 4
    .mopcfg 2, { ttnop }
    .mopcfg 3, { ttnop }
    .mopcfg 4, { ttnop }
    .mopcfg 5, { ttreplay 0,2,0,0 }
    .mopcfg 6, { ttnop }
    .mopcfg 7, { ttreplay 0,2,0,0 }
    .mopcfg 8, { ttnop }
    .ttinsn 0x43000102  # UNPACR_NOP: SrcA is valid
    .ttinsn 0x43800102  # SrcB
    ttreplay 0,2,0,1
    ttnop
    ttmvmul 0,0,0,0
    ttmop 1,0,0
"""


def test_text_says_where_the_time_went(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = tilelab(capsys, "run", "--cycles", EXAMPLES / "eltwise_add")
    assert outcome.code == 0
    for words in ("bubbles by cause", "bound by", "TFLOP/s", "T1 math", "unpacker 0", "TRISC0"):
        assert words in outcome.out


def test_document_holds_the_breakdown(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = tilelab(capsys, "run", "--cycles", "--json", EXAMPLES / "eltwise_add")
    kernel = json.loads(outcome.out)["kernels"][0]
    made = kernel["breakdown"]
    assert made["cycles"] == kernel["cycles"]
    assert made["threads"][1]["name"] == "T1 math"
    assert made["threads"][1]["active"] == kernel["threads"]["1"]["issued"]
    assert made["chain"]
    assert made["throttled"] == []


def test_bubbles_of_the_thread_that_bounds_the_run_are_advised_on(
    capsys: pytest.CaptureFixture[str],
) -> None:
    outcome = tilelab(capsys, "run", "--cycles", "--json", EXAMPLES / "matmul")
    made = json.loads(outcome.out)["kernels"][0]["breakdown"]
    math = made["threads"][1]
    named = {name: n for name, n in math["idle"].items() if n >= 0.02 * math["cycles"]}
    assert [line.split(": ")[:2] for line in made["advice"]] == [
        [f"T1 math, {name}", f"up to -{n:,} cycles"] for name, n in [*named.items()][:3]
    ]


def test_functional_run_has_none(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = tilelab(capsys, "run", "--json", EXAMPLES / "eltwise_add")
    assert "breakdown" not in json.loads(outcome.out)["kernels"][0]


def test_throttled_matmul_is_recognised(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "throttled.s"
    path.write_text(THROTTLED)
    outcome = tilelab(capsys, "run", "--cycles", "--engine", "reference", path)
    assert outcome.code == 0, outcome.err
    assert "throttled: level 3 of 5" in " ".join(outcome.out.split())


def test_each_level_of_throttling_is_named_once(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "twice.s"
    line = next(line for line in THROTTLED.splitlines() if line.strip().startswith("ttmop 1"))
    path.write_text(THROTTLED.replace(line, f"{line}\n{line}"))
    outcome = tilelab(capsys, "run", "--cycles", "--json", "--engine", "reference", path)
    number = THROTTLED.splitlines().index(line) + 1
    (throttled,) = json.loads(outcome.out)["kernels"][0]["breakdown"]["throttled"]
    assert throttled.startswith(f"T1 twice.s:{number} and 1 more throttled: level 3 of 5")


def test_the_report_says_who_throttled(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "throttled.s"
    path.write_text(THROTTLED)
    clear = tilelab(capsys, "run", "--cycles", "--engine", "reference", path)
    assert "by THROTTLE_LEVEL at compile time" in " ".join(clear.out.split())
    given = tilelab(
        capsys, "run", "--cycles", "--throttled", "--json", "--engine", "reference", path
    )
    made = json.loads(given.out)["kernels"][0]["breakdown"]
    assert made["firmware_throttle"] is True
    assert "is set, but makes level 5" in made["throttled"][0]


def test_sfpmads_have_a_line_of_their_own(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "mads.s"
    path.write_text("sfpmad L0,L1,L2,L3,0\n" * 4)
    outcome = tilelab(capsys, "run", "--cycles", "--engine", "reference", path)
    assert "vector unit: 0.0" in outcome.out
    assert "of 0.0864 TFLOP/s" in outcome.out


def test_flag_is_named_when_it_is_set(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = tilelab(capsys, "run", "--throttled", EXAMPLES / "eltwise_add")
    assert outcome.code == 0
    assert "MEM_L1_ARC_FW_SCRATCH" in outcome.err
