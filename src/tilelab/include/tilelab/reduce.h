// TRISC1: of each row or column of a tile, or of all of it, the sum, the mean or the largest.
#pragma once

#include <tilelab/math.h>

namespace tilelab {
TILELAB_ERROR("REDUCE_SCALAR is for floats") void scalar_of_integers();
TILELAB_ERROR("the largest of a row is for floats") void row_maximum_of_integers();
}

namespace ckernel {

// A sum is a product of the tile with the scaler's face, once for each fidelity phase. Of a row:
//   SrcB face 0 1 2 3 (two halves each), SrcA face 0; Dst face 0 0 2 2
// of a column, with the face's first eight rows:
//   SrcA face 0 1 2 3, Dst face 0 1 0 1
template <MathFidelity Fidelity, ReduceDim Dim>
[[gnu::always_inline]] inline void program_sums() {
    constexpr bool row = Dim == ReduceDim::REDUCE_ROW, high = Fidelity != MathFidelity::LoFi;
    constexpr uint32_t length = row ? 8 : 4;
    // the face's second half, or the face beside
    if constexpr (row) {
        addr_mod_t{.srcb = {.incr = 8}, .dest = {.incr = 8}}.set(ADDR_MOD_0);
        addr_mod_t{.srcb = {.incr = 8}, .dest = {.cr = 1}}.set(ADDR_MOD_1);
        addr_mod_t{.srcb = {.incr = 8}, .dest = {.incr = 32, .cr = 1}}.set(ADDR_MOD_2);
    } else {
        addr_mod_t{.srca = {.incr = 16}, .dest = {.incr = 16}}.set(ADDR_MOD_0);
        addr_mod_t{.srca = {.incr = 16}, .dest = {.cr = 1}}.set(ADDR_MOD_1);
    }
    // all from the start, for the next fidelity phase
    addr_mod_t{.srca = {.clr = 1}, .srcb = {.clr = 1}, .dest = {.clr = 1}, .fidelity = {.incr = high}}
        .set(ADDR_MOD_3);
    load_replay_buf(math::replay_buf_offset, length, [] {
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_0, 0);
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_1, 0);
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_0, 0);
        if constexpr (row) {
            TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_2, 0);
            TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_0, 0);
            TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_1, 0);
            TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_0, 0);
        }
        TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_3, 0);
    });
    ckernel_template mop(1, tilelab::phases(Fidelity),
                         lltt::replay_insn(math::replay_buf_offset, length));
    mop.set_end_op(TT_OP_SETRWC(p_setrwc::CLR_AB, 0, 0, 0, 0, p_setrwc::SET_ABD_F));
    mop.program();
}

// All of a tile to one number: first to a row, see llk_math_reduce_scalar.
template <MathFidelity Fidelity>
[[gnu::always_inline]] inline void program_scalar() {
    constexpr bool high = Fidelity != MathFidelity::LoFi;
    addr_mod_t{}.set(ADDR_MOD_0);
    addr_mod_t{.srca = {.incr = 16}}.set(ADDR_MOD_1);
    addr_mod_t{.srca = {.clr = 1}, .fidelity = {.incr = high}}.set(ADDR_MOD_2);
    addr_mod_t{}.set(ADDR_MOD_3);
}

template <PoolType Type, ReduceDim Dim, MathFidelity Fidelity>
[[gnu::always_inline]] inline void llk_math_reduce_init(uint32_t in, uint32_t scaler) {
    using namespace tilelab;
    constexpr bool tile_in_b = Type != PoolType::MAX && Dim == ReduceDim::REDUCE_ROW;
    const DataFormat data = circular_buffer(in).format, face = circular_buffer(scaler).format;
    configure_math(tile_in_b ? face : data, tile_in_b ? data : face);
    if (Dim == ReduceDim::REDUCE_SCALAR && is_8bit_integer(data)) scalar_of_integers();
    if (Type == PoolType::MAX && Dim == ReduceDim::REDUCE_ROW && is_8bit_integer(data))
        row_maximum_of_integers();
    if constexpr (Dim == ReduceDim::REDUCE_SCALAR)
        program_scalar<Fidelity>();
    else if constexpr (Type != PoolType::MAX)
        program_sums<Fidelity, Dim>();
    else {
        addr_mod_t{}.set(ADDR_MOD_0);
        addr_mod_t{.srcb = {.incr = 8}}.set(ADDR_MOD_1);
    }
}

// The row of Dst at `row` becomes a column. It stays in row 0 too, where the next tile's largest
// are compared with it. SrcB's rows 16 to 31 serve as scratch.
[[gnu::always_inline]] inline void transpose_row(uint32_t row) {
    constexpr uint32_t scratch = p_movd2b::SRC_ROW16_OFFSET;
    TT_MOVD2B(0, scratch, ADDR_MOD_0, p_movd2b::MOV_1_ROW, row);
    TTI_TRNSPSRCB;
    TT_MOVD2B(0, scratch, ADDR_MOD_0, p_movd2b::MOV_1_ROW, row);
    if constexpr (tilelab::dst_32bit) {  // added to a SrcA of zeros
        TTI_SETRWC(p_setrwc::CLR_NONE, p_setrwc::CR_B, 0, 8, 0, p_setrwc::SET_B);
        TTI_SETRWC(p_setrwc::CLR_NONE, p_setrwc::CR_B, 0, 8, 0, p_setrwc::SET_B);
        TTI_ZEROSRC(0, 1, 0, 1);
        TT_ELWADD(0, 0, p_elwise::SRCB_NO_BCAST, ADDR_MOD_1, row);
        TT_ELWADD(0, 0, p_elwise::SRCB_NO_BCAST, ADDR_MOD_1, row + 8);
        TTI_SETRWC(p_setrwc::CLR_A, 0, 0, 0, 0, p_setrwc::SET_ABD_F);
    } else {
        for (uint32_t rows = 0; rows < 16; rows += 4)
            TT_MOVB2D(0, scratch + rows, ADDR_MOD_0, p_movb2d::MOV_4_ROWS, row + rows);
    }
}

// The row of Dst at `row` becomes every column of SrcA, by way of SrcB's rows 16 to 31.
[[gnu::always_inline]] inline void row_to_columns(uint32_t row) {
    constexpr uint32_t scratch = p_movd2b::SRC_ROW16_OFFSET;
    for (uint32_t copy = 0; copy < 16; ++copy)
        TT_MOVD2B(0, scratch + copy, ADDR_MOD_0, p_movd2b::MOV_1_ROW, row);
    TTI_TRNSPSRCB;
    for (uint32_t rows = 0; rows < 16; rows += 4)
        TT_MOVB2A(rows, ADDR_MOD_0, p_movb2a::MOV_4_ROWS, scratch + rows);
}

// The tile's faces to one row, then that row, upright, to one number, which row 0 of face 0 has in
// all columns. The row of sums is in face 1, cleared for each tile; that of the largest in row 0
// itself, where it is compared with what other tiles had.
template <PoolType Type, MathFidelity Fidelity>
[[gnu::always_inline]] inline void llk_math_reduce_scalar(uint32_t dst_index) {
    constexpr bool max = Type == PoolType::MAX;
    constexpr uint32_t row = max ? 0 : 16, phases = tilelab::phases(Fidelity);
    if constexpr (!max) llk_math_clear_face(dst_index, 1);
    math::set_dst_write_addr<DstTileShape::Tile32x32, UnpackDestination::SrcRegs>(dst_index);
    if constexpr (max) {
        for (uint32_t face = 0; face < 3; ++face)
            TTI_GMPOOL(p_setrwc::CLR_A, p_gpool::DIM_16X16, ADDR_MOD_0, p_gpool::INDEX_DIS, row);
        TTI_GMPOOL(p_setrwc::CLR_NONE, p_gpool::DIM_16X16, ADDR_MOD_0, p_gpool::INDEX_DIS, row);
    } else {
        for (uint32_t phase = 0; phase < phases; ++phase) {
            for (uint32_t face = 0; face < 3; ++face)
                TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_1, row);
            TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_2, row);
        }
        TTI_SETRWC(p_setrwc::CLR_NONE, 0, 0, 0, 0, p_setrwc::SET_ABD_F);
    }
    row_to_columns(row);
    if constexpr (max)
        TTI_GMPOOL(p_setrwc::CLR_NONE, p_gpool::DIM_16X16, ADDR_MOD_0, p_gpool::INDEX_DIS, 0);
    else
        for (uint32_t phase = 0; phase < phases; ++phase)
            TTI_MVMUL(p_setrwc::CLR_NONE, 0, ADDR_MOD_2, 0);
    TTI_SETRWC(p_setrwc::CLR_AB, 0, 0, 0, 0, p_setrwc::SET_ABD_F);
}

template <PoolType Type, ReduceDim Dim, MathFidelity Fidelity>
[[gnu::always_inline]] inline void llk_math_reduce(uint32_t dst_index) {
    if constexpr (Dim == ReduceDim::REDUCE_SCALAR)
        return llk_math_reduce_scalar<Type, Fidelity>(dst_index);
    math::set_dst_write_addr<DstTileShape::Tile32x32, UnpackDestination::SrcRegs>(dst_index);
    if constexpr (Type != PoolType::MAX) {
        ckernel_template::run();
        return;
    }
    constexpr bool row = Dim == ReduceDim::REDUCE_ROW;
    for (uint32_t face = 0; face < FACES; ++face) {
        const uint32_t at = row ? face / 2 * 32 : face % 2 * 16;
        const bool last = row && face % 2, keeps = last && tilelab::dst_32bit;
        const uint32_t clear = keeps ? p_setrwc::CLR_NONE : p_setrwc::CLR_A;
        TT_GMPOOL(clear, p_gpool::DIM_16X16, ADDR_MOD_0, p_gpool::INDEX_DIS, at);
        if (last) transpose_row(at);
    }
    TTI_SETRWC(p_setrwc::CLR_B, 0, 0, 0, 0, p_setrwc::SET_ABD_F);
}

}  // namespace ckernel
