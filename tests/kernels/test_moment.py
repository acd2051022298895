"""A tile at a moment, in a file: written, read, gone on from; what is no moment is refused."""

from pathlib import Path

import numpy as np
import pytest

from tilelab.cli.debug import session_of
from tilelab.cli.main import main
from tilelab.kernels.examples import examples
from tilelab.kernels.kernel_toml.file import KernelFile, read_kernel_file
from tilelab.kernels.moment import (
    Moment,
    read_moment,
    run_moment,
    write_moment,
)
from tilelab.kernels.run import load, run_kernel
from tilelab.runs.job import Settings, tile_for
from tilelab.sim.checks import CHECKS_BY_NAME, Policy
from tilelab.sim.errors import BadInputError
from tilelab.tensix.tile.tile import Tile


@pytest.fixture(scope="module")
def kernel() -> KernelFile:
    return read_kernel_file(examples()["eltwise_add"])


@pytest.fixture
def moment(kernel: KernelFile, tmp_path: Path) -> Moment:
    tile = Tile(kernel.arch)
    load(tile, kernel)
    tile.run(100)
    (output,) = kernel.outputs
    write_moment(
        tmp_path / "start.npz",
        tile.__getstate__(),
        kernel.elfs,
        dict.fromkeys(kernel.done.mailboxes.values(), kernel.done.value),
        (output.address, output.address + output.size),
    )
    return read_moment(tmp_path / "start.npz")


def test_goes_on_as_the_tile_did(kernel: KernelFile, moment: Moment) -> None:
    whole, tile = Tile(kernel.arch), Tile(kernel.arch)
    cycles = run_kernel(kernel, whole).cycles
    result = run_moment(moment, tile, 100_000)
    assert result.cycles == cycles
    (output,) = kernel.outputs
    assert moment.result_of(tile) == whole.read(output.address, output.size)
    assert set(moment.programs) == set(kernel.elfs)


def test_is_checked_and_explored(moment: Moment, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(moment.path), "--schedules", "50"]) == 0
    out = capsys.readouterr().out
    assert "start: nothing found" in out
    assert "none of 50 schedules differs" in out


def test_is_debugged(moment: Moment, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["debug", str(moment.path), "-c", "continue"]) == 0
    assert "cycle" in capsys.readouterr().out


def test_policies_are_those_of_who_runs_it_then_those_of_its_tile(
    kernel: KernelFile, moment: Moment
) -> None:
    first = Tile(kernel.arch)
    first.set_policy("ebreak", "off")
    first.set_policy("mop-outer-count-bug", "warn")
    write_moment(moment.path, first.__getstate__(), {}, {}, (0, 16))
    tile = Tile(kernel.arch)
    tile.set_policy("mop-outer-count-bug", "off")
    read_moment(moment.path).put(tile)
    policies = {
        name: tile.state.record["fault"]["policy"][CHECKS_BY_NAME[name].code]
        for name in ("ebreak", "mop-outer-count-bug")
    }
    assert policies == {"ebreak": Policy.OFF, "mop-outer-count-bug": Policy.OFF}


def test_its_tile_is_made_with_the_readings_that_it_was_kept_with(moment: Moment) -> None:
    readings = {"mop_count_bits": 10, "movb2d_fp32": 1}
    write_moment(moment.path, Tile("blackhole", **readings).__getstate__(), {}, {}, (0, 16))
    kept = read_moment(moment.path)
    with pytest.raises(BadInputError, match="made with mop_count_bits=10"):
        kept.put(Tile("blackhole"))
    tile = tile_for("blackhole", Settings("fast", 1_000, (), cycles=False, throttled=False), kept)
    assert tile.options == readings
    kept.put(tile)
    assert session_of(kept, None, "fast", "functional").debugger.tile.options == readings


def test_another_chip(moment: Moment) -> None:
    with pytest.raises(BadInputError, match="is for blackhole"):
        moment.put(Tile("wormhole"))


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"not a zip"])
def test_no_moment(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.npz").write_bytes(data)
    with pytest.raises(BadInputError, match="no moment"):
        read_moment(tmp_path / "x.npz")


def test_another_archive(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", a=np.zeros(3))
    assert main(["check", str(tmp_path / "x.npz")]) == 2
