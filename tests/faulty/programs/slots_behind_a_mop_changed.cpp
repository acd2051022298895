// check replay-clobbered
// stands for tt-llk#1643: slots that two operations share
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_a = tt::CBIndex::c_0, cb_b = tt::CBIndex::c_1, cb_out = tt::CBIndex::c_16;
    add_tiles_init(cb_a, cb_b, cb_out);
#ifdef TRISC_PACK
    lltt::record(16, 2);
    TTI_NOP;
    TTI_DMANOP;
    ckernel::ckernel_template(1, 2, lltt::replay_insn(16, 2)).program();
    TTI_MOP(1, 0, 0);
    lltt::record(16, 2);
    TTI_DMANOP;  // other
    TTI_DMANOP;
+     ckernel::ckernel_template(1, 2, lltt::replay_insn(16, 2)).program();
    TTI_MOP(1, 0, 0);  // this
    tilelab::program_pack_tile();
#endif
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        cb_wait_front(cb_a, 1);
        cb_wait_front(cb_b, 1);
        add_tiles(cb_a, cb_b, 0, 0, 0);
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
