// The vector functions that tt-metal's programming examples have beside their kernels: a face each.
#pragma once

#include <tilelab/sfpu_calls.h>

namespace ckernel::sfpu {

[[gnu::always_inline]] inline void my_add_tile_face(uint32_t in0, uint32_t in1, uint32_t out) {
    const auto at = [](uint32_t tile, int i) { return sfpi::dst_reg[tile * tilelab::VECTORS_OF_TILE + i]; };
#pragma GCC unroll 8
    for (int i = 0; i < tilelab::VECTORS_OF_FACE; ++i)
        at(out, i) = sfpi::vFloat(at(in0, i)) + sfpi::vFloat(at(in1, i));
}

// 3t² − 2t³ of t = (x − edge0) · inv_delta, held between 0 and 1.
[[gnu::always_inline]] inline void smoothstep_tile_face(float edge0, float, float inv_delta) {
#pragma GCC unroll 8
    for (int i = 0; i < tilelab::VECTORS_OF_FACE; ++i) {
        sfpi::vFloat t = (sfpi::vFloat(sfpi::dst_reg[i]) - edge0) * inv_delta;
        v_if(t < 0.0f) { t = 0.0f; }
        v_elseif(t > 1.0f) { t = 1.0f; }
        v_endif;
        sfpi::dst_reg[i] = t * t * (3.0f - 2.0f * t);
    }
}

}  // namespace ckernel::sfpu
