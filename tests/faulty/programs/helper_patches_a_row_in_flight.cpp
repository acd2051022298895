// check noc-write-unflushed
// stands for tt-metal#12678: a helper of the kernel's own, inlined twice, is named by its own line
// streams itself
#define OWN_WRITER
#include "two_sides.h"

#ifdef COMPILE_FOR_BRISC
constexpr uint32_t row = 0x30000, log = 0x70000;

inline void number_row(uint32_t i) {
    for (uint32_t at = row; at < row + 32; at += 4) *word_at(at) = i;  // this
    load_blocking(row + 28);
}

inline void send_row(uint32_t i) {
    noc_async_write(row, get_noc_addr(log + 32 * i), 32);  // other
}

void kernel_main() {
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_wait_front(cb_out, 1);
        noc_async_write(get_read_ptr(cb_out), get_noc_addr(out + i * bytes), bytes);
        noc_async_write_barrier();
        cb_pop_front(cb_out, 1);
    }
    number_row(0);
    send_row(0);
+     noc_async_write_barrier();
    number_row(1);
    send_row(1);
    noc_async_write_barrier();
}
#endif
