// check noc-write-unflushed
// stands for tt-metal#50726: one NoC request copied a piece of L1 over a part of itself; what is read may already have been written
#define OWN_READER
#include "two_sides.h"

// The first three faces of each tile move on by one; the first one stays, too.
constexpr uint32_t face = 512;

#ifdef COMPILE_FOR_NCRISC
void kernel_main() {
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_reserve_back(cb_in, 1);
        const uint32_t to = get_write_ptr(cb_in);
        noc_async_read(get_noc_addr(in + i * bytes), to, bytes);
        noc_async_read_barrier();
-         noc_async_read(get_noc_addr(to), to + face, 3 * face);  // this
-         noc_async_read_barrier();
+         for (uint32_t n = 3; n > 0; --n) {
+             noc_async_read(get_noc_addr(to + (n - 1) * face), to + n * face, face);
+             noc_async_read_barrier();
+         }
        cb_push_back(cb_in, 1);
    }
}
#endif
