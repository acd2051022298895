// Names of the vendor's low-level kernels that newer helpers call.
#pragma once

#include <tilelab/absent.h>
#include <tilelab/compute_kernel.h>

enum class p_dim_stride_target { IGNORE, FACE_ROW_MAJOR };
enum class PackMode : uint8_t { Default, Untilize, Tilize };

namespace ckernel {
template <DstSync, bool, DstTileShape Shape> constexpr uint32_t get_dest_max_tiles() {
    return tilelab::TILES_OF_DST << Shape;
}
}  // namespace ckernel

#ifdef TRISC_UNPACK
template <bool, p_dim_stride_target = p_dim_stride_target::IGNORE>
[[gnu::always_inline]] inline void llk_unpack_reconfig_data_format_srca(uint32_t, uint32_t in) {
    tilelab::unpack_format_a(in);
}
template <PoolType Type, ReduceDim Dim>
[[gnu::always_inline]] inline void llk_unpack_AB_reduce_init(uint32_t in, uint32_t scaler) {
    llk_unpack_reduce_init<Type, Dim>(in, scaler);
}
#elif defined(TRISC_MATH)
template <bool>
[[gnu::always_inline]] inline void llk_math_reconfig_data_format_srca(uint32_t, uint32_t in) {
    tilelab::math_format(in, false);
}
// Packers here read Dst's rows as they lie.
[[gnu::always_inline]] inline void llk_math_reconfig_remap(bool) {}
template <PoolType Type, ReduceDim Dim, bool, MathFidelity Fidelity>
[[gnu::always_inline]] inline void llk_math_reduce_init(uint32_t in, uint32_t scaler) {
    llk_math_reduce_init<Type, Dim, Fidelity>(in, scaler);
}
#else
TILELAB_ABSENT(llk_pack_reduce_mask_config)
TILELAB_ABSENT(llk_pack_reduce_mask_clear)
#endif
