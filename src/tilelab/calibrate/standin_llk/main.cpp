// A TRISC's whole program: start-up as tt-llk's tests have it, the kernel, and a word when it is done.
#include "api/compute/matmul.h"
#include KERNEL

int main() {
    for (std::uint32_t index = 0; index < 64; index++) ckernel::regfile[index] = 0;
    ckernel::reset_cfg_state_id();
    ckernel::reset_dest_offset_id();
    kernel_main();
    ckernel::tensix_sync();
    *reinterpret_cast<volatile std::uint32_t*>(DONE) = 1;
    return 0;
}

extern "C" __attribute__((section(".init"), naked, noreturn)) std::uint32_t _start() {
    do_crt0();
    main();
    for (;;) {
    }
}
