"""Errors of the fidelities, measured on a tile."""

from xml.etree import ElementTree

import pytest

from reference_data import ROOT
from tilelab.numerics.errors import BINS, Errors
from tilelab.numerics.svg import errors_svg
from tilelab.numerics.text import error_lines
from tilelab.sim.errors import BadInputError
from tilelab.tensix import matmul_errors


def by_name(found: list[Errors]) -> dict[str, Errors]:
    return {row.fidelity: row for row in found}


def test_each_phase_brings_results_closer_in_a_32_bit_dst() -> None:
    found = by_name(matmul_errors("normal", k=64, samples=512, dst_bits=32, data_format="tf32"))
    medians = [found[name].median for name in ("lofi", "hifi2", "hifi3", "hifi4")]
    assert medians == sorted(medians, reverse=True)
    assert medians[0] > 3 * medians[1] > 15 * medians[3]
    # slices are cut, not rounded: what LoFi leaves out makes results too small
    assert found["lofi"].bias < -0.8 * found["lofi"].mean


def test_a_16_bit_dst_hides_the_last_phases() -> None:
    found = by_name(matmul_errors("normal", k=64, samples=512))
    assert found["hifi4"].median == pytest.approx(found["hifi3"].median, rel=0.2)


def test_the_same_seed_gives_the_same_errors() -> None:
    first, again, other = (matmul_errors("uniform", k=20, samples=1, seed=s) for s in (3, 3, 4))
    assert first == again != other
    assert first[0].samples == 128


@pytest.mark.parametrize("distribution", ["normal", "uniform", "positive", "lognormal"])
@pytest.mark.parametrize("data_format", ["bf16", "fp8", "bfp4"])
def test_distributions(distribution: str, data_format: str) -> None:
    for row in matmul_errors(distribution, k=33, samples=128, data_format=data_format):
        assert sum(row.histogram) + row.exact == row.samples == 128
        assert len(row.histogram) == len(BINS) - 1
        assert row.median <= row.largest < 0.2
        assert abs(row.bias) <= row.mean <= row.largest


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"distribution": "cauchy"}, "no distribution is called 'cauchy'"),
        ({"k": 0}, "choose k to 4096"),
        ({"samples": 0}, "samples to 1048576"),
        ({"fidelities": ("best",)}, "no fidelity is called 'best'"),
    ],
)
def test_bad_input(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(BadInputError, match=message):
        matmul_errors(**arguments)  # type: ignore[arg-type]


def test_the_documentations_picture_is_what_is_measured() -> None:
    found = matmul_errors("normal", k=64, samples=1024, dst_bits=32)
    drawn = errors_svg(found, "normal bf16 operands, k = 64, 32-bit Dst, blackhole")
    committed = ROOT / "docs" / "pictures" / "errors.svg"
    assert committed.read_text(encoding="utf-8") == drawn, "docs/numerics.md shows the command"


def test_the_picture_and_the_text_show_every_fidelity() -> None:
    found = matmul_errors("normal", k=16, samples=128)
    drawn = ElementTree.fromstring(errors_svg(found, "a < b & c"))
    space = "{http://www.w3.org/2000/svg}"
    assert len(drawn.findall(f"{space}polyline")) == 4
    texts = {element.text for element in drawn.findall(f"{space}text")}
    assert {"a < b & c", "lofi", "hifi4", "2^-24", "2^0"} <= texts
    text = "\n".join(error_lines(found))
    assert all(text.count(row.fidelity) == 2 for row in found)
    assert "█" in text
