// check l1-other-buffer
// stands for tt-metal#26701: after an odd number of pushes two reserved tiles no longer lie in one piece, and a read of both runs past the buffer's end.
// streams itself
#define OWN_READER
#include "two_sides.h"

#ifdef COMPILE_FOR_NCRISC
void kernel_main() {
    for (uint32_t done = 0; done < num_tiles;) {
-         // a single tile first, so that the others can begin early
-         const uint32_t now = done == 0 || done == num_tiles - 1 ? 1 : 2;
+         const uint32_t now = 2;
        cb_reserve_back(cb_in, now);
        noc_async_read(get_noc_addr(in + done * bytes), get_write_ptr(cb_in), now * bytes);  // this
        noc_async_read_barrier();
        cb_push_back(cb_in, now);
        done += now;
    }
}
#endif
