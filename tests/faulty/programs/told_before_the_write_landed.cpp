// check noc-write-unacknowledged
// stands for tt-metal#48393: another core was told of data whose NoC write nothing had waited for
#define OWN_READER
#define OWN_WRITER
#include "two_sides.h"

// The writer stages each tile at `staging` and says so through c_17; the reader fetches it to `out`.
constexpr auto cb_staged = tt::CBIndex::c_17;
constexpr uint32_t staging = 0x70000;

#ifdef COMPILE_FOR_NCRISC
inline void fetch(uint32_t i) {
    cb_wait_front(cb_staged, 1);
    noc_async_read(get_noc_addr(staging + i * bytes), out + i * bytes, bytes);  // this
    noc_async_read_barrier();
    cb_pop_front(cb_staged, 1);
}
void kernel_main() {
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_reserve_back(cb_in, 1);
        noc_async_read(get_noc_addr(in + i * bytes), get_write_ptr(cb_in), bytes);
        noc_async_read_barrier();
        cb_push_back(cb_in, 1);
        if (i) fetch(i - 1);
    }
    fetch(num_tiles - 1);
}
#endif
#ifdef COMPILE_FOR_BRISC
void kernel_main() {
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_wait_front(cb_out, 1);
        cb_reserve_back(cb_staged, 1);
        noc_async_write(get_read_ptr(cb_out), get_noc_addr(staging + i * bytes), bytes);  // other
-         cb_push_back(cb_staged, 1);
        noc_async_write_barrier();
+         cb_push_back(cb_staged, 1);
        cb_pop_front(cb_out, 1);
    }
}
#endif
