// check uninit-l1
// stands for tt-metal#42472: a tile is taken behind the buffer's end, where it should begin anew
// streams itself
#define OWN_WRITER
#include "two_sides.h"

#ifdef COMPILE_FOR_BRISC
void kernel_main() {
    cb_wait_front(cb_out, 1);
    noc_async_write(get_read_ptr(cb_out), get_noc_addr(out), bytes);
    noc_async_write_barrier();
    cb_pop_front(cb_out, 1);
    for (uint32_t i = 1; i < num_tiles; i += 1) {
        const uint32_t n = i + 1 < num_tiles && i % 2 ? 2 : 1;
        cb_wait_front(cb_out, n);
        const uint32_t first = get_read_ptr(cb_out);
        noc_async_write(first, get_noc_addr(out + i * bytes), bytes);
        if (n == 2) {
-             noc_async_write(first + bytes, get_noc_addr(out + (i + 1) * bytes), bytes);  // this
+             noc_async_write((tilelab::tile_address(cb_out, 1) + 1) * 16, get_noc_addr(out + (i + 1) * bytes), bytes);
        }
        noc_async_write_barrier();
        cb_pop_front(cb_out, n);
        i += n - 1;
    }
}
#endif
