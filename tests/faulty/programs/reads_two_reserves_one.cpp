// check cb-write-unreserved
// stands for tt-metal#26452: room for one tile is asked for, and two are brought
// streams itself
// also race-l1
#define OWN_READER
#include "two_sides.h"

#ifdef COMPILE_FOR_NCRISC
void kernel_main() {
    for (uint32_t i = 0; i < num_tiles; i += 2) {
-         cb_reserve_back(cb_in, 1);
+         cb_reserve_back(cb_in, 2);
        noc_async_read(get_noc_addr(in + i * bytes), get_write_ptr(cb_in), bytes);
        noc_async_read(get_noc_addr(in + (i + 1) * bytes), get_write_ptr(cb_in) + bytes, bytes);  // this
        noc_async_read_barrier();
        cb_push_back(cb_in, 1);
        cb_push_back(cb_in, 1);
    }
}
#endif
