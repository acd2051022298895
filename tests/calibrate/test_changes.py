"""Kernels before and after a change: files laid over a checkout, both asked, ranked."""

import re
from pathlib import Path

import pytest

from tilelab.calibrate import compute_api, off, tiles, vendor
from tilelab.calibrate.checkouts import laid_over, open_kernels
from tilelab.calibrate.families import answer
from tilelab.calibrate.perfbench import Perfbench
from tilelab.calibrate.programs import Builder, probe_compiler
from tilelab.calibrate.results import Result
from tilelab.calibrate.rows import Row
from tilelab.sim.errors import BadInputError

HEADER = """
/** what it does */
template <bool fast = false>
ALWI void abs_tile(uint32_t idst) { }
ALWI void abs_tile_init() { }
ALWI void power_tile(uint32_t idst, uint32_t param0) { }
"""


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_changed_files_are_laid_over_a_copy(tmp_path: Path) -> None:
    metal = written(
        tmp_path / "metal",
        {"tt_metal/tt-llk/a.h": "old", "tt_metal/hw/b.h": "same", "tt_metal/hw/c.h": "old"},
    )
    changed = written(tmp_path / "new", {"tt_metal/hw/c.h": "new", "tt_metal/hw/d.h": "new"})
    kernels = open_kernels([metal / "tt_metal/tt-llk"])
    laid = laid_over(kernels, changed, tmp_path / "laid")
    (checkout,) = laid.checkouts
    assert checkout.read("a.h") == b"old"
    places = {
        name: (checkout.folder / "../hw" / name).read_text() for name in ("b.h", "c.h", "d.h")
    }
    assert places == {"b.h": "same", "c.h": "new", "d.h": "new"}
    assert (metal / "tt_metal/hw/c.h").read_text() == "old"


def test_files_that_belong_nowhere_are_bad_input(tmp_path: Path) -> None:
    metal = written(tmp_path / "metal", {"tt_metal/tt-llk/a.h": ""})
    changed = written(tmp_path / "new", {"elsewhere/c.h": "new"})
    with pytest.raises(BadInputError, match="no file of it lies where"):
        laid_over(open_kernels([metal]), changed, tmp_path / "laid")


def bench() -> Perfbench:
    return Perfbench(open_kernels([]), lambda: Builder(probe_compiler("")))


def test_a_row_of_two_kernels_gets_both_and_a_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    newer = bench()
    cycles = {id(newer): 44.0}
    monkeypatch.setattr(tiles, "cycles_a_tile", lambda b, arch, name: cycles.get(id(b), 143.0))
    row = Row("r", "BH p150b", "abs: old kernel / llk-bench winner MATH_ISOLATE", "146.1 / 47.1")
    alone = Result(row, answer(newer, row))
    assert [part.name for part in alone.answer.parts] == ["before"]
    assert alone.document()["ranked"] is None
    newer.older = bench()
    both = Result(row, answer(newer, row))
    assert [part.predicted for part in both.answer.parts] == [143.0, 44.0]
    assert both.document()["ranked"] is True


@pytest.mark.parametrize("kind", ["compat", "exact"])
def test_a_kind_of_a_function_is_asked_of_both_kernels(
    monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    newer = bench()
    newer.older = bench()
    cycles = {id(newer): 327.0, id(newer.older): 1202.0}
    monkeypatch.setattr(vendor, "having", lambda b, name, kind: b)
    monkeypatch.setattr(tiles, "cycles_a_tile", lambda b, arch, name: cycles[id(b)])
    monkeypatch.setattr(tiles, "cycles_if_exact", lambda b, arch, name: cycles[id(b)])
    what = f"recip ({kind}): old kernel / llk-bench winner MATH_ISOLATE"
    found = answer(newer, Row("r", "BH p150b", what, "1202.1 / 327.1"))
    assert [part.predicted for part in found.parts] == [1202.0, 327.0]


def test_a_row_before_and_after_a_pull_request_does_too(monkeypatch: pytest.MonkeyPatch) -> None:
    newer = bench()
    newer.older = bench()
    asked = {id(newer): 832.0, id(newer.older): 820.0}
    monkeypatch.setattr(vendor, "_vector", lambda b, *_: asked[id(b)])
    row = Row("r", "WH", "Sin MATH_ISOLATE", "894.0 -> 837.9", "tt-llk MATH_ISOLATE")
    result = Result(row, answer(newer, row))
    assert [part.predicted for part in result.answer.parts] == [820.0, 832.0]
    assert result.document()["ranked"] is False


def test_functions_of_the_compute_api_are_called_with_plain_arguments(tmp_path: Path) -> None:
    written(tmp_path, {f"{compute_api.API}/abs.h": HEADER})
    found = compute_api.calls(tmp_path)
    assert (found["abs_tile"].init, found["abs_tile"].call) == ("abs_tile_init()", "abs_tile(0)")
    assert found["power_tile"].call == "power_tile(0, 0x3f800000u)"


WHOLE = """
ALWI void sin_tile(uint32_t idst) {
    MATH(SFPU_UNARY_CALL(
        DST_SYNC_MODE, calculate_sine, (APPROX, 8 /*ITERATIONS*/), idst, VectorMode::RC));
}
ALWI void cbrt_tile(uint32_t idst) { if (idst) { MATH(CALL(calculate_cbrt, (APPROX), RC)); } }
ALWI void old_tile(uint32_t idst) { MATH((llk_math_old<APPROX>(idst))); }
"""


def test_a_tile_in_one_call_is_the_functions_own_text_with_all_vectors(tmp_path: Path) -> None:
    written(tmp_path, {f"{compute_api.API}/sin.h": WHOLE})
    found = {
        name: compute_api.in_one_call(call) for name, call in compute_api.calls(tmp_path).items()
    }
    sine, root = found["sin_tile"], found["cbrt_tile"]
    assert sine
    assert root
    assert sine[1] == "sin_whole(0)"
    assert "(APPROX, 32), idst, VectorMode::None));\n}" in sine[0]
    assert "old" not in sine[0]
    assert "calculate_cbrt, (APPROX, 32), None)); } }\n" in root[0]
    assert found["old_tile"] is None


def test_releases_have_one_kernel_if_its_text_is_the_same(tmp_path: Path) -> None:
    kernel = "tt-llk/tt_llk_wormhole_b0/common/inc/sfpu/a.h"
    texts = {"a": "one /* b */", "b": "one", "c": "pragma; one"}
    made = []
    for name, text in texts.items():
        loop = f"inline void calculate_sine(int n) {{ for (;;) {{ {text} }} }}\nvoid f() {{}}"
        files = {f"{compute_api.API}/sin.h": WHOLE, kernel: loop}
        metal = written(tmp_path / name, files)
        sine = compute_api.calls(metal)["sin_tile"]
        made.append(compute_api.kernel_text(metal, "wormhole", sine))
    assert made[0] == made[1] != made[2]
    assert "voidf" not in made[0]


@pytest.mark.parametrize("chip", ["BH", "WH"])
def test_a_reciprocal_is_one_of_the_kernels_that_macros_schedule(
    chip: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    monkeypatch.setattr(vendor, "as_published", lambda b, *_: b)
    monkeypatch.setattr(
        tiles, "cycles_a_vector", lambda b, arch, call: calls.append(call.call) or 5.0
    )
    what = "reciprocal fp32 / bf16 / bf16 approx throughput"
    given = answer(bench(), Row("r", chip, what, "5 / 3 / 1 per 32 lanes"))
    if chip == "WH":
        assert given.reason == "Wormhole has no such kernels"
    else:
        assert [part.silicon for part in given.parts] == [5, 3, 1]
        assert [call.partition("_fast_")[2] for call in calls] == [
            "24b_5c_({vectors})",
            "8b_3c_({vectors})",
            "7b_({vectors})",
        ]


@pytest.mark.parametrize(
    ("what", "error", "why"),
    [
        ("Gelu MATH_ISOLATE", -17.0, "another compiler: the vendor's makes more words"),
        ("Cosh MATH_ISOLATE", 12.0, "another compiler, or another version"),
        ("Cosh MATH_ISOLATE", 9.0, ""),
        ("Cosh MATH_ISOLATE", None, ""),
        ("perf_matmul L1_CONGESTION: Packer util", -13.0, "the mean is of 22"),
        ("something", 50.0, "not known"),
    ],
)
def test_a_row_that_is_far_off_says_what_is_known(what: str, error: float | None, why: str) -> None:
    assert off.reason(what, error).startswith(why)
    assert bool(off.reason(what, error)) == bool(why)


def test_more_threads_than_a_tile_has_are_a_reason() -> None:
    what = "NOP issued as .ttinsn, cycles/instr seen by TRISC2, 4 thread(s) issuing the same"
    assert answer(bench(), Row("r", "WH", what, "1")).reason == "4 threads: a tile has 3"


@pytest.mark.parametrize(
    ("what", "value", "places"),
    [
        ("where (SFPLOADMACRO) best / other", "3 / 4 per row of 32", ["0, 1, 2, 0", "0, 1, 2, 3"]),
        ("mul_int (BH)", "1 / 2 / 3 per row", ["0, 0, 0", "0, 1, 0", "0, 1, 2"]),
        ("mul_int (WH)", "12 per row", ["0, 1, 2"]),
    ],
)
def test_a_throughput_is_what_vectors_take_that_a_call_has_more(
    what: str, value: str, places: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []

    def cycles(b: Perfbench, arch: str, function: compute_api.Call) -> float:
        calls.append(function.call)
        count = re.search(r", (\d+)>", function.call)
        assert count
        return 20.0 + 5 * int(count[1])

    monkeypatch.setattr(tiles, "cycles_a_call", cycles)
    given = answer(bench(), Row("r", "BH", what, value))
    assert [part.predicted for part in given.parts] == [5] * len(places)
    assert [call.partition(">(")[2].rstrip(")") for call in calls[::2]] == places


def test_a_function_is_called_with_the_template_arguments_that_a_row_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    function = compute_api.Call("exp.h", "exp_tile_init()", "exp_tile(0)", "")
    monkeypatch.setattr(tiles, "_function", lambda b, name: function)
    monkeypatch.setattr(vendor, "as_published", lambda b, *_: b)
    calls: list[compute_api.Call] = []
    monkeypatch.setattr(tiles, "cycles_a_call", lambda b, arch, call: calls.append(call) or 77.0)
    row = Row("r", "BH", "exp_tile<true,false,None,32> (SDPA approx exp) MATH_ISOLATE", "77.15")
    assert answer(bench(), row).predicted == 77
    (call,) = calls
    assert call.call == "exp_tile<true,false,InputClamping::None,32>(0, VectorMode::None)"
    assert "InputClamping::None" in call.init
    row = Row("r", "BH", "exp_tile<false,false> MATH_ISOLATE", "800")
    assert answer(bench(), row).predicted == 77
    assert calls[1].call == "exp_tile<false,false>(0, VectorMode::RC)"
    assert calls[1].init == "exp_tile_init()"
