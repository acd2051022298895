// The vector unit on a tile in Dst: what a kernel's math core does between copy_tile and commit.
//
//   vector_tile(0, [] { sfpi::dst_reg[0] = sfpi::vFloat(sfpi::dst_reg[0]) * 2.0f; });
#pragma once

#include <sfpi.h>
#include <tilelab/compute_kernel.h>

namespace tilelab {
constexpr int VECTORS_OF_TILE = 32 * 32 / 32;

// The vector unit's loads and stores name the last address modifier, ADDR_MOD_7, which moves
// nothing. Wormhole's instructions have two bits for it and mean it only with this base.
[[gnu::always_inline]] inline void upper_address_modifiers(bool on) {
#ifdef ARCH_WORMHOLE
    TTI_SETC16(cfg::ADDR_MOD_SET_Base.word, 0);
    if (on) TTI_SETC16(cfg::ADDR_MOD_SET_Base.word, 1);
#endif
}
}

namespace ckernel::sfpu {
// A parameter that is a number is given by its bits, as tt-metal does.
struct Converter {
    [[gnu::always_inline]] static inline float as_float(uint32_t bits) {
        return __builtin_bit_cast(float, bits);
    }
};
}

namespace tilelab {
// Run `body` while the vector unit's addresses count from tile `dst_index`.
template <typename Body>
[[gnu::always_inline]] inline void vectors_of_tile(uint32_t dst_index, Body body) {
#ifdef TRISC_MATH
    math::set_dst_write_addr<DstTileShape::Tile32x32, UnpackDestination::SrcRegs>(dst_index);
    TTI_SETRWC(p_setrwc::CLR_NONE, 0, 0, 0, 0, p_setrwc::SET_D);
    TTI_STALLWAIT(p_stall::STALL_SFPU, p_stall::MATH);
    upper_address_modifiers(true);
    body();
    upper_address_modifiers(false);
    TTI_SETRWC(p_setrwc::CLR_NONE, 0, 0, 0, 0, p_setrwc::SET_D);
    TTI_STALLWAIT(p_stall::STALL_MATH, p_stall::WAIT_SFPU);
#endif
}
}  // namespace tilelab

// Run `body` for each vector of tile `dst_index`: dst_reg[0] is that vector.
template <typename Body>
[[gnu::always_inline]] inline void vector_tile(uint32_t dst_index, Body body) {
#ifdef TRISC_MATH
    tilelab::vectors_of_tile(dst_index, [&] {
        for (int i = 0; i < tilelab::VECTORS_OF_TILE; ++i) {
            body();
            sfpi::dst_reg++;
        }
    });
#endif
}

namespace tilelab {
// A vector of tile `index`, while vector_tile(0, …) walks.
[[gnu::always_inline]] inline auto vector_of(uint32_t index) {
    return sfpi::dst_reg[index * VECTORS_OF_TILE];
}
}  // namespace tilelab
