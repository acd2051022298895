// TRISC0: tiles from circular buffers into SrcA and SrcB.
//
// The thread itself sets the base addresses, between the unpacks: so the core runs ahead of its
// thread, the thread of the unpackers, and they of the matrix unit by a bank of SrcA and SrcB each.
#pragma once

#include <tilelab/circular_buffers.h>
#include <tilelab/templates.h>

namespace tilelab {

constexpr uint32_t UNPACK_A_FACE = TT_OP_UNPACR(SrcA, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1);
constexpr uint32_t UNPACK_B_FACE = TT_OP_UNPACR(SrcB, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1);
constexpr uint32_t UNPACK_TILE_TO_DST = TT_OP_UNPACR(SrcA, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1);
constexpr uint32_t UNPACK_A_TILE = TT_OP_UNPACR(SrcA, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1);
// As many datums as SETADCXX says, at the same place.
constexpr uint32_t UNPACK_B_TILE = TT_OP_UNPACR(SrcB, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1);
// SrcB all zeros, and handed over.
#ifdef ARCH_WORMHOLE
constexpr uint32_t ZERO_B = TT_OP_UNPACR_NOP(SrcB, p_unpacr_nop::UNP_ZEROSRC);
constexpr uint32_t GIVE_B = TT_OP_UNPACR_NOP(SrcB, p_unpacr_nop::UNP_SET_DVALID);
#else
constexpr uint32_t ZERO_B = TT_OP_UNPACR_NOP(SrcB, 0, 0, p_unpacr_nop::SET_DVALID, 0, 0, 0, 0,
                                             p_unpacr_nop::UNP_ZEROSRC);
constexpr uint32_t GIVE_B = TT_OP_NOP;  // done already
#endif

// Tile descriptor and register format of one unpacker: uncompressed tiles of four 16 × 16 faces.
inline void configure_unpacker(ConfigField descriptor, ConfigField registers, ConfigField stride,
                               DataFormat format) {
    const uint32_t uncompressed = 1 << 4, throttle = 2 << 4;
    const DataFormat src = format_in_src(format);
    config_word(stride.word) = in_place(stride, datum_bytes(src) * FACE_DATUMS);
    config_word(descriptor.word) = static_cast<uint32_t>(format) | uncompressed | FACE_DATUMS << 16;
    config_word(descriptor.word + 1) = 1 | FACES << 16;
    config_word(registers.word) = static_cast<uint32_t>(src) | throttle;
    config_word(registers.word + 1) = 0x000F000F;  // no context decompresses
}

// Both unpackers; then `datums` datums an UNPACR: a face or a tile.
// What the core stores here must not reach an unpack in flight, so that is waited for.
// With `transpose` unpacker A transposes each face.
inline void configure_plain_unpackers(DataFormat a, DataFormat b, uint32_t datums, bool transpose) {
    tensix_sync();
    constexpr uint32_t src_a_row_4 = 4 * 16;
    using namespace cfg;
    configure_unpacker(THCON_SEC0_REG0_TileDescriptor, THCON_SEC0_REG2_Out_data_format,
                       UNP0_ADDR_CTRL_ZW_REG_1_Zstride, a);
    configure_unpacker(THCON_SEC1_REG0_TileDescriptor, THCON_SEC1_REG2_Out_data_format,
                       UNP1_ADDR_CTRL_ZW_REG_1_Zstride, b);
    if (transpose)
        config_word(THCON_SEC0_REG2_Haloize_mode.word) =
            config_word(THCON_SEC0_REG2_Haloize_mode.word) |
            in_place(THCON_SEC0_REG2_Haloize_mode, 1);
    config_word(THCON_SEC0_REG5_Dest_cntx0_address.word) = src_a_row_4 | src_a_row_4 << 16;
    config_word(THCON_SEC0_REG5_Tile_x_dim_cntx0.word) = FACE_DATUMS | FACE_DATUMS << 16;
    config_word(UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr.word) =
        in_place(UNP0_ADD_DEST_ADDR_CNTR_add_dest_addr_cntr, 1);
    TTI_STALLWAIT(p_stall::STALL_UNPACK | p_stall::STALL_CFG, p_stall::TRISC_CFG);

    cfg_write<ALU_FORMAT_SPEC_REG0_SrcAUnsigned>(0);
    cfg_write<ALU_FORMAT_SPEC_REG0_SrcBUnsigned>(0);
    TTI_SETC16(SRCA_SET_Base.word, 1 << SRCA_SET_SetOvrdWithAddr.lo);
    TTI_SETC16(UNPACK_MISC_CFG_CfgContextOffset_0.word, 0);
    TTI_SETADCXY(p_setadc::UNP_AB, 0, 0, 0, 0, 0b1011);
    TTI_SETADCZW(p_setadc::UNP_AB, 0, 0, 0, 0, 0b1111);
    TT_SETADCXX(p_setadc::UNP_AB, datums - 1, 0);
}

// The same, and what bytes' signs mean; with `to_dst` unpacker A writes Dst instead of SrcA.
[[gnu::always_inline]] inline void configure_unpackers(DataFormat a, DataFormat b, uint32_t datums,
                                                       bool transpose = false,
                                                       bool to_dst = false) {
    using namespace cfg;
    configure_plain_unpackers(plain(a), plain(b), datums, transpose);
    if (a == DataFormat::UInt8) cfg_write<ALU_FORMAT_SPEC_REG0_SrcAUnsigned>(1);
    if (b == DataFormat::UInt8) cfg_write<ALU_FORMAT_SPEC_REG0_SrcBUnsigned>(1);
    if (!to_dst) return;
    cfg_write<THCON_SEC0_REG2_Out_data_format>(number(a));
    cfg_write<THCON_SEC0_REG2_Unpack_if_sel_cntx0>(1);
    TTI_SETC16(SRCA_SET_Base.word, 0);
}

// For reports: which buffers the unpackers are prepared for, and which they read.
[[gnu::always_inline]] inline void note_prepared(uint32_t a, uint32_t b) {
    TILELAB_NOTE(Note::PREPARES_UNPACK_A, a);
    TILELAB_NOTE(Note::PREPARES_UNPACK_B, b);
}
[[gnu::always_inline]] inline void note_unpacks(uint32_t a, uint32_t b) {
    TILELAB_NOTE(Note::UNPACKS_A, a);
    TILELAB_NOTE(Note::UNPACKS_B, b);
}

// Which half of Dst math fills, for unpacks into it; how many rows before its first they count from.
inline uint32_t unpack_half;
constexpr uint32_t DST_FIRST_ROW = 4;
inline void follow_half() {
    constexpr bool any = [] {
        for (const PlacedBuffer& buffer : circular_buffers)
            if (buffer.to_dst) return true;
        return false;
    }();
    if constexpr (any && !dst_full) unpack_half ^= 1;
}

// Whether an address needs more bits than half a general purpose register has.
constexpr bool far_buffers() {
    for (const PlacedBuffer& buffer : circular_buffers)
        if ((buffer.address + buffer.tiles * buffer.bytes) / 16 > 0xFFFF) return true;
    return false;
}

// Where an unpacker reads, in units of 16 bytes, less one: in a GPR, from where it goes to Config.
struct UnpackBase {
    uint32_t gpr, step_gpr, word;
};
constexpr UnpackBase BASE_A{GPR_BASE_A, GPR_STEP_A, cfg::THCON_SEC0_REG3_Base_address.word};
constexpr UnpackBase BASE_B{GPR_BASE_B, GPR_STEP_B, cfg::THCON_SEC1_REG3_Base_address.word};

template <UnpackBase Base>
[[gnu::always_inline]] inline void note_base(uint32_t address) {
    gpr_half_write(2 * Base.gpr, address);
    if constexpr (far_buffers()) gpr_half_write(2 * Base.gpr + 1, address >> 16);
}
template <UnpackBase Base>
[[gnu::always_inline]] inline void unpack_from(uint32_t address) {
    note_base<Base>(address);
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::THCON);
    TTI_WRCFG(Base.gpr, 0, Base.word);
    TTI_NOP;  // WRCFG takes two cycles
}
[[gnu::always_inline]] inline void unpack_a_from(uint32_t address) { unpack_from<BASE_A>(address); }
[[gnu::always_inline]] inline void unpack_b_from(uint32_t address) { unpack_from<BASE_B>(address); }
[[gnu::always_inline]] inline void unpack_both_from(uint32_t a, uint32_t b) {
    note_base<BASE_A>(a);
    note_base<BASE_B>(b);
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::THCON);
    TTI_WRCFG(GPR_BASE_A, 0, BASE_A.word);
    TTI_WRCFG(GPR_BASE_B, 0, BASE_B.word);
    TTI_NOP;
}

// The tile a step after the one unpacked last, for the replay buffer: the thread adds.
template <UnpackBase Base, uint32_t Unpack>
[[gnu::always_inline]] inline void unpack_next() {
    TTI_ADDDMAREG(0, Base.gpr, Base.step_gpr, Base.gpr);
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::THCON);
    TTI_WRCFG(Base.gpr, 0, Base.word);
    TTI_NOP;
    issue_in_stream<Unpack>();
}
// A tile into SrcA, or SrcB.
[[gnu::always_inline]] inline void unpack_one(bool a) {
    if (a)
        issue_in_stream<UNPACK_A_TILE>();
    else
        issue_in_stream<UNPACK_B_TILE>();
}
[[gnu::always_inline]] inline void unpack_one_from(bool a, uint32_t address) {
    if (a)
        unpack_a_from(address);
    else
        unpack_b_from(address);
    unpack_one(a);
}
constexpr uint32_t NEXT_WORDS = 5, NEXT_A = 0, NEXT_B = NEXT_WORDS;

// After a tile that was unpacked face by face.
[[gnu::always_inline]] inline void first_face_again() {
    TTI_SETADCZW(p_setadc::UNP_AB, 0, 0, 0, 0, 0b1111);
}

}  // namespace tilelab

namespace ckernel {

// For matmul, in0 goes to SrcB and in1 to SrcA, a whole tile by one UNPACR each. With `transpose`
// each face of in1 is transposed on the way.
[[gnu::always_inline]] inline void llk_unpack_AB_matmul_init(uint32_t in0, uint32_t in1,
                                                             uint32_t transpose = 0,
                                                             bool in_blocks = false) {
    using namespace tilelab;
    note_prepared(in1, in0);
    configure_unpackers(circular_buffer(in1).format, circular_buffer(in0).format, TILE_DATUMS,
                        transpose);
    if (!in_blocks) return;
    gpr_write(GPR_STEP_A, circular_buffer(in1).bytes / 16);
    load_replay_buf(0, 2 * NEXT_WORDS, [] {
        unpack_next<BASE_A, UNPACK_A_TILE>();
        unpack_next<BASE_B, UNPACK_B_TILE>();
    });
}

// A block of products, see BlockOrder. Tiles come in the order in which banks become free: one that
// stays alone has a bank free all along, two only after the first that passes.
[[gnu::always_inline]] inline void llk_unpack_AB_matmul(uint32_t in0, uint32_t in1, uint32_t index0,
                                                        uint32_t index1, uint32_t ct_dim = 1,
                                                        uint32_t rt_dim = 1, uint32_t kt_dim = 1) {
    using namespace tilelab;
    note_unpacks(in1, in0);
    const BlockOrder order(ct_dim, rt_dim);
    const bool stays = order.in1_stays, passes = !stays;
    const uint32_t staying = order.staying, passing = order.passing;
    const auto address = [=](bool of_in1, uint32_t i) __attribute__((always_inline)) {
        return of_in1 ? tile_address(in1, index1 + i) : tile_address(in0, index0 + i * kt_dim);
    };
    const uint32_t begin = address(passes, 0);
    const uint32_t step = circular_buffer(passes ? in1 : in0).bytes / 16 * (passes ? 1 : kt_dim);
    const bool wraps = passing > 1 && address(passes, passing - 1) != begin + (passing - 1) * step;
    if (!passes && passing > 1) gpr_write(GPR_STEP_B, step);
    for (uint32_t first = 0; first < staying; first += SRC_BANKS) {
        const bool alone = staying - first == 1;
        const uint32_t other = address(stays, first);
        unpack_both_from(stays ? other : begin, stays ? begin : other);
        if (alone) unpack_one(stays);
        unpack_one(passes);
        if (!alone) {
            unpack_one(stays);
            unpack_one_from(stays, address(stays, first + 1));
            // two unpackers at once share what L1 gives, and this tile is the urgent one
            if (stays)
                TTI_STALLWAIT(p_stall::STALL_UNPACK, p_stall::UNPACK0);
            else
                TTI_STALLWAIT(p_stall::STALL_UNPACK, p_stall::UNPACK1);
        }
        if (wraps) {
            for (uint32_t i = 1; i < passing; ++i) unpack_one_from(passes, address(passes, i));
            continue;
        }
#pragma GCC unroll 8
        for (uint32_t i = 1; i < passing; ++i)
            if (passes)
                lltt::replay(NEXT_A, NEXT_WORDS);
            else
                lltt::replay(NEXT_B, NEXT_WORDS);
    }
}

// For element-wise work, in0 goes to SrcA and in1 to SrcB, face by face. To broadcast, SrcB's faces
// are 0 1 0 1 for its row, 0 0 2 2 for its column, 0 0 0 0 for its first datum.
template <BroadcastType Broadcast = BroadcastType::NONE>
[[gnu::always_inline]] inline void llk_unpack_AB_init(uint32_t in0, uint32_t in1) {
    using namespace tilelab;
    note_prepared(in0, in1);
    constexpr bool next =
        Broadcast == BroadcastType::NONE || Broadcast == BroadcastType::ROW;
    configure_unpackers(circular_buffer(in0).format, circular_buffer(in1).format, FACE_DATUMS);
    ckernel_template mop(2, 2, UNPACK_A_FACE, next ? UNPACK_B_FACE : UNPACK_B_TILE);
    if constexpr (Broadcast == BroadcastType::ROW)
        mop.set_end_op(TT_OP_SETADCZW(p_setadc::UNP_B, 0, 0, 0, 0, 0b0001));
    if constexpr (Broadcast == BroadcastType::COL)
        mop.set_end_op(TT_OP_INCADCZW(p_setadc::UNP_B, 0, 0, 0, 2));
    mop.program();
}

[[gnu::always_inline]] inline void llk_unpack_AB(uint32_t in0, uint32_t in1, uint32_t index0,
                                                 uint32_t index1) {
    using namespace tilelab;
    note_unpacks(in0, in1);
    unpack_a_from(tile_address(in0, index0));
    unpack_b_from(tile_address(in1, index1));
    ckernel_template::run();
    first_face_again();
}

// One tile into SrcA, face by face; zeros in SrcB are handed over with it. Or all of it into Dst, for
// formats that SrcA does not hold.
[[gnu::always_inline]] inline void llk_unpack_A_init(uint32_t in) {
    using namespace tilelab;
    TILELAB_NOTE(Note::PREPARES_UNPACK_A, in);
    if (circular_buffer(in).to_dst) {
        const DataFormat format = circular_buffer(in).format;
        return configure_unpackers(format, format, TILE_DATUMS, false, true);
    }
    configure_unpackers(circular_buffer(in).format, circular_buffer(in).format, FACE_DATUMS);
    ckernel_template mop(FACES, 1, UNPACK_A_FACE, ZERO_B);
    mop.set_end_op(GIVE_B);
    mop.program();
}

// Into Dst, once math says that the tile's place is free.
[[gnu::always_inline]] inline void unpack_to_dst(uint32_t address, uint32_t dst_index) {
    using namespace tilelab;
    constexpr ConfigField place = cfg::THCON_SEC0_REG5_Dest_cntx0_address;
    check_tile_of_dst(dst_index);
    const uint32_t row = dst_index * TILE_ROWS + unpack_half * DST_HALF_ROWS + DST_FIRST_ROW;
    unpack_a_from(address);
    TTI_SEMWAIT(p_stall::STALL_UNPACK | p_stall::STALL_CFG | p_stall::STALL_SYNC,
                semaphore::t6_sem(semaphore::UNPACK_TO_DEST), p_stall::STALL_ON_ZERO);
    cfg_write<place>(row * 16);
    TTI_NOP;
    issue_in_stream<UNPACK_TILE_TO_DST>();
    TTI_STALLWAIT(p_stall::STALL_SYNC, p_stall::UNPACK0);
    TTI_SEMGET(semaphore::t6_sem(semaphore::UNPACK_TO_DEST));
}

[[gnu::always_inline]] inline void llk_unpack_A(uint32_t in, uint32_t index,
                                                uint32_t dst_index = 0) {
    using namespace tilelab;
    TILELAB_NOTE(Note::UNPACKS_A, in);
    if (circular_buffer(in).to_dst) return unpack_to_dst(tile_address(in, index), dst_index);
    unpack_a_from(tile_address(in, index));
    ckernel_template::run();
    first_face_again();
}

// A tile out of a block of 32 rows that lie in L1 as they are, `columns` tiles wide: a row of a face
// an UNPACR. The block's width is what the unpacker takes for its tile's.
[[gnu::always_inline]] inline void llk_unpack_tilize_init(uint32_t in, uint32_t columns) {
    using namespace tilelab;
    TILELAB_NOTE(Note::PREPARES_UNPACK_A, in);
    constexpr uint32_t both_rows = 1 << 2 | 1 << 6;  // the next one in L1 and in SrcA
    const PlacedBuffer buffer = circular_buffer(in);
    const bool whole_bytes = circular_buffers[in].bytes % TILE_DATUMS == 0;
    if (!whole_bytes) no_rows_of_this_format();
    configure_unpackers(buffer.format, buffer.format, 16);
    const uint32_t width = columns * 32, row = 16 * datum_bytes(format_in_src(buffer.format));
    cfg_write<cfg::THCON_SEC0_REG5_Tile_x_dim_cntx0>(width);
    cfg_write<cfg::UNP0_ADDR_CTRL_XY_REG_1_Ystride>(row);
    constexpr uint32_t unpack = TT_OP_UNPACR(SrcA, both_rows, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1);
    ckernel_template mop(1, 16, unpack);
    mop.set_last_outer_loop_instr(TT_OP_UNPACR(SrcA, both_rows, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1));
    mop.set_end_ops(ZERO_B, GIVE_B);
    mop.program();
}

[[gnu::always_inline]] inline void llk_unpack_tilize(uint32_t in, uint32_t index) {
    using namespace tilelab;
    TILELAB_NOTE(Note::UNPACKS_A, in);
    const uint32_t tile_row = 32 * datum_bytes(circular_buffer(in).format) / 16;
    unpack_a_from(tile_address(in, 0) + index * tile_row);
    for (uint32_t face = 0; face < FACES; ++face) {
        const uint32_t first = face % 2 * 16;
        TT_SETADCXX(p_setadc::UNP_A, first + 15, first);
        TTI_SETADCXY(p_setadc::UNP_A, 0, 0, 0, 0, 0b1010);
        if (face / 2) TT_SETADC(p_setadc::UNP_A, p_setadc::CH_0, p_setadc::SET_Y, 16);
        ckernel_template::run();
    }
}

// One tile into SrcA with rows and columns exchanged: each face, and the two off the diagonal.
[[gnu::always_inline]] inline void llk_unpack_A_transposed_init(uint32_t in) {
    using namespace tilelab;
    TILELAB_NOTE(Note::PREPARES_UNPACK_A, in);
    configure_unpackers(circular_buffer(in).format, circular_buffer(in).format, FACE_DATUMS, true);
}
[[gnu::always_inline]] inline void llk_unpack_A_transposed(uint32_t in, uint32_t index) {
    using namespace tilelab;
    TILELAB_NOTE(Note::UNPACKS_A, in);
    unpack_a_from(tile_address(in, index));
    constexpr uint32_t order[] = {0, 2, 1, 3};
    for (uint32_t face : order) {
        TT_SETADC(p_setadc::UNP_A, p_setadc::CH_0, p_setadc::SET_Z, face);
        issue_in_stream<TT_OP_UNPACR(SrcA, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1)>();
        issue_in_stream<ZERO_B>();
        if constexpr (GIVE_B != TT_OP_NOP) issue_in_stream<GIVE_B>();
    }
    first_face_again();
}

// One tile into SrcB, its faces in the order of a broadcast or in their own; zeros in SrcA are handed over with each.
#ifdef ARCH_WORMHOLE
constexpr uint32_t ZERO_A = TT_OP_UNPACR_NOP(SrcA, p_unpacr_nop::UNP_ZEROSRC);
constexpr uint32_t GIVE_A = TT_OP_UNPACR_NOP(SrcA, p_unpacr_nop::UNP_SET_DVALID);
#else
constexpr uint32_t ZERO_A = TT_OP_UNPACR_NOP(SrcA, 0, 0, p_unpacr_nop::SET_DVALID, 0, 0, 0, 0,
                                             p_unpacr_nop::UNP_ZEROSRC);
constexpr uint32_t GIVE_A = TT_OP_NOP;  // done already
#endif
[[gnu::always_inline]] inline void llk_unpack_bcast_init(uint32_t in) {
    using namespace tilelab;
    TILELAB_NOTE(Note::PREPARES_UNPACK_B, in);
    configure_unpackers(circular_buffer(in).format, circular_buffer(in).format, FACE_DATUMS);
}
template <BroadcastType Broadcast>
[[gnu::always_inline]] inline void llk_unpack_bcast(uint32_t in, uint32_t index) {
    using namespace tilelab;
    TILELAB_NOTE(Note::UNPACKS_B, in);
    unpack_b_from(tile_address(in, index));
    for (uint32_t face = 0; face < FACES; ++face) {
        const uint32_t from = Broadcast == BroadcastType::NONE  ? face
                              : Broadcast == BroadcastType::ROW ? face % 2
                              : Broadcast == BroadcastType::COL ? face / 2 * 2
                                                                : 0;
        TT_SETADC(p_setadc::UNP_B, p_setadc::CH_0, p_setadc::SET_Z, from);
        issue_in_stream<ZERO_A>();
        if constexpr (GIVE_A != TT_OP_NOP) issue_in_stream<GIVE_A>();
        issue_in_stream<UNPACK_B_TILE>();
    }
    first_face_again();
}

// To reduce. Sums are products with the scaler's face 0: from the right, for rows, the tile in SrcB
// and the face in SrcA, transposed; from the left, for columns, the other way round. The largest is
// of SrcA's columns, face by face; for rows each face is transposed.
template <PoolType Type, ReduceDim Dim>
[[gnu::always_inline]] inline void llk_unpack_reduce_init(uint32_t in, uint32_t scaler) {
    using namespace tilelab;
    constexpr bool row = Dim == ReduceDim::REDUCE_ROW;
    const DataFormat data = circular_buffer(in).format, face = circular_buffer(scaler).format;
    if constexpr (Type == PoolType::MAX) {
        note_prepared(in, scaler);
        configure_unpackers(data, face, FACE_DATUMS, row);
    } else {
        note_prepared(row ? scaler : in, row ? in : scaler);
        configure_unpackers(row ? face : data, row ? data : face, FACE_DATUMS, row);
        TTI_SETADCXX(row ? p_setadc::UNP_B : p_setadc::UNP_A, TILE_DATUMS - 1, 0);
    }
}
template <PoolType Type, ReduceDim Dim>
[[gnu::always_inline]] inline void llk_unpack_reduce(uint32_t in, uint32_t scaler, uint32_t index,
                                                     uint32_t index_scaler) {
    using namespace tilelab;
    constexpr bool tile_in_b = Type != PoolType::MAX && Dim == ReduceDim::REDUCE_ROW;
    note_unpacks(tile_in_b ? scaler : in, tile_in_b ? in : scaler);
    const uint32_t tile = tile_address(in, index), face = tile_address(scaler, index_scaler);
    unpack_a_from(tile_in_b ? face : tile);
    unpack_b_from(tile_in_b ? tile : face);
    issue_in_stream<UNPACK_B_TILE>();
    constexpr uint32_t times = Type == PoolType::MAX ? FACES : 1;
    for (uint32_t i = 0; i < times; ++i) issue_in_stream<UNPACK_A_FACE>();
    first_face_again();
}

}  // namespace ckernel
