// check noc-write-unflushed
// stands for tt-metal#40043: a tile is given back before the second half of it has left
// streams itself
// this two_sides.h pack_tile(0, cb_out);
#define OWN_WRITER
#include "two_sides.h"

#ifdef COMPILE_FOR_BRISC
void kernel_main() {
    using namespace tilelab::noc;
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_wait_front(cb_out, 1);
        noc_async_write(get_read_ptr(cb_out), get_noc_addr(out + i * bytes), bytes / 2);  // other
        while (of_interface(CMD_CTRL)) {}
-         of_interface(RETURN) = out + i * bytes + bytes / 2;
        of_interface(TARGET) = get_read_ptr(cb_out) + bytes / 2;
+         of_interface(RETURN) = out + i * bytes + bytes / 2;
        of_interface(CMD_CTRL) = 1;
        writes += 1;
-         cb_pop_front(cb_out, 1);
        noc_async_write_barrier();
+         cb_pop_front(cb_out, 1);
    }
}
#endif
