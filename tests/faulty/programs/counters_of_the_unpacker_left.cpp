// check l1-read-other-buffer
// stands for tt-llk#1585: the unpackers' counters stand where the tile before left them
// tiles 2
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_a = tt::CBIndex::c_0, cb_out = tt::CBIndex::c_16;
    copy_tile_init(cb_a, cb_out);
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        cb_wait_front(cb_a, 1);
#ifdef TRISC_UNPACK
        tilelab::unpack_a_from(tilelab::tile_address(cb_a, 0));
        ckernel_template::run();  // this
+         tilelab::first_face_again();
#else
        copy_tile(cb_a, 0, 0);
#endif
        cb_pop_front(cb_a, 1);
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(cb_out, 1);
        pack_tile(0, cb_out);
        cb_push_back(cb_out, 1);
        tile_regs_release();
    }
}
}  // namespace NAMESPACE
