// TRISC1: from SrcA and SrcB into Dst.
//
// Dst has two halves. Math fills one while the packer empties the other; semaphore MATH_PACK counts
// the filled ones.
#pragma once

#include <tilelab/templates.h>

// A tile's place in Dst depends on its shape: rows per tile, as a power of two.
enum DstTileShape : uint32_t { Tile32x32 = 0, Tile32x16 = 1, Tile16x16 = 2 };
enum class UnpackDestination { SrcRegs, DestReg };
enum class MathFidelity : uint32_t { LoFi = 0, HiFi2 = 2, HiFi3 = 3, HiFi4 = 4 };

namespace tilelab {

constexpr uint32_t DST_HALF_ROWS = 512;
inline uint32_t math_half;  // which half math fills: 0 or 1

inline void wait_for_free_half() {
    TTI_SEMWAIT(p_stall::STALL_MATH | p_stall::STALL_SFPU | p_stall::STALL_SYNC,
                semaphore::t6_sem(semaphore::MATH_PACK), p_stall::STALL_ON_MAX);
}

inline void hand_over_half() {
    TTI_STALLWAIT(p_stall::STALL_SYNC, p_stall::MATH | p_stall::WAIT_SFPU);
    TTI_SEMPOST(semaphore::t6_sem(semaphore::MATH_PACK));
    math_half ^= 1;
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::MATH | p_stall::SFPU1);
    TT_SETC16(cfg::DEST_TARGET_REG_CFG_MATH_Offset.word, math_half * DST_HALF_ROWS);
}

// 16-bit Dst; the formats of SrcA and SrcB come with the unpacked data.
inline void configure_math() {
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::MATH);
    cfg_write<cfg::DEST_ACCESS_CFG_zeroacc_absolute_tile_mode>(0);
    cfg_write<cfg::ALU_ACC_CTRL_INT8_math_enabled>(0);
    cfg_write<cfg::ALU_ACC_CTRL_Fp32_enabled>(0);
    cfg_write<cfg::ALU_ACC_CTRL_SFPU_Fp32_enabled>(0);
    TTI_SETC16(cfg::CLR_DVALID_SrcA_Disable.word, 0);
    TT_SETC16(cfg::DEST_TARGET_REG_CFG_MATH_Offset.word, math_half * DST_HALF_ROWS);
    TTI_SETRWC(p_setrwc::CLR_NONE, 0, 0, 0, 0, p_setrwc::SET_ABD_F);
}

}  // namespace tilelab

namespace ckernel::math {

// Slots of the replay buffer by custom: 0 to 15 for the vector unit, 16 to 31 for the matrix unit.
constexpr uint32_t replay_buf_offset = 16;

// Where in the current half of Dst the instructions that follow write: at this tile.
template <DstTileShape Shape, UnpackDestination Destination>
[[gnu::always_inline]] inline void set_dst_write_addr(uint32_t tile_index) {
    static_assert(Destination == UnpackDestination::SrcRegs, "unpacking into Dst is not offered");
    const uint32_t row = (tile_index << (6 - Shape)) + tilelab::math_half * tilelab::DST_HALF_ROWS;
    TT_SETC16(cfg::DEST_TARGET_REG_CFG_MATH_Offset.word, row);
}

}  // namespace ckernel::math

namespace ckernel {

// Matmul of 32 × 32 tiles: SrcB holds in0 and SrcA in1, four faces each, 16 rows a face. A MVMUL
// takes 8 rows of SrcB and a face of SrcA. Sixteen of them go through all pairs of faces:
//   SrcB face  0 0 2 2 1 1 3 3   each in two halves of 8 rows
//   SrcA face  0 1 0 1 2 3 2 3
//   Dst  face  0 1 2 3 0 1 2 3
template <MathFidelity Fidelity>
inline void matmul_address_modifiers() {
    // The face's second half.
    addr_mod_t{.srcb = {.incr = 8}, .dest = {.incr = 8}}.set(ADDR_MOD_0);
    // Next face of SrcA, SrcB's face again.
    addr_mod_t{.srca = {.incr = 16}, .srcb = {.cr = 1}, .dest = {.incr = 8}}.set(ADDR_MOD_1);
    // SrcA's faces again, SrcB's face below.
    addr_mod_t{.srca = {.cr = 1}, .srcb = {.incr = 32, .cr = 1}, .dest = {.incr = 8}}
        .set(ADDR_MOD_2);
    // SrcA's lower faces, SrcB's right ones (32 + 48 wraps to 16), Dst from the top.
    addr_mod_t{.srca = {.incr = 32, .cr = 1}, .srcb = {.incr = 48, .cr = 1}, .dest = {.cr = 1}}
        .set(ADDR_MOD_4);
    // All from the start, for the next fidelity phase.
    addr_mod_t{.srca = {.clr = 1, .cr = 1},
               .srcb = {.clr = 1, .cr = 1},
               .dest = {.clr = 1, .cr = 1},
               .fidelity = {.incr = Fidelity != MathFidelity::LoFi}}
        .set(ADDR_MOD_5);
}

template <uint32_t ClearAtLast>
inline void record_matmul() {
    load_replay_buf(math::replay_buf_offset, 16, [] {
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_0, 0);  // B0 A0
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_1, 0);
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_0, 0);  // B0 A1
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_2, 0);
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_0, 0);  // B2 A0
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_1, 0);
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_0, 0);  // B2 A1
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_4, 0);
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_0, 0);  // B1 A2
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_1, 0);
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_0, 0);  // B1 A3
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_2, 0);
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_0, 0);  // B3 A2
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_1, 0);
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_0, 0);  // B3 A3
        TTI_MVMUL(ClearAtLast, 0, ADDR_MOD_5, 0);
    });
}

// One run of the MOP multiplies a pair of tiles: a replay of the sixteen MVMULs for each fidelity
// phase, then SrcA goes back to the unpacker.
template <MathFidelity Fidelity>
inline void llk_math_matmul_init() {
    tilelab::configure_math();
    matmul_address_modifiers<Fidelity>();
    constexpr uint32_t replay = lltt::replay_insn(math::replay_buf_offset, 16);
    if constexpr (Fidelity == MathFidelity::LoFi) {
        record_matmul<p_setrwc::CLR_A>();
        ckernel_template(1, 1, replay).program();
    } else {
        record_matmul<p_setrwc::CLR_NONE>();
        ckernel_template mop(1, static_cast<uint32_t>(Fidelity), replay);
        mop.set_end_op(TT_OP_SETRWC(p_setrwc::CLR_A, 0, 0, 0, 0, p_setrwc::SET_ABD_F));
        mop.program();
    }
}

template <MathFidelity Fidelity, int Throttle = 0>
[[gnu::always_inline]] inline void llk_math_matmul(uint32_t dst_index) {
    static_assert(Throttle == 0, "throttled matmul is not offered");
    math::set_dst_write_addr<DstTileShape::Tile32x32, UnpackDestination::SrcRegs>(dst_index);
    ckernel_template::run();
    TTI_SETRWC(p_setrwc::CLR_B, 0, 0, 0, 0, p_setrwc::SET_ABD_F);
}

// A pass over four faces, 8 rows an instruction, that gives both banks back after each face.
inline void program_faces(uint32_t op) {
    tilelab::configure_math();
    addr_mod_t{.srca = {.incr = 8}, .srcb = {.incr = 8}, .dest = {.incr = 8}}.set(ADDR_MOD_0);
    ckernel_template mop(FACES, 2, op);
    mop.set_end_op(TT_OP_SETRWC(p_setrwc::CLR_AB, p_setrwc::CR_AB, 0, 0, 0, p_setrwc::SET_AB));
    mop.program();
}

inline void llk_math_eltwise_add_init() {
    program_faces(TT_OP_ELWADD(p_setrwc::CLR_NONE, p_elwise::DEST_ACCUM_DIS,
                               p_elwise::SRCB_NO_BCAST, ADDR_MOD_0, 0));
}

inline void llk_math_datacopy_init() {
    program_faces(TT_OP_MOVA2D(0, 0, ADDR_MOD_0, p_mova2d::MOV_8_ROWS, 0));
}

[[gnu::always_inline]] inline void llk_math_run_faces(uint32_t dst_index) {
    math::set_dst_write_addr<DstTileShape::Tile32x32, UnpackDestination::SrcRegs>(dst_index);
    ckernel_template::run();
    TTI_SETRWC(p_setrwc::CLR_NONE, 0, 0, 0, 0, p_setrwc::SET_D);
}

}  // namespace ckernel
