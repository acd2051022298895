// check l1-cache-stale
// stands for tt-metal#50310: the NoC has brought a new value, and the core's cache has the old one
// build writer = "kernel.cpp"
// streams itself
#ifdef COMPILE_FOR_BRISC
#include <tilelab/data_movement.h>

void kernel_main() {
    constexpr uint32_t from = 0x90000, to = 0x90100, bytes = 64;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 3; ++i) {
        for (uint32_t at = 0; at < bytes; at += 4) *word_at(from + at) = at + i;
        if (*word_at(from + bytes - 4) == 1) return;
        noc_async_read(get_noc_addr(from), to, bytes);  // other
        noc_async_read_barrier();
+         tilelab::see_other_writers();
        sum += *word_at(to + 4);  // this
    }
    *word_at(from) = sum;
}
#else
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
    add_all_tiles();
}
}  // namespace NAMESPACE
#endif
