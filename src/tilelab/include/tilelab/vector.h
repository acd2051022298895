// The vector unit on a tile in Dst: what a kernel's math core does between copy_tile and commit.
//
//   vector_tile(0, [] { sfpi::dst_reg[0] = sfpi::vFloat(sfpi::dst_reg[0]) * 2.0f; });
#pragma once

#include <sfpi.h>
#include <tilelab/compute_kernel.h>

namespace tilelab {
constexpr int VECTORS_OF_TILE = 32 * 32 / 32;
}

// Run `body` for each vector of tile `dst_index`: dst_reg[0] is that vector.
template <typename Body>
[[gnu::always_inline]] inline void vector_tile(uint32_t dst_index, Body body) {
#ifdef TRISC_MATH
    math::set_dst_write_addr<DstTileShape::Tile32x32, UnpackDestination::SrcRegs>(dst_index);
    TTI_SETRWC(p_setrwc::CLR_NONE, 0, 0, 0, 0, p_setrwc::SET_D);
    TTI_STALLWAIT(p_stall::STALL_SFPU, p_stall::MATH);
    for (int i = 0; i < tilelab::VECTORS_OF_TILE; ++i) {
        body();
        sfpi::dst_reg++;
    }
    TTI_SETRWC(p_setrwc::CLR_NONE, 0, 0, 0, 0, p_setrwc::SET_D);
#endif
}
