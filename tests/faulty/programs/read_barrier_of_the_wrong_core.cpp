// check noc-read-unwaited
// stands for tt-metal#18308: the reader asks one interface and looks at the other's counter
// streams itself
// this two_sides.h copy_tile(cb_in, 0, 0);
#define OWN_READER
#include "two_sides.h"

#ifdef COMPILE_FOR_NCRISC
void kernel_main() {
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_reserve_back(cb_in, 1);
        noc_async_read(get_noc_addr(in + i * bytes), get_write_ptr(cb_in), bytes);  // other
-         load_blocking(0xFFB30000 + 0x200 + 4 * 2);
+         noc_async_read_barrier();
        cb_push_back(cb_in, 1);
    }
    noc_async_read_barrier();
}
#endif
