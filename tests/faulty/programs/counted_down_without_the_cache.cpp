// check l1-cache-stale
// stands for tt-metal#51036: a core counts up what others count up too, from what its cache holds
// streams itself
#define OWN_READER
#include "two_sides.h"

#ifdef COMPILE_FOR_NCRISC
void kernel_main() {
    *word_at(0x30100) = 1;
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_reserve_back(cb_in, 1);
        noc_async_read(get_noc_addr(in + i * bytes), get_write_ptr(cb_in), bytes);
        load_blocking(0x30100);
        noc_async_read(get_noc_addr(in + i * bytes), 0x30100, 16);  // other
        noc_async_read_barrier();
+         tilelab::see_other_writers();
        *word_at(0x30100) = *word_at(0x30100) + 1;  // this
        load_blocking(0x30100);
        cb_push_back(cb_in, 1);
    }
}
#endif
