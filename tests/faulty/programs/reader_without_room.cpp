// check cb-push-unreserved
// also race-l1 noc-read-unwaited cb-write-unreserved
// stands for tt-metal#26452: the reader does not ask whether there is room
// streams itself
#define OWN_READER
#include "two_sides.h"

#ifdef COMPILE_FOR_NCRISC
void kernel_main() {
    for (uint32_t i = 0; i < num_tiles; ++i) {
+         cb_reserve_back(cb_in, 1);
        noc_async_read(get_noc_addr(in + i * bytes), get_write_ptr(cb_in), bytes);
        noc_async_read_barrier();
        cb_push_back(cb_in, 1);  // this
    }
}
#endif
