// check config-under-math
// stands for tt-llk#1683: a flag of the matrix unit is set behind its words, with no wait
// tiles 2
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_a = tt::CBIndex::c_0, cb_b = tt::CBIndex::c_1, cb_out = tt::CBIndex::c_16;
    add_tiles_init(cb_a, cb_b, cb_out);
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        cb_wait_front(cb_a, 1);
        cb_wait_front(cb_b, 1);
        add_tiles(cb_a, cb_b, 0, 0, 0);  // other
#ifdef TRISC_MATH
+         TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::MATH | p_stall::WAIT_SFPU);
        cfg_write<cfg::ALU_ACC_CTRL_Zero_Flag_disabled_src>(i == 0);  // this
#endif
        cb_pop_front(cb_a, 1);
        cb_pop_front(cb_b, 1);
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(cb_out, 1);
        pack_tile(0, cb_out);
        cb_push_back(cb_out, 1);
        tile_regs_release();
    }
}
}  // namespace NAMESPACE
