// check llk-init-missing
// also l1-other-buffer
// stands for tt-metal#46758: an uninit sets the packer back to whole tiles, and rows are packed again without an init
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_a = tt::CBIndex::c_0, cb_rows = tt::CBIndex::c_16;
    untilize_init(cb_a, cb_rows);
    for (uint32_t i = 0; i < 2; ++i) {
        cb_wait_front(cb_a, 2);
        cb_reserve_back(cb_rows, 2);
        untilize_block(cb_a, 2, cb_rows);  // this
        cb_push_back(cb_rows, 2);
        cb_pop_front(cb_a, 2);
-         pack_untilize_uninit(cb_rows);  // other
    }
+     pack_untilize_uninit(cb_rows);
}
}  // namespace NAMESPACE
