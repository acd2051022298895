// check race-l1
// stands for tt-metal#50973: the reader pads a tile that it has already pushed
// streams itself
// this two_sides.h copy_tile(cb_in, 0, 0);
#define OWN_READER
#include "two_sides.h"

#ifdef COMPILE_FOR_NCRISC
void kernel_main() {
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_reserve_back(cb_in, 1);
        const uint32_t tile = get_write_ptr(cb_in);
        noc_async_read(get_noc_addr(in + i * bytes), tile, bytes);
        noc_async_read_barrier();
-         cb_push_back(cb_in, 1);
        for (uint32_t at = 1984; at < 2048; at += 4) *word_at(tile + at) = i;  // other
+         load_blocking(tile + 2044);
+         cb_push_back(cb_in, 1);
    }
}
#endif
