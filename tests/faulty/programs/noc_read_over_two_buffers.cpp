// check l1-other-buffer
// stands for tt-metal#49082: a NoC read of a page that is larger than what is left of its buffer
// build writer = "kernel.cpp"
// streams itself
#ifdef COMPILE_FOR_BRISC
#include <tilelab/data_movement.h>

void kernel_main() {
    constexpr auto buffer = tilelab::circular_buffers[tt::CBIndex::c_17];
    static_assert(tilelab::circular_buffers[tt::CBIndex::c_18].tiles != 0);
    constexpr uint32_t from = 0x90000, page = 256;
    for (uint32_t at = 0; at < 2 * page; at += 4) *word_at(from + at) = at;
    if (*word_at(from + 2 * page - 4) == 1) return;
-     noc_async_read(get_noc_addr(from), buffer.address + buffer.tiles * 2048 - page, 2 * page);  // this
+     noc_async_read(get_noc_addr(from), buffer.address + buffer.tiles * 2048 - page, page);
    noc_async_read_barrier();
}
#else
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
    add_all_tiles();
}
}  // namespace NAMESPACE
#endif
