// check noc-two-users
// stands for tt-metal#18308: two cores ask one interface, each counts its own answers only
// streams itself
// also deadlock
#define OWN_WRITER
#include "two_sides.h"

#ifdef COMPILE_FOR_BRISC
constexpr uint32_t other_noc = 0;
inline volatile uint32_t& there(uint32_t offset) {
-     return *word_at(0xFFB20000 + offset);
+     return *word_at(0xFFB30000 + offset);
}
void kernel_main() {
    using namespace tilelab::noc;
    const uint32_t acks = *(&there(0x200) + WRITE_ACKS);
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_wait_front(cb_out, 1);
        const uint32_t own = own_place();
        while (there(CMD_CTRL)) {}
        there(TARGET) = get_read_ptr(cb_out);
        there(TARGET + 4) = 0;
        there(TARGET + 8) = own;
        there(RETURN) = out + i * bytes;
        there(RETURN + 4) = 0;
        there(RETURN + 8) = own;
        there(TAG) = 0;
        there(LENGTH) = bytes;
        there(CTRL) = WRITE | RESPONSE;
        there(CMD_CTRL) = 1;  // this
        while (*(&there(0x200) + WRITE_ACKS) != acks + i + 1) continue;
        cb_pop_front(cb_out, 1);
    }
}
#endif
