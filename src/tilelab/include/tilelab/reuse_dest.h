// Element-wise functions one of whose operands is a tile of Dst, which takes the result.
//   X_reuse_dest_init<EltwiseBinaryReuseDestType::DEST_TO_SRCA>(in)
//   X_reuse_dest_tiles<EltwiseBinaryReuseDestType::DEST_TO_SRCA>(in, index, dst)
// DEST_TO_SRCA: Dst op in. DEST_TO_SRCB: in op Dst. Also binary_reuse_dest_… with the type, and the older
// binary_dest_reuse_tiles.
#pragma once

#include <tilelab/compute_kernel.h>

enum class EltwiseBinaryReuseDestType { NONE = 0, DEST_TO_SRCA = 1, DEST_TO_SRCB = 2 };
namespace ckernel {
using ::EltwiseBinaryReuseDestType;
}

namespace tilelab {

#ifdef TRISC_MATH
template <EltwiseBinaryType Type>
[[gnu::always_inline]] inline void half_face(uint32_t mod) {
    if constexpr (Type == EltwiseBinaryType::ELWADD)
        issue_either(TT_OP_ELWADD(0, 0, 0, mod, 0));
    else if constexpr (Type == EltwiseBinaryType::ELWSUB)
        issue_either(TT_OP_ELWSUB(0, 0, 0, mod, 0));
    else
        issue_either(TT_OP_ELWMUL(0, 0, 0, mod, 0));
}

// Face by face: once both banks are there, sixteen rows of Dst into one of them, four at a time, then
// the function as llk_math_eltwise_binary_init has prepared its address modifiers. A product adds to
// Dst, so the face is cleared in between.
template <EltwiseBinaryType Type, EltwiseBinaryReuseDestType Reuse, MathFidelity Fidelity>
[[gnu::always_inline]] inline void math_reuse_dest(uint32_t dst_index) {
    constexpr bool product = Type == EltwiseBinaryType::ELWMUL;
    constexpr uint32_t runs = product ? phases(Fidelity) : 1;
    for (uint32_t face = 0; face < FACES; ++face) {
        math::set_dst_write_addr<DstTileShape::Tile32x32, UnpackDestination::SrcRegs>(dst_index);
        TTI_STALLWAIT(p_stall::STALL_MATH, p_stall::SRCA_VLD | p_stall::SRCB_VLD);
#pragma GCC unroll 4
        for (uint32_t row = 0; row < 16; row += 4) {
            if constexpr (Reuse == EltwiseBinaryReuseDestType::DEST_TO_SRCA)
                TT_MOVD2A(0, row, ADDR_MOD_3, p_movd2a::MOV_4_ROWS, row);
            else
                TT_MOVD2B(0, row, ADDR_MOD_3, p_movd2b::MOV_4_ROWS, row);
        }
        if constexpr (product) {
            llk_math_clear_face(dst_index, face);
            math::set_dst_write_addr<DstTileShape::Tile32x32, UnpackDestination::SrcRegs>(dst_index);
        }
#pragma GCC unroll 4
        for (uint32_t run = 1; run <= runs; ++run) {
            half_face<Type>(ADDR_MOD_0);
            half_face<Type>(run == runs ? ADDR_MOD_2 : ADDR_MOD_1);
        }
        TTI_SETRWC(p_setrwc::CLR_AB, p_setrwc::CR_AB, 0, 0, 0, p_setrwc::SET_AB);
    }
    TTI_SETRWC(p_setrwc::CLR_NONE, 0, 0, 0, 0, p_setrwc::SET_D);
}
#endif

}  // namespace tilelab

template <EltwiseBinaryType Type, EltwiseBinaryReuseDestType Reuse>
[[gnu::always_inline]] inline void binary_reuse_dest_init(uint32_t in) {
    static_assert(Reuse != EltwiseBinaryReuseDestType::NONE, "DEST_TO_SRCA or DEST_TO_SRCB");
    if constexpr (Reuse == EltwiseBinaryReuseDestType::DEST_TO_SRCA)
        UNPACK((llk_unpack_bcast_init(in)));
    else
        UNPACK((llk_unpack_A_init(in)));
    MATH((llk_math_eltwise_binary_init<Type, BroadcastType::NONE, MATH_FIDELITY>(in, in)));
}
template <EltwiseBinaryType Type, EltwiseBinaryReuseDestType Reuse>
[[gnu::always_inline]] inline void binary_reuse_dest_tiles(uint32_t in, uint32_t index,
                                                           uint32_t dst_index) {
    if constexpr (Reuse == EltwiseBinaryReuseDestType::DEST_TO_SRCA)
        UNPACK((llk_unpack_bcast<BroadcastType::NONE>(in, index)));
    else
        UNPACK((llk_unpack_A(in, index)));
    MATH((tilelab::math_reuse_dest<Type, Reuse, MATH_FIDELITY>(dst_index)));
}
template <EltwiseBinaryType Type, EltwiseBinaryReuseDestType Reuse>
[[gnu::always_inline]] inline void binary_dest_reuse_tiles_init(uint32_t in) {
    binary_reuse_dest_init<Type, Reuse>(in);
}
template <EltwiseBinaryType Type, EltwiseBinaryReuseDestType Reuse>
[[gnu::always_inline]] inline void binary_dest_reuse_tiles(uint32_t in, uint32_t index,
                                                           uint32_t dst_index) {
    binary_reuse_dest_tiles<Type, Reuse>(in, index, dst_index);
}

#define TILELAB_REUSE(name, type)                                                                  \
    template <EltwiseBinaryReuseDestType Reuse>                                                    \
    [[gnu::always_inline]] inline void name##_reuse_dest_init(uint32_t in) {                       \
        binary_reuse_dest_init<EltwiseBinaryType::type, Reuse>(in);                                \
    }                                                                                              \
    template <EltwiseBinaryReuseDestType Reuse>                                                    \
    [[gnu::always_inline]] inline void name##_reuse_dest_tiles(uint32_t in, uint32_t index,        \
                                                               uint32_t dst_index) {               \
        binary_reuse_dest_tiles<EltwiseBinaryType::type, Reuse>(in, index, dst_index);             \
    }
TILELAB_REUSE(add, ELWADD)
TILELAB_REUSE(sub, ELWSUB)
TILELAB_REUSE(mul, ELWMUL)
#undef TILELAB_REUSE
