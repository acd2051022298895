// check race-l1
// stands for tt-metal#51036: two cores count in one word by loads and stores, so one addition is lost
#define OWN_READER
#define OWN_WRITER
#include "two_sides.h"

#ifndef TILELAB_COMPUTE
constexpr uint32_t COUNT = 0x70000;
- #define MINE COUNT
+ #ifdef COMPILE_FOR_BRISC
+ #define MINE (COUNT + 64)
+ #else
+ #define MINE COUNT
+ #endif

void kernel_main() {
    for (uint32_t i = 0; i < num_tiles; ++i) {
#ifdef COMPILE_FOR_NCRISC
        if (i == 0) *word_at(COUNT) = *word_at(COUNT + 64) = 0;
        cb_reserve_back(cb_in, 1);
        noc_async_read(get_noc_addr(in + i * bytes), get_write_ptr(cb_in), bytes);
        noc_async_read_barrier();
        cb_push_back(cb_in, 1);
#else
        cb_wait_front(cb_out, 1);
        noc_async_write(get_read_ptr(cb_out), get_noc_addr(out + i * bytes), bytes);
        noc_async_write_barrier();
        cb_pop_front(cb_out, 1);
#endif
        tilelab::see_other_writers();
        *word_at(MINE) = *word_at(MINE) + 3;  // this
    }
}
#endif
