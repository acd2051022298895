// check race-dst
// stands for tt-metal#6875: the core posts MATH_PACK while its thread still computes
// arch wormhole
// tiles 2
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_in = tt::CBIndex::c_0, cb_b = tt::CBIndex::c_1, cb_out = tt::CBIndex::c_16;
    copy_tile_init(cb_in, cb_out);
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        cb_wait_front(cb_in, 1);
        copy_tile(cb_in, 0, 0);  // other
        cb_pop_front(cb_in, 1);
#ifdef TRISC_MATH
+         tensix_sync();
        semaphore_post(semaphore::MATH_PACK);
        tilelab::math_half ^= 1;
        TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::MATH | p_stall::SFPU1);
        TT_SETC16(cfg::DEST_TARGET_REG_CFG_MATH_Offset.word, tilelab::math_half * tilelab::DST_HALF_ROWS);
#endif
        tile_regs_wait();
        cb_reserve_back(cb_out, 1);
        pack_tile(0, cb_out);  // this
        cb_push_back(cb_out, 1);
        tile_regs_release();
    }
}
}  // namespace NAMESPACE
