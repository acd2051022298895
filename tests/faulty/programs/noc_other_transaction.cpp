// check noc-write-unacknowledged
// stands for tt-metal#17369: a transaction id instead of a barrier, and another one is waited for
// streams itself
// this two_sides.h copy_tile(
#define OWN_READER
#include "two_sides.h"

#ifdef COMPILE_FOR_NCRISC
constexpr uint32_t OUTSTANDING = 16, ID_SHIFT = 10;

inline void write_with_id(uint32_t from, uint32_t to, uint32_t id) {
    namespace noc = tilelab::noc;
    while (noc::of_interface(noc::CMD_CTRL)) continue;
    noc::address(noc::TARGET, from, noc::own_place());
    noc::address(noc::RETURN, to, noc::own_place());
    noc::of_interface(noc::TAG) = id << ID_SHIFT;
    noc::of_interface(noc::LENGTH) = bytes;
    noc::of_interface(noc::CTRL) = noc::WRITE | noc::RESPONSE;
    noc::of_interface(noc::CMD_CTRL) = 1;
    noc::writes += 1;
}

void kernel_main() {
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_reserve_back(cb_in, 1);
        write_with_id(in + i * bytes, get_write_ptr(cb_in), 3);  // other
-         while (tilelab::noc::counter(OUTSTANDING + 2) != 0) continue;
+         while (tilelab::noc::counter(OUTSTANDING + 3) != 0) continue;
        cb_push_back(cb_in, 1);
    }
    noc_async_write_barrier();
}
#endif
