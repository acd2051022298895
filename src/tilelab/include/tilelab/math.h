// TRISC1: from SrcA and SrcB into Dst.
//
// Dst has two halves. Math fills one while the packer empties the other; semaphore MATH_PACK counts
// the filled ones. With dst_full_sync_en they are one, and math waits for the packer.
#pragma once

#include <tilelab/circular_buffers.h>
#include <tilelab/templates.h>

enum class UnpackDestination { SrcRegs, DestReg };
enum class MathFidelity : uint32_t { LoFi = 0, HiFi2 = 2, HiFi3 = 3, HiFi4 = 4 };

namespace tilelab {

constexpr uint32_t phases(MathFidelity fidelity) {
    return fidelity == MathFidelity::LoFi ? 1 : static_cast<uint32_t>(fidelity);
}

inline uint32_t math_half;  // which half math fills: 0 or 1

inline void wait_for_free_half() {
    TTI_SEMWAIT(p_stall::STALL_MATH | p_stall::STALL_SFPU | p_stall::STALL_SYNC,
                semaphore::t6_sem(semaphore::MATH_PACK), p_stall::STALL_ON_MAX);
}

inline void hand_over_half() {
    TTI_STALLWAIT(p_stall::STALL_SYNC, p_stall::MATH | p_stall::WAIT_SFPU);
    TTI_SEMPOST(semaphore::t6_sem(semaphore::MATH_PACK));
    if constexpr (dst_full) return;
    math_half ^= 1;
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::MATH | p_stall::SFPU1);
    TT_SETC16(cfg::DEST_TARGET_REG_CFG_MATH_Offset.word, math_half * DST_HALF_ROWS);
}

TILELAB_ERROR("integers of 8 bits need a Dst of 32 bits") void integers_of_16_bits();
TILELAB_ERROR("the matrix unit does not take integers and floats at once") void mixed_with_integers();
TILELAB_ERROR("SrcA and SrcB hold no integers of this format; copy_tile unpacks them into Dst")
void not_in_src();

TILELAB_ERROR("the unpackers take no tf32 from L1 (what they make it of is fp32)") void tf32_in_l1();
TILELAB_ERROR("formats with exponents of 5 bits and of 8 do not mix in a Dst of 16 bits")
void mixed_exponents();

[[gnu::always_inline]] inline void configure_dst() {
    cfg_write<cfg::ALU_ACC_CTRL_Fp32_enabled>(dst_32bit);
    cfg_write<cfg::ALU_ACC_CTRL_SFPU_Fp32_enabled>(dst_32bit);
}

// What SrcA and SrcB hold is known on Blackhole from the unpacked data, on Wormhole from here.
[[gnu::always_inline]] inline void configure_math(DataFormat a, DataFormat b) {
    if (goes_to_dst(a) || goes_to_dst(b)) not_in_src();
    if (a == DataFormat::Tf32 || b == DataFormat::Tf32) tf32_in_l1();
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::MATH | p_stall::WAIT_SFPU);
#ifdef ARCH_WORMHOLE
    cfg_write<cfg::ALU_FORMAT_SPEC_REG0_SrcA>(number(format_in_src(a)));
    cfg_write<cfg::ALU_FORMAT_SPEC_REG1_SrcB>(number(format_in_src(b)));
#else
    cfg_write<cfg::DEST_ACCESS_CFG_zeroacc_absolute_tile_mode>(0);
#endif
    const bool integers = is_8bit_integer(a);
    if (integers != is_8bit_integer(b)) mixed_with_integers();
    if (integers && !dst_32bit) integers_of_16_bits();
    const bool both_fp16 = is_fp16_family(a) && is_fp16_family(b);
    if (dst_is_fp16 && !integers && !both_fp16) mixed_exponents();
    cfg_write<cfg::ALU_ACC_CTRL_INT8_math_enabled>(integers);
    configure_dst();
    TTI_SETC16(cfg::CLR_DVALID_SrcA_Disable.word, 0);
    TT_SETC16(cfg::DEST_TARGET_REG_CFG_MATH_Offset.word, math_half * DST_HALF_ROWS);
    TTI_SETRWC(p_setrwc::CLR_NONE, 0, 0, 0, 0, p_setrwc::SET_ABD_F);
}

// Whether the kernel asked for products that are added to what Dst has.
static bool products_added = false;

}  // namespace tilelab

namespace ckernel::math {

// Slots of the replay buffer by custom: 0 to 15 for the vector unit, 16 to 31 for the matrix unit.
constexpr uint32_t replay_buf_offset = 16;

// Where in the current half of Dst the instructions that follow write: at this tile.
template <DstTileShape Shape, UnpackDestination Destination>
[[gnu::always_inline]] inline void set_dst_write_addr(uint32_t tile_index) {
    static_assert(Destination == UnpackDestination::SrcRegs, "unpacking into Dst is not offered");
    tilelab::check_tile_of_dst(tile_index >> Shape);
    const uint32_t row = (tile_index << (6 - Shape)) + tilelab::math_half * tilelab::DST_HALF_ROWS;
    TT_SETC16(cfg::DEST_TARGET_REG_CFG_MATH_Offset.word, row);
}

}  // namespace ckernel::math

namespace ckernel {

// A pass over four faces, 8 rows an instruction, that gives both banks back after each face. An op
// that does not read both has to `wait` first: SETRWC gives back even a bank that is not there yet.
template <MathFidelity Fidelity = MathFidelity::LoFi, typename Op>
[[gnu::always_inline]] inline void program_faces(uint32_t a, uint32_t b, uint32_t b_rows, Op op,
                                                 uint32_t wait = TT_OP_NOP) {
    using namespace tilelab;
    configure_math(circular_buffer(a).format, circular_buffer(b).format);
    // The face's second half; the face again, for the next fidelity phase; the next face.
    addr_mod_t{.srca = {.incr = 8}, .srcb = {.incr = b_rows}, .dest = {.incr = 8}}.set(ADDR_MOD_0);
    addr_mod_t{.srca = {.cr = 1}, .srcb = {.cr = 1}, .dest = {.cr = 1}, .fidelity = {.incr = 1}}
        .set(ADDR_MOD_1);
    addr_mod_t{.dest = {.incr = 16, .cr = 1}, .fidelity = {.clr = 1}}.set(ADDR_MOD_2);
    addr_mod_t{}.set(ADDR_MOD_3);
    ckernel_template mop(FACES, phases(Fidelity), op(ADDR_MOD_0), op(ADDR_MOD_1));
    mop.set_start_op(wait);
    mop.set_last_inner_loop_instr(op(ADDR_MOD_2));
    mop.set_last_outer_loop_instr(op(ADDR_MOD_2));
    mop.set_end_op(TT_OP_SETRWC(p_setrwc::CLR_AB, p_setrwc::CR_AB, 0, 0, 0, p_setrwc::SET_AB));
    mop.program();
}

// SrcA op SrcB, or with `added` Dst + that; a broadcast row or datum of SrcB stays where it is.
template <EltwiseBinaryType Type, BroadcastType Broadcast, MathFidelity Fidelity>
[[gnu::always_inline]] inline void llk_math_eltwise_binary_init(uint32_t a, uint32_t b,
                                                                 bool added = false) {
    constexpr uint32_t how = static_cast<uint32_t>(Broadcast);
    constexpr uint32_t rows = Broadcast == BroadcastType::NONE || Broadcast == BroadcastType::COL ? 8 : 0;
    if constexpr (Type == EltwiseBinaryType::ELWADD)
        program_faces(a, b, rows, [=](uint32_t mod) { return TT_OP_ELWADD(0, added, how, mod, 0); });
    else if constexpr (Type == EltwiseBinaryType::ELWSUB)
        program_faces(a, b, rows, [=](uint32_t mod) { return TT_OP_ELWSUB(0, added, how, mod, 0); });
    else
        program_faces<Fidelity>(a, b, rows,
                                [](uint32_t mod) { return TT_OP_ELWMUL(0, 0, how, mod, 0); });
}

// SrcA as it is.
[[gnu::always_inline]] inline void llk_math_copy_src_a_init(uint32_t a) {
    // MOVA2D knows rows of 16 bits only; but zero is in SrcB
    if constexpr (tilelab::dst_32bit)
        program_faces(a, a, 8, [](uint32_t mod) { return TT_OP_ELWADD(0, 0, 0, mod, 0); });
    else
        program_faces(
            a, a, 8,
            [](uint32_t mod) { return TT_OP_MOVA2D(0, 0, mod, p_mova2d::MOV_8_ROWS, 0); },
            TT_OP_STALLWAIT(p_stall::STALL_MATH, p_stall::SRCB_VLD));
}

[[gnu::always_inline]] inline void llk_math_datacopy_init(uint32_t a) {
    if (!tilelab::circular_buffer(a).to_dst) return llk_math_copy_src_a_init(a);
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::MATH | p_stall::WAIT_SFPU);
    tilelab::configure_dst();
}

// What unpacker A writes into Dst itself: let it, and wait until it has.
[[gnu::always_inline]] inline void wait_for_unpack_to_dst() {
    constexpr uint32_t ready = semaphore::t6_sem(semaphore::UNPACK_TO_DEST);
    TTI_STALLWAIT(p_stall::STALL_SYNC, p_stall::MATH | p_stall::WAIT_SFPU);
    TTI_SEMPOST(ready);
    TTI_SEMWAIT(p_stall::STALL_MATH | p_stall::STALL_SFPU | p_stall::STALL_SYNC, ready,
                p_stall::STALL_ON_MAX);
}

[[gnu::always_inline]] inline void llk_math_run_faces(uint32_t dst_index) {
    math::set_dst_write_addr<DstTileShape::Tile32x32, UnpackDestination::SrcRegs>(dst_index);
    ckernel_template::run();
    TTI_SETRWC(p_setrwc::CLR_NONE, 0, 0, 0, 0, p_setrwc::SET_D);
}

[[gnu::always_inline]] inline void llk_math_datacopy(uint32_t in, uint32_t dst_index) {
    if (tilelab::circular_buffer(in).to_dst)
        wait_for_unpack_to_dst();
    else
        llk_math_run_faces(dst_index);
}

// Clear one face of the current half: sixteen rows. The address is absolute, ADDR_MOD_3 moves nothing.
[[gnu::always_inline]] inline void llk_math_clear_face(uint32_t dst_index, uint32_t face) {
    using namespace tilelab;
    check_tile_of_dst(dst_index);
    math::set_dst_write_addr<DstTileShape::Tile32x32, UnpackDestination::SrcRegs>(0);
    const uint32_t block = dst_index * FACES + face;
#ifdef ARCH_WORMHOLE
    constexpr uint32_t wide = dst_32bit ? 4 : 0, half = DST_HALF_ROWS / 16 >> dst_32bit;
    TT_ZEROACC(p_zeroacc::CLR_16 | wide, ADDR_MOD_3, block + math_half * half);
#else
    TT_ZEROACC(p_zeroacc::CLR_16, dst_32bit, 0, ADDR_MOD_3, block);
#endif
}

// ELWMUL adds to what Dst has, so the tile is cleared first, unless a kernel asked for sums.
[[gnu::always_inline]] inline void llk_math_clear_tile(uint32_t dst_index) {
    for (uint32_t face = 0; face < FACES; ++face) llk_math_clear_face(dst_index, face);
}

}  // namespace ckernel
