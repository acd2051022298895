// check uninit-l1
// stands for tt-metal#50974: two tiles are handed over, and one was packed
// streams itself
// this two_sides.h noc_async_write(get_read_ptr(cb_out), get_noc_addr(out + i * bytes), bytes);
#define OWN_COMPUTE
#include "two_sides.h"

#ifdef TILELAB_COMPUTE
namespace NAMESPACE {
void MAIN {
    copy_tile_init(cb_in, cb_out);
    for (uint32_t i = 0; i < num_tiles; i += 2) {
+         for (uint32_t n = 0; n < 2; ++n) {
        tile_regs_acquire();
        cb_wait_front(cb_in, 1);
        copy_tile(cb_in, 0, 0);
        cb_pop_front(cb_in, 1);
        tile_regs_commit();
        tile_regs_wait();
-         cb_reserve_back(cb_out, 2);
+         cb_reserve_back(cb_out, 1);
        pack_tile(0, cb_out);
-         cb_push_back(cb_out, 2);  // other
+         cb_push_back(cb_out, 1);
        tile_regs_release();
+         }
    }
-     for (uint32_t i = 0; i < 3; ++i) cb_wait_front(cb_in, 1), cb_pop_front(cb_in, 1);
}
}  // namespace NAMESPACE
#endif
