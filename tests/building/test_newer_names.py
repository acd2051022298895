"""The compute API as today's kernels write it, with our headers: each name does what it says."""

from pathlib import Path

import numpy as np
import pytest

from kernel_maker import Array, Buffer, build_and_run, write_kernel

CHIPS = ("blackhole", "wormhole")

KERNEL = """
#include <cstdint>
#include "api/compute/eltwise_binary.h"
#include "api/compute/eltwise_unary/binop_with_scalar.h"
#include "api/compute/eltwise_unary/fill.h"
#include "api/compute/mask.h"
#include "api/compute/pack_untilize.h"
#include "api/compute/transpose.h"
#include "api/dataflow/circular_buffer.h"
#include "api/dataflow/dataflow_buffer.h"
#include "experimental/kernel_args.h"

constexpr auto ELWSUB = EltwiseBinaryType::ELWSUB;
constexpr auto DEST_TO_SRCA = ckernel::EltwiseBinaryReuseDestType::DEST_TO_SRCA;

void kernel_main() {
    DataflowBuffer a(dfb::a), b(dfb::b);
    CircularBuffer out(tt::CBIndex::c_16);
    compute_kernel_hw_startup(a, b, out);
    %(init)s
    for (uint32_t i = 0; i < get_arg(args::tiles); ++i) {
        a.wait_front(1);
        b.wait_front(1);
        tile_regs_acquire();
        %(op)s
        tile_regs_commit();
        tile_regs_wait();
        out.reserve_back(1);
        %(pack)s
        out.push_back(1);
        tile_regs_release();
        a.pop_front(1);
        b.pop_front(1);
    }
}
"""
BUILD = 'named_args = { source = { tiles = 4 } }\nbuffer_names = { a = "c_0", b = "c_1" }'
A, B = np.random.default_rng(5).integers(-3, 4, (2, 64, 64)).astype(np.float32)


def each_tile(of: Array) -> Array:
    return of.reshape(2, 32, 2, 32).swapaxes(1, 2)


def joined(tiles: Array) -> Array:
    return tiles.swapaxes(1, 2).reshape(64, 64)


def spread(axis: int | None) -> Array:
    """Of each tile of A its first row, column or datum everywhere."""
    tiles = each_tile(A)
    if axis != 3:
        tiles = tiles[:, :, :1]
    if axis != 2:
        tiles = tiles[:, :, :, :1]
    return joined(np.broadcast_to(tiles, (2, 2, 32, 32)))


def bits(number: float) -> str:
    return f"{np.float32(number).view(np.uint32):#x}u"


PACK = "pack_tile(0, out);"
COPY = "copy_tile(a, 0, 0);"
CASES: dict[str, tuple[str, str, str, Array]] = {
    "add_init": ("add_init(a, b);", "add_tiles(a, b, 0, 0, 0);", PACK, A + B),
    "mul_init": ("mul_init(a, b);", "mul_tiles(a, b, 0, 0, 0);", PACK, A * B),
    "binary_tiles_init": (
        "binary_tiles_init<true, EltwiseBinaryType::ELWSUB>(a, b);",
        *("sub_tiles(a, b, 0, 0, 0);", PACK, A - B),
    ),
    "add_block": ("add_init(a, b);", "add_block(a, b, 0, 0, 0, 1);", PACK, A + B),
    "mul_bcast_rows_init": (
        "mul_bcast_rows_init(b, a);",
        *("mul_tiles_bcast_rows(b, a, 0, 0, 0);", PACK, B * spread(2)),
    ),
    "unary_bcast of a row": (
        "unary_bcast_init<BroadcastType::ROW>(a, out);",
        *("unary_bcast<BroadcastType::ROW>(a, 0, 0);", PACK, spread(2)),
    ),
    "unary_bcast of a column": (
        "unary_bcast_init<BroadcastType::COL>(a, out);",
        *("unary_bcast<BroadcastType::COL>(a, 0, 0);", PACK, spread(3)),
    ),
    "unary_bcast of a datum": (
        "unary_bcast_init<BroadcastType::SCALAR>(a, out);",
        *("unary_bcast<BroadcastType::SCALAR>(a, 0, 0);", PACK, spread(None)),
    ),
    "transpose_tile": (
        *("transpose_init(a);", "transpose_tile(a, 0, 0);", PACK),
        joined(each_tile(A).swapaxes(2, 3)),
    ),
    "copy_block": ("copy_init(a);", "copy_block(a, 0, 0, 1);", "pack_block(0, out, 1);", A),
    "fill_tile": ("fill_tile_init();", "fill_tile(0, 1.5f);", PACK, np.full((64, 64), 1.5)),
    "scalars": (
        "copy_init(a); binop_with_scalar_tile_init();",
        f"{COPY} mul_unary_tile(0, {bits(3)}); add_unary_tile(0, {bits(5)}); "
        f"rsub_unary_tile(0, {bits(2)}); sub_unary_tile(0, {bits(1)});",
        *(PACK, 2 - (A * 3 + 5) - 1),
    ),
    "copy_dest_values": (
        "copy_init(a); copy_dest_values_init();",
        *(f"{COPY} copy_dest_values(0, 2);", "pack_tile(2, out);", A),
    ),
    "pack_relu_config": (
        "copy_init(a); pack_relu_config(ReluConfig::zero());",
        *(COPY, PACK, np.maximum(A, 0)),
    ),
    "pack_reconfig_l1_acc": (
        "copy_init(a);",
        COPY,
        "pack_reconfig_l1_acc(0); pack_tile<true>(0, out, 0); pack_reconfig_l1_acc(1); "
        "pack_tile<true>(0, out, 0);",
        A * 2,
    ),
    "read_tile_value": (
        "fill_tile_init();",
        "fill_tile_bitcast(0, a.read_tile_value(0, 0) << 16);",
        *(PACK, spread(None)),
    ),
    "add to Dst": (
        "copy_init(a);",
        f"{COPY} add_init(a, b, true); add_tiles(a, b, 0, 0, 0); copy_init(a);",
        *(PACK, A + A + B),
    ),
    "add a product to Dst": (
        "copy_init(a);",
        f"{COPY} mul_init(a, b, true); mul_tiles(a, b, 0, 0, 0); copy_init(a);",
        *(PACK, A + A * B),
    ),
    "a product and no sum again": (
        "mul_init(a, b, true);",
        "mul_tiles(a, b, 0, 0, 0); mul_init(a, b); mul_tiles(b, b, 0, 0, 0); mul_init(a, b, true);",
        *(PACK, B * B),
    ),
    **{
        f"{name}_reuse_dest, Dst as {what}": (
            "copy_init(a);",
            f"{COPY} {name}_reuse_dest_init<EltwiseBinaryReuseDestType::{what}>(b); "
            f"{name}_reuse_dest_tiles<EltwiseBinaryReuseDestType::{what}>(b, 0, 0); copy_init(a);",
            *(PACK, of(A, B) if what == "DEST_TO_SRCA" else of(B, A)),
        )
        for name, of in {"add": np.add, "sub": np.subtract, "mul": np.multiply}.items()
        for what in ("DEST_TO_SRCA", "DEST_TO_SRCB")
    },
    "binary_dest_reuse_tiles": (
        "copy_init(a);",
        f"{COPY} binary_dest_reuse_tiles_init<ELWSUB, DEST_TO_SRCA>(b); "
        "binary_dest_reuse_tiles<ELWSUB, DEST_TO_SRCA>(b, 0, 0); copy_init(a);",
        *(PACK, A - B),
    ),
    "mask_tile": (
        "copy_init(a); mask_tile_init();",
        *(f"{COPY} copy_tile(b, 0, 1); mask_tile(0, 1);", PACK, np.where(B == 0, 0, A)),
    ),
    "gtz": ("copy_init(a);", f"{COPY} gtz_tile(0);", PACK, (A > 0).astype(np.float32)),
}


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("name", CASES)
def test_a_newer_name_does_what_it_says(name: str, chip: str, tmp_path: Path) -> None:
    init, op, pack, wanted = CASES[name]
    source = KERNEL % {"init": init, "op": op, "pack": pack}
    inputs = [Buffer(0, A), Buffer(1, B)]
    write_kernel(tmp_path, source, inputs, [Buffer(16, wanted)], chip, build=BUILD)
    result = build_and_run(tmp_path)
    assert result.passed, result.result.outputs


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("reconfigured", [True, False])
def test_unpackers_go_on_in_another_format(reconfigured: bool, chip: str, tmp_path: Path) -> None:
    again = "reconfig_data_format(a, b); pack_reconfig_data_format(out);" if reconfigured else ""
    source = KERNEL % {
        "init": f"add_init(a, a, a); {again}",
        "op": "add_tiles(a, b, 0, 0, 0);",
        "pack": PACK,
    }
    inputs = [Buffer(0, A), Buffer(1, B, "bfp8")]
    write_kernel(tmp_path, source, inputs, [Buffer(16, A + B, "fp32")], chip, build=BUILD)
    result = build_and_run(tmp_path)
    assert result.passed == reconfigured


@pytest.mark.parametrize("chip", CHIPS)
def test_blocks_of_rows_are_packed_from_dst_and_by_way_of_it(chip: str, tmp_path: Path) -> None:
    source = """
        #include "api/compute/pack_untilize.h"
        #include "api/compute/compute_kernel_hw_startup.h"
        void kernel_main() {
            constexpr auto a = tt::CBIndex::c_0, out = tt::CBIndex::c_16;
            compute_kernel_hw_startup(a, out);
            pack_untilize_init<2>(a, out);
            cb_wait_front(a, 2);
            cb_reserve_back(out, 2);
            pack_untilize_block<2>(a, 1, out);
            cb_push_back(out, 2);
            cb_pop_front(a, 2);
            pack_untilize_uninit(out);
            copy_init(a);
            pack_untilize_dest_init<1, 2>(out);
            cb_wait_front(a, 2);
            cb_reserve_back(out, 2);
            for (uint32_t i = 0; i < 2; ++i) {
                tile_regs_acquire();
                copy_tile(a, i, 0);
                tile_regs_commit();
                tile_regs_wait();
                pack_untilize_dest<1, 2>(out, 1, i);
                tile_regs_release();
            }
            cb_push_back(out, 2);
            cb_pop_front(a, 2);
        }
    """
    write_kernel(tmp_path, source, [Buffer(0, A)], [Buffer(16, A)], chip)
    text = (tmp_path / "kernel.toml").read_text()
    before, after = text.split("[[outputs]]")
    after = after.replace('layout = "tile"', 'layout = "row_major"')
    (tmp_path / "kernel.toml").write_text(f"{before}[[outputs]]{after}")
    result = build_and_run(tmp_path)
    assert result.passed, result.result.outputs


@pytest.mark.parametrize("chip", CHIPS)
def test_a_block_is_multiplied_after_the_newer_init(chip: str, tmp_path: Path) -> None:
    source = """
        #include "api/compute/matmul.h"
        #include "api/compute/compute_kernel_hw_startup.h"
        void kernel_main() {
            constexpr auto a = tt::CBIndex::c_0, b = tt::CBIndex::c_1, out = tt::CBIndex::c_16;
            compute_kernel_hw_startup<SrcOrder::Reverse>(a, b, out);
            matmul_block_init(a, b, 0, 2, 2, 2);
            cb_wait_front(a, 4);
            cb_wait_front(b, 4);
            tile_regs_acquire();
            for (uint32_t k = 0; k < 2; ++k) matmul_block(a, b, k, 2 * k, 0, false, 2, 2, 2);
            tile_regs_commit();
            tile_regs_wait();
            cb_reserve_back(out, 4);
            pack_block(0, out, 4);
            cb_push_back(out, 4);
            tile_regs_release();
            cb_pop_front(a, 4);
            cb_pop_front(b, 4);
        }
    """
    build = 'fp32_dest_acc_en = true\nmath_fidelity = "LoFi"'
    outputs = [Buffer(16, A @ B, "fp32")]
    write_kernel(tmp_path, source, [Buffer(0, A), Buffer(1, B)], outputs, chip, build=build)
    result = build_and_run(tmp_path)
    assert result.passed, result.result.outputs


ENTRY = """
#include <cstdint>
#include "api/compute/eltwise_unary/fill.h"
#include "api/dataflow/dataflow_buffer.h"
#include "experimental/kernel_args.h"

template <uint32_t number = 1>  // known when compiling
TT_KERNEL void compute(uint32_t tiles, /* not used */ uint32_t other) {
    DataflowBuffer a(dfb::a);
    CircularBuffer out(tt::CBIndex::c_16);
    compute_kernel_hw_startup(a, out);
    for (uint32_t i = 0; i < tiles; ++i) {
        tile_regs_acquire();
        fill_tile(0, number + 0.5f * other);
        tile_regs_commit();
        tile_regs_wait();
        out.reserve_back(1);
        pack_tile(0, out);
        out.push_back(1);
        tile_regs_release();
    }
}
"""


@pytest.mark.parametrize("chip", CHIPS)
def test_a_marked_entry_is_called_with_the_arguments_of_its_names(
    chip: str, tmp_path: Path
) -> None:
    build = "named_args = { source = { tiles = 4, number = 6, other = 3 } }\n"
    build += 'buffer_names = { a = "c_0" }'
    wanted = np.full((64, 64), 7.5, np.float32)
    write_kernel(tmp_path, ENTRY, [Buffer(0, A)], [Buffer(16, wanted)], chip, build=build)
    assert build_and_run(tmp_path).passed
