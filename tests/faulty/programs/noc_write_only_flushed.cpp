// check noc-write-unacknowledged
// stands for tt-metal#50973: a write that has left its tile has not arrived
// streams itself
// this two_sides.h copy_tile(
#define OWN_READER
#include "two_sides.h"

#ifdef COMPILE_FOR_NCRISC
constexpr uint32_t WRITES_SENT = 10;

void kernel_main() {
    const uint32_t sent = tilelab::noc::counter(WRITES_SENT);
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_reserve_back(cb_in, 1);
        noc_async_write(in + i * bytes, get_noc_addr(get_write_ptr(cb_in)), bytes);  // other
        while (tilelab::noc::counter(WRITES_SENT) != sent + i + 1) continue;
+         noc_async_write_barrier();
        cb_push_back(cb_in, 1);
    }
-     noc_async_write_barrier();
}
#endif
