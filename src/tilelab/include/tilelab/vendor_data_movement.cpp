// Start-up of NCRISC and BRISC whose kernel is compiled with the vendor's headers, in the place of
// its firmware: from reset to the kernel and back to the host. As vendor_trisc.cpp.
//
// A lone tile has no DRAM: its one bank of it is its own L1.
#define main firmware_main
#if defined(COMPILE_FOR_BRISC)
#include "brisc.cc"
#else
#include "ncrisc.cc"
#endif
#undef main

#include <tilelab/vendor_buffers.h>

#if defined(COMPILE_FOR_NCRISC) && defined(ARCH_WORMHOLE)
extern "C" uint32_t kernel_launch(uint32_t offset);
static void run_kernel() { kernel_launch(0); }
#else
extern "C" uint32_t vendor_kernel();
static void run_kernel() { vendor_kernel(); }
#endif

namespace {

#ifdef COMPILE_FOR_BRISC
constexpr uint32_t own_number = 3;
#else
constexpr uint32_t own_number = 4;
#endif

// Every bank is this tile, as each interface calls it.
void prepare_noc() {
    risc_init();
    for (uint32_t noc = 0; noc < NUM_NOCS; ++noc) {
        const uint16_t here = my_x[noc] | my_y[noc] << NOC_ADDR_NODE_ID_BITS;
        for (uint32_t bank = 0; bank < NUM_DRAM_BANKS; ++bank) dram_bank_to_noc_xy[noc][bank] = here;
        for (uint32_t bank = 0; bank < NUM_L1_BANKS; ++bank) l1_bank_to_noc_xy[noc][bank] = here;
        noc_local_state_init(noc);
    }
    noc_init(MEM_NOC_ATOMIC_RET_VAL_ADDR);
}

}  // namespace

extern "C" [[noreturn, gnu::used]] void data_movement_main() {
    volatile uint32_t& word = *reinterpret_cast<volatile uint32_t*>(tilelab::done_mailboxes[own_number]);
    while (word != tilelab::go_value) invalidate_l1_cache();
    prepare_noc();
    tilelab::place_buffers(cb_interface, cb_addr_shift);
    rta_l1_base = tilelab::runtime_arguments;
    crta_l1_base = tilelab::common_runtime_arguments;
    for (auto& base : sem_l1_base) base = tilelab::semaphores();
    run_kernel();
    word = tilelab::done_value;
    for (;;) {}
}

#include <tilelab/start.h>
