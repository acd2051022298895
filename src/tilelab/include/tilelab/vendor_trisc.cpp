// Start-up of a TRISC whose kernel is compiled with the vendor's headers, in the place of its
// firmware: from reset to the kernel and back to the host.
//
// The firmware's source is included for what kernels need of it, its variables; its main is not used.
// TRISC0 puts the tile into a known state, see prepare.h, and then tells the other two through their
// mailboxes, and NCRISC and BRISC by their words in L1.
#define main firmware_main
#include "trisc.cc"
#undef main

#include <tilelab/prepare.h>
#include <tilelab/vendor_buffers.h>

extern "C" uint32_t vendor_kernel();

namespace {

constexpr uint32_t own_number = COMPILE_FOR_TRISC;

#if COMPILE_FOR_TRISC == 0
void prepare_tile() {
    tilelab::prepare_coprocessor();
    tilelab::prepare_counters();
    tilelab::prepare_l1();
    tensix_sync();
    for (uint32_t other = 3; other < 5; ++other)
        if (tilelab::done_mailboxes[other])
            *reinterpret_cast<volatile uint32_t*>(tilelab::done_mailboxes[other]) = tilelab::go_value;
    mailbox_write(1 + 1, 1);  // TRISC1 and TRISC2: BRISC is number 0
    mailbox_write(1 + 2, 1);
}
#endif

void begin() {
#if COMPILE_FOR_TRISC == 0
    prepare_tile();
#else
    mailbox_read(1);
#endif
    for (uint32_t i = 0; i < 64; ++i) regfile[i] = 0;
    reset_cfg_state_id();
#if !defined(UCK_CHLKC_MATH)
    tilelab::place_buffers(cb_interface, cb_addr_shift);
#endif
    rta_l1_base = tilelab::runtime_arguments;
    crta_l1_base = tilelab::common_runtime_arguments;
}

}  // namespace

extern "C" [[noreturn, gnu::used]] void trisc_main() {
    begin();
    vendor_kernel();
    tensix_sync();
    *reinterpret_cast<volatile uint32_t*>(tilelab::done_mailboxes[own_number]) = tilelab::done_value;
    for (;;) {}
}

#include <tilelab/start.h>
