// check uninit-l1
// stands for tt-metal#50974: the reader brings half of each tile
// streams itself
// this two_sides.h copy_tile(cb_in, 0, 0);
#define OWN_READER
#include "two_sides.h"

#ifdef COMPILE_FOR_NCRISC
void kernel_main() {
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_reserve_back(cb_in, 1);
-         noc_async_read(get_noc_addr(in + i * bytes), get_write_ptr(cb_in), bytes / 2);
+         noc_async_read(get_noc_addr(in + i * bytes), get_write_ptr(cb_in), bytes);
        noc_async_read_barrier();
        cb_push_back(cb_in, 1);  // other
    }
}
#endif
