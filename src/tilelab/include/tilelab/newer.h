// Names that the compute API has got since: of what compute_kernel.h offers, and more.
#pragma once

#include <algorithm>
#include <array>

#include <tilelab/buffer_formats.h>
#include <tilelab/buffers.h>
#include <tilelab/compute_kernel.h>
#include <tilelab/reconfigure.h>

#define TILELAB_NEWER(name)                                                                        \
    [[gnu::always_inline]] inline void name##_init(uint32_t in0, uint32_t in1) {                   \
        name##_tiles_init(in0, in1);                                                               \
    }                                                                                              \
    [[gnu::always_inline]] inline void name##_init(uint32_t in0, uint32_t in1, bool added,         \
                                                   uint32_t = 0) {                                 \
        name##_tiles_init(in0, in1, added);                                                        \
    }                                                                                              \
    [[gnu::always_inline]] inline void name##_bcast_rows_init(uint32_t in0, uint32_t in1) {        \
        name##_bcast_rows_init_short(in0, in1);                                                    \
    }                                                                                              \
    [[gnu::always_inline]] inline void name##_bcast_cols_init(uint32_t in0, uint32_t in1) {        \
        name##_bcast_cols_init_short(in0, in1);                                                    \
    }                                                                                              \
    [[gnu::always_inline]] inline void name##_bcast_scalar_init(uint32_t in0, uint32_t in1) {      \
        name##_bcast_scalar_init_short(in0, in1);                                                  \
    }                                                                                              \
    [[gnu::always_inline]] inline void name##_block(uint32_t in0, uint32_t in1, uint32_t index0,   \
                                                    uint32_t index1, uint32_t dst_index,           \
                                                    uint32_t tiles) {                              \
        for (uint32_t i = 0; i < tiles; ++i)                                                       \
            name##_tiles(in0, in1, index0 + i, index1 + i, dst_index + i);                         \
    }
TILELAB_NEWER(add)
TILELAB_NEWER(sub)
TILELAB_NEWER(mul)
#undef TILELAB_NEWER

template <bool = true, EltwiseBinaryType Type = EltwiseBinaryType::ELWADD>
[[gnu::always_inline]] inline void binary_tiles_init(uint32_t in0, uint32_t in1) {
    init_bcast<Type, BroadcastType::NONE>(in0, in1);
}
template <bool = true, EltwiseBinaryType Type = EltwiseBinaryType::ELWADD>
[[gnu::always_inline]] inline void binary_tiles_init(uint32_t in0, uint32_t in1, bool added) {
    init_bcast_added<Type, BroadcastType::NONE>(in0, in1, added);
}
template <EltwiseBinaryType Type, BroadcastType Broadcast>
[[gnu::always_inline]] inline void bcast_init(uint32_t in0, uint32_t in1) {
    init_bcast<Type, Broadcast>(in0, in1);
}
template <EltwiseBinaryType Type, BroadcastType>
[[gnu::always_inline]] inline void any_tiles_bcast(uint32_t in0, uint32_t in1, uint32_t index0,
                                                   uint32_t index1, uint32_t dst_index) {
    binary_tiles<Type>(in0, in1, index0, index1, dst_index);
}

[[gnu::always_inline]] inline void matmul_tile(uint32_t in0, uint32_t in1, uint32_t index0,
                                               uint32_t index1, uint32_t dst_index, bool) {
    matmul_tiles(in0, in1, index0, index1, dst_index);
}
[[gnu::always_inline]] inline void matmul_block_init(uint32_t in0, uint32_t in1,
                                                     uint32_t transpose = 0, uint32_t ct_dim = 1,
                                                     uint32_t rt_dim = 1, uint32_t = 1) {
    UNPACK((llk_unpack_AB_matmul_init(in0, in1, transpose, ct_dim * rt_dim > 1)));
    MATH((llk_math_matmul_init<MATH_FIDELITY, MM_THROTTLE>(in0, in1, transpose, ct_dim, rt_dim)));
}
[[gnu::always_inline]] inline void mm_block_init_short(uint32_t in0, uint32_t in1,
                                                       uint32_t transpose = 0, uint32_t ct_dim = 1,
                                                       uint32_t rt_dim = 1, uint32_t kt_dim = 1) {
    matmul_block_init(in0, in1, transpose, ct_dim, rt_dim, kt_dim);
}

[[gnu::always_inline]] inline void transpose_init(uint32_t in) { transpose_wh_init_short(in); }
[[gnu::always_inline]] inline void transpose_tile(uint32_t in, uint32_t index, uint32_t dst_index) {
    transpose_wh_tile(in, index, dst_index);
}
[[gnu::always_inline]] inline void transpose_block(uint32_t in, uint32_t index, uint32_t dst_index,
                                                   uint32_t tiles) {
    for (uint32_t i = 0; i < tiles; ++i) transpose_wh_tile(in, index + i, dst_index + i);
}
[[gnu::always_inline]] inline void copy_block(uint32_t in, uint32_t index, uint32_t dst_index,
                                              uint32_t tiles) {
    for (uint32_t i = 0; i < tiles; ++i) copy_tile(in, index + i, dst_index + i);
}

[[gnu::always_inline]] inline void pack_init(uint32_t out) { PACK((llk_pack_init(out))); }
[[gnu::always_inline]] inline void pack_reconfig_data_format(uint32_t, uint32_t out) {
    pack_reconfig_data_format(out);
}
[[gnu::always_inline]] inline void pack_block(uint32_t dst_index, uint32_t out, uint32_t tiles) {
    for (uint32_t i = 0; i < tiles; ++i) pack_tile(dst_index + i, out);
}
[[gnu::always_inline]] inline void pack_tile_block(uint32_t dst_index, uint32_t out, uint32_t tiles) {
    pack_block(dst_index, out, tiles);
}

// A tile of `in` with its row 0 for each row, its column 0 for each column, or its first datum.
template <BroadcastType Broadcast>
[[gnu::always_inline]] inline void unary_bcast_init(uint32_t in) {
    if constexpr (Broadcast == BroadcastType::NONE) {
        copy_tile_to_dst_init_short(in);
    } else {
        UNPACK((llk_unpack_bcast_init(in)));
        MATH((llk_math_eltwise_binary_init<EltwiseBinaryType::ELWADD, Broadcast, MATH_FIDELITY>(in, in)));
    }
}
template <BroadcastType Broadcast>
[[gnu::always_inline]] inline void unary_bcast_init(uint32_t in, uint32_t out) {
    unary_bcast_init<Broadcast>(in);
    PACK((llk_pack_init(out)));
}
template <BroadcastType Broadcast>
[[gnu::always_inline]] inline void unary_bcast(uint32_t in, uint32_t index, uint32_t dst_index) {
    if constexpr (Broadcast == BroadcastType::NONE) {
        copy_tile(in, index, dst_index);
    } else {
        UNPACK((llk_unpack_bcast<Broadcast>(in, index)));
        MATH((llk_math_run_faces(dst_index)));
    }
}
template <BroadcastType = BroadcastType::NONE>
[[gnu::always_inline]] inline void unary_bcast_uninit(uint32_t) {}

// Tiles into blocks of 32 rows, by the packer: tiles of Dst, or tiles of `in` by way of Dst. A block is
// `full` tiles wide; `width` of them are packed at once, the block_index-th part.
template <uint32_t width = 8, uint32_t full = width, auto...>
[[gnu::always_inline]] inline void pack_untilize_dest_init(uint32_t out) {
    PACK((llk_pack_untilize_init(out)));
}
template <uint32_t width = 8, uint32_t full = width, auto...>
[[gnu::always_inline]] inline void pack_untilize_dest(uint32_t out, uint32_t rows = 1,
                                                      uint32_t block_index = 0) {
    for (uint32_t row = 0; row < rows; ++row)
        for (uint32_t i = 0; i < width; ++i)
            PACK((llk_pack_untilize(row * width + i, out, block_index * width + i, full)));
}
template <uint32_t width = 8, uint32_t full = width, auto...>
[[gnu::always_inline]] inline void pack_untilize_init(uint32_t in, uint32_t out) {
    copy_tile_to_dst_init_short(in);
    PACK((llk_pack_untilize_init(out)));
}
template <uint32_t width = 8, uint32_t full = width, auto...>
[[gnu::always_inline]] inline void pack_untilize_block(uint32_t in, uint32_t rows, uint32_t out,
                                                       uint32_t block_index = 0) {
    for (uint32_t row = 0; row < rows; ++row) {
        tile_regs_acquire();
        for (uint32_t i = 0; i < width; ++i) copy_tile(in, i, i);
        tile_regs_commit();
        tile_regs_wait();
        pack_untilize_dest<width, full>(out, 1, block_index);
        tile_regs_release();
    }
}
[[gnu::always_inline]] inline void pack_untilize_uninit(uint32_t out) { PACK((llk_pack_init(out))); }

// The vendor's quicker way of the same on Blackhole, a block of `full` tiles at once.
template <uint32_t full, auto...>
[[gnu::always_inline]] inline void fast_untilize_init(uint32_t in, uint32_t out) {
    pack_untilize_init<full>(in, out);
}
template <uint32_t full, auto...>
[[gnu::always_inline]] inline void fast_untilize_block(uint32_t in, uint32_t out,
                                                       uint32_t first = 0, uint32_t packed = 0) {
    constexpr uint32_t most = tilelab::TILES_OF_DST;
    for (uint32_t done = 0; done < full; done += most) {
        const uint32_t tiles = full - done < most ? full - done : most;
        tile_regs_acquire();
        for (uint32_t i = 0; i < tiles; ++i) copy_tile(in, first + done + i, i);
        tile_regs_commit();
        tile_regs_wait();
        for (uint32_t i = 0; i < tiles; ++i)
            PACK((llk_pack_untilize(i, out, packed + done + i, full)));
        tile_regs_release();
    }
}
template <uint32_t full, auto...>
[[gnu::always_inline]] inline void fast_untilize_uninit(uint32_t out) { pack_untilize_uninit(out); }

template <PoolType Type, ReduceDim Dim>
[[gnu::always_inline]] inline void reduce_block(uint32_t in, uint32_t scaler, uint32_t index,
                                                uint32_t index_scaler, uint32_t dst_index,
                                                uint32_t tiles) {
    for (uint32_t i = 0; i < tiles; ++i)
        reduce_tile<Type, Dim>(in, scaler, index + i, index_scaler, dst_index);
}
template <auto...>
[[gnu::always_inline]] inline void reduce_uninit(uint32_t) {}

// Formats of both sources; of a product of matrices, which has in1 in SrcA, in Reverse.
template <SrcOrder Order>
[[gnu::always_inline]] inline void reconfig_data_format(uint32_t a, uint32_t b) {
    constexpr bool other_way = Order == SrcOrder::Reverse;
    reconfig_data_format_srca(other_way ? b : a);
    reconfig_data_format_srcb(other_way ? a : b);
}
template <SrcOrder Order>
[[gnu::always_inline]] inline void reconfig_data_format(uint32_t, uint32_t a, uint32_t,
                                                        uint32_t b) {
    reconfig_data_format<Order>(a, b);
}

// Kernels name these with the vendor's namespace, too.
namespace ckernel {
using ::copy_init, ::copy_tile, ::pack_tile, ::tile_regs_acquire, ::tile_regs_commit,
    ::tile_regs_release, ::tile_regs_wait;
}  // namespace ckernel

#include <tilelab/llk_names.h>
#include <tilelab/reuse_dest.h>
