// Names for instruction operands, as kernels spell them.
#pragma once

#include <stdint.h>

namespace ckernel {

// STALLWAIT and SEMWAIT: what to hold back (STALL_…), and what to wait for.
struct p_stall {
    static constexpr uint32_t STALL_TDMA = 1 << 0, STALL_SYNC = 1 << 1, STALL_PACK = 1 << 2,
                              STALL_UNPACK = 1 << 3, STALL_XMOV = 1 << 4, STALL_THCON = 1 << 5,
                              STALL_MATH = 1 << 6, STALL_CFG = 1 << 7, STALL_SFPU = 1 << 8;
    static constexpr uint32_t NONE = 0, THCON = 1 << 0, UNPACK0 = 1 << 1, UNPACK1 = 1 << 2,
                              UNPACK = UNPACK0 | UNPACK1, PACK0 = 1 << 3;
#ifdef ARCH_WORMHOLE
    static constexpr uint32_t PACK1 = 1 << 4, PACK2 = 1 << 5, PACK3 = 1 << 6,
                              PACK = PACK0 | PACK1 | PACK2 | PACK3, MATH = 1 << 7,
                              SRCA_CLR = 1 << 8, SRCB_CLR = 1 << 9, SRCA_VLD = 1 << 10,
                              SRCB_VLD = 1 << 11, XMOV = 1 << 12, TRISC_CFG = 1 << 13,
                              SFPU1 = 1 << 14, WAIT_SFPU = SFPU1;
#else
    static constexpr uint32_t PACK = PACK0, MATH = 1 << 4, SRCA_CLR = 1 << 5, SRCB_CLR = 1 << 6,
                              SRCA_VLD = 1 << 7, SRCB_VLD = 1 << 8, XMOV = 1 << 9,
                              TRISC_CFG = 1 << 10, SFPU1 = 1 << 11, WAIT_SFPU = SFPU1,
                              CFGEXU = 1 << 12;
#endif
    static constexpr uint32_t ALL_THREAD_RES = THCON | UNPACK | PACK | MATH | XMOV;
    static constexpr uint32_t STALL_THREAD = 0x1FF;
    static constexpr uint32_t STALL_ON_ZERO = 1, STALL_ON_MAX = 2;
};

// SETRWC, and clear_dvalid of the matrix unit's instructions.
struct p_setrwc {
    static constexpr uint32_t CLR_NONE = 0, CLR_A = 1, CLR_B = 2, CLR_AB = 3;
    static constexpr uint32_t SET_A = 1, SET_B = 2, SET_AB = 3, SET_D = 4, SET_AD = 5, SET_BD = 6,
                              SET_ABD = 7, SET_F = 8, SET_A_F = 9, SET_B_F = 10, SET_AB_F = 11,
                              SET_D_F = 12, SET_AD_F = 13, SET_BD_F = 14, SET_ABD_F = 15;
    static constexpr uint32_t CR_A = 1, CR_B = 2, CR_AB = 3, CR_D = 4, CR_AD = 5, CR_BD = 6,
                              CR_ABD = 7, C_TO_CR_MODE = 8;
};

// ELWADD, ELWSUB, ELWMUL.
struct p_elwise {
    static constexpr uint32_t SRCB_NO_BCAST = 0, SRCB_BCAST_COL = 1, SRCB_BCAST_ROW = 2,
                              SRCB_BCAST_ALL = 3;
    static constexpr uint32_t DEST_ACCUM_DIS = 0, DEST_ACCUM_EN = 1;
};

enum class EltwiseBinaryType : uint32_t { ELWMUL, ELWADD, ELWSUB };

enum class PoolType : uint32_t { SUM, AVG, MAX, MIN };
// REDUCE_ROW: of each row a datum, in column 0; _COL: of each column, in row 0; _SCALAR: one at all.
enum class ReduceDim : uint32_t { REDUCE_ROW, REDUCE_COL, REDUCE_SCALAR };

// What of SrcB's tile an element-wise function uses: all of it, column 0, row 0, its first datum.
enum class BroadcastType : uint32_t { NONE = 0, COL = 1, ROW = 2, SCALAR = 3 };

// How the vendor's headers round what goes into a Dst of 16 bits, and which 1/√x and 1/x they take;
// ours have one way.
enum class DstRoundingMode : uint8_t { Default, NearestEven };
enum class RsqrtMode { Default, Fast };
enum class ReciprocalDestAcc { BF16, FP32 };
enum class ReciprocalApproxMode { Default, Precise, Approximate };
constexpr bool UnpackToDestEn = true, UnpackToDestDis = false;

// A tile's place in Dst depends on its shape: rows per tile, as a power of two.
enum DstTileShape : uint32_t { Tile32x32 = 0, Tile32x16 = 1, Tile16x16 = 2 };

// Which faces of a tile a function of the vector unit is wanted of; ours do all four.
enum class VectorMode : uint32_t { None = 0, R = 1, C = 2, RC = 4, RC_custom = 6, Invalid = 0xFF };

// MOVA2D, MOVB2D, MOVD2A, MOVD2B, MOVB2A: how many rows.
struct p_mov {
    static constexpr uint32_t DEST_NORM = 0, DEST_32B_LOW = 1;
};
struct p_mova2d {
    static constexpr uint32_t MOV_1_ROW = 0, MOV_8_ROWS = 2;
};
struct p_movb2d {
    static constexpr uint32_t SRC_ZERO_OFFSET = 0, SRC_ROW16_OFFSET = 0x10;
    static constexpr uint32_t MOV_1_ROW = 0, MOV_1_ROW_D0_BRCST = 1, MOV_8_ROW_BRCST = 2,
                              MOV_8_ROW_BRCST_D0_BRCST = 3, MOV_4_ROWS = 4,
                              MOV_4_ROWS_D0_BRCST = 5;
};
struct p_movd2a {
    static constexpr uint32_t MOV_1_ROW = 0, MOV_4_ROWS = 2;
};
struct p_movd2b {
    static constexpr uint32_t SRC_ZERO_OFFSET = 0, SRC_ROW16_OFFSET = 0x10;
    static constexpr uint32_t MOV_1_ROW = 0, MOV_4_ROWS = 2;
};
struct p_movb2a {
    static constexpr uint32_t SRCA_ZERO_OFFSET = 0, SRCB_ZERO_OFFSET = 0, SRCB_ROW16_OFFSET = 0x10;
    static constexpr uint32_t MOV_1_ROW = 0, MOV_4_ROWS = 2;
};

// GMPOOL, GAPOOL.
struct p_gpool {
    static constexpr uint32_t DIM_1X16 = 0, DIM_16X16 = 1, INDEX_DIS = 0, INDEX_EN = 1;
};

struct p_zeroacc {
    static constexpr uint32_t CLR_SPECIFIC = 0, CLR_16 = 1, CLR_HALF = 2, CLR_ALL = 3,
                              CLR_HALF_32B = 6, CLR_ALL_32B = 7;
};

// The vector unit's registers: eight of a kernel's own, and constants.
struct p_sfpu {
    static constexpr uint32_t LREG0 = 0, LREG1 = 1, LREG2 = 2, LREG3 = 3, LREG4 = 4, LREG5 = 5,
                              LREG6 = 6, LREG7 = 7;
    static constexpr uint32_t LCONST_0_8373 = 8, LCONST_0 = 9, LCONST_1 = 10, LCONST_neg1 = 11;
    static constexpr uint32_t LREG11 = 11, LREG12 = 12, LREG13 = 13, LREG14 = 14, LTILEID = 15;
};

// Address counters (SETADC…): which units, which channel, which counter.
struct p_setadc {
    static constexpr uint32_t UNP_A = 1, UNP_B = 2, UNP_AB = 3, PAC = 4;
    static constexpr uint32_t CH_0 = 0, CH_1 = 1;
    static constexpr uint32_t SET_X = 0, SET_Y = 1, SET_Z = 2, SET_W = 3;
};

struct p_unpacr {
    static constexpr uint32_t RAREFYB_DISABLE = 0, RAREFYB_ENABLE = 1;
};

struct p_unpacr_nop {
    static constexpr uint32_t UNP_POP = 0, UNP_ZEROSRC = 1, UNP_NOP = 2, UNP_NEGINFSRC = 5;
#ifdef ARCH_WORMHOLE
    static constexpr uint32_t UNP_SET_DVALID = 7;
#else
    static constexpr uint32_t SET_DVALID = 1;
#endif
};

enum AddrModSlot : uint32_t {
    ADDR_MOD_0, ADDR_MOD_1, ADDR_MOD_2, ADDR_MOD_3, ADDR_MOD_4, ADDR_MOD_5, ADDR_MOD_6, ADDR_MOD_7
};

// Which unpacker, and so which source register.
enum : uint32_t { SrcA = 0, SrcB = 1 };

// The same names bare, as examples of the frontend write them.
enum : uint32_t {
    CLR_NONE = p_setrwc::CLR_NONE, CLR_A = p_setrwc::CLR_A, CLR_B = p_setrwc::CLR_B,
    CLR_AB = p_setrwc::CLR_AB
};
enum : uint32_t { LREG0, LREG1, LREG2, LREG3, LREG4, LREG5, LREG6, LREG7, LCONST_0_8373, LCONST_0,
                  LCONST_1 };

// Semaphores and what they count.
struct semaphore {
    static constexpr uint32_t MATH_PACK = 1;       // halves of Dst that await the packer
    static constexpr uint32_t UNPACK_TO_DEST = 2;  // tiles unpacked straight into Dst
    static constexpr uint32_t PACK_DONE = 4;       // pack iterations, when measuring
    static constexpr uint32_t UNPACK_SYNC = 5;     // unpacker contexts in use
    static constexpr uint32_t MATH_DONE = 7;       // math's side of unpacking into Dst
    static constexpr uint32_t t6_sem(uint32_t index) { return 1u << index; }
};

}  // namespace ckernel
