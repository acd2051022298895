// What all three cores share: waiting for the coprocessor, semaphores, configuration.
#pragma once

#include <tilelab/cfg.h>
#include <tilelab/ops.h>
#include <tilelab/parameters.h>

namespace ckernel {

// The data formats of unpackers and packers, by the number whose low four bits configuration fields
// hold. What the hardware only moves is in two's complement in UInt32 and UInt16; Int32 and Int8 are
// sign and magnitude where it computes with them.
enum class DataFormat : uint32_t {
    Float32 = 0, Float16 = 1, Bfp8 = 2, Bfp4 = 3, Tf32 = 4, Float16_b = 5, Bfp8_b = 6, Bfp4_b = 7,
    Int32 = 8, UInt16 = 9, Lf8 = 10, Bfp2 = 11, Int8 = 14, Bfp2_b = 15,
    UInt32 = 24, UInt8 = 30
};

constexpr uint32_t FACE_DATUMS = 16 * 16, FACES = 4, TILE_DATUMS = FACES * FACE_DATUMS;
constexpr uint32_t TILE_ROWS = 64;  // of 16 datums, as Dst has them

inline volatile uint32_t* word_at(uint32_t address) {
    return reinterpret_cast<volatile uint32_t*>(address);
}

// A load whose value is needed before anything later in the program happens.
inline uint32_t load_blocking(uint32_t address) {
    uint32_t value;
    asm volatile("lw %0, 0(%1)\n\tand x0, x0, %0" : "=r"(value) : "r"(address) : "memory");
    return value;
}

constexpr uint32_t MEM_L1_ARC_FW_SCRATCH = 0x10;  // where firmware leaves words in L1
constexpr uint32_t PC_BUF = 0xFFE80000, TENSIX_CFG = 0xFFEF0000, MAILBOXES = 0xFFEC0000;

// The load waits; the store before it, of no effect itself, keeps it behind all earlier stores.
inline void wait_at(uint32_t address) {
    *word_at(address) = 0;
    load_blocking(address);
}

// Wait until nothing of this thread is in flight anywhere in the coprocessor.
inline void tensix_sync() { wait_at(PC_BUF + 4); }

// Wait until no MOP of this thread is queued or expanding.
inline void mop_sync() { wait_at(PC_BUF + 8); }

// Semaphores from the core's side; SEMPOST, SEMGET and SEMWAIT are the thread's.
inline uint32_t semaphore_read(uint32_t index) { return *word_at(PC_BUF + 0x20 + 4 * index); }
inline void semaphore_post(uint32_t index) { *word_at(PC_BUF + 0x20 + 4 * index) = 0; }
inline void semaphore_get(uint32_t index) { *word_at(PC_BUF + 0x20 + 4 * index) = 1; }

// Mailboxes between the cores: a read waits for the other's write.
enum Core : uint32_t {
    BRISC, TRISC0, TRISC1, TRISC2,
    BriscThreadId = BRISC, UnpackThreadId = TRISC0, MathThreadId = TRISC1, PackThreadId = TRISC2
};
using ThreadId = Core;
inline void mailbox_write(Core to, uint32_t value) { *word_at(MAILBOXES + 0x1000 * to) = value; }
inline uint32_t mailbox_read(Core from) { return load_blocking(MAILBOXES + 0x1000 * from); }

// Config as the core sees it, bank 0. Instructions that rely on what the core wrote here must come
// after STALLWAIT(…, TRISC_CFG).
inline volatile uint32_t& config_word(uint32_t word) { return *word_at(TENSIX_CFG + 4 * word); }

constexpr uint32_t in_place(ConfigField field, uint32_t value) {
    return tilelab::field(value, field.hi, field.lo);
}

// Write one field of Config, in order with the thread's instructions: an RMWCIB for each byte that
// the field touches.
template <ConfigField F>
[[gnu::always_inline]] inline void cfg_write(uint32_t value) {
    constexpr uint32_t mask = in_place(F, 0xFFFFFFFFu >> (31 - (F.hi - F.lo)));
    const uint32_t bits = in_place(F, value);
    if constexpr (mask & 0x000000FF) TT_RMWCIB0(mask & 0xFF, bits & 0xFF, F.word);
    if constexpr (mask & 0x0000FF00) TT_RMWCIB1(mask >> 8 & 0xFF, bits >> 8 & 0xFF, F.word);
    if constexpr (mask & 0x00FF0000) TT_RMWCIB2(mask >> 16 & 0xFF, bits >> 16 & 0xFF, F.word);
    if constexpr (mask & 0xFF000000) TT_RMWCIB3(mask >> 24, bits >> 24, F.word);
}

// Set a half of a general purpose register; the instruction's two fields for its 16 bits adjoin.
[[gnu::always_inline]] inline void gpr_half_write(uint32_t half, uint32_t value) {
    tilelab::issue_either(TT_OP_SETDMAREG(0, 0, 0, 0) | (value & 0xFFFF) << 8 | half);
}

// Set a general purpose register of this thread.
[[gnu::always_inline]] inline void gpr_write(uint32_t index, uint32_t value) {
    gpr_half_write(2 * index, value);
    gpr_half_write(2 * index + 1, value >> 16);
}

// General purpose registers that these headers use; a kernel has 32 to 51. The first 32 count the
// tiles that the thread has drained or filled in each circular buffer.
constexpr uint32_t GPR_TILES = 0;
constexpr uint32_t GPR_BASE_A = 52, GPR_BASE_B = 53, GPR_CONFIG = 54;
constexpr uint32_t GPR_STEP_A = 55, GPR_STEP_B = 57;  // to the next tile, in units of 16 bytes
constexpr uint32_t GPR_COUNTER = 56;  // address of a buffer's counters, in units of 16 bytes
constexpr uint32_t GPR_OFFSETS = 58;  // 58 and 59: what to add to it, 0, 4, 8, 12, each in a half

}  // namespace ckernel

using namespace ckernel;

namespace tilelab {

// How a block of products goes: one operand's tiles stay, as many at once as its Src has banks, while
// the other's pass; whichever way needs fewer unpacks. Distances are of products, in tiles of Dst.
constexpr uint32_t SRC_BANKS = 2;
struct BlockOrder {
    bool in1_stays;  // in SrcA, while in0 passes through SrcB; or the other way round
    uint32_t staying, passing, staying_step, passing_step;

    [[gnu::always_inline]] constexpr BlockOrder(uint32_t ct_dim, uint32_t rt_dim)
        : in1_stays(unpacks(ct_dim, rt_dim) < unpacks(rt_dim, ct_dim)),
          staying(in1_stays ? ct_dim : rt_dim),
          passing(in1_stays ? rt_dim : ct_dim),
          staying_step(in1_stays ? 1 : ct_dim),
          passing_step(in1_stays ? ct_dim : 1) {}

    [[gnu::always_inline]] static constexpr uint32_t unpacks(uint32_t staying, uint32_t passing) {
        return staying + (staying + SRC_BANKS - 1) / SRC_BANKS * passing;
    }
    [[gnu::always_inline]] constexpr uint32_t at_once(uint32_t first) const {
        return staying - first < SRC_BANKS ? staying - first : SRC_BANKS;
    }
};

constexpr uint32_t number(DataFormat format) { return static_cast<uint32_t>(format) & 0xF; }
// The format of that number that fields hold as it is: what its numbers' signs mean is told elsewhere.
constexpr DataFormat plain(DataFormat format) { return static_cast<DataFormat>(number(format)); }
constexpr bool is_8bit_integer(DataFormat format) { return number(format) == number(DataFormat::Int8); }
constexpr bool is_32bit_integer(DataFormat format) { return number(format) == number(DataFormat::Int32); }

// Bytes of a datum as the address generators count them, by the format in the registers.
constexpr uint32_t datum_bytes(DataFormat format) {
    const uint32_t kind = static_cast<uint32_t>(format) & 3;
    return kind == 0 ? 4 : kind == 1 ? 2 : 1;
}

}  // namespace tilelab
