// check cb-pop-unwaited
// stands for tt-metal#50974: a pop without a wait, counted in a stream's registers
// streams yes
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
    add_all_tiles();
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
