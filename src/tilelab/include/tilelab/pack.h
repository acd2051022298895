// TRISC2: tiles from Dst into circular buffers.
#pragma once

#include <tilelab/circular_buffers.h>
#include <tilelab/templates.h>

namespace tilelab {

inline uint32_t pack_half;  // which half of Dst the packer empties: 0 or 1

TILELAB_ERROR("integers of 16 bits need a Dst of 16 bits, others one of 32")
void not_these_integers();
TILELAB_ERROR("the packer does not make this format of a Dst of 32 bits") void not_of_32_bits();
TILELAB_ERROR("the packer makes no tf32 of numbers with exponents of 5 bits") void not_of_fp16();

// What the packer reads of Dst: of 16 bits, with the exponent that the circular buffers' formats
// have; of 32 bits, what it can make the output's format of.
[[gnu::always_inline]] inline DataFormat format_from_dst(DataFormat out) {
    if (is_32bit_integer(out) || is_8bit_integer(out) || out == DataFormat::UInt16) {
        if (dst_32bit == (out == DataFormat::UInt16)) not_these_integers();
        return out;
    }
    if (dst_32bit) {
        if (is_fp16_family(out) && out != DataFormat::Float16) not_of_32_bits();
        if (out == DataFormat::Tf32) return out;
        return out == DataFormat::Float32 || out == DataFormat::Float16 ? DataFormat::Float32
                                                                        : DataFormat::Float16_b;
    }
    if (dst_is_fp16 && out == DataFormat::Tf32) not_of_fp16();
    return dst_is_fp16 ? DataFormat::Float16 : DataFormat::Float16_b;
}

// Write a word of Config by way of a general purpose register, once the packer no longer needs the
// old one; what follows sees the new one.
template <ConfigField F>
[[gnu::always_inline]] inline void config_for_packer(uint32_t value) {
    gpr_write(GPR_CONFIG, value);
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::THCON | p_stall::PACK);
    TTI_WRCFG(GPR_CONFIG, 0, F.word);
    TTI_DMANOP;
    TTI_DMANOP;
}

constexpr uint32_t FACE_ROWS = 16;

#ifdef ARCH_WORMHOLE

// Four packers, one for each face. The first has the tile's address, the others add theirs to it.
constexpr ConfigField PACKERS[] = {
    cfg::THCON_SEC0_REG1_Exp_section_size, cfg::THCON_SEC0_REG8_Exp_section_size,
    cfg::THCON_SEC1_REG1_Exp_section_size, cfg::THCON_SEC1_REG8_Exp_section_size};
constexpr uint32_t ADD_TO_OTHERS = 1u << 31;

inline void select_half() {
    const uint32_t row = pack_half * DST_HALF_ROWS;
    config_for_packer<cfg::DEST_TARGET_REG_CFG_PACK_SEC0_Offset>(row);
    config_for_packer<cfg::DEST_TARGET_REG_CFG_PACK_SEC1_Offset>(row + FACE_ROWS);
    config_for_packer<cfg::DEST_TARGET_REG_CFG_PACK_SEC2_Offset>(row + 2 * FACE_ROWS);
    config_for_packer<cfg::DEST_TARGET_REG_CFG_PACK_SEC3_Offset>(row + 3 * FACE_ROWS);
}

inline void configure_each_packer(const PlacedBuffer& buffer, uint32_t formats) {
    const bool blocks = buffer.bytes % TILE_DATUMS != 0;
    const uint32_t exponents = blocks ? FACES : 0;
    const uint32_t face = (buffer.bytes / 16 - exponents) / FACES;
    for (uint32_t packer = 0; packer < FACES; ++packer) {
        const uint32_t first = blocks ? packer : packer * face;
        const uint32_t section = blocks ? FACES + packer * face - packer : 0;
        config_word(PACKERS[packer].word) = in_place(PACKERS[packer], section);
        config_word(PACKERS[packer].word + 1) = first - 1;
        config_word(PACKERS[packer].word + 2) = formats;
        config_word(cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane.word + packer) =
            in_place(cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, FACE_ROWS);
    }
}

constexpr uint32_t DATUMS_AT_ONCE = FACE_DATUMS;

// The MOP for one tile: a face a packer.
inline void program_pack_tile() {
    addr_mod_pack_t{}.set(ADDR_MOD_0);
    ckernel_template(1, 1, TT_OP_PACR(ADDR_MOD_0, 0, 0xF, 0, 0, 0, 1)).program();
}

// One row of a face, by the first packer.
constexpr uint32_t pack_row(uint32_t addr_mod, uint32_t last) {
    return TT_OP_PACR(addr_mod, 0, 1, 0, 0, 0, last);
}

constexpr uint32_t CLEAR_HALF = dst_32bit ? p_zeroacc::CLR_HALF_32B : p_zeroacc::CLR_HALF;
[[gnu::always_inline]] inline void clear_dst(uint32_t half) {
    if constexpr (dst_full)
        TTI_ZEROACC(p_zeroacc::CLR_ALL, ADDR_MOD_1, 0);
    else
        TT_ZEROACC(CLEAR_HALF, ADDR_MOD_1, half);
}

#else

// One packer, with four read interfaces.
constexpr uint32_t ADD_TO_OTHERS = 0;

inline void select_half() {
    config_for_packer<cfg::DEST_TARGET_REG_CFG_PACK_SEC0_Offset>(pack_half * DST_HALF_ROWS);
}

inline void configure_each_packer(const PlacedBuffer& buffer, uint32_t formats) {
    config_word(cfg::THCON_SEC0_REG1_Exp_section_size.word) =
        in_place(cfg::THCON_SEC0_REG1_Exp_section_size, FACES);
    config_word(cfg::THCON_SEC0_REG1_In_data_format.word) = formats;
    config_word(cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane.word) =
        in_place(cfg::PACK_COUNTERS_SEC0_pack_reads_per_xy_plane, FACE_ROWS);
}

constexpr uint32_t DATUMS_AT_ONCE = 16;

constexpr uint32_t pack_rows(uint32_t addr_mod, uint32_t last) {
    return TT_OP_PACR(0, 0, 0, addr_mod, 0, 0, 0, 0, 0, 0, 0, last);
}

// One row of a face, by the first interface.
constexpr uint32_t pack_row(uint32_t addr_mod, uint32_t last) {
    return TT_OP_PACR(0, 0, 0, addr_mod, 0, 0, 1, 0, 0, 0, 0, last);
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

[[gnu::always_inline]] inline void clear_dst(uint32_t half) {
    if constexpr (dst_full)
        TTI_ZEROACC(p_zeroacc::CLR_ALL, 0, 0, ADDR_MOD_1, 0);
    else
        TT_ZEROACC(p_zeroacc::CLR_HALF, dst_32bit, 0, ADDR_MOD_1, half);
}

#endif

// What the core stores here must not reach a pack in flight, so that is waited for.
[[gnu::always_inline]] inline void configure_packer(const PlacedBuffer& buffer) {
    tensix_sync();
    const DataFormat dst = format_from_dst(buffer.format);
    const uint32_t row_stride = 16 * datum_bytes(dst), face_stride = FACE_ROWS * row_stride;
    using namespace cfg;
    config_word(PCK0_ADDR_CTRL_XY_REG_0_Xstride.word) =
        in_place(PCK0_ADDR_CTRL_XY_REG_0_Ystride, row_stride);
    config_word(PCK0_ADDR_CTRL_ZW_REG_0_Zstride.word) =
        in_place(PCK0_ADDR_CTRL_ZW_REG_0_Zstride, face_stride) |
        in_place(PCK0_ADDR_CTRL_ZW_REG_0_Wstride, FACES * face_stride);
    configure_each_packer(buffer, in_place(THCON_SEC0_REG1_Disable_zero_compress, 1) |
                                      in_place(THCON_SEC0_REG1_Out_data_format,
                                               static_cast<uint32_t>(buffer.format)) |
                                      in_place(THCON_SEC0_REG1_In_data_format,
                                               static_cast<uint32_t>(dst)));
    config_word(PCK_DEST_RD_CTRL_Read_32b_data.word) =
        in_place(PCK_DEST_RD_CTRL_Read_32b_data, dst_32bit);
    config_word(PCK_EDGE_OFFSET_SEC0_mask.word) = in_place(PCK_EDGE_OFFSET_SEC0_mask, 0xFFFF);
    config_word(TILE_ROW_SET_MAPPING_0_row_set_mapping_0.word) = 0;
    TTI_STALLWAIT(p_stall::STALL_PACK | p_stall::STALL_CFG, p_stall::TRISC_CFG);

    cfg_write<ALU_FORMAT_SPEC_REG2_Dstacc>(static_cast<uint32_t>(dst));
    cfg_write<STACC_RELU_ApplyRelu>(0);
    cfg_write<THCON_SEC0_REG1_Pack_L1_Acc>(0);
    cfg_write<THCON_SEC0_REG1_Exp_threshold_en>(0);
#ifndef ARCH_WORMHOLE
    cfg_write<THCON_SEC0_REG1_Pac_LF8_4b_exp>(0);
#endif
    TTI_SETADCXX(p_setadc::PAC, DATUMS_AT_ONCE - 1, 0);
    TTI_SETADCXY(p_setadc::PAC, 0, 0, 0, 0, 0b1011);
    TTI_SETADCZW(p_setadc::PAC, 0, 0, 0, 0, 0b1111);
    select_half();
}

inline void wait_for_filled_half() {
    TTI_SEMWAIT(p_stall::STALL_TDMA, semaphore::t6_sem(semaphore::MATH_PACK),
                p_stall::STALL_ON_ZERO);
}

// Clear the half, which makes it free for math, and turn to the other.
inline void release_half() {
    TTI_STALLWAIT(p_stall::STALL_MATH, p_stall::PACK);
    clear_dst(pack_half);
    TTI_STALLWAIT(p_stall::STALL_SYNC, p_stall::MATH);
    TTI_SEMGET(semaphore::t6_sem(semaphore::MATH_PACK));
    if constexpr (dst_full) return;
    pack_half ^= 1;
    select_half();
}

// Pack tile `dst_index` of the half to `address`, in units of 16 bytes, less one.
inline void pack_tile_to(uint32_t dst_index, uint32_t address) {
    TT_SETADC(p_setadc::PAC, p_setadc::CH_0, p_setadc::SET_W, dst_index);
    config_for_packer<cfg::THCON_SEC0_REG1_L1_Dest_addr>(address | ADD_TO_OTHERS);
    ckernel_template::run();
    TTI_SETADCZW(p_setadc::PAC, 0, 0, 0, 0, 0b0101);
}

// The MOP for one row of a tile: that of a face, and that of the face beside it.
inline void program_pack_row() {
    TTI_SETADCXX(p_setadc::PAC, 16 - 1, 0);
    addr_mod_pack_t{.z_src = {.incr = 1}}.set(ADDR_MOD_0);
    addr_mod_pack_t{.y_src = {.incr = 1}, .z_src = {.clr = 1}}.set(ADDR_MOD_1);
    ckernel_template(1, 1, pack_row(ADDR_MOD_0, 0), pack_row(ADDR_MOD_1, 1)).program();
}

// Pack tile `dst_index` of the half row by row, the first to `address`, less one, the next `stride`
// behind it, in units of 16 bytes.
inline void pack_rows_to(uint32_t dst_index, uint32_t address, uint32_t stride) {
    TT_SETADC(p_setadc::PAC, p_setadc::CH_0, p_setadc::SET_W, dst_index);
    for (uint32_t row = 0; row < 2 * FACE_ROWS; ++row) {
        // from the third face on, which is two faces' rows behind the first
        if (row == FACE_ROWS)
            TTI_SETADC(p_setadc::PAC, p_setadc::CH_0, p_setadc::SET_Y, 2 * FACE_ROWS);
        config_for_packer<cfg::THCON_SEC0_REG1_L1_Dest_addr>(address);
        ckernel_template::run();
        address += stride;
    }
    TTI_SETADCXY(p_setadc::PAC, 0, 0, 0, 0, 0b0011);
    TTI_SETADCZW(p_setadc::PAC, 0, 0, 0, 0, 0b0101);
}

}  // namespace tilelab

namespace ckernel {

[[gnu::always_inline]] inline void configure_packer_for(uint32_t out) {
    using namespace tilelab;
    TILELAB_NOTE(Note::PREPARES_PACK, out);
    PlacedBuffer buffer = circular_buffer(out);
    const DataFormat format = buffer.format;
    buffer.format = plain(format);
    configure_packer(buffer);
    if (is_8bit_integer(format)) {  // without exponents, and with a sign or not
        TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::PACK);
        cfg_write<cfg::THCON_SEC0_REG1_Exp_section_size>(0);
        cfg_write<cfg::PCK_DEST_RD_CTRL_Read_unsigned>(format == DataFormat::UInt8);
    }
}

[[gnu::always_inline]] inline void llk_pack_init(uint32_t out) {
    configure_packer_for(out);
    tilelab::program_pack_tile();
}

[[gnu::always_inline]] inline void llk_pack(uint32_t dst_index, uint32_t out) {
    using namespace tilelab;
    TILELAB_NOTE(Note::PACKS, out);
    check_tile_of_dst(dst_index);
    pack_tile_to(dst_index, tile_address(out, side(out).packed_ahead++));
}

[[gnu::always_inline]] inline void llk_pack_at(uint32_t dst_index, uint32_t out, uint32_t index) {
    using namespace tilelab;
    TILELAB_NOTE(Note::PACKS, out);
    check_tile_of_dst(dst_index);
    pack_tile_to(dst_index, tile_address(out, index));
}

[[gnu::always_inline]] inline void llk_pack_untilize_init(uint32_t out) {
    using namespace tilelab;
    if (circular_buffers[out].bytes % TILE_DATUMS != 0) no_rows_of_this_format();
    configure_packer_for(out);
    program_pack_row();
}

// Tile `dst_index` as number `column` of a block of 32 rows, `columns` tiles wide.
[[gnu::always_inline]] inline void llk_pack_untilize(uint32_t dst_index, uint32_t out,
                                                     uint32_t column, uint32_t columns) {
    using namespace tilelab;
    TILELAB_NOTE(Note::PACKS, out);
    const uint32_t tile_row = circular_buffer(out).bytes / 32 / 16;
    const uint32_t block = tile_address(out, side(out).packed_ahead);
    pack_rows_to(dst_index, block + column * tile_row, columns * tile_row);
    if (column == columns - 1) side(out).packed_ahead += columns;
}

}  // namespace ckernel
