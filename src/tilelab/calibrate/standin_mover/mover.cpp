// A data-movement kernel with the vendor's own headers. Zones are read as the vendor's profiler reads
// them (kernel_profiler.hpp): room is looked for, the clock's high word, then its low word, and the
// marker's place is counted on. What a zone is said to be of is not kept.
#include <cstdint>
#include "risc_common.h"
#include "tensix.h"
#include "tensix_types.h"
#include "noc.h"
#include "noc_overlay_parameters.h"
#include "ckernel_structs.h"
#include "stream_io_map.h"
#include "c_tensix_core.h"
#include "noc_nonblocking_api.h"
#include "internal/firmware_common.h"
#include "api/dataflow/dataflow_api.h"

#undef DeviceZoneScopedN
#undef DeviceTimestampedData
#define DeviceZoneScopedN(name) tilelab_zone zone
#define DeviceTimestampedData(name, value)

extern "C" uint32_t zone_index, zone_depth;

struct tilelab_zone {
    inline __attribute__((always_inline)) void mark(uint32_t id) {
        volatile uint32_t* clock = reinterpret_cast<volatile uint32_t*>(RISCV_DEBUG_REG_WALL_CLOCK_L);
        volatile uint32_t* marker = reinterpret_cast<volatile uint32_t*>(ZONES) + zone_index;
        marker[0] = 0x80000000 | id << 12 | (clock[2] & 0xFFF);
        marker[1] = clock[0];
        zone_index += 2;
    }
    inline __attribute__((always_inline)) tilelab_zone() {
        if (zone_index < 500 - zone_depth) {
            zone_depth += 2;
            mark(1);
        }
    }
    inline __attribute__((always_inline)) ~tilelab_zone() {
        mark(2);
        zone_depth -= 2;
    }
};

#include KERNEL

extern "C" void mover() {
    noc_local_state_init(NOC_INDEX);
    kernel_main();
}
