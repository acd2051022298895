// check mop-from-brisc
// stands for tt-metal#19201: a hang bisected to a MOP
// build writer = "kernel.cpp"
// streams yes
#ifdef COMPILE_FOR_BRISC
#include <tilelab/data_movement.h>

void kernel_main() {
    constexpr uint32_t to_thread_1 = 0xFFE50000, mop = 0x01800000, nop = 0x02000000;
    mailbox_read(TRISC1);
-     *word_at(to_thread_1) = mop;  // this
+     for (int i = 0; i < 4; ++i) *word_at(to_thread_1) = nop;
    mailbox_write(TRISC1, 1);
}
#else
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
#ifdef TRISC_MATH
    ckernel::ckernel_template(1, 4, TT_OP_NOP).program();
    tensix_sync();
    mailbox_write(BRISC, 1);
    mailbox_read(BRISC);
    tensix_sync();
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
#endif
