// One function of the compute API, NAME_tile, on the math core alone: how long are so many of them?
#define TRISC_MATH
#include <cstdint>
#include "api/compute/common.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/compute_kernel_api.h"
#include HEADER

// What tt-metal's firmware has for a kernel.
uint32_t unp_cfg_context, pack_sync_tile_dst_ptr, math_sync_tile_dst_index, gl_alu_format_spec_reg, op_info_offset;
namespace ckernel {
uint32_t cfg_state_id, dest_offset_id;
#if defined(__PTR_CONST)
#define PTR_CONST const
#else
#define PTR_CONST
#endif
volatile tt_reg_ptr uint* PTR_CONST regfile = reinterpret_cast<volatile uint*>(REGFILE_BASE);
volatile tt_reg_ptr uint* PTR_CONST pc_buf_base = reinterpret_cast<volatile uint*>(PC_BUF_BASE);
#if defined(__INSTRN_BUFFER_TOS)
volatile tt_reg_ptr uint32_t* const instrn_buffer = reinterpret_cast<volatile uint32_t*>(INSTRN_BUF_BASE);
#endif
}  // namespace ckernel

constexpr int POINTS = 4;

extern "C" void kernel() {
    auto* count = reinterpret_cast<volatile std::uint32_t*>(ARGS_ADDRESS);
    auto* spent = reinterpret_cast<volatile std::uint32_t*>(RESULTS);
    auto* clock = reinterpret_cast<volatile std::uint32_t*>(RISCV_DEBUG_REG_WALL_CLOCK_L);
    for (int i = 0; i < 64; i++) ckernel::regfile[i] = 0;
    ckernel::zeroacc();
    TTI_SFPENCC(3, 0, 0, 10);
    TTI_NOP;
    TTI_SFPCONFIG(0, 11, 1);  // LReg[11] is -1
    INIT;
    ckernel::math::set_dst_write_addr<DstTileShape::Tile32x32, UnpackDestination::SrcRegs>(0);
    for (int point = 0; point < POINTS; point++) {
        const std::uint32_t tiles = count[point];
        ckernel::tensix_sync();
        const std::uint32_t begun = *clock;
        for (std::uint32_t i = 0; i < tiles; i++) {
            CALL;
        }
        ckernel::tensix_sync();
        spent[point] = *clock - begun;
    }
}
