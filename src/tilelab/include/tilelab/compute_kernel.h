// The compute kernel API: include this and write one kernel for the three cores.
//
//   namespace NAMESPACE {
//   void MAIN { … }
//   }
//
// The build compiles the kernel once for each core, with TRISC_UNPACK, TRISC_MATH or TRISC_PACK
// defined. UNPACK((…)), MATH((…)) and PACK((…)) expand their argument on that core only.
//
// Offered: 32 × 32 tiles, Dst of 16 or 32 bits, in two halves or as one. Not offered: other shapes.
#pragma once

#if defined(TRISC_UNPACK)
#define UNPACK(x) x
#define MATH(x)
#define PACK(x)
#define NAMESPACE chlkc_unpack
#define UCK_CHLKC_UNPACK
#define MAIN unpack_main()
#include <tilelab/unpack.h>
#elif defined(TRISC_MATH)
#define UNPACK(x)
#define MATH(x) x
#define PACK(x)
#define NAMESPACE chlkc_math
#define UCK_CHLKC_MATH
#define MAIN math_main()
#include <tilelab/matmul.h>
#include <tilelab/reduce.h>
#elif defined(TRISC_PACK)
#define UNPACK(x)
#define MATH(x)
#define PACK(x) x
#define NAMESPACE chlkc_pack
#define UCK_CHLKC_PACK
#define MAIN pack_main()
#include <tilelab/pack.h>
#else
#error "define TRISC_UNPACK, TRISC_MATH or TRISC_PACK"
#endif

#ifndef MATH_FIDELITY
#define MATH_FIDELITY MathFidelity::HiFi4
#endif
#ifndef MM_THROTTLE
#define MM_THROTTLE 0
#endif
// What firmware's flag switches matmul_block to (Blackhole).
#define MM_THROTTLE_MAX 5

// As in tt-metal's ComputeConfig: [build] of kernel.toml sets them.
enum class DstSync { SyncHalf, SyncFull };
#define DST_ACCUM_MODE tilelab::dst_32bit
#define DST_SYNC_MODE (tilelab::dst_full ? DstSync::SyncFull : DstSync::SyncHalf)

#define ALWI inline __attribute__((always_inline))

// Math: wait until a half of Dst is free.
[[gnu::always_inline]] inline void tile_regs_acquire() { MATH((tilelab::wait_for_free_half())); }
// Math: the half is filled.
[[gnu::always_inline]] inline void tile_regs_commit() {
    UNPACK((tilelab::follow_half()));
    MATH((tilelab::hand_over_half()));
}
// Pack: wait until a half is filled.
[[gnu::always_inline]] inline void tile_regs_wait() { PACK((tilelab::wait_for_filled_half())); }
// Pack: the half is emptied; it is cleared and free again.
[[gnu::always_inline]] inline void tile_regs_release() { PACK((tilelab::release_half())); }

// Pack tile `dst_index` of the half behind the tiles already packed into the buffer.
// With `placed` it goes to place `index` behind those that are pushed.
template <bool placed = false>
[[gnu::always_inline]] inline void pack_tile(uint32_t dst_index, uint32_t out, uint32_t index = 0) {
    if constexpr (placed)
        PACK((llk_pack_at(dst_index, out, index)));
    else
        PACK((llk_pack(dst_index, out)));
}

// An …_init that names `out` prepares for packing in its format. Packing tiles into a buffer of another
// format wants this first.
[[gnu::always_inline]] inline void pack_reconfig_data_format(uint32_t out) {
    PACK((llk_pack_init(out)));
}

// Prepare for matmul, packing into the same buffer as before. With `transpose` tiles of in1 are
// transposed first.
[[gnu::always_inline]] inline void mm_init_short(uint32_t in0, uint32_t in1,
                                                 uint32_t transpose = 0) {
    UNPACK((llk_unpack_AB_matmul_init(in0, in1, transpose)));
    MATH((llk_math_matmul_init<MATH_FIDELITY, MM_THROTTLE>(in0, in1, transpose)));
}

// Prepare all three cores for matmul.
[[gnu::always_inline]] inline void mm_init(uint32_t in0, uint32_t in1, uint32_t out,
                                           uint32_t transpose = 0) {
    mm_init_short(in0, in1, transpose);
    PACK((llk_pack_init(out)));
}

// Tile `dst_index` of Dst += tile `index0` of in0 × tile `index1` of in1.
[[gnu::always_inline]] inline void matmul_tiles(uint32_t in0, uint32_t in1, uint32_t index0,
                                                uint32_t index1, uint32_t dst_index) {
    UNPACK((llk_unpack_AB_matmul(in0, in1, index0, index1)));
    MATH((llk_math_matmul<MATH_FIDELITY, MM_THROTTLE>(dst_index)));
}

// Prepare all three cores for matmul_block. `ct_dim`, `rt_dim`: columns and rows of the block, in
// tiles.
[[gnu::always_inline]] inline void mm_block_init(uint32_t in0, uint32_t in1, uint32_t out,
                                                 uint32_t transpose = 0, uint32_t ct_dim = 1,
                                                 uint32_t rt_dim = 1, uint32_t kt_dim = 1) {
    UNPACK((llk_unpack_AB_matmul_init(in0, in1, transpose, ct_dim * rt_dim > 1)));
    MATH((llk_math_matmul_init<MATH_FIDELITY, MM_THROTTLE>(in0, in1, transpose, ct_dim, rt_dim)));
    PACK((llk_pack_init(out)));
}

#if defined(TRISC_MATH) && defined(ARCH_BLACKHOLE)
namespace tilelab {

inline bool mop_is_throttled;

// Firmware asks for less power by an odd number in L1: then the MOP is that of MM_THROTTLE_MAX.
[[gnu::always_inline]] inline void matmul_block_as_firmware_says(uint32_t in0, uint32_t in1,
                                                                 uint32_t dst_index,
                                                                 uint32_t transpose,
                                                                 uint32_t ct_dim,
                                                                 uint32_t rt_dim) {
    see_other_writers();
    const bool throttle = load_blocking(MEM_L1_ARC_FW_SCRATCH) & 1;
    if (throttle != mop_is_throttled) {
        mop_is_throttled = throttle;
        if (throttle)
            _llk_math_matmul_init_<MATH_FIDELITY, MM_THROTTLE_MAX>(32, 32, 32, 32, false, transpose,
                                                                   ct_dim, rt_dim);
        else
            _llk_math_matmul_init_<MATH_FIDELITY, MM_THROTTLE>(32, 32, 32, 32, false, transpose,
                                                               ct_dim, rt_dim);
    }
    if (throttle)
        llk_math_matmul<MATH_FIDELITY, MM_THROTTLE_MAX>(dst_index, ct_dim, rt_dim);
    else
        llk_math_matmul<MATH_FIDELITY, MM_THROTTLE>(dst_index, ct_dim, rt_dim);
}

}  // namespace tilelab
#endif

// A block of `rt_dim` × `ct_dim` tiles of Dst += the tiles of in0 at index0, `kt_dim` apart, × the
// tiles of in1 at index1, one after the other. Each tile is unpacked once for two rows.
[[gnu::always_inline]] inline void matmul_block(uint32_t in0, uint32_t in1, uint32_t index0,
                                                uint32_t index1, uint32_t dst_index,
                                                uint32_t transpose, uint32_t ct_dim,
                                                uint32_t rt_dim, uint32_t kt_dim) {
    UNPACK((llk_unpack_AB_matmul(in0, in1, index0, index1, ct_dim, rt_dim, kt_dim)));
#ifdef ARCH_BLACKHOLE
    MATH((tilelab::matmul_block_as_firmware_says(in0, in1, dst_index, transpose, ct_dim, rt_dim)));
#else
    MATH((llk_math_matmul<MATH_FIDELITY, MM_THROTTLE>(dst_index, ct_dim, rt_dim)));
#endif
}

// Element-wise functions. X is add, sub or mul; the product runs at MATH_FIDELITY.
//   X_tiles_init(in0, in1, out)               prepares all three cores; without `out`, all but packing
//   X_tiles(in0, in1, i0, i1, dst)            tile dst of Dst = tile i0 of in0 op tile i1 of in1
//   X_tiles_bcast<BroadcastType::ROW>(…)      the same with row 0 of in1's tile for each row (COL: its
//                                             column 0, SCALAR: its first datum); also X_tiles_bcast_rows,
//                                             _cols, _scalar; prepared by init_bcast<Type, Broadcast>
//                                             or X_bcast_rows_init_short, _cols_, _scalar_
// With `added`, results are added to what Dst has.
template <EltwiseBinaryType Type, BroadcastType Broadcast>
[[gnu::always_inline]] inline void init_bcast_added(uint32_t in0, uint32_t in1, bool added) {
    UNPACK((llk_unpack_AB_init<Broadcast>(in0, in1)));
    MATH((llk_math_eltwise_binary_init<Type, Broadcast, MATH_FIDELITY>(in0, in1, added)));
    MATH(tilelab::products_added = added);
}
template <EltwiseBinaryType Type, BroadcastType Broadcast>
[[gnu::always_inline]] inline void init_bcast(uint32_t in0, uint32_t in1) {
    init_bcast_added<Type, Broadcast>(in0, in1, false);
}
template <EltwiseBinaryType Type, BroadcastType Broadcast>
[[gnu::always_inline]] inline void init_bcast(uint32_t in0, uint32_t in1, uint32_t out) {
    init_bcast<Type, Broadcast>(in0, in1);
    PACK((llk_pack_init(out)));
}

template <EltwiseBinaryType Type>
[[gnu::always_inline]] inline void binary_tiles(uint32_t in0, uint32_t in1, uint32_t index0,
                                                uint32_t index1, uint32_t dst_index) {
    UNPACK((llk_unpack_AB(in0, in1, index0, index1)));
    if constexpr (Type == EltwiseBinaryType::ELWMUL) {
        MATH(if (!tilelab::products_added) llk_math_clear_tile(dst_index));
    }
    MATH((llk_math_run_faces(dst_index)));
}

#define TILELAB_BINARY(name, type)                                                                 \
    [[gnu::always_inline]] inline void name##_tiles_init(uint32_t in0, uint32_t in1) {             \
        init_bcast<EltwiseBinaryType::type, BroadcastType::NONE>(in0, in1);                        \
    }                                                                                              \
    [[gnu::always_inline]] inline void name##_tiles_init(uint32_t in0, uint32_t in1,               \
                                                         uint32_t out) {                           \
        init_bcast<EltwiseBinaryType::type, BroadcastType::NONE>(in0, in1, out);                   \
    }                                                                                              \
    template <typename Added>                                                                      \
        requires(__is_same(Added, bool))                                                           \
    [[gnu::always_inline]] inline void name##_tiles_init(uint32_t in0, uint32_t in1,               \
                                                         Added added) {                            \
        init_bcast_added<EltwiseBinaryType::type, BroadcastType::NONE>(in0, in1, added);           \
    }                                                                                              \
    [[gnu::always_inline]] inline void name##_tiles(uint32_t in0, uint32_t in1, uint32_t index0,   \
                                                    uint32_t index1, uint32_t dst_index) {         \
        binary_tiles<EltwiseBinaryType::type>(in0, in1, index0, index1, dst_index);                \
    }                                                                                              \
    template <BroadcastType Broadcast>                                                             \
    [[gnu::always_inline]] inline void name##_tiles_bcast(uint32_t in0, uint32_t in1,              \
                                                          uint32_t index0, uint32_t index1,        \
                                                          uint32_t dst_index) {                    \
        binary_tiles<EltwiseBinaryType::type>(in0, in1, index0, index1, dst_index);                \
    }                                                                                              \
    TILELAB_BROADCAST(name, type, rows, ROW)                                                       \
    TILELAB_BROADCAST(name, type, cols, COL)                                                       \
    TILELAB_BROADCAST(name, type, scalar, SCALAR)
#define TILELAB_BROADCAST(name, type, what, broadcast)                                             \
    [[gnu::always_inline]] inline void name##_bcast_##what##_init_short(uint32_t in0,              \
                                                                        uint32_t in1) {            \
        init_bcast<EltwiseBinaryType::type, BroadcastType::broadcast>(in0, in1);                   \
    }                                                                                              \
    [[gnu::always_inline]] inline void name##_tiles_bcast_##what(                                  \
        uint32_t in0, uint32_t in1, uint32_t index0, uint32_t index1, uint32_t dst_index) {        \
        binary_tiles<EltwiseBinaryType::type>(in0, in1, index0, index1, dst_index);                \
    }
TILELAB_BINARY(add, ELWADD)
TILELAB_BINARY(sub, ELWSUB)
TILELAB_BINARY(mul, ELWMUL)
#undef TILELAB_BINARY
#undef TILELAB_BROADCAST

// Prepare for packing into `out`, and for what comes first anyway.
[[gnu::always_inline]] inline void binary_op_init_common(uint32_t in0, uint32_t in1, uint32_t out) {
    add_tiles_init(in0, in1, out);
}

// Prepare all three cores for copying; without `out`, all but packing.
[[gnu::always_inline]] inline void copy_tile_to_dst_init_short(uint32_t in) {
    UNPACK((llk_unpack_A_init(in)));
    MATH((llk_math_datacopy_init(in)));
}
[[gnu::always_inline]] inline void copy_tile_init(uint32_t in) { copy_tile_to_dst_init_short(in); }
[[gnu::always_inline]] inline void copy_tile_init(uint32_t in, uint32_t out) {
    copy_tile_to_dst_init_short(in);
    PACK((llk_pack_init(out)));
}

// Tile `dst_index` of Dst = tile `index` of in.
[[gnu::always_inline]] inline void copy_tile(uint32_t in, uint32_t index, uint32_t dst_index) {
    UNPACK((llk_unpack_A(in, index, dst_index)));
    MATH((llk_math_datacopy(in, dst_index)));
}

// Rows into tiles. `in` holds blocks of 32 rows, row by row, `columns` tiles wide, and counts each as
// that many tiles. tilize_block takes one block into `columns` tiles of out; who calls it waits for the
// block, reserves room, and pops and pushes afterwards.
[[gnu::always_inline]] inline void tilize_init(uint32_t in, uint32_t columns, uint32_t out) {
    UNPACK((llk_unpack_tilize_init(in, columns)));
    MATH((llk_math_copy_src_a_init(in)));
    PACK((llk_pack_init(out)));
}
[[gnu::always_inline]] inline void tilize_block(uint32_t in, uint32_t columns, uint32_t out) {
    for (uint32_t column = 0; column < columns; ++column) {
        tile_regs_acquire();
        UNPACK((llk_unpack_tilize(in, column)));
        MATH((llk_math_run_faces(0)));
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, out);
        tile_regs_release();
    }
}
[[gnu::always_inline]] inline void tilize_uninit(uint32_t, uint32_t) {}
[[gnu::always_inline]] inline void tilize_init_short_with_dt(uint32_t, uint32_t in,
                                                             uint32_t columns, uint32_t out) {
    tilize_init(in, columns, out);
}
// The vendor's quicker way of the same; parts of a block are possible here.
[[gnu::always_inline]] inline void fast_tilize_init(uint32_t in, uint32_t columns, uint32_t out) {
    tilize_init(in, columns, out);
}
[[gnu::always_inline]] inline void fast_tilize_init_with_dt(uint32_t in, uint32_t columns,
                                                            uint32_t out) {
    tilize_init(in, columns, out);
}
[[gnu::always_inline]] inline void fast_tilize_block(uint32_t in, uint32_t columns, uint32_t out,
                                                     uint32_t first = 0, uint32_t packed = 0) {
    for (uint32_t column = 0; column < columns; ++column) {
        tile_regs_acquire();
        UNPACK((llk_unpack_tilize(in, first + column)));
        MATH((llk_math_run_faces(0)));
        tile_regs_commit();
        tile_regs_wait();
        pack_tile<true>(0, out, packed + column);
        tile_regs_release();
    }
}
[[gnu::always_inline]] inline void fast_tilize_uninit(uint32_t, uint32_t, uint32_t) {}

// Tiles into rows, the other way round: untilize_block makes of `columns` tiles of in a block of 32
// rows in out. Whoever packs tiles afterwards prepares for that with an init that names `out`.
[[gnu::always_inline]] inline void untilize_init(uint32_t in, uint32_t out) {
    copy_tile_to_dst_init_short(in);
    PACK((llk_pack_untilize_init(out)));
}
[[gnu::always_inline]] inline void untilize_block(uint32_t in, uint32_t columns, uint32_t out) {
    for (uint32_t column = 0; column < columns; ++column) {
        tile_regs_acquire();
        copy_tile(in, column, 0);
        tile_regs_commit();
        tile_regs_wait();
        PACK((llk_pack_untilize(0, out, column, columns)));
        tile_regs_release();
    }
}
[[gnu::always_inline]] inline void untilize_uninit(uint32_t) {}

// Tile `dst_index` of Dst = tile `index` of in with rows and columns exchanged.
[[gnu::always_inline]] inline void transpose_wh_init(uint32_t in, uint32_t out) {
    UNPACK((llk_unpack_A_transposed_init(in)));
    MATH((llk_math_copy_src_a_init(in)));
    PACK((llk_pack_init(out)));
}
[[gnu::always_inline]] inline void transpose_wh_init_short(uint32_t in) {
    UNPACK((llk_unpack_A_transposed_init(in)));
    MATH((llk_math_copy_src_a_init(in)));
}
[[gnu::always_inline]] inline void transpose_wh_tile(uint32_t in, uint32_t index,
                                                     uint32_t dst_index) {
    UNPACK((llk_unpack_A_transposed(in, index)));
    MATH((llk_math_run_faces(dst_index)));
}

// Reductions. Row 0 of the scaler's face 0 is what a sum is multiplied by: 1, or 1/n for a mean; for
// MAX it is 1. The result is column 0 (REDUCE_ROW), row 0 (REDUCE_COL) or the first datum
// (REDUCE_SCALAR, which multiplies by the scaler twice) of tile `dst_index`, and is added to or
// compared with what that has there; what else MAX and REDUCE_SCALAR leave in the tile means nothing.
template <PoolType Type, ReduceDim Dim>
[[gnu::always_inline]] inline void reduce_init(uint32_t in, uint32_t scaler) {
    static_assert(Type != PoolType::MIN, "reductions are SUM, AVG and MAX");
    UNPACK((llk_unpack_reduce_init<Type, Dim>(in, scaler)));
    MATH((llk_math_reduce_init<Type, Dim, MATH_FIDELITY>(in, scaler)));
}
template <PoolType Type, ReduceDim Dim>
[[gnu::always_inline]] inline void reduce_init(uint32_t in, uint32_t scaler, uint32_t out) {
    reduce_init<Type, Dim>(in, scaler);
    PACK((llk_pack_init(out)));
}
template <PoolType Type, ReduceDim Dim>
[[gnu::always_inline]] inline void reduce_tile(uint32_t in, uint32_t scaler, uint32_t index,
                                               uint32_t index_scaler, uint32_t dst_index) {
    static_assert(Type != PoolType::MIN, "reductions are SUM, AVG and MAX");
    UNPACK((llk_unpack_reduce<Type, Dim>(in, scaler, index, index_scaler)));
    MATH((llk_math_reduce<Type, Dim, MATH_FIDELITY>(dst_index)));
}
[[gnu::always_inline]] inline void reduce_uninit() {}

// Other names of the vendor's for the same: newer ones, then older ones. What compute_kernel_hw_startup
// sets up for all that follows, an …_init here sets up itself; but for packing.
enum class SrcOrder { Regular, Reverse };
template <SrcOrder = SrcOrder::Regular>
[[gnu::always_inline]] inline void compute_kernel_hw_startup(uint32_t, uint32_t, uint32_t out) {
    PACK((llk_pack_init(out)));
}
template <SrcOrder = SrcOrder::Regular>
[[gnu::always_inline]] inline void compute_kernel_hw_startup(uint32_t, uint32_t out) {
    PACK((llk_pack_init(out)));
}
[[gnu::always_inline]] inline void matmul_init(uint32_t in0, uint32_t in1, uint32_t transpose = 0) {
    mm_init_short(in0, in1, transpose);
}
template <auto...>
[[gnu::always_inline]] inline void copy_init(uint32_t in, uint32_t transpose = 0, uint32_t = 0,
                                             uint32_t = 0) {
    if (transpose) return transpose_wh_init_short(in);
    copy_tile_to_dst_init_short(in);
}
[[gnu::always_inline]] inline void unary_op_init_common(uint32_t in, uint32_t out) {
    copy_tile_init(in, out);
}
[[gnu::always_inline]] inline void init_sfpu(uint32_t in, uint32_t out) { copy_tile_init(in, out); }
[[gnu::always_inline]] inline void acquire_dst() {
    tile_regs_acquire();
    tile_regs_wait();
}
[[gnu::always_inline]] inline void release_dst() {
    tile_regs_commit();
    tile_regs_release();
}

// A kernel is MAIN in NAMESPACE, or kernel_main.
namespace NAMESPACE {
void MAIN;
}
#define kernel_main() NAMESPACE::MAIN

#include <tilelab/arguments.h>
#include <tilelab/newer.h>
