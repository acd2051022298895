// check stack-overflow
// stands for tt-metal#15440: a core's stack grows into its variables
// streams itself
#define OWN_READER
#include "two_sides.h"

#ifdef COMPILE_FOR_NCRISC
static volatile uint32_t counts[512] = {1, 2, 3};

__attribute__((noinline)) uint32_t sum_of(uint32_t depth, const volatile uint32_t* from) {  // this
-     volatile uint32_t own[256];
+     volatile uint32_t own[32];
    for (uint32_t i = 0; i < 32; ++i) own[i] = from[i] + depth;
    return depth ? sum_of(depth - 1, own) + own[depth] : own[0];
}

void kernel_main() {
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_reserve_back(cb_in, 1);
        noc_async_read(get_noc_addr(in + i * bytes), get_write_ptr(cb_in), bytes);
        noc_async_read_barrier();
        cb_push_back(cb_in, 1);
    }
    *word_at(0x90000) = sum_of(5, counts);
}
#endif
