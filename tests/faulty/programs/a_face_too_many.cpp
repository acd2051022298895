// check deadlock
// also uninit-l1
// stands for tt-metal#21373: unpack brings five faces of a tile, math takes four
// streams itself
// culprit no math instruction that clears SrcB's dvalid is left to come
#define OWN_SETTING
#define LATE_PACKER
#include "two_sides.h"

#ifdef TILELAB_COMPUTE
namespace NAMESPACE {
void set() {
#ifdef TRISC_UNPACK
-     ckernel_template(1, 5, tilelab::UNPACK_A_FACE, TT_OP_UNPACR_NOP(SrcB, 0, 0, 1, 0, 0, 0, 0, 1)).program();
#endif
}
}  // namespace NAMESPACE
#endif
