// check mop-from-brisc
// stands for tt-metal#19201: a hang bisected to a MOP
// build writer = "kernel.cpp"
// streams yes
#ifdef COMPILE_FOR_BRISC
#include <tilelab/data_movement.h>

void kernel_main() {
    constexpr uint32_t to_thread_1 = 0xFFE50000, mop = 0x01800000, nop = 0x02000000;
    mailbox_read(TRISC1);
-     *word_at(to_thread_1) = mop;  // this
+     for (int i = 0; i < 4; ++i) *word_at(to_thread_1) = nop;
    mailbox_write(TRISC1, 1);
}
#else
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_a = tt::CBIndex::c_0, cb_b = tt::CBIndex::c_1, cb_out = tt::CBIndex::c_16;
#ifdef TRISC_MATH
    ckernel::ckernel_template(1, 4, TT_OP_NOP).program();
    tensix_sync();
    mailbox_write(BRISC, 1);
    mailbox_read(BRISC);
    tensix_sync();
#endif
    add_tiles_init(cb_a, cb_b, cb_out);
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
#endif
