// TRISC0: tiles from circular buffers into SrcA and SrcB.
//
// Unpackers work from one of two contexts of base addresses. The core takes a free one (semaphore
// UNPACK_SYNC counts those in use), writes the addresses, and issues the unpack; the thread gives
// it back when the unpack is done, and both go on to the other.
#pragma once

#include <tilelab/circular_buffers.h>
#include <tilelab/templates.h>

namespace tilelab {

inline uint32_t context;

constexpr uint32_t UNPACK_A_FACE = TT_OP_UNPACR(SrcA, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1);
constexpr uint32_t UNPACK_B_FACE = TT_OP_UNPACR(SrcB, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1);
constexpr uint32_t UNPACK_A_TILE = TT_OP_UNPACR(SrcA, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1);
constexpr uint32_t UNPACK_B_TILE = TT_OP_UNPACR(SrcB, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1);
constexpr uint32_t NO_UNPACK_B = TT_OP_UNPACR_NOP(SrcB, 0, 0, p_unpacr_nop::SET_DVALID, 0, 0, 0, 0,
                                                  p_unpacr_nop::UNP_ZEROSRC);

// Tile descriptor and register format of one unpacker: uncompressed tiles of four 16 × 16 faces.
inline void configure_unpacker(ConfigField descriptor, ConfigField registers, DataFormat format) {
    const uint32_t in = static_cast<uint32_t>(format), uncompressed = 1 << 4;
    config_word(descriptor.word) = in | uncompressed | FACE_DATUMS << 16;
    config_word(descriptor.word + 1) = 1 | FACES << 16;
    constexpr uint32_t throttle = 2 << 4;
    config_word(registers.word) = in | throttle;
    config_word(registers.word + 1) = 0x000F000F;  // no context decompresses
}

// Both unpackers, for 16-bit formats; then `datums` datums an UNPACR: a face or a tile.
// What the core stores here must not reach an unpack in flight, so that is waited for; then both
// contexts are free, and core and hardware start again with the first.
inline void configure_unpackers(DataFormat a, DataFormat b, uint32_t datums) {
    tensix_sync();
    context = 0;
    constexpr uint32_t face_stride = 2 * FACE_DATUMS, src_a_row_4 = 4 * 16;
    config_word(cfg::UNP0_ADDR_CTRL_ZW_REG_1_Zstride.word) = face_stride;
    config_word(cfg::UNP1_ADDR_CTRL_ZW_REG_1_Zstride.word) = face_stride;
    using namespace cfg;
    configure_unpacker(THCON_SEC0_REG0_TileDescriptor, THCON_SEC0_REG2_Out_data_format, a);
    configure_unpacker(THCON_SEC1_REG0_TileDescriptor, THCON_SEC1_REG2_Out_data_format, b);
    config_word(cfg::THCON_SEC0_REG5_Dest_cntx0_address.word) = src_a_row_4 | src_a_row_4 << 16;
    config_word(cfg::THCON_SEC0_REG5_Tile_x_dim_cntx0.word) = FACE_DATUMS | FACE_DATUMS << 16;
    config_word(cfg::UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr.word) =
        in_place(cfg::UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr, 1);
    TTI_STALLWAIT(p_stall::STALL_UNPACK | p_stall::STALL_CFG, p_stall::TRISC_CFG);

    cfg_write<cfg::ALU_FORMAT_SPEC_REG0_SrcAUnsigned>(0);
    cfg_write<cfg::ALU_FORMAT_SPEC_REG0_SrcBUnsigned>(0);
    TTI_SETC16(cfg::SRCA_SET_Base.word, 1 << cfg::SRCA_SET_SetOvrdWithAddr.lo);
    TTI_SETC16(cfg::UNPACK_MISC_CFG_CfgContextOffset_0.word, 0);
    TTI_SETADCXY(p_setadc::UNP_AB, 0, 0, 0, 0, 0b1011);
    TTI_SETADCZW(p_setadc::UNP_AB, 0, 0, 0, 0, 0b1111);
    TT_SETADCXX(p_setadc::UNP_AB, datums - 1, 0);
}

// Take a free context and put the addresses there: `a` for SrcA's unpacker, `b` for SrcB's.
inline void begin_unpack(uint32_t a, uint32_t b) {
    TTI_SETADCZW(p_setadc::UNP_AB, 0, 0, 0, 0, 0b1111);
    while (semaphore_read(semaphore::UNPACK_SYNC) >= 2) {}
    config_word(cfg::THCON_SEC0_REG3_Base_address.word + context) = a;
    config_word(cfg::THCON_SEC1_REG3_Base_address.word + context) = b;
    semaphore_post(semaphore::UNPACK_SYNC);
    TTI_STALLWAIT(p_stall::STALL_UNPACK, p_stall::TRISC_CFG);
}

// Give the context back after what was issued since, and switch to the other.
inline void end_unpack() {
    TTI_STALLWAIT(p_stall::STALL_SYNC, p_stall::UNPACK);
    TTI_SEMGET(semaphore::t6_sem(semaphore::UNPACK_SYNC));
    context ^= 1;
    TT_SETC16(cfg::UNPACK_MISC_CFG_CfgContextOffset_0.word, context | context << 8);
}

}  // namespace tilelab

namespace ckernel {

// For matmul, in0 goes to SrcB and in1 to SrcA, a whole tile by one UNPACR each.
[[gnu::always_inline]] inline void llk_unpack_AB_matmul_init(uint32_t in0, uint32_t in1) {
    using namespace tilelab;
    configure_unpackers(circular_buffer(in1).format, circular_buffer(in0).format, TILE_DATUMS);
    ckernel_unpack_template(true, false, UNPACK_A_TILE, 0, 0, 0, 0, UNPACK_B_TILE, 0).program();
}

[[gnu::always_inline]] inline void llk_unpack_AB_matmul(uint32_t in0, uint32_t in1, uint32_t index0,
                                                        uint32_t index1) {
    using namespace tilelab;
    begin_unpack(tile_address(in1, index1), tile_address(in0, index0));
    ckernel_unpack_template::run(1);
    end_unpack();
}

// For element-wise work, in0 goes to SrcA and in1 to SrcB, face by face.
[[gnu::always_inline]] inline void llk_unpack_AB_init(uint32_t in0, uint32_t in1) {
    using namespace tilelab;
    configure_unpackers(circular_buffer(in0).format, circular_buffer(in1).format, FACE_DATUMS);
    ckernel_template(1, FACES, UNPACK_A_FACE, UNPACK_B_FACE).program();
}

[[gnu::always_inline]] inline void llk_unpack_AB(uint32_t in0, uint32_t in1, uint32_t index0,
                                                 uint32_t index1) {
    using namespace tilelab;
    begin_unpack(tile_address(in0, index0), tile_address(in1, index1));
    ckernel_template::run();
    end_unpack();
}

// One tile into SrcA, face by face; SrcB is handed over with it, so that both banks keep in step.
[[gnu::always_inline]] inline void llk_unpack_A_init(uint32_t in) {
    using namespace tilelab;
    configure_unpackers(circular_buffer(in).format, circular_buffer(in).format, FACE_DATUMS);
    ckernel_template(1, FACES, UNPACK_A_FACE, NO_UNPACK_B).program();
}

[[gnu::always_inline]] inline void llk_unpack_A(uint32_t in, uint32_t index) {
    using namespace tilelab;
    begin_unpack(tile_address(in, index), tile_address(in, index));
    ckernel_template::run();
    end_unpack();
}

}  // namespace ckernel
