// check mop-cfg-busy
// stands for tt-metal#19201: a hang bisected to what an unpack MOP contains
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_a = tt::CBIndex::c_0, cb_b = tt::CBIndex::c_1, cb_out = tt::CBIndex::c_16;
    add_tiles_init(cb_a, cb_b, cb_out);
#ifdef TRISC_MATH
    ckernel::ckernel_template(1, 100, TT_OP_NOP).program();
    TTI_MOP(1, 0, 0);  // other
+     mop_sync();
    *word_at(ckernel::TENSIX_MOP_CFG_BASE + 4) = 90;  // this
    tensix_sync();
    add_tiles_init(cb_a, cb_b, cb_out);
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
