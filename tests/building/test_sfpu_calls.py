"""Vector functions of one's own, called as the vendor's kernels call theirs."""

from pathlib import Path

import numpy as np
import pytest

from kernel_maker import Buffer, build_and_run, write_kernel

CHIPS = ("blackhole", "wormhole")
KERNEL = """
#include "compute_kernel_api/common.h"
#include "compute_kernel_api/eltwise_binary_sfpu.h"
#include "compute_kernel_api/eltwise_unary/eltwise_unary.h"
#include "compute_kernel_api.h"
%(functions)s
void kernel_main() {
    constexpr auto a = tt::CBIndex::c_0, b = tt::CBIndex::c_1, out = tt::CBIndex::c_16;
    init_sfpu(a, out);
    tile_regs_acquire();
    cb_wait_front(a, 1);
    cb_wait_front(b, 1);
    copy_tile(a, 0, 0);
    copy_tile(b, 0, 1);
    MATH((%(call)s));
    tile_regs_commit();
    tile_regs_wait();
    cb_reserve_back(out, 2);
    pack_tile(0, out);
    pack_tile(1, out);
    cb_push_back(out, 2);
    tile_regs_release();
}
"""
UNARY = """
#ifdef TRISC_MATH
void twice_and(float more) {
    for (size_t i = 0; i < 8; i++) {
        vFloat x = dst_reg[i];
        dst_reg[i] = x + x + more;
    }
}
#endif
"""
BINARY = """
#ifdef TRISC_MATH
namespace ckernel::sfpu {
template <int Times>
void less(const uint32_t in0, const uint32_t in1, const uint32_t out) {
    for (size_t i = 0; i < 8; i++) {
        vFloat x = dst_reg[in0 * 32 + i], y = dst_reg[in1 * 32 + i];
        dst_reg[out * 32 + i] = x - y * float(Times);
    }
}
}
#endif
"""
A, B = np.random.default_rng(8).integers(-20, 21, (2, 32, 32)).astype(np.float32)


def changed(rows: slice, columns: slice) -> np.ndarray:
    """A with these of its elements doubled, and 1 more."""
    tile = A.copy()
    tile[rows, columns] = 2 * tile[rows, columns] + 1
    return tile


ALL, FIRST = slice(None), slice(16)
CALLS = {
    "twice_and, 0, VectorMode::RC, 1.0f": (UNARY, "unary", changed(ALL, ALL), B),
    "twice_and, 0, VectorMode::R, 1.0f": (UNARY, "unary", changed(FIRST, ALL), B),
    "twice_and, 0, VectorMode::C, 1.0f": (UNARY, "unary", changed(ALL, FIRST), B),
    "ckernel::sfpu::less<3>, 0, 1, 1": (BINARY, "binary", A, A - 3 * B),
}


def run(folder: Path, functions: str, call: str, wanted: list[np.ndarray], arch: str) -> bool:
    source = KERNEL % {"functions": functions, "call": call}
    inputs = [Buffer(0, A), Buffer(1, B)]
    write_kernel(folder, source, inputs, [Buffer(16, np.concatenate(wanted))], arch)
    return build_and_run(folder).passed


@pytest.mark.parametrize("arch", CHIPS)
@pytest.mark.parametrize("arguments", CALLS)
def test_a_function_runs_on_the_faces_that_its_mode_names(
    arguments: str, arch: str, tmp_path: Path
) -> None:
    functions, kind, *wanted = CALLS[arguments]
    call = f"_llk_math_eltwise_{kind}_sfpu_params_<false>({arguments})"
    assert run(tmp_path, functions, call, wanted, arch)


def test_macros_of_newer_kernels_call_the_same(tmp_path: Path) -> None:
    call = "SFPU_BINARY_CALL(DST_SYNC_MODE, DST_ACCUM_MODE, less, (3), 0, 1, 1, VectorMode::RC)"
    assert run(tmp_path, BINARY, call, [A, A - 3 * B], "blackhole")


def test_the_examples_own_functions_are_there(tmp_path: Path) -> None:
    header = '\n#include "experimental/llk_sfpu/ckernel_sfpu_custom_add.h"\n'
    call = (
        "SFPU_BINARY_CALL_NO_TEMPLATE_ARGS(DST_SYNC_MODE, DST_ACCUM_MODE, my_add_tile_face,"
        " 0, 1, 0, VectorMode::RC)"
    )
    assert run(tmp_path, header, call, [A + B, B], "blackhole")
