// TRISC2: tiles from Dst into circular buffers.
#pragma once

#include <tilelab/circular_buffers.h>
#include <tilelab/templates.h>

namespace tilelab {

constexpr uint32_t DST_HALF_ROWS = 512;
inline uint32_t pack_half;  // which half of Dst the packer empties: 0 or 1

// Write a word of Config by way of a general purpose register, once the packer no longer needs the
// old one; what follows sees the new one.
constexpr uint32_t GPR_CONFIG = 12;

template <ConfigField F>
[[gnu::always_inline]] inline void config_for_packer(uint32_t value) {
    gpr_write(GPR_CONFIG, value);
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::THCON | p_stall::PACK);
    TTI_WRCFG(GPR_CONFIG, 0, F.word);
    TTI_DMANOP;
    TTI_DMANOP;
}

inline void select_half() {
    config_for_packer<cfg::DEST_TARGET_REG_CFG_PACK_SEC0_Offset>(pack_half * DST_HALF_ROWS);
}

// A 16-bit format in Dst and in L1: four rows of a face a PACR, with all four read interfaces.
// What the core stores here must not reach a pack in flight, so that is waited for.
inline void configure_packer(DataFormat format) {
    tensix_sync();
    const uint32_t number = static_cast<uint32_t>(format);
    constexpr uint32_t row_stride = 16 * 2, face_stride = 16 * row_stride;
    config_word(cfg::PCK0_ADDR_CTRL_XY_REG_0_Xstride.word) =
        in_place(cfg::PCK0_ADDR_CTRL_XY_REG_0_Ystride, row_stride);
    config_word(cfg::PCK0_ADDR_CTRL_ZW_REG_0_Zstride.word) =
        in_place(cfg::PCK0_ADDR_CTRL_ZW_REG_0_Zstride, face_stride) |
        in_place(cfg::PCK0_ADDR_CTRL_ZW_REG_0_Wstride, FACES * face_stride);
    config_word(cfg::THCON_SEC0_REG1_Exp_section_size.word) =
        in_place(cfg::THCON_SEC0_REG1_Exp_section_size, FACES);
    config_word(cfg::THCON_SEC0_REG1_In_data_format.word) =
        in_place(cfg::THCON_SEC0_REG1_Disable_zero_compress, 1) |
        in_place(cfg::THCON_SEC0_REG1_Out_data_format, number) |
        in_place(cfg::THCON_SEC0_REG1_In_data_format, number);
    config_word(cfg::PCK_DEST_RD_CTRL_Read_32b_data.word) = 0;
    config_word(cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane.word) =
        in_place(cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, 16);
    config_word(cfg::PCK_EDGE_OFFSET_SEC0_mask.word) =
        in_place(cfg::PCK_EDGE_OFFSET_SEC0_mask, 0xFFFF);
    config_word(cfg::TILE_ROW_SET_MAPPING_0_row_set_mapping_0.word) = 0;
    TTI_STALLWAIT(p_stall::STALL_PACK | p_stall::STALL_CFG, p_stall::TRISC_CFG);

    cfg_write<cfg::ALU_FORMAT_SPEC_REG2_Dstacc>(number);
    cfg_write<cfg::STACC_RELU_ApplyRelu>(0);
    cfg_write<cfg::THCON_SEC0_REG1_Pack_L1_Acc>(0);
    cfg_write<cfg::THCON_SEC0_REG1_Exp_threshold_en>(0);
    cfg_write<cfg::THCON_SEC0_REG1_Pac_LF8_4b_exp>(0);
    TTI_SETADCXX(p_setadc::PAC, 15, 0);
    TTI_SETADCXY(p_setadc::PAC, 0, 0, 0, 0, 0b1011);
    TTI_SETADCZW(p_setadc::PAC, 0, 0, 0, 0, 0b1111);
    select_half();
}

constexpr uint32_t pack_rows(uint32_t addr_mod, uint32_t last) {
    return TT_OP_PACR(0, 0, 0, addr_mod, 0, 0, 0, 0, 0, 0, 0, last);
}

// The MOP for one tile: four faces of four PACRs; the last one closes the tile.
inline void program_pack_tile() {
    addr_mod_pack_t{.y_src = {.incr = 4}, .y_dst = {.incr = 4}}.set(ADDR_MOD_0);
    addr_mod_pack_t{.y_src = {.clr = 1}, .y_dst = {.clr = 1}, .z_src = {.clr = 1}}.set(ADDR_MOD_1);
    addr_mod_pack_t{.y_src = {.clr = 1}, .y_dst = {.incr = 4}, .z_src = {.incr = 1}}
        .set(ADDR_MOD_2);
    ckernel_template mop(FACES, 4, pack_rows(ADDR_MOD_0, 0));
    mop.set_last_inner_loop_instr(pack_rows(ADDR_MOD_2, 0));
    mop.set_last_outer_loop_instr(pack_rows(ADDR_MOD_1, 1));
    mop.program();
}

inline void wait_for_filled_half() {
    TTI_SEMWAIT(p_stall::STALL_TDMA, semaphore::t6_sem(semaphore::MATH_PACK),
                p_stall::STALL_ON_ZERO);
}

// Clear the half, which makes it free for math, and turn to the other.
inline void release_half() {
    TTI_STALLWAIT(p_stall::STALL_MATH, p_stall::PACK);
    TT_ZEROACC(p_zeroacc::CLR_HALF, 0, 0, ADDR_MOD_1, pack_half);
    TTI_STALLWAIT(p_stall::STALL_SYNC, p_stall::MATH);
    TTI_SEMGET(semaphore::t6_sem(semaphore::MATH_PACK));
    pack_half ^= 1;
    select_half();
}

// Pack tile `dst_index` of the half to `address`, in units of 16 bytes, less one.
inline void pack_tile_to(uint32_t dst_index, uint32_t address) {
    TT_SETADC(p_setadc::PAC, p_setadc::CH_0, p_setadc::SET_W, dst_index);
    config_for_packer<cfg::THCON_SEC0_REG1_L1_Dest_addr>(address);
    ckernel_template::run();
    TTI_SETADCZW(p_setadc::PAC, 0, 0, 0, 0, 0b0101);
}

}  // namespace tilelab

namespace ckernel {

[[gnu::always_inline]] inline void llk_pack_init(uint32_t out) {
    tilelab::configure_packer(tilelab::circular_buffer(out).format);
    tilelab::program_pack_tile();
}

[[gnu::always_inline]] inline void llk_pack(uint32_t dst_index, uint32_t out) {
    using namespace tilelab;
    pack_tile_to(dst_index, tile_address(out, packed_ahead[out]++));
}

}  // namespace ckernel
