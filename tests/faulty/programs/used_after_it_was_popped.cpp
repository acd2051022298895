// check cb-read-unwaited
// stands for tt-metal#50974: a tile is unpacked after it has been given back
// streams itself
// also noc-read-unwaited
#define OWN_COMPUTE
#include "two_sides.h"

#ifdef TILELAB_COMPUTE
namespace NAMESPACE {
void MAIN {
    copy_tile_init(cb_in, cb_out);
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        cb_wait_front(cb_in, 1);
-         cb_pop_front(cb_in, 1);
        copy_tile(cb_in, 0, 0);  // this
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
