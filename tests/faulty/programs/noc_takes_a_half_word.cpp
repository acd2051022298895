// check noc-source-under-way
// stands for tt-metal#50375: indices are stored as half words, and sent at once
// streams itself
#define OWN_READER
#include "two_sides.h"

#ifdef COMPILE_FOR_NCRISC
void kernel_main() {
    constexpr uint32_t from = 0x90000, to = 0x90100, count = 16;
    auto* index = reinterpret_cast<volatile uint16_t*>(from);
    for (uint32_t i = 0; i < count; ++i) index[i] = i;  // other
+     if (index[count - 1] != count - 1) return;
    noc_async_write(from, get_noc_addr(to), 2 * count);  // this
    noc_async_write_barrier();
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_reserve_back(cb_in, 1);
        noc_async_read(get_noc_addr(in + i * bytes), get_write_ptr(cb_in), bytes);
        noc_async_read_barrier();
        cb_push_back(cb_in, 1);
    }
}
#endif
