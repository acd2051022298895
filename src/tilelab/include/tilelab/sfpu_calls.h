// A vector function of one's own on tiles in Dst, called as the vendor's kernels call theirs: once a
// face of eight vectors, with dst_reg[0] at the face's first. Of two tiles, the function gets their
// numbers and that of the result, and adds what lies between them itself.
#pragma once

#include <stddef.h>
#include <tilelab/vector.h>

namespace tilelab {
constexpr int VECTORS_OF_FACE = 16 * 16 / 32;

// Each face that the mode names: all, the upper two, the left two, or one call for the whole tile.
template <typename Function, typename... Args>
[[gnu::always_inline]] inline void each_face(uint32_t dst_index, VectorMode mode,
                                             Function&& function, const Args&... args) {
    vectors_of_tile(dst_index, [&] {
        const bool all = mode == VectorMode::RC, left = mode == VectorMode::C;
        if (!all && !left && mode != VectorMode::R) return function(args...);
        const uint32_t faces = mode == VectorMode::R ? 2 : 4;
        for (uint32_t face = 0; face < faces; ++face) {
            if (!left || face % 2 == 0) function(args...);
            sfpi::dst_reg += VECTORS_OF_FACE;
        }
    });
}
}  // namespace tilelab

#ifdef TRISC_MATH
template <typename Function, typename... Args>
[[gnu::always_inline]] inline void _llk_math_eltwise_unary_sfpu_params_(
    Function&& function, uint32_t dst_index, VectorMode mode = VectorMode::RC,
    const Args&... args) {
    tilelab::each_face(dst_index, mode, function, args...);
}
template <typename Function, typename... Args>
[[gnu::always_inline]] inline void _llk_math_eltwise_binary_sfpu_params_(
    Function&& function, uint32_t in0, uint32_t in1, uint32_t out,
    VectorMode mode = VectorMode::RC, const Args&... args) {
    tilelab::each_face(0, mode, function, in0, in1, out, args...);
}
// Older kernels say first whether to approximate, which is the function's own business.
template <bool, typename Function, typename... Args>
[[gnu::always_inline]] inline void _llk_math_eltwise_unary_sfpu_params_(Function&& function,
                                                                        const Args&... args) {
    _llk_math_eltwise_unary_sfpu_params_(function, args...);
}
template <bool, typename Function, typename... Args>
[[gnu::always_inline]] inline void _llk_math_eltwise_binary_sfpu_params_(Function&& function,
                                                                         const Args&... args) {
    _llk_math_eltwise_binary_sfpu_params_(function, args...);
}
#endif

#define TILELAB_UNWRAPPED(...) __VA_ARGS__
#define SFPU_UNARY_CALL(sync, accumulate, function, templates, ...)                                \
    _llk_math_eltwise_unary_sfpu_params_(                                                          \
        ::ckernel::sfpu::function<TILELAB_UNWRAPPED templates>, __VA_ARGS__)
#define SFPU_UNARY_CALL_NO_TEMPLATE_ARGS(sync, accumulate, function, ...)                          \
    _llk_math_eltwise_unary_sfpu_params_(::ckernel::sfpu::function, __VA_ARGS__)
#define SFPU_BINARY_CALL(sync, accumulate, function, templates, ...)                               \
    _llk_math_eltwise_binary_sfpu_params_(                                                         \
        ::ckernel::sfpu::function<TILELAB_UNWRAPPED templates>, __VA_ARGS__)
#define SFPU_BINARY_CALL_NO_TEMPLATE_ARGS(sync, accumulate, function, ...)                         \
    _llk_math_eltwise_binary_sfpu_params_(::ckernel::sfpu::function, __VA_ARGS__)
