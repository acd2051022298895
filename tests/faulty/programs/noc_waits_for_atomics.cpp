// check noc-left-outstanding
// stands for tt-metal#33811: the kernel ends with a barrier for atomics, where it has written
// streams itself
#define OWN_WRITER
#include "two_sides.h"

#ifdef COMPILE_FOR_BRISC
constexpr uint32_t ATOMIC_RESPONSES = 0, WRITES_SENT = 10;

void kernel_main() {
    const uint32_t sent = tilelab::noc::counter(WRITES_SENT);
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_wait_front(cb_out, 1);
        noc_async_write(get_read_ptr(cb_out), get_noc_addr(out + i * bytes), bytes);  // this
        while (tilelab::noc::counter(WRITES_SENT) != sent + i + 1) continue;
        cb_pop_front(cb_out, 1);
    }
-     while (tilelab::noc::counter(ATOMIC_RESPONSES) != 0) continue;
+     noc_async_write_barrier();
}
#endif
