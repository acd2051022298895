// check noc-read-unwaited
// stands for tt-metal#46662: what says that data are there was never taken back, so from the second time on nothing waited
#define OWN_READER
#define OWN_WRITER
#include "two_sides.h"

// The reader stages each tile a second time, in one place, and raises `full`; the writer files it, and counts in `taken`.
constexpr uint32_t staging = 0x70000, filed = 0x72000, full = 0x71000, taken = 0x71040;

#ifdef COMPILE_FOR_NCRISC
void kernel_main() {
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_reserve_back(cb_in, 1);
        noc_async_read(get_noc_addr(in + i * bytes), get_write_ptr(cb_in), bytes);
        noc_async_read_barrier();
        if (i == 0) {  // before the writer looks at them
            *word_at(full) = 0;
            *word_at(taken) = 0;
            load_blocking(full);
            load_blocking(taken);
        }
        cb_push_back(cb_in, 1);
        do tilelab::see_other_writers();
        while (load_blocking(taken) < i);
        noc_async_read(get_noc_addr(in + i * bytes), staging, bytes);  // other
        noc_async_read_barrier();
        *word_at(full) = 1;
    }
}
#endif
#ifdef COMPILE_FOR_BRISC
void kernel_main() {
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_wait_front(cb_out, 1);
        noc_async_write(get_read_ptr(cb_out), get_noc_addr(out + i * bytes), bytes);
        noc_async_write_barrier();
        cb_pop_front(cb_out, 1);
        do tilelab::see_other_writers();
        while (load_blocking(full) == 0);
        noc_async_write(staging, get_noc_addr(filed + i * bytes), bytes);  // this
        noc_async_write_barrier();
+         *word_at(full) = 0;
+         load_blocking(full);
        *word_at(taken) = i + 1;
    }
}
#endif
