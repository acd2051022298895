// check replay-of-old-mop
// stands for tt-metal PR#55501: a word's slot, not its line
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_a = tt::CBIndex::c_0, cb_b = tt::CBIndex::c_1, cb_out = tt::CBIndex::c_16;
    add_tiles_init(cb_a, cb_b, cb_out);
#ifdef TRISC_MATH
    for (volatile uint32_t round = 0; round < 2; round = round + 1) {
        const uint32_t word = round ? TT_OP_DMANOP : TT_OP_NOP;
        ckernel::ckernel_template(1, 2, word).program();
-         if (round == 0) lltt::record(16, 2);
+         lltt::record(16, 2);
        TTI_MOP(1, 0, 0);  // other
        lltt::replay(16, 2);  // this
    }
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
