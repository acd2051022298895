// check noc-write-unflushed
// stands for tt-metal#40879: what a kernel has asked of the NoC is still in flight
// build writer = "kernel.cpp"
// streams itself
#ifdef COMPILE_FOR_BRISC
#include <tilelab/data_movement.h>

void kernel_main() {
    constexpr uint32_t from = 0x90000, to = 0x90100, bytes = 64;
    for (uint32_t at = 0; at < bytes; at += 4) *word_at(from + at) = at;
    if (*word_at(from + bytes - 4) == 1) return;
    noc_async_write(from, get_noc_addr(to), bytes);  // other
+     noc_async_write_barrier();
    *word_at(from + 4) = 1;  // this
}
#else
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
    add_all_tiles();
}
}  // namespace NAMESPACE
#endif
