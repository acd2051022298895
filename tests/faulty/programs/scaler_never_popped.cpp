// check cb-pages-left
// stands for tt-metal#46662: the scaler is waited for and never popped
// streams itself
#define OWN_READER
#define OWN_COMPUTE
#include "two_sides.h"
constexpr auto cb_scalar = tt::CBIndex::c_17;

#ifdef COMPILE_FOR_NCRISC
void kernel_main() {
    cb_reserve_back(cb_scalar, 1);
    noc_async_read(get_noc_addr(in), get_write_ptr(cb_scalar), bytes);
    noc_async_read_barrier();
    cb_push_back(cb_scalar, 1);  // this
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_reserve_back(cb_in, 1);
        noc_async_read(get_noc_addr(in + i * bytes), get_write_ptr(cb_in), bytes);
        noc_async_read_barrier();
        cb_push_back(cb_in, 1);
    }
}
#endif
#ifdef TILELAB_COMPUTE
namespace NAMESPACE {
void MAIN {
    add_tiles_init(cb_in, cb_scalar, cb_out);
    cb_wait_front(cb_scalar, 1);
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        cb_wait_front(cb_in, 1);
        add_tiles(cb_in, cb_scalar, 0, 0, 0);
        cb_pop_front(cb_in, 1);
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(cb_out, 1);
        pack_tile(0, cb_out);
        cb_push_back(cb_out, 1);
        tile_regs_release();
    }
+     cb_pop_front(cb_scalar, 1);
}
}  // namespace NAMESPACE
#endif
