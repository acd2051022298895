// check cb-pop-unwaited
// stands for tt-metal#50974: a pop without a wait, counted in a stream's registers
// streams yes
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_a = tt::CBIndex::c_0, cb_b = tt::CBIndex::c_1, cb_out = tt::CBIndex::c_16;
    add_tiles_init(cb_a, cb_b, cb_out);
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
    // c_20 as the vendor's kernels count it: in stream 20
    volatile uint32_t *received = reinterpret_cast<volatile uint32_t *>(0xFFB54028);
    volatile uint32_t *acknowledged = reinterpret_cast<volatile uint32_t *>(0xFFB54020);
#ifdef TRISC_PACK
    *received = 0;
    *acknowledged = 0;
    mailbox_write(TRISC0, 1);
    *received = 1;  // other
    mailbox_write(TRISC0, 1);
#endif
#ifdef TRISC_UNPACK
    mailbox_read(TRISC2);
    mailbox_read(TRISC2);
+     while (*received == *acknowledged) {}
    *acknowledged = 1;  // this
#endif
}
}  // namespace NAMESPACE
