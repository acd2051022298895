// check noc-read-unwaited
// stands for tt-metal#50973: the barrier is missing between a read and the use of its data
// also noc-write-unflushed
// build writer = "kernel.cpp"
// streams itself
#ifdef COMPILE_FOR_BRISC
#include <tilelab/data_movement.h>

void kernel_main() {
    constexpr uint32_t from = 0x90000, to = 0x90100, bytes = 64;
    for (uint32_t at = 0; at < bytes; at += 4) *word_at(from + at) = at;
    if (*word_at(from + bytes - 4) == 1) return;
-     noc_async_read(get_noc_addr(from), to, bytes);  // other
-     *word_at(from) = *word_at(to + 4);  // this
+     noc_async_read(get_noc_addr(from), to, bytes);
+     noc_async_read_barrier();
+     *word_at(from) = *word_at(to + 4);
}
#else
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
    add_all_tiles();
}
}  // namespace NAMESPACE
#endif
