// check noc-read-unwaited
// stands for tt-metal#18308: the barrier looks at the interface that was not asked
// streams itself
// this two_sides.h copy_tile(
#define OWN_READER
#include "two_sides.h"

#ifdef COMPILE_FOR_NCRISC
void kernel_main() {
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_reserve_back(cb_in, 1);
        noc_async_read(get_noc_addr(in + i * bytes), get_write_ptr(cb_in), bytes);  // other
-         using namespace tilelab::noc;
-         while (*word_at(REGISTERS + BYTES + COUNTERS + 4 * READ_RESPONSES) != 0) continue;
+         noc_async_read_barrier();
        cb_push_back(cb_in, 1);
    }
    noc_async_read_barrier();
}
#endif
