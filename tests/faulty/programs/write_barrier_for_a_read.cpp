// check noc-read-unwaited
// stands for tt-metal#50973: the barrier that the reader has is for writes
// streams itself
// this two_sides.h copy_tile(
#define OWN_READER
#include "two_sides.h"

#ifdef COMPILE_FOR_NCRISC
void kernel_main() {
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_reserve_back(cb_in, 1);
        noc_async_read(get_noc_addr(in + i * bytes), get_write_ptr(cb_in), bytes);  // other
-         noc_async_write_barrier();
+         noc_async_read_barrier();
        cb_push_back(cb_in, 1);
    }
    noc_async_read_barrier();
}
#endif
