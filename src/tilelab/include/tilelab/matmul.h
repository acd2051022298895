// TRISC1: matmul of 32 × 32 tiles.
//
// SrcB holds in0 and SrcA in1, four faces each, 16 rows a face. A MVMUL takes 8 rows of SrcB and a
// face of SrcA. Sixteen of them go through all pairs of faces:
//   SrcB face  0 0 2 2 1 1 3 3   each in two halves of 8 rows
//   SrcA face  0 1 0 1 2 3 2 3
//   Dst  face  0 1 2 3 0 1 2 3
// Transposed, SrcA's faces are, too, by the unpacker, and come as 0 2 0 2 1 3 1 3.
#pragma once

#include <tilelab/math.h>

namespace tilelab {

// Address modifiers of the upper four slots. Blackhole's instructions name them; Wormhole's have
// two bits, and what comes before them sets the bias that adds 4.
#ifdef ARCH_WORMHOLE
constexpr uint32_t STEP_BEFORE_UPPER = ADDR_MOD_3;
constexpr uint32_t upper(uint32_t slot) { return slot - 4; }
constexpr uint32_t UPPER_BIAS = 1;
#else
constexpr uint32_t STEP_BEFORE_UPPER = ADDR_MOD_0;
constexpr uint32_t upper(uint32_t slot) { return slot; }
constexpr uint32_t UPPER_BIAS = 0;
#endif

// To the product with the next tile that stays, and that passes.
constexpr uint32_t NEXT_STAYING = ADDR_MOD_6, NEXT_PASSING = ADDR_MOD_3;

constexpr uint32_t mvmul(uint32_t addr_mod, uint32_t clear = p_setrwc::CLR_NONE) {
    return TT_OP_MVMUL(clear, 0, addr_mod, 0);
}

TILELAB_ERROR("matmul of other tiles than 32 × 32 is not offered") void not_full_tiles();

// How many tiles that stay the MOP multiplies; 0 when it is one product that frees SrcA at its end.
inline uint32_t staying_in_mop;

constexpr uint32_t CLR_DVALID_SRC_A_DISABLE = 1 << cfg::CLR_DVALID_SrcA_Disable.lo;
constexpr uint32_t CLR_DVALID_SRC_B_DISABLE = 1 << cfg::CLR_DVALID_SrcB_Disable.lo;

}  // namespace tilelab

namespace ckernel {

// SrcA and SrcB from the start, with the first fidelity phase; Dst so many rows further.
[[gnu::always_inline]] inline void to_next_product(uint32_t slot, uint32_t rows,
                                                   bool clear_dst = false) {
    addr_mod_t{.srca = {.clr = 1, .cr = 1},
               .srcb = {.clr = 1, .cr = 1},
               .dest = {.incr = rows, .clr = clear_dst, .cr = 1},
               .fidelity = {.clr = 1},
               .bias = {.incr = tilelab::UPPER_BIAS}}
        .set(slot);
}

// The product with the next tile that stays lies `step` tiles further in Dst.
template <MathFidelity Fidelity, int Throttle = 0>
[[gnu::always_inline]] inline void matmul_configure_addrmod(uint32_t step = 1,
                                                            uint32_t transpose = 0) {
    using namespace tilelab;
    constexpr bool high = Fidelity != MathFidelity::LoFi;
    // Rows from a face of SrcA to the one to its right, and to the one below.
    const uint32_t right = transpose ? 32 : 16, below = 48 - right;
    // The face's second half.
    addr_mod_t{.srcb = {.incr = 8}, .dest = {.incr = 8}}.set(ADDR_MOD_0);
    // Next face of SrcA, SrcB's face again.
    addr_mod_t{.srca = {.incr = right}, .srcb = {.cr = 1}, .dest = {.incr = 8}}.set(ADDR_MOD_1);
    // SrcA's faces again, SrcB's face below.
    addr_mod_t{.srca = {.cr = 1}, .srcb = {.incr = 32, .cr = 1}, .dest = {.incr = 8}}
        .set(ADDR_MOD_2);
    // SrcA's lower faces, SrcB's right ones (32 + 48 wraps to 16), Dst from the top.
    addr_mod_t{.srca = {.incr = below, .cr = 1},
               .srcb = {.incr = 48, .cr = 1},
               .dest = {.cr = 1},
               .bias = {.incr = UPPER_BIAS}}
        .set(ADDR_MOD_4);
    // SrcA and SrcB from the start, for the next fidelity phase; Dst from where this product began.
    addr_mod_t{.srca = {.clr = 1, .cr = 1},
               .srcb = {.clr = 1, .cr = 1},
               .dest = {.cr = 1},
               .fidelity = {.incr = high},
               .bias = {.incr = UPPER_BIAS}}
        .set(ADDR_MOD_5);
#ifdef ARCH_WORMHOLE
    // The face's second half, and what follows is of the upper slots.
    addr_mod_t{.srcb = {.incr = 8}, .dest = {.incr = 8}, .bias = {.incr = 1}}.set(ADDR_MOD_3);
    if constexpr (Throttle > 3) {
        addr_mod_t{.srca = {.cr = 1},
                   .srcb = {.incr = 32, .cr = 1},
                   .dest = {.incr = 8},
                   .bias = {.incr = 1}}
            .set(ADDR_MOD_6);
        return;
    }
#endif
    to_next_product(NEXT_STAYING, Throttle ? 0 : step * TILE_ROWS, Throttle != 0);
}

// The sixteen MVMULs of a tile, into slots 16 to 31 of the replay buffer.
template <uint32_t ClearAtLast>
inline void record_matmul() {
    using namespace tilelab;
    load_replay_buf(math::replay_buf_offset, 16, [] {
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_0, 0);  // B0 A0
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_1, 0);
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_0, 0);  // B0 A1
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_2, 0);
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_0, 0);  // B2 A0
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_1, 0);
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, STEP_BEFORE_UPPER, 0);  // B2 A1
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, upper(ADDR_MOD_4), 0);
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_0, 0);  // B1 A2
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_1, 0);
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_0, 0);  // B1 A3
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_2, 0);
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_0, 0);  // B3 A2
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_1, 0);
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, STEP_BEFORE_UPPER, 0);  // B3 A3
        TTI_MVMUL(ClearAtLast, 0, upper(ADDR_MOD_5), 0);
    });
}

// One run of the MOP multiplies a pair of tiles: a replay of the sixteen MVMULs for each fidelity
// phase, then SrcA goes back to the unpacker.
template <MathFidelity Fidelity>
[[gnu::always_inline]] inline void matmul_configure_mop() {
    constexpr uint32_t replay = lltt::replay_insn(math::replay_buf_offset, 16);
    tilelab::staying_in_mop = 0;
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

// One run multiplies one or two tiles that stay, in the banks one after the other, with one that
// passes. At its end Dst is where the next that passes begins; Wormhole has a slot for that only
// where one tile stays.
template <MathFidelity Fidelity>
[[gnu::always_inline]] inline void program_products(const tilelab::BlockOrder& order,
                                                    uint32_t at_once) {
    using namespace tilelab;
    if (staying_in_mop == at_once) return;
    staying_in_mop = at_once;
    const uint32_t turn = order.in1_stays ? p_setrwc::CLR_A : p_setrwc::CLR_B;
    const uint32_t passed = order.in1_stays ? p_setrwc::CLR_B : p_setrwc::CLR_A;
    const uint32_t clear = at_once == 1 ? passed : p_setrwc::CLR_AB;
    constexpr uint32_t most = lltt::replay_insn(math::replay_buf_offset, 15);
    ckernel_template mop(at_once, phases(Fidelity), most, mvmul(upper(ADDR_MOD_5)));
    mop.set_last_inner_loop_instr(mvmul(upper(NEXT_STAYING), turn));
#ifdef ARCH_WORMHOLE
    mop.set_last_outer_loop_instr(mvmul(upper(NEXT_STAYING), clear));
    mop.program();
    const uint32_t step = at_once == 1 ? order.passing_step : order.staying_step;
    to_next_product(NEXT_STAYING, step * TILE_ROWS);
#else
    mop.set_last_outer_loop_instr(mvmul(NEXT_PASSING, clear));
    mop.program();
    const uint32_t step = order.passing_step - (at_once - 1) * order.staying_step;
    to_next_product(NEXT_PASSING, step * TILE_ROWS);
#endif
}

// What levels 1 to 5 record: digits are the address modifiers of MVMULs, N a NOP, S the MVMUL before
// the one that follows from the MOP.
constexpr const char* THROTTLED[] = {"",          "N010N201NS",      "N01N02N01NS", "N0N1N0N2N0N1NSN",
                                     "N0NN1NSNN", "NN0NN1NNSNN"};

constexpr uint32_t throttled_length(int level) {
    uint32_t length = 0;
    while (THROTTLED[level][length]) ++length;
    return length;
}

template <int Level, uint32_t At = 0>
[[gnu::always_inline]] inline void run_throttled_sequence() {
    using namespace tilelab;
    constexpr char what = THROTTLED[Level][At];
    if constexpr (what) {
        constexpr uint32_t slot = what == 'S' ? STEP_BEFORE_UPPER : what - '0';
        issue_in_stream<what == 'N' ? TT_OP_NOP : mvmul(slot)>();
        run_throttled_sequence<Level, At + 1>();
    }
}

// The same with NOPs between the MVMULs. From level 4 on one run is one fidelity phase. In a block
// nothing is freed at the end.
template <MathFidelity Fidelity, int Level>
[[gnu::always_inline]] inline void matmul_configure_mop_throttled(uint32_t ct_dim = 1, uint32_t rt_dim = 1) {
    using namespace tilelab;
    static_assert(Level >= 1 && Level <= 5, "throttle levels are 1 to 5");
    constexpr bool high = Fidelity != MathFidelity::LoFi;
    constexpr uint32_t length = throttled_length(Level);
    load_replay_buf(math::replay_buf_offset, length, [] { run_throttled_sequence<Level>(); });
#ifdef ARCH_WORMHOLE
    constexpr uint32_t next_rows = upper(ADDR_MOD_6);
#else
    constexpr uint32_t next_rows = ADDR_MOD_2;
#endif
    const uint32_t clear = ct_dim * rt_dim == 1 ? p_setrwc::CLR_A : p_setrwc::CLR_NONE;
    const uint32_t replay = lltt::replay_insn(math::replay_buf_offset, length);
    ckernel_template mop(Level > 3 ? 2 : phases(Fidelity), 2, replay,
                         mvmul(Level > 3 ? next_rows : upper(ADDR_MOD_4)));
    if constexpr (Level > 3) {
        mop.set_last_inner_loop_instr(mvmul(upper(ADDR_MOD_4)));
        mop.set_last_outer_loop_instr(
            mvmul(upper(ADDR_MOD_5), high ? p_setrwc::CLR_NONE : clear));
    } else if constexpr (high) {
        mop.set_last_inner_loop_instr(mvmul(upper(ADDR_MOD_5)));
        mop.set_last_outer_loop_instr(mvmul(upper(ADDR_MOD_6), clear));
    } else {
        mop.set_last_outer_loop_instr(mvmul(upper(ADDR_MOD_5), clear));
    }
    mop.program();
}

template <MathFidelity Fidelity, int THROTTLE_LEVEL = 0>
[[gnu::always_inline]] inline void _llk_math_matmul_init_(uint32_t in0_rows = 32, uint32_t in0_columns = 32,
                                   uint32_t in1_rows = 32, uint32_t in1_columns = 32,
                                   bool partial_face = false, uint32_t transpose = 0,
                                   uint32_t ct_dim = 1, uint32_t rt_dim = 1) {
    if ((in0_rows ^ 32) | (in0_columns ^ 32) | (in1_rows ^ 32) | (in1_columns ^ 32) | partial_face)
        tilelab::not_full_tiles();
    const tilelab::BlockOrder order(ct_dim, rt_dim);
    matmul_configure_addrmod<Fidelity, THROTTLE_LEVEL>(order.staying_step, transpose);
    if constexpr (THROTTLE_LEVEL != 0) {
        matmul_configure_mop_throttled<Fidelity, THROTTLE_LEVEL>(ct_dim, rt_dim);
    } else if (ct_dim * rt_dim == 1) {
        matmul_configure_mop<Fidelity>();
    } else {
        tilelab::staying_in_mop = 0;
        record_matmul<p_setrwc::CLR_NONE>();
        program_products<Fidelity>(order, order.at_once(0));
    }
}

template <MathFidelity Fidelity, int Throttle = 0>
[[gnu::always_inline]] inline void llk_math_matmul_init(uint32_t in0, uint32_t in1, uint32_t transpose = 0,
                                 uint32_t ct_dim = 1, uint32_t rt_dim = 1) {
    using namespace tilelab;
    configure_math(circular_buffer(in1).format, circular_buffer(in0).format);
    _llk_math_matmul_init_<Fidelity, Throttle>(32, 32, 32, 32, false, transpose, ct_dim, rt_dim);
}

// One product of a pair of tiles.
template <MathFidelity Fidelity, int Throttle>
[[gnu::always_inline]] inline void matmul_product() {
    constexpr uint32_t runs = Throttle > 3 ? tilelab::phases(Fidelity) : 1;
    for (uint32_t run = 0; run < runs; ++run) ckernel_template::run();
}

// While tiles pass, clearing the Src whose two banks stay turns to the other one; it gives a bank
// back only with the last that passes.
[[gnu::always_inline]] inline void keep_banks(const tilelab::BlockOrder& order, bool keep) {
    using namespace tilelab;
    const uint32_t staying = order.in1_stays ? CLR_DVALID_SRC_A_DISABLE : CLR_DVALID_SRC_B_DISABLE;
    TT_SETC16(cfg::CLR_DVALID_SrcA_Disable.word, keep ? staying : 0);
}

// Free the bank of SrcA, or of SrcB, or turn to its other one.
[[gnu::always_inline]] inline void clear_bank(bool a) {
    if (a)
        TTI_SETRWC(p_setrwc::CLR_A, 0, 0, 0, 0, p_setrwc::SET_ABD_F);
    else
        TTI_SETRWC(p_setrwc::CLR_B, 0, 0, 0, 0, p_setrwc::SET_ABD_F);
}

// One or two tiles that stay with all that pass, throttled: a MOP for each product.
template <MathFidelity Fidelity, int Throttle>
[[gnu::always_inline]] inline void throttled_products(const tilelab::BlockOrder& order,
                                                      uint32_t dst_index, uint32_t at_once) {
    keep_banks(order, at_once != 1);
    for (uint32_t i = 0; i < order.passing; ++i) {
        if (i == order.passing - 1) keep_banks(order, false);
        for (uint32_t stays = 0; stays < at_once; ++stays) {
            math::set_dst_write_addr<DstTileShape::Tile32x32, UnpackDestination::SrcRegs>(
                dst_index + stays * order.staying_step + i * order.passing_step);
            matmul_product<Fidelity, Throttle>();
            const bool last = stays == at_once - 1;
            if (at_once != 1 && last)
                TTI_SETRWC(p_setrwc::CLR_AB, 0, 0, 0, 0, p_setrwc::SET_ABD_F);
            else  // the last is the one that has passed, others stay
                clear_bank(last ? !order.in1_stays : order.in1_stays);
        }
    }
    if (at_once == 1) clear_bank(order.in1_stays);
}

// One or two tiles that stay with all that pass: a MOP for each of these.
template <MathFidelity Fidelity>
[[gnu::always_inline]] inline void matmul_products(const tilelab::BlockOrder& order,
                                                   uint32_t dst_index, uint32_t at_once) {
    program_products<Fidelity>(order, at_once);
    keep_banks(order, at_once != 1);
    math::set_dst_write_addr<DstTileShape::Tile32x32, UnpackDestination::SrcRegs>(dst_index);
#pragma GCC unroll 8
    for (uint32_t i = 0; i < order.passing; ++i) {
        if (i == order.passing - 1) keep_banks(order, false);
        ckernel_template::run();
#ifdef ARCH_WORMHOLE
        if (at_once == 1 || i + 1 == order.passing) continue;
        TTI_SETRWC(p_setrwc::CLR_NONE, 0, 0, 0, 0, p_setrwc::SET_D);
        math::set_dst_write_addr<DstTileShape::Tile32x32, UnpackDestination::SrcRegs>(
            dst_index + (i + 1) * order.passing_step);
#endif
    }
    if (at_once == 1)
        clear_bank(order.in1_stays);
    else
        TTI_SETRWC(p_setrwc::CLR_NONE, 0, 0, 0, 0, p_setrwc::SET_D);
}

template <MathFidelity Fidelity, int Throttle = 0>
[[gnu::always_inline]] inline void _llk_math_matmul_(uint32_t dst_index, uint32_t ct_dim = 1,
                                                     uint32_t rt_dim = 1) {
    using namespace tilelab;
    if (ct_dim * rt_dim != 1) {
        const BlockOrder order(ct_dim, rt_dim);
        for (uint32_t first = 0; first < order.staying; first += SRC_BANKS) {
            const uint32_t dst = dst_index + first * order.staying_step;
            if constexpr (Throttle)
                throttled_products<Fidelity, Throttle>(order, dst, order.at_once(first));
            else
                matmul_products<Fidelity>(order, dst, order.at_once(first));
        }
        return;
    }
    math::set_dst_write_addr<DstTileShape::Tile32x32, UnpackDestination::SrcRegs>(dst_index);
    matmul_product<Fidelity, Throttle>();
    if constexpr (Throttle > 3 && Fidelity != MathFidelity::LoFi)
        TTI_SETRWC(p_setrwc::CLR_A, 0, 0, 0, 0, p_setrwc::SET_ABD_F);
    TTI_SETRWC(p_setrwc::CLR_B, 0, 0, 0, 0, p_setrwc::SET_ABD_F);
}

template <MathFidelity Fidelity, int Throttle = 0>
[[gnu::always_inline]] inline void llk_math_matmul(uint32_t dst_index, uint32_t ct_dim = 1,
                                                   uint32_t rt_dim = 1) {
    _llk_math_matmul_<Fidelity, Throttle>(dst_index, ct_dim, rt_dim);
}

}  // namespace ckernel
