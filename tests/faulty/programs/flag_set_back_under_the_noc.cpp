// check noc-write-unflushed
// stands for tt-metal#27979: the flag that the NoC still has to take is set back
// streams itself
#define OWN_WRITER
#include "two_sides.h"

#ifdef COMPILE_FOR_BRISC
void kernel_main() {
    constexpr uint32_t flag = 0x90000, there = 0x90400;
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_wait_front(cb_out, 1);
        noc_async_write(get_read_ptr(cb_out), get_noc_addr(out + i * bytes), bytes);
        noc_async_write_barrier();
        cb_pop_front(cb_out, 1);
        *word_at(flag) = 1;
        load_blocking(flag);
        noc_async_write(flag, get_noc_addr(there), 4);  // other
+         noc_async_write_barrier();
        *word_at(flag) = 0;  // this
    }
    noc_async_write_barrier();
}
#endif
