// check deadlock
// stands for tt-metal#13288: a hand-made spinlock
// culprit TRISC0 polls L1 0x1f000, last written by TRISC1
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
void MAIN {
#ifdef TRISC_UNPACK
    *word_at(0x1F000) = 0;
    mailbox_write(TRISC1, 1);
#elif defined(TRISC_MATH)
    mailbox_read(TRISC0);
#endif
    constexpr auto cb_a = tt::CBIndex::c_0, cb_b = tt::CBIndex::c_1, cb_out = tt::CBIndex::c_16;
    add_tiles_init(cb_a, cb_b, cb_out);
#ifdef TRISC_MATH
    *word_at(0x1F000) = 1;
+     *word_at(0x1F000) = 2;
#endif
#ifdef TRISC_UNPACK
    while (*word_at(0x1F000) != 2) tilelab::see_other_writers();
#endif
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        cb_wait_front(cb_a, 1);
        cb_wait_front(cb_b, 1);
        add_tiles(cb_a, cb_b, 0, 0, 0);
        cb_pop_front(cb_a, 1);
        cb_pop_front(cb_b, 1);
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(cb_out, 1);
        pack_tile(0, cb_out);
        cb_push_back(cb_out, 1);
        tile_regs_release();
    }
}
}  // namespace NAMESPACE
