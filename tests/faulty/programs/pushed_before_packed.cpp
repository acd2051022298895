// check race-l1
// stands for tt-metal#50973: the tile is told of while the packer still writes it
// streams itself
// also cb-write-unreserved
// this two_sides.h noc_async_write(get_read_ptr(cb_out), get_noc_addr(out + i * bytes), bytes);
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
        pack_tile(0, cb_out);  // other
#ifdef TRISC_PACK
+         tensix_sync();
        tilelab::received(cb_out) = i + 1;
        tilelab::side(cb_out).place = tilelab::wrapped(tilelab::circular_buffer(cb_out), tilelab::side(cb_out).place + 128);
        tilelab::side(cb_out).done += 1;
        tilelab::side(cb_out).packed_ahead = 0;
#endif
        tile_regs_release();
    }
}
}  // namespace NAMESPACE
#endif
