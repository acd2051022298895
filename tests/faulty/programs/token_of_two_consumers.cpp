// check cb-taken-by-another
// stands for tt-metal#44366: compute pops the token for which the writer still waits
// streams itself
// this two_sides.h     set();

#define OWN_READER
#define OWN_WRITER
#define OWN_SETTING
#include "two_sides.h"
constexpr auto cb_token = tt::CBIndex::c_17;

#ifdef COMPILE_FOR_NCRISC
void kernel_main() {
    cb_reserve_back(cb_token, 1);
    *word_at(get_write_ptr(cb_token)) = 7;
    cb_push_back(cb_token, 1);
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_reserve_back(cb_in, 1);
        noc_async_read(get_noc_addr(in + i * bytes), get_write_ptr(cb_in), bytes);
        noc_async_read_barrier();
        cb_push_back(cb_in, 1);
    }
}
#endif
#ifdef TILELAB_COMPUTE
namespace NAMESPACE {
inline void set() {
-     cb_wait_front(cb_token, 1);
-     cb_pop_front(cb_token, 1);
}
}
#endif
#ifdef COMPILE_FOR_BRISC
void kernel_main() {
    cb_wait_front(cb_token, 1);  // other
    load_blocking(get_read_ptr(cb_token));
+     cb_pop_front(cb_token, 1);
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_wait_front(cb_out, 1);
        noc_async_write(get_read_ptr(cb_out), get_noc_addr(out + i * bytes), bytes);
        noc_async_write_barrier();
        cb_pop_front(cb_out, 1);
    }
}
#endif
