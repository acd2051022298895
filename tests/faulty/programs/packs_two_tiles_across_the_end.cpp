// check l1-other-buffer
// stands for tt-metal#51286: tiles are packed one behind the other, and run past the end of the buffer
// streams itself
#define OWN_COMPUTE
#include "two_sides.h"

#ifdef TILELAB_COMPUTE
namespace NAMESPACE {
void MAIN {
    copy_tile_init(cb_in, cb_out);
    for (uint32_t done = 0; done < num_tiles;) {
-         const uint32_t now = done == 0 || done == num_tiles - 1 ? 1 : 2;
+         const uint32_t now = 2;
        tile_regs_acquire();
        for (uint32_t i = 0; i < now; ++i) {
            cb_wait_front(cb_in, 1);
            copy_tile(cb_in, 0, i);
            cb_pop_front(cb_in, 1);
        }
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(cb_out, now);
        for (uint32_t i = 0; i < now; ++i) {
            PACK((tilelab::pack_tile_to(i, tilelab::tile_address(cb_out, 0) + i * bytes / 16)));  // this
        }
        cb_push_back(cb_out, now);
        tile_regs_release();
        done += now;
    }
}
}  // namespace NAMESPACE
#endif
