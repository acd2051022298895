// The vendor's firmware of BRISC or NCRISC, of which a kernel's globals come, without its main; and
// what it does before a kernel. Where DRAM's banks are the host has put behind the arguments: for
// each NoC and bank coordinates, then for each bank an offset.
#define main firmware_main
#if defined(COMPILE_FOR_BRISC)
#include "brisc.cc"
#else
#include "ncrisc.cc"
#endif
#undef main

extern "C" void mover();
extern "C" uint32_t zone_index, zone_depth;
uint32_t zone_index, zone_depth;

extern "C" void kernel() {
    const volatile uint32_t* given = reinterpret_cast<const volatile uint32_t*>(BANKS);
    risc_init();
    for (uint32_t noc = 0; noc < NUM_NOCS; ++noc) {
        for (uint32_t bank = 0; bank < NUM_DRAM_BANKS; ++bank) dram_bank_to_noc_xy[noc][bank] = *given++;
        noc_local_state_init(noc);
    }
    for (uint32_t bank = 0; bank < NUM_DRAM_BANKS; ++bank) bank_to_dram_offset[bank] = *given++;
    noc_init(ARGUMENTS - 16);
    rta_l1_base = reinterpret_cast<uint32_t tt_l1_ptr*>(ARGUMENTS);
    for (auto& base : sem_l1_base) base = reinterpret_cast<uint32_t tt_l1_ptr*>(ARGUMENTS + 0x2000);
    mover();
}
