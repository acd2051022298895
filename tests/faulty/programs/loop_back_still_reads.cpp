// check noc-write-unflushed
// stands for tt-metal#50365: a read within the tile takes its data from a row that is stored over
#define OWN_READER
#include "two_sides.h"

#ifdef COMPILE_FOR_NCRISC
constexpr uint32_t ROW = 0x27000, COPIES = 0x28000;
void kernel_main() {
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_reserve_back(cb_in, 1);
        noc_async_read(get_noc_addr(in + i * bytes), get_write_ptr(cb_in), bytes);
        noc_async_read_barrier();
        cb_push_back(cb_in, 1);

        for (uint32_t w = 0; w < 8; ++w) *word_at(ROW + 4 * w) = i + 1;
        load_blocking(ROW + 28);
        noc_async_read(get_noc_addr(ROW), COPIES + 32 * i, 32);  // other
+       noc_async_read_barrier();
        *word_at(ROW) = 0;  // this
-       noc_async_read_barrier();
    }
}
#endif
