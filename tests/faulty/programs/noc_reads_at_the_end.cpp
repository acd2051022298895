// check noc-left-outstanding
// stands for tt-metal#16171: a kernel ends while data that it asked for are on their way
// build writer = "kernel.cpp"
// streams itself
#ifdef COMPILE_FOR_BRISC
#include <tilelab/data_movement.h>

void kernel_main() {
    constexpr uint32_t from = 0x90000, to = 0x90100, bytes = 64;
    for (uint32_t at = 0; at < bytes; at += 4) *word_at(from + at) = at;
    if (*word_at(from + bytes - 4) == 1) return;
    noc_async_read(get_noc_addr(from), to, bytes);  // this
+     noc_async_read_barrier();
}
#else
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
    add_all_tiles();
}
}  // namespace NAMESPACE
#endif
