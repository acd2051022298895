// check noc-source-under-way
// stands for tt-metal#50373: a row is filled by stores, and copied by a read of the own tile
// streams itself
#define OWN_READER
#include "two_sides.h"

#ifdef COMPILE_FOR_NCRISC
void kernel_main() {
    constexpr uint32_t from = 0x90000, rows = 3, row = 32;
    for (uint32_t at = 0; at < row; at += 4) *word_at(from + at) = 7;  // other
+     if (*word_at(from + row - 4) != 7) return;
    for (uint32_t i = 1; i <= rows; ++i)
        noc_async_read(get_noc_addr(from), from + i * row, row);  // this
    noc_async_read_barrier();
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_reserve_back(cb_in, 1);
        noc_async_read(get_noc_addr(in + i * bytes), get_write_ptr(cb_in), bytes);
        noc_async_read_barrier();
        cb_push_back(cb_in, 1);
    }
}
#endif
