// check deadlock
// stands for tt-metal#21373: unpack brings three faces of a tile, math takes four
// streams itself
// culprit no unpack to SrcB (UNPACR or UNPACR_NOP with set-dvalid) is left to come
#define OWN_SETTING
#include "two_sides.h"

#ifdef TILELAB_COMPUTE
namespace NAMESPACE {
void set() {
#ifdef TRISC_UNPACK
-     ckernel_template(1, 3, tilelab::UNPACK_A_FACE, TT_OP_UNPACR_NOP(SrcB, 0, 0, 1, 0, 0, 0, 0, 1)).program();
#endif
}
}  // namespace NAMESPACE
#endif
