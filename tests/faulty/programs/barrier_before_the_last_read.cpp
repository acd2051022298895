// check noc-read-unwaited
// stands for tt-metal#50973: two reads bring a tile, and the barrier stands between them
// streams itself
// this two_sides.h copy_tile(
#define OWN_READER
#include "two_sides.h"

#ifdef COMPILE_FOR_NCRISC
void kernel_main() {
    constexpr uint32_t half = bytes / 2;
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_reserve_back(cb_in, 1);
        const uint32_t to = get_write_ptr(cb_in);
        noc_async_read(get_noc_addr(in + i * bytes), to, half);
-         noc_async_read_barrier();
        noc_async_read(get_noc_addr(in + i * bytes + half), to + half, half);  // other
+         noc_async_read_barrier();
        cb_push_back(cb_in, 1);
    }
    noc_async_read_barrier();
}
#endif
