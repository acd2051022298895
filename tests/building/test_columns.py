"""Functions of tiles that go down the columns, and those that draw numbers."""

from math import lgamma
from pathlib import Path

import numpy as np
import pytest

from kernel_maker import Buffer, build_and_run, write_kernel

CHIPS = ("blackhole", "wormhole")
RNG = np.random.default_rng(4)
TALL = RNG.integers(-8, 8, (96, 32)).astype(np.float32)
WIDE = "fp32_dest_acc_en = true"
KERNEL = """
    #include <cstdint>
    #include "api/compute/cumsum.h"
    #include "api/compute/ema.h"
    #include "api/compute/reshuffle.h"
    #include "api/compute/eltwise_unary/dropout.h"
    #include "api/compute/eltwise_unary/fill.h"
    #include "api/compute/eltwise_unary/lgamma.h"
    #include "api/compute/eltwise_unary/rand.h"
    void kernel_main() {
        constexpr auto in = tt::CBIndex::c_0, beside = tt::CBIndex::c_1, out = tt::CBIndex::c_16;
        copy_tile_init(in, out);
        %(init)s
        for (uint32_t i = 0; i < num_tiles; ++i) {
            tile_regs_acquire();
            cb_wait_front(in, 1);
            copy_tile(in, 0, 0);
            cb_pop_front(in, 1);
            %(op)s
            tile_regs_commit();
            tile_regs_wait();
            cb_reserve_back(out, 1);
            pack_tile(%(packed)s, out);
            cb_push_back(out, 1);
            tile_regs_release();
        }
    }
"""


def ran(
    folder: Path, arch: str, init: str, op: str, wanted: np.ndarray, packed: int = 0,
    given: np.ndarray = TALL, inputs: tuple[Buffer, ...] = (), tolerance: float = 0,
) -> np.ndarray:  # fmt: skip
    """What the kernel leaves of some tiles below one another; it has to pass."""
    source = KERNEL % {"init": init, "op": op, "packed": packed}
    out = Buffer(16, wanted, "fp32", tolerance=tolerance)
    constants = {"num_tiles": len(given) // 32}
    write_kernel(folder, source, [Buffer(0, given, "fp32"), *inputs], [out], arch, constants, WIDE)
    run = build_and_run(folder)
    assert run.passed, run.result.outputs
    return run.arrays[0]


@pytest.mark.parametrize("arch", CHIPS)
def test_a_running_sum_goes_on_from_tile_to_tile(arch: str, tmp_path: Path) -> None:
    ran(tmp_path, arch, "cumsum_tile_init();", "cumsum_tile(0, i == 0);", np.cumsum(TALL, 0))


@pytest.mark.parametrize("arch", CHIPS)
def test_an_exponential_average_goes_on_from_tile_to_tile(arch: str, tmp_path: Path) -> None:
    wanted, old = [], np.zeros(32)
    for row in TALL:
        old = 0.5 * old + 0.25 * row
        wanted.append(old)
    init = "ema_init(0x3F000000, 0x3E800000); ema_clear_previous_output();"
    ran(tmp_path, arch, init, "ema_tile(0);", np.array(wanted), packed=1, tolerance=1e-6)


@pytest.mark.parametrize("arch", CHIPS)
def test_rows_are_added_to_rows_by_number(arch: str, tmp_path: Path) -> None:
    at = RNG.permutation(np.r_[RNG.integers(0, 32, 26), [255] * 6]).astype(np.uint8)
    wanted = np.ones((32, 32), np.float32)
    for row, to in zip(TALL[:32], at, strict=True):
        if to < 32:
            wanted[to] += row
    words = at.view(np.uint32)
    stores = " ".join(f"at[{i}] = {word:#x};" for i, word in enumerate(words))
    init = f"""
        [[maybe_unused]] auto* at = reinterpret_cast<volatile uint32_t*>(0x60010);
        MATH({stores})
        fill_tile_init(); reshuffle_rows_tile_init();
    """
    op = "fill_tile(1, 1.0f); reshuffle_rows_tile(0, 0x60000);"
    ran(tmp_path, arch, init, op, wanted, packed=1, given=TALL[:32])


@pytest.mark.parametrize("arch", CHIPS)
def test_random_numbers_fill_their_range_evenly(arch: str, tmp_path: Path) -> None:
    init, op = "rand_tile_init(7);", "rand_tile(0, 0x40000000, 0x40400000);"  # 2 to 5
    got = ran(tmp_path, arch, init, op, np.full((96, 32), 3.5), tolerance=1e38)
    assert got.min() >= 2
    assert got.max() < 5
    assert len(np.unique(got)) > 3000
    assert np.histogram(got, 6, (2, 5))[0] == pytest.approx(512, abs=90)
    for rows, columns in ((0, 1), (0, 2), (0, 8), (0, 16), (1, 0), (1, 1), (2, 0), (4, 0), (16, 0)):
        one, other = got[: 96 - rows, : 32 - columns], got[rows:, columns:]
        assert abs(np.corrcoef(one.ravel(), other.ravel())[0, 1]) < 0.08


@pytest.mark.parametrize("arch", CHIPS)
def test_dropout_keeps_its_share(arch: str, tmp_path: Path) -> None:
    op = f"dropout_tile(0, {round(0.25 * 2**31)}, 0x40000000);"
    given = np.full((96, 32), 3, np.float32)
    got = ran(tmp_path, arch, "dropout_kernel_init(3);", op, given, given=given, tolerance=1e38)
    assert set(np.unique(got)) == {0, 6}
    assert np.mean(got == 0) == pytest.approx(0.25, abs=0.03)


@pytest.mark.parametrize("arch", CHIPS)
def test_log_gamma_of_numbers_below_a_half_is_reflected(arch: str, tmp_path: Path) -> None:
    x = RNG.uniform(-6, 3, (32, 32)).astype(np.float32)
    x = np.where(np.abs(x - np.round(x)) < 0.02, x + 0.1, x).astype(np.float32)
    x = (x.view(np.uint32) & 0xFFFFE000).view(np.float32)  # as SrcA holds them
    sine = np.log(np.abs(np.sin(np.pi * x.astype(float)))).astype(np.float32)
    op = """
        cb_wait_front(beside, 1); copy_tile(beside, 0, 1); copy_tile(in, 0, 2);
        lgamma_stirling_tile_init(); lgamma_stirling_tile(0); lgamma_adjusted_tile_init();
        lgamma_adjusted_tile(0, 1, 2, 0);
    """
    wanted = np.vectorize(lgamma)(x.astype(float))
    beside = (Buffer(1, sine, "fp32"),)
    ran(tmp_path, arch, "", op, wanted, given=x, inputs=beside, tolerance=5e-3)
