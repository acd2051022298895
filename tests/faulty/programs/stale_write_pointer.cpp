// check race-l1
// also noc-read-unwaited uninit-l1 cb-write-unreserved
// stands for tt-metal#42974: an address that is asked for once, and the buffer has gone on since
// streams itself
#define OWN_READER
#define LATE_PACKER
#include "two_sides.h"

#ifdef COMPILE_FOR_NCRISC
void kernel_main() {
-     const uint32_t to = get_write_ptr(cb_in);
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_reserve_back(cb_in, 1);
+         const uint32_t to = get_write_ptr(cb_in);
        noc_async_read(get_noc_addr(in + i * bytes), to, bytes);  // this
        noc_async_read_barrier();
        cb_push_back(cb_in, 1);
    }
}
#endif
