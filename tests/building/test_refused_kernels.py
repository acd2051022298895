"""What the headers do not let through, for it would compute something else; and what they may."""

from pathlib import Path

import numpy as np
import pytest
from test_compute_api import CHIPS, kernel

from kernel_maker import Buffer, build_and_run, write_kernel
from tilelab.sim.errors import BadInputError

WIDE = "fp32_dest_acc_en = true"
FULL = "dst_full_sync_en = true"


def copy(dst: int = 0, op: str = "") -> str:
    """Copies one tile at a time by way of a tile of Dst."""
    source = kernel("copy_tile_init(a, out);", f"copy_tile(a, 0, {dst}); {op}")
    source = source.replace("cb_wait_front(b, 1);", "").replace("cb_pop_front(b, 1);", "")
    return source.replace("pack_tile(0, out)", f"pack_tile({dst}, out)")


def run(folder: Path, source: str, a: Buffer, out: Buffer, arch: str, build: str) -> bool:
    write_kernel(folder, source, [a], [out], arch, {"num_tiles": 2}, build)
    return build_and_run(folder).passed


def floats() -> np.ndarray:
    """What both fp16 and bf16 hold exactly."""
    return np.random.default_rng(6).integers(-64, 64, (32, 64)).astype(np.float32) / 16


@pytest.mark.parametrize("arch", CHIPS)
@pytest.mark.parametrize(
    ("name", "build", "tiles"),
    [("bf16", "", 8), ("int32", WIDE, 4), ("bf16", FULL, 16), ("bf16", f"{WIDE}\n{FULL}", 8)],
)
def test_tiles_of_dst(name: str, build: str, tiles: int, arch: str, tmp_path: Path) -> None:
    """The last one serves, behind it there is none."""
    a = Buffer(0, np.arange(2048).reshape(32, 64) % 128, name)
    out = Buffer(16, a.array, name)
    assert run(tmp_path / "last", copy(tiles - 1), a, out, arch, build)
    with pytest.raises(BadInputError, match=r"kernel.cpp:\d+: .*Dst has no such tile"):
        run(tmp_path / "none", copy(tiles), a, out, arch, build)


@pytest.mark.parametrize("arch", CHIPS)
@pytest.mark.parametrize(
    ("name", "other"), [("fp16", "bf16"), ("bfp4a", "fp32"), ("bfp2a", "bfp2")]
)
def test_exponents_of_both_sizes(name: str, other: str, arch: str, tmp_path: Path) -> None:
    """Dst of 16 bits holds either; of the smaller the packer makes the larger, not vice versa."""
    a = np.full((32, 64), -2.0, np.float32)
    with pytest.raises(BadInputError, match=r"kernel.cpp:\d+: .*do not mix in a Dst of 16 bits"):
        run(tmp_path / "no", copy(), Buffer(0, a, other), Buffer(16, a, name), arch, "")
    assert run(tmp_path / "yes", copy(), Buffer(0, a, name), Buffer(16, a, other), arch, "")


@pytest.mark.parametrize("arch", CHIPS)
def test_tf32_is_for_packers_alone(arch: str, tmp_path: Path) -> None:
    a = floats()
    a[0, 0] = 1 + 2.0**-10  # more than bf16 holds
    fine, tf32 = Buffer(0, a, "fp32"), Buffer(16, a, "tf32")
    assert run(tmp_path / "out", copy(), fine, tf32, arch, WIDE)
    exact = WIDE + '\nunpack_to_dest_mode = ["c_0"]'
    assert run(tmp_path / "exact", copy(), fine, tf32, arch, exact)
    for build in ("", WIDE):
        with pytest.raises(BadInputError, match=r"kernel.cpp:\d+: .*take no tf32 from L1"):
            run(tmp_path / "in", copy(), Buffer(0, a, "tf32"), Buffer(16, a), arch, build)
    with pytest.raises(BadInputError, match=r"kernel.cpp:\d+: .*no tf32 of numbers with exponents"):
        run(tmp_path / "fp16", copy(), Buffer(0, a, "fp16"), tf32, arch, "")


def transposed(a: np.ndarray) -> np.ndarray:
    """Each of the tiles of a row."""
    return np.concatenate([tile.T for tile in np.split(a, a.shape[1] // 32, 1)], 1)


@pytest.mark.parametrize("arch", CHIPS)
def test_what_copy_tile_alone_unpacks_into_dst(arch: str, tmp_path: Path) -> None:
    """Of a buffer of unpack_to_dest_mode others take SrcA; for integers there is no such way."""
    source = copy().replace("copy_tile_init", "transpose_wh_init")
    source = source.replace("copy_tile(", "transpose_wh_tile(")
    a = floats()
    into_dst = WIDE + '\nunpack_to_dest_mode = ["c_0"]'
    fp32 = Buffer(0, a, "fp32"), Buffer(16, transposed(a), "fp32")
    assert run(tmp_path / "fp32", source, *fp32, arch, into_dst)
    for name, build in (("int32", WIDE), ("uint16", "")):
        integers = Buffer(0, a.astype(int) + 4, name), Buffer(16, a, name)
        with pytest.raises(BadInputError, match=r"kernel.cpp:\d+: .*hold no integers"):
            run(tmp_path / name, source, *integers, arch, build)


def test_tiles_of_a_buffer(tmp_path: Path) -> None:
    source = copy().replace("copy_tile(a, 0", "copy_tile(a, 2")
    buffers = Buffer(0, floats()), Buffer(16, floats())
    with pytest.raises(BadInputError, match=r"kernel.cpp:\d+: .*has fewer tiles"):
        run(tmp_path, source, *buffers, "blackhole", "")


def test_one_number_of_integers(tmp_path: Path) -> None:
    of = "PoolType::SUM, ReduceDim::REDUCE_SCALAR"
    source = kernel(f"reduce_init<{of}>(a, b, out);", f"reduce_tile<{of}>(a, b, 0, 0, 0);")
    tile = np.ones((32, 32), int)
    inputs = [Buffer(0, tile, "int8"), Buffer(1, tile, "int8")]
    outputs = [Buffer(16, tile, "int32sm")]
    write_kernel(tmp_path, source, inputs, outputs, "blackhole", {"num_tiles": 1}, WIDE)
    with pytest.raises(BadInputError, match=r"kernel.cpp:\d+: .*REDUCE_SCALAR is for floats"):
        build_and_run(tmp_path)


def test_the_vendors_choices_of_approximation_are_taken(tmp_path: Path) -> None:
    """They ask for less than these functions give."""
    a = np.full((32, 64), 4.0, np.float32)
    source = copy(op="exp_tile_init<true>(); sqrt_tile_init(); sqrt_tile<true, false>(0);")
    source = f'#include "compute_kernel_api/eltwise_unary/eltwise_unary.h"\n{source}'
    assert run(tmp_path, source, Buffer(0, a), Buffer(16, a / 2), "blackhole", "")
