// check race-l1
// stands for tt-metal#50974: the reader brings a tile to where the writer's buffer begins
// streams itself
// also cb-write-unreserved
#define OWN_READER
#include "two_sides.h"

#ifdef COMPILE_FOR_NCRISC
void kernel_main() {
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_reserve_back(cb_in, 1);
-         const uint32_t to = 0x21000 + i % 3 * bytes;
+         const uint32_t to = get_write_ptr(cb_in);
        noc_async_read(get_noc_addr(in + i * bytes), to, bytes);  // this
        noc_async_read_barrier();
        cb_push_back(cb_in, 1);
    }
}
#endif
