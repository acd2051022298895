// check l1-cache-stale
// stands for tt-metal#51038: BRISC polls what NCRISC stores, with plain loads
// streams itself
#define OWN_READER
#define OWN_WRITER
#include "two_sides.h"

constexpr uint32_t ready = 0x1F000;

#ifdef COMPILE_FOR_NCRISC
void kernel_main() {
    *word_at(ready) = 0;
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_reserve_back(cb_in, 1);
        noc_async_read(get_noc_addr(in + i * bytes), get_write_ptr(cb_in), bytes);
        noc_async_read_barrier();
        cb_push_back(cb_in, 1);
    }
    *word_at(ready) = num_tiles;  // other
}
#endif

#ifdef COMPILE_FOR_BRISC
void kernel_main() {
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_wait_front(cb_out, 1);
        noc_async_write(get_read_ptr(cb_out), get_noc_addr(out + i * bytes), bytes);
        noc_async_write_barrier();
        cb_pop_front(cb_out, 1);
        if (i != 0) continue;
-         while (*word_at(ready) != num_tiles) continue;  // this
+         while (*word_at(ready) != num_tiles) tilelab::see_other_writers();
    }
}
#endif
