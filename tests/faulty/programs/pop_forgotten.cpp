// check deadlock
// stands for tt-metal#10571: a core that spins for ever on a buffer that nobody empties
// streams itself
// culprit NCRISC waits for room in c_0 (2 received, 0 acknowledged; it goes on when 1 are left): nobody pops from c_0 while the kernel runs, and it has room for 2; TRISC0 waits for its tiles at kernel.cpp:14 and pops none
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
+         cb_pop_front(cb_in, 1);
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
