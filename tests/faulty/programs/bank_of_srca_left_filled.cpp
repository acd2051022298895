// check src-bank-left
// stands for tt-llk#1662: unpack gives SrcA once more than math takes it
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
    add_all_tiles();
#ifdef TRISC_UNPACK
    TTI_UNPACR_NOP(0, 0, 0, 1, 0, 0, 0, 0, 1);  // this
#elif defined(TRISC_MATH)
+     TTI_STALLWAIT(p_stall::STALL_MATH, p_stall::SRCA_VLD);
+     TTI_CLEARDVALID(1, 0);
+     tensix_sync();
#endif
}
}  // namespace NAMESPACE
