// check deadlock
// also race-dst semaphore-got-early
// stands for tt-metal#6875: a half of Dst is handed back twice
// streams itself
// culprit or one get too many, last by TRISC2 ... (kernel.cpp:24
#define OWN_COMPUTE
#include "two_sides.h"

#ifdef TILELAB_COMPUTE
namespace NAMESPACE {
void MAIN {
    copy_tile_init(cb_in, cb_out);
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        cb_wait_front(cb_in, 1);
        copy_tile(cb_in, 0, 0);
        cb_pop_front(cb_in, 1);
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(cb_out, 1);
        pack_tile(0, cb_out);
        cb_push_back(cb_out, 1);
        tile_regs_release();
-         tile_regs_release();
    }
}
}  // namespace NAMESPACE
#endif
