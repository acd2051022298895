// check noc-write-unacknowledged
// stands for tt-metal#6716: a read through the NoC of what had just been written through it got old data, as nothing had waited for the write
#define OWN_WRITER
#include "two_sides.h"

// Each tile goes to `out`; what has arrived there is read back for a check sum.
constexpr uint32_t back = 0x70000, sums = 0x71000;

#ifdef COMPILE_FOR_BRISC
void kernel_main() {
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_wait_front(cb_out, 1);
        noc_async_write(get_read_ptr(cb_out), get_noc_addr(out + i * bytes), bytes);
+         noc_async_write_barrier();
        noc_async_read(get_noc_addr(out + i * bytes), back, bytes);  // this
        noc_async_read_barrier();
-         noc_async_write_barrier();
        cb_pop_front(cb_out, 1);

        tilelab::see_other_writers();
        uint32_t sum = 0;
        for (uint32_t word = 0; word < 16; ++word) sum += *word_at(back + 4 * word);
        *word_at(sums + 4 * i) = sum;
    }
}
#endif
