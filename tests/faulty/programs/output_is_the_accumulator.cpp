// check deadlock
// stands for tt-metal#54177: all results are reserved in the buffer whose tiles are still to be taken
// culprit TRISC2 waits for room in c_17 ... kernel.cpp:24 ... cb_reserve_back
// tiles 4
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_in = tt::CBIndex::c_0, cb_b = tt::CBIndex::c_1, cb_out = tt::CBIndex::c_16;
    constexpr auto cb_acc = tt::CBIndex::c_17;
    copy_tile_init(cb_in, cb_out);
    cb_wait_front(cb_in, 4);
    cb_reserve_back(cb_acc, 4);
    for (uint32_t i = 0; i < 4; ++i) {
        tile_regs_acquire();
        copy_tile(cb_in, i, 0);
        tile_regs_commit();
        tile_regs_wait();
        pack_tile(0, cb_acc);
        tile_regs_release();
    }
    cb_push_back(cb_acc, 4);
    cb_pop_front(cb_in, 4);
-     cb_reserve_back(cb_acc, 4);
    for (uint32_t i = 0; i < 4; ++i) {
        tile_regs_acquire();
        cb_wait_front(cb_acc, 1);
        copy_tile(cb_acc, 0, 0);
        cb_pop_front(cb_acc, 1);
        tile_regs_commit();
        tile_regs_wait();
+         cb_reserve_back(cb_acc, 1);
        pack_tile(0, cb_acc);
+         cb_push_back(cb_acc, 1);
        tile_regs_release();
    }
-     cb_push_back(cb_acc, 4);
    for (uint32_t i = 0; i < 4; ++i) {
        tile_regs_acquire();
        cb_wait_front(cb_acc, 1);
        copy_tile(cb_acc, 0, 0);
        cb_pop_front(cb_acc, 1);
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(cb_out, 1);
        pack_tile(0, cb_out);
        cb_push_back(cb_out, 1);
        tile_regs_release();
    }
}
}  // namespace NAMESPACE
