// check noc-write-unflushed
// stands for tt-metal#33811: the barrier that the writer has is for reads
// streams itself
// this two_sides.h pack_tile(
#define OWN_WRITER
#include "two_sides.h"

#ifdef COMPILE_FOR_BRISC
void kernel_main() {
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_wait_front(cb_out, 1);
        noc_async_write(get_read_ptr(cb_out), get_noc_addr(out + i * bytes), bytes);  // other
-         noc_async_read_barrier();
+         noc_async_write_barrier();
        cb_pop_front(cb_out, 1);
    }
    noc_async_write_barrier();
}
#endif
