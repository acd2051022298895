// check noc-write-unacknowledged
// stands for tt-metal#48393: a tile is given on while the NoC still writes it
// streams itself
// this two_sides.h copy_tile(
#define OWN_READER
#include "two_sides.h"

#ifdef COMPILE_FOR_NCRISC
void kernel_main() {
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_reserve_back(cb_in, 1);
        noc_async_write(in + i * bytes, get_noc_addr(get_write_ptr(cb_in)), bytes);  // other
+         noc_async_write_barrier();
        cb_push_back(cb_in, 1);
    }
-     noc_async_write_barrier();
}
#endif
