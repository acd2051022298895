// check cb-pop-unwaited
// also uninit-l1 cb-pop-unfilled noc-write-unflushed cb-push-unreserved
// stands for tt-metal#50974: the writer takes tiles that it has not waited for
// streams itself
#define OWN_WRITER
#define LATE_PACKER
#include "two_sides.h"

#ifdef COMPILE_FOR_BRISC
void kernel_main() {
    for (uint32_t i = 0; i < num_tiles; ++i) {
+         cb_wait_front(cb_out, 1);
        noc_async_write(get_read_ptr(cb_out), get_noc_addr(out + i * bytes), bytes);
        noc_async_write_barrier();
        cb_pop_front(cb_out, 1);  // this
    }
}
#endif
