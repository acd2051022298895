// check race-dst
// stands for tt-metal#6875: the half is given back before the packer is through with it
// tiles 4
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_a = tt::CBIndex::c_0, cb_out = tt::CBIndex::c_16;
    copy_tile_init(cb_a, cb_out);
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        cb_wait_front(cb_a, 1);
        copy_tile(cb_a, 0, 0);  // this
        cb_pop_front(cb_a, 1);
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(cb_out, 1);
        pack_tile(0, cb_out);  // other
#ifdef TRISC_PACK
+         TTI_STALLWAIT(p_stall::STALL_MATH | p_stall::STALL_SYNC, p_stall::PACK);
        TTI_SEMGET(semaphore::t6_sem(semaphore::MATH_PACK));
        tilelab::pack_half ^= 1;
        tilelab::select_half();
#endif
        cb_push_back(cb_out, 1);
    }
}
}  // namespace NAMESPACE
