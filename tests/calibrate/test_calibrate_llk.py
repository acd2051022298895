"""How a figure of the vendor's performance tests is made of their reports.

The tests are not here; what they list and report is made up, in their form.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tilelab.calibrate.arithmetic import evaluate
from tilelab.calibrate.checkouts import Checkout, Kernels
from tilelab.calibrate.families import Answer, answer
from tilelab.calibrate.llk import (
    KNOWN,
    METAL,
    NO_READOUT,
    TESTS,
    How,
    Llk,
    PendingError,
    Variant,
)
from tilelab.calibrate.llk_report import BUILDS, OPTIONS
from tilelab.calibrate.machine import NotRunError
from tilelab.calibrate.perfbench import Perfbench
from tilelab.calibrate.results import Result, group_and_chip, summaries
from tilelab.calibrate.rewritten import around, as_published, having
from tilelab.calibrate.rows import Row, read_rows

BFLOAT = {"format": "Float16_b->Float16_b", "dest_acc": "No"}
LISTED: dict[str, list[dict[str, str]]] = {
    "perf_eltwise_unary_sfpu.py": [
        {**BFLOAT, "mathop": "Tanh", "approx_mode": mode} for mode in ("Yes", "No")
    ],
    "perf_eltwise_binary_sfpu.py": [{"mathop": "SfpuElwadd", "format": "Int32->Int32"}],
    "perf_sfpu_binop_scalar.py": [],
    "perf_sfpu_ternary.py": [],
    "perf_matmul.py": [
        {"format": "Float16_b->Bfp8_b", "math_fidelity": fidelity, "number": str(number)}
        for fidelity in ("LoFi", "HiFi2")
        for number in range(10)
    ],
    "perf_pack_dest_bank.py": [
        {"l1_acc": acc, "num_tiles_in_block": tiles, "loop_factor": "512"}
        for acc in ("No", "Yes")
        for tiles in ("4", "8")
    ],
}


class Vendor(Llk):
    """The vendor's tests, made up: cycles by what a variant's name says."""

    def __init__(self, cycles: Mapping[str, float], columns: Mapping[str, str]) -> None:
        super().__init__(Kernels([]))
        self.cycles, self.columns = cycles, columns
        self.asked: list[tuple[How, Sequence[str]]] = []

    def has(self, file: str) -> bool:
        return file in LISTED

    def variants(self, arch: str, *files: str) -> list[Variant]:
        listed = [given for file in files for given in LISTED[file]]
        return [Variant(str(sorted(given.items())), given) for given in listed]

    def reports(self, how: How, names: Sequence[str]) -> list[Any]:
        self.asked.append((how, names))
        found = []
        for name in names:
            cycles = next(value for part, value in self.cycles.items() if part in name)
            line = {"loop_factor": "2", "tile_cnt": "4", "marker": "TILE_LOOP", **self.columns}
            found.append({**line, f"mean({how.run_types[0]})": str(cycles)})
        return [tuple(found)]


def ask(
    what: str, value: str, cycles: Mapping[str, float], chip: str = "BH", **others: str
) -> tuple[Result, Vendor]:
    columns = {name[1:]: others.pop(name) for name in list(others) if name[0] == "_"}
    vendor = Vendor(cycles, columns)
    bench = Perfbench(Kernels([]), lambda: pytest.fail("nothing is built"))
    bench.__dict__["llk"] = vendor
    row = Row("a", chip, what, value, **others)
    return Result(row, answer(bench, row)), vendor


@pytest.mark.parametrize(
    ("what", "part", "conditions"),
    [
        ("Tanh approx MATH_ISOLATE", "'approx_mode', 'Yes'", "tt-llk"),
        ("Tanh (main -> branch of PR) MATH_ISOLATE", "'approx_mode', 'No'", "tt-llk"),
        ("SfpuElwadd Int32 MATH_ISOLATE", "SfpuElwadd", "tt-llk"),
        ("ADD Int32 MATH_ISOLATE", "SfpuElwadd", "tt-llk"),
    ],
)
def test_a_vector_kernel_is_a_tile_of_the_variant_that_its_row_names(
    what: str, part: str, conditions: str
) -> None:
    result, _ = ask(what, "200 -> 100", {part: 880.0}, conditions=conditions)
    assert (result.answer.predicted, result.error) == (110, 10)


def test_a_kernel_that_was_not_merged_is_asked_with_its_source_s_file() -> None:
    what = "tanh approx, TTI VD=LReg[3] (3 slots) MATH_ISOLATE"
    result, _ = ask(what, "156.94", {"": 1}, conditions="tt-llk")
    assert "--after" in result.answer.reason


def test_a_kernel_whose_parameters_are_known_when_it_is_built_is_meant_unless_a_row_says_not() -> (
    None
):
    what = "perf_matmul Float16_b->Bfp8_b HiFi2 L1_TO_L1 loop 64"
    for conditions, light in (("", True), ("not speed-of-light, median of 10", False)):
        result, vendor = ask(what, "500", {"HiFi2": 550}, conditions=conditions, unit="cycles")
        assert result.error == pytest.approx(10)
        assert (vendor.asked[0][0].light, vendor.asked[0][0].loops) == (light, "64")


def test_a_row_of_another_variant_than_the_tests_have_is_not_run() -> None:
    what = "perf_matmul KERNEL Float16_b->Bfp8_b HiFi4 L1_TO_L1"
    assert "no variant with" in ask(what, "5", {"": 1})[0].answer.reason
    what = "perf_matmul TILE_LOOP LoFi tile_cnt 1 L1_TO_L1"
    result, _ = ask(what, "5", {"": 1}, _tile_cnt="8")
    assert result.answer.reason == "the vendor's test has tile_cnt 8 today"


def test_a_law_is_held_against_whole_runs() -> None:
    law, value = "pack_dest_bank PACK_ISOLATE rate law, fast", "16.0*tiles + 2*pack_calls"
    cycles = {"('num_tiles_in_block', '4')": 512 * 66, "": 512 * 143}
    result, _ = ask(law, value, cycles)
    assert [round(part.error) for part in result.answer.parts] == [0, 10]
    assert round(result.error or 0) == 10


def test_a_counters_share_is_the_mean_over_as_many_variants_as_the_row_says() -> None:
    result, vendor = ask(
        "perf_matmul L1_TO_L1: FPU util",
        "50",
        {"": 1},
        chip="not named",
        conditions="mean over 5 variants",
        _L1_TO_L1_fpu_utilization_pct="60",
    )
    assert result.error == 20
    (how, names), *_ = vendor.asked
    assert len(names) == 5
    assert (how.counters, how.arch) == (True, "blackhole")


def test_formulas_are_arithmetic_and_nothing_else() -> None:
    assert evaluate("16*(PACR+1)+17/block_ct_dim", {"PACR": 2, "block_ct_dim": 2}) == 56.5
    deep = ("(" * 500 + "1" + ")" * 500, "-" * 20_000 + "1", "1+" * 30_000 + "1", "a\0")
    for text in ("__import__('os')", "tiles**9", "calls", "1/0", "a b", *deep):
        with pytest.raises(NotRunError, match="is no formula of tiles"):
            evaluate(text, {"tiles": 1})


def test_the_other_level_of_a_row_is_met_as_well(tmp_path: Path) -> None:
    table = tmp_path / "rows.tsv"
    lines = ("id\tchip\twhat\tvalue", "a\tBH\tmatmul, fast\t100", "b\tBH\tsame, slow\t120")
    table.write_text("\n".join(lines))
    rows = read_rows(table)
    assert [row.what for row in rows] == ["matmul, fast", "matmul, fast; slow"]
    assert [[row.error(120), row.error(100)] for row in rows] == [[0, 0]] * 2


def test_each_of_a_rows_figures_has_to_lie_in_its_interval() -> None:
    bench = Perfbench(Kernels([]), lambda: pytest.fail("nothing is built"))
    inside = []
    for value in ("16/32/48/64", "16/32/48/100"):
        row = Row("a", "WH,BH", "matmul LoFi/HiFi2/HiFi3/HiFi4 ideal", value)
        found: Answer = answer(bench, row)
        assert len(found.parts) == 8
        inside.append(summaries([Result(row, found)], group_and_chip)[0].inside)
    assert inside == [1, 0]


class Session:
    """What stands for a session of the vendor's tests: which there were, and what each told."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *told: tuple[str, str, str]) -> None:
        self.told, self.asked = told, list[tuple[Sequence[str], Mapping[str, str]]]()
        monkeypatch.setattr(Llk, "_pytest", self.run)

    def run(
        self, arch: str, folder: Path, arguments: Sequence[str], own: Mapping[str, str], limit: int
    ) -> str:
        self.asked.append((arguments, own))
        (folder / "report").write_text("".join(json.dumps(one) + "\n" for one in self.told))
        return "it ended"

    @property
    def options(self) -> list[str]:
        return [own[OPTIONS] for _, own in self.asked]


TABLE = "marker,mean(MATH_ISOLATE)\nTILE_LOOP,3\n"


def test_each_chips_builds_are_all_run(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(monkeypatch, ("x", TABLE, ""))
    for how in (*map(plain, BUILDS), How("blackhole", ("MATH_ISOLATE",), counters=True)):
        llk = Llk(Kernels([]))
        with pytest.raises(PendingError):
            llk.reports(how, ["x"])
        llk.run(lambda text: None)
        assert len(llk.reports(how, ["x"])) == len(BUILDS[how.arch])
    # without the readout of counters that nobody asked for, as published figures were measured
    plainly = [f"{one} {NO_READOUT}" for builds in BUILDS.values() for one in builds]
    assert session.options == [*plainly, BUILDS["blackhole"][-1]]


def plain(arch: str) -> How:
    return How(arch, ("MATH_ISOLATE",))


def test_variants_run_in_one_session_and_one_that_fails_spoils_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = Session(monkeypatch, ("good", TABLE, ""), ("bad", "", "E  no such operand"))
    llk, how = Llk(Kernels([])), plain("blackhole")
    for name in ("good", "bad", "lost"):
        with pytest.raises(PendingError):
            llk.reports(how, [name])
    llk.run(lambda text: None)
    assert [arguments[:3] for arguments, _ in session.asked] == [["good", "bad", "lost"]]
    assert llk.reports(how, ["good"])[0][0]["mean(MATH_ISOLATE)"] == "3"
    for name, why in (("bad", "no such operand"), ("lost", "it ended")):
        with pytest.raises(NotRunError, match=why):
            llk.reports(how, [name])


def release(folder: Path, name: str, files: Mapping[str, str]) -> Checkout:
    """A checkout of the vendor's kernels with these files below its ``tt_metal``."""
    metal = folder / name / "tt_metal"
    for path, text in {f"tt-llk/{TESTS}/{KNOWN}": "", **files}.items():
        (metal / path).parent.mkdir(parents=True, exist_ok=True)
        (metal / path).write_text(text)
    (metal / "hw/inc/api/compute").mkdir(parents=True, exist_ok=True)
    return Checkout(metal.parent / METAL)


def releases(*checkouts: Checkout) -> Perfbench:
    return Perfbench(Kernels(checkouts), lambda: pytest.fail("nothing is built"))


TANH = "hw/ckernels/wormhole_b0/metal/llk_api/llk_sfpu/ckernel_sfpu_tanh.h"


def test_a_figure_of_a_kernel_that_has_been_rewritten_since_is_asked_of_an_earlier_release(
    tmp_path: Path,
) -> None:
    later = release(tmp_path, "later", {TANH: "_sfpu_tanh_polynomial_x2_(a, b);"})
    earlier = release(tmp_path, "earlier", {TANH: "the earlier one"})
    both, alone = releases(later, earlier), releases(later)
    for bench in both, alone:
        assert as_published(bench, "wormhole", "Sin", "tt-metal#48925") is bench
        assert as_published(bench, "wormhole", "Tanh", "tt-metal#60000") is bench
    found = as_published(both, "wormhole", "Tanh", "tt-metal#48925")
    assert found.llk.metal == (tmp_path / "earlier/tt_metal").resolve()
    with pytest.raises(NotRunError, match="has been rewritten: two vectors at once"):
        as_published(alone, "wormhole", "Tanh", "tt-metal#48925")


def test_a_change_is_asked_of_the_releases_around_it(tmp_path: Path) -> None:
    rounding = "tt-llk/tt_llk_wormhole_b0/common/inc/sfpu/ckernel_sfpu_rounding_ops.h"
    texts = {"newest": "GCC unroll 4", "new": "GCC unroll 4", "old": "a loop", "oldest": "a loop"}
    made = [release(tmp_path, name, {rounding: text}) for name, text in texts.items()]
    found = around(releases(*made), "wormhole", "tt-metal#48925 (PR)")
    assert found is not None
    assert [bench.llk.metal.parent.name for bench in found] == ["old", "new"]
    for few in made[:2], made[2:]:
        assert around(releases(*few), "wormhole", "tt-metal#48925 (PR)") is None
    assert around(releases(*made), "wormhole", "tt-metal#48696 (PR)") is None


def test_a_kind_of_function_is_asked_of_a_release_that_has_it(tmp_path: Path) -> None:
    place = "hw/inc/api/compute/eltwise_unary/recip.h"
    call = "ALWI void recip_tile(uint32_t idst) {}"
    newer = release(tmp_path, "newer", {place: f"template <int mode = 0>\n{call}"})
    older = release(tmp_path, "older", {place: f"template <bool legacy_compat = true>\n{call}"})
    assert having(releases(newer, older), "recip", "compat").llk.metal.parent.name == "older"
    with pytest.raises(NotRunError, match="no compat recip_tile"):
        having(releases(newer), "recip", "compat")
