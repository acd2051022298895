// check deadlock
// stands for tt-metal#21373: the reader's loop and that of compute differ by one
// streams itself
// culprit TRISC0 waits for tiles in c_0 (5 received, 5 acknowledged; 1 wanted): NCRISC counts too few ... in the loop of kernel.cpp:10
#define OWN_READER
#include "two_sides.h"

#ifdef COMPILE_FOR_NCRISC
void kernel_main() {
-     for (uint32_t i = 1; i < num_tiles; ++i) {
+     for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_reserve_back(cb_in, 1);
        noc_async_read(get_noc_addr(in + i * bytes), get_write_ptr(cb_in), bytes);
        noc_async_read_barrier();
        cb_push_back(cb_in, 1);
    }
}
#endif
