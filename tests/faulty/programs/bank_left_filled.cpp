// check src-bank-left
// stands for tt-llk#1662: SrcB is filled once more than math uses it, and the next kernel has its banks turned
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
    add_all_tiles();
#ifdef TRISC_UNPACK
    TTI_UNPACR_NOP(1, 0, 0, 1, 0, 0, 0, 0, 1);  // this
+     tensix_sync();
+     mailbox_write(TRISC1, 1);
#elif defined(TRISC_MATH)
+     mailbox_read(TRISC0);
+     TTI_CLEARDVALID(2, 0);
#endif
}
}  // namespace NAMESPACE
