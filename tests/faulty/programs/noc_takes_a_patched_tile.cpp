// check noc-source-under-way
// stands for tt-metal#50154: the writer sets one word of a tile, and sends the tile
// streams itself
#define OWN_WRITER
#include "two_sides.h"

#ifdef COMPILE_FOR_BRISC
void kernel_main() {
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_wait_front(cb_out, 1);
        const uint32_t tile = get_read_ptr(cb_out);
        *word_at(tile) = 0x3F803F80;  // other
+         if (*word_at(tile) != 0x3F803F80) return;
        noc_async_write(tile, get_noc_addr(out + i * bytes), bytes);  // this
        noc_async_write_barrier();
        cb_pop_front(cb_out, 1);
    }
}
#endif
