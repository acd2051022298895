// check race-dst
// also wait-forgotten
// stands for tt-llk PR#1231: the vector unit is not held while a tile is unpacked to Dst
// tiles 2
// build fp32_dest_acc_en = true
// formats c_0=int32 c_1=int32 c_16=int32
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_in = tt::CBIndex::c_0, cb_b = tt::CBIndex::c_1, cb_out = tt::CBIndex::c_16;
    copy_tile_init(cb_in, cb_out);
#ifdef TRISC_MATH
    addr_mod_t{}.set(ADDR_MOD_7);
    TTI_SETRWC(p_setrwc::CLR_NONE, 0, 0, 0, 0, p_setrwc::SET_ABD_F);
#endif
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        cb_wait_front(cb_in, 1);
#ifdef TRISC_MATH
        constexpr uint32_t ready = semaphore::t6_sem(semaphore::UNPACK_TO_DEST);
        TTI_STALLWAIT(p_stall::STALL_SYNC, p_stall::MATH | p_stall::WAIT_SFPU);
        TTI_SEMPOST(ready);
-         TTI_SEMWAIT(p_stall::STALL_MATH, ready, p_stall::STALL_ON_MAX);
+         TTI_SEMWAIT(p_stall::STALL_MATH | p_stall::STALL_SFPU | p_stall::STALL_SYNC, ready, p_stall::STALL_ON_MAX);
        TTI_SFPLOAD(0, 4, ADDR_MOD_7, 0);
        TTI_SFPSTORE(0, 4, ADDR_MOD_7, 0);  // other
-         TTI_SEMWAIT(p_stall::STALL_MATH | p_stall::STALL_SFPU | p_stall::STALL_SYNC, ready, p_stall::STALL_ON_MAX);
#else
        copy_tile(cb_in, 0, 0);  // this
#endif
        cb_pop_front(cb_in, 1);
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(cb_out, 1);
        pack_tile(0, cb_out);
        cb_push_back(cb_out, 1);
        tile_regs_release();
    }
}
}  // namespace NAMESPACE
