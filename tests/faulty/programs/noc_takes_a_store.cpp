// check noc-source-under-way
// stands for tt-metal#50367: the NoC takes what a core has just stored, which may not be there yet
// streams itself
#define OWN_READER
#include "two_sides.h"

#ifdef COMPILE_FOR_NCRISC
void kernel_main() {
    constexpr uint32_t from = 0x90000, to = 0x90100;
    for (uint32_t at = 0; at < 16; at += 4) *word_at(from + at) = at;  // other
+     if (*word_at(from + 12) != 12) return;
    noc_async_write(from, get_noc_addr(to), 16);  // this
    noc_async_write_barrier();
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_reserve_back(cb_in, 1);
        noc_async_read(get_noc_addr(in + i * bytes), get_write_ptr(cb_in), bytes);
        noc_async_read_barrier();
        cb_push_back(cb_in, 1);
    }
}
#endif
