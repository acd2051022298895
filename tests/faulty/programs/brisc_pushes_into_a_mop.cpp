// check brisc-push-collision
// stands for tt-metal#13288: BRISC and a TRISC that do not wait for each other
// build writer = "kernel.cpp"
// streams yes
#ifdef COMPILE_FOR_BRISC
#include <tilelab/data_movement.h>

void kernel_main() {
    constexpr uint32_t to_thread_1 = 0xFFE50000, nop = 0x02000000;
    mailbox_read(TRISC1);
    *word_at(to_thread_1) = nop;  // this
    mailbox_write(TRISC1, 1);
}
#else
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
#ifdef TRISC_MATH
    ckernel::ckernel_template(1, 100, TT_OP_NOP).program();
    TTI_MOP(1, 0, 0);
+     tensix_sync();
    mailbox_write(BRISC, 1);
    mailbox_read(BRISC);
    tensix_sync();
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
#endif
