// check cb-read-unwaited
// stands for tt-metal#50974: two tiles are sent, and one has been waited for
// streams itself
// also noc-write-unflushed race-l1 uninit-l1
#define OWN_WRITER
#include "two_sides.h"

#ifdef COMPILE_FOR_BRISC
void kernel_main() {
    for (uint32_t i = 0; i < num_tiles; i += 2) {
-         cb_wait_front(cb_out, 1);
+         cb_wait_front(cb_out, 2);
        noc_async_write(get_read_ptr(cb_out), get_noc_addr(out + i * bytes), bytes);
        noc_async_write(get_read_ptr(cb_out) + bytes, get_noc_addr(out + (i + 1) * bytes), bytes);  // this
        noc_async_write_barrier();
        cb_wait_front(cb_out, 2);
        cb_pop_front(cb_out, 2);
    }
}
#endif
