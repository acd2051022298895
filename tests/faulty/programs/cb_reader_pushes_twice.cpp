// check cb-push-unreserved
// stands for tt-metal#26452: the reader pushes two tiles and has reserved one
// also race-l1
// streams itself
#define OWN_READER
#define LATE_PACKER
#include "two_sides.h"

#ifdef COMPILE_FOR_NCRISC
void kernel_main() {
    for (uint32_t i = 0; i < num_tiles; i += 2) {
-         cb_reserve_back(cb_in, 1);
+         cb_reserve_back(cb_in, 2);
        const uint32_t to = get_write_ptr(cb_in);
        noc_async_read(get_noc_addr(in + i * bytes), to, 2 * bytes);
        noc_async_read_barrier();
        cb_push_back(cb_in, 2);  // this
    }
}
#endif
