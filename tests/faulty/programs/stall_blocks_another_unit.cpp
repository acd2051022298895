// check race-dst
// stands for tt-metal#53823: the wait before the post blocks the unpackers, not the post
// tiles 4
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_a = tt::CBIndex::c_0, cb_out = tt::CBIndex::c_16;
    copy_tile_init(cb_a, cb_out);
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        cb_wait_front(cb_a, 1);
        copy_tile(cb_a, 0, 0);  // other
        cb_pop_front(cb_a, 1);
#ifdef TRISC_MATH
-         TTI_STALLWAIT(p_stall::STALL_UNPACK, p_stall::MATH);
+         TTI_STALLWAIT(p_stall::STALL_SYNC, p_stall::MATH);
        TTI_SEMPOST(semaphore::t6_sem(semaphore::MATH_PACK));
        tilelab::math_half ^= 1;
        TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::MATH);
        TT_SETC16(cfg::DEST_TARGET_REG_CFG_MATH_Offset.word, tilelab::math_half * 512);
#endif
        tile_regs_wait();
        cb_reserve_back(cb_out, 1);
        pack_tile(0, cb_out);  // this
        cb_push_back(cb_out, 1);
        tile_regs_release();
    }
}
}  // namespace NAMESPACE
