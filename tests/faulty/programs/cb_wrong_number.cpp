// check deadlock
// also cb-push-unreserved l1-other-buffer
// stands for tt-metal#42917: a tile is packed into one buffer and pushed to another
// streams itself
// culprit BRISC waits for tiles in c_16 (0 received, 0 acknowledged; 1 wanted): nobody has ever pushed to c_16
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
-         cb_push_back(tt::CBIndex::c_17, 1);
+         cb_push_back(cb_out, 1);
        tile_regs_release();
    }
}
}  // namespace NAMESPACE
#endif
