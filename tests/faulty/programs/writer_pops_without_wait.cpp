// check cb-pop-unfilled
// stands for tt-metal#50974: the writer waits for one tile and pops two
// also noc-write-unflushed uninit-l1
// streams itself
#define OWN_WRITER
#include "two_sides.h"

#ifdef COMPILE_FOR_BRISC
void kernel_main() {
    for (uint32_t i = 0; i < num_tiles; i += 2) {
-         cb_wait_front(cb_out, 1);
+         cb_wait_front(cb_out, 2);
        noc_async_write(get_read_ptr(cb_out), get_noc_addr(out + i * bytes), 2 * bytes);
        noc_async_write_barrier();
        cb_pop_front(cb_out, 2);  // this
    }
}
#endif
