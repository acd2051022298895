"""What-if by running again, intervals, and blame that adds up."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cycle_harness import adds_up
from tilelab.cli.main import main
from tilelab.kernels.assembly_run import run_program
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.run import run_kernel
from tilelab.report.interval import Interval, interval
from tilelab.report.what_if import RESOURCES, parse_what_if, suppose
from tilelab.sim.errors import BadInputError
from tilelab.tensix import Tile, assemble

EXAMPLES = Path(__file__).parents[2] / "examples"
ALL = ",".join(f"{name}=free" for name in RESOURCES)
SCALAR = "ttadddmareg 0,4,4,4\n" * 40
VECTOR = "sfpadd L0, L9, L9, 0\n" * 40


def cycles(source: str, what_if: str = "") -> int:
    """What a program takes, supposing that."""
    tile = Tile(engine="reference", clock="cycle")
    if what_if:
        suppose(tile, parse_what_if(what_if))
    return run_program(assemble(source), tile, 10_000).cycles


def test_a_resource_that_nobody_waits_for_changes_nothing() -> None:
    others = ALL.replace("fetch=free,", "").replace("load=free,", "")
    assert cycles(VECTOR, others) == cycles(VECTOR)
    assert cycles(SCALAR, "unpack=free,pack=free,dst=free") == cycles(SCALAR)


def test_without_the_only_bottleneck_the_next_one_bounds() -> None:
    """40 words of three cycles are bound by the scalar unit; then by one word in a cycle."""
    assert cycles(SCALAR) - cycles(VECTOR) >= 75
    assert abs(cycles(SCALAR, "thcon=free") - cycles(VECTOR)) <= 2
    assert cycles(SCALAR, "thcon=free") < cycles(SCALAR, "thcon=2x") < cycles(SCALAR)
    assert cycles(SCALAR, "thcon=1x") == cycles(SCALAR)


VALID = ".ttinsn 0x43000102\n.ttinsn 0x43800102\n"
WORDS = {
    "thcon": "ttadddmareg 0,4,4,4\n",
    "dst": "ttmvmul 0,0,0,0\n",
    "": "ttsetadczw 1,0,0,0,0,15\n",
}
"""What each makes slow; the last is one cycle of a unit that nothing makes faster."""


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(sorted(WORDS)), min_size=1, max_size=60))
def test_of_random_programs_only_what_they_wait_for_matters(kinds: list[str]) -> None:
    source = VALID + "".join(WORDS[kind] for kind in kinds)
    usual = cycles(source)
    unused = [f"{name}=free" for name in ("unpack", "pack", "thcon", "dst") if name not in kinds]
    assert cycles(source, ",".join(unused)) == usual
    # without what is slow, all words are one cycle each, as if they were the last kind
    plain = cycles(VALID + WORDS[""] * len(kinds))
    assert abs(cycles(source, "thcon=free,dst=free") - plain) <= 6


@pytest.mark.parametrize("name", ["matmul", "eltwise_add", "datacopy"])
def test_what_is_faster_leaves_the_same_results(name: str) -> None:
    kernel = read_kernel_file(EXAMPLES / name)
    tile = Tile(kernel.arch, clock="cycle")
    suppose(tile, parse_what_if(ALL))
    assert run_kernel(kernel, tile).passed


@pytest.mark.parametrize(
    "text", ["", "unpack", "unpack=", "unpack=fast", "unpack=2", "gpu=free", "fidelity=HiFi5"]
)
def test_what_cannot_be_supposed_is_bad_input(text: str) -> None:
    with pytest.raises(BadInputError):
        parse_what_if(text)


def test_the_command_says_what_each_would_save(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--cycles", "--json", "--what-if", "fetch=free,mispredict=0", "--what-if", "dst=2x"]
    assert main(["run", str(EXAMPLES / "eltwise_add"), *options]) == 0
    kernel = json.loads(capsys.readouterr().out)["kernels"][0]
    faster, same = kernel["what_if"]
    assert faster["text"] == "fetch=free,mispredict=0"
    assert faster["cycles"] < kernel["cycles"] == same["cycles"]
    assert main(["run", str(EXAMPLES / "eltwise_add"), *options[2:]]) == 2
    assert "--cycles" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["matmul", "matmul_block", "eltwise_add", "datacopy"])
def test_causes_of_a_kernel_add_up(name: str) -> None:
    kernel = read_kernel_file(EXAMPLES / name)
    tile = Tile(kernel.arch, clock="cycle")
    run_kernel(kernel, tile)
    adds_up(tile)


def test_an_interval_follows_what_the_run_was_bound_by() -> None:
    tile = Tile(engine="reference", clock="cycle")
    scalar = run_program(assemble(SCALAR * 20), tile, 100_000).cycles
    of_scalar = interval(tile.state, scalar)
    assert max(of_scalar.shares, key=lambda name: of_scalar.shares[name]).startswith("scalar unit")
    assert sum(of_scalar.shares.values()) == pytest.approx(1)
    assert of_scalar.low < scalar < of_scalar.high


def test_an_interval_says_its_weakest_mechanism() -> None:
    even = Interval(96, 104, "packers", 1, {})
    assert even.text(100) == "± 4 % (weakest: packers, 1 row)"
    odd = Interval(90, 140, "unpackers", 0, {})
    assert odd.text(100) == "−10 % +40 % (weakest: unpackers, no row)"
