// What the probe kernels of mesham/tt-sim's perfbench use of tt-metal's compute headers, and nothing
// else. A build per core (TRISC_UNPACK, TRISC_MATH, TRISC_PACK) and chip (ARCH_BLACKHOLE,
// ARCH_WORMHOLE). Where the words' fields lie is written out here, from the ISA documents, so that
// what is measured does not come from tilelab's own tables.
#pragma once
#include <cstdint>

#define tt_reg_ptr
#define tt_l1_ptr
#define RISCV_DEBUG_REG_WALL_CLOCK_L 0xFFB121F0u

#ifndef ARGS_ADDRESS
#error "ARGS_ADDRESS: where the host puts the kernel's arguments"
#endif
template <typename T>
inline T get_arg_val(int index) {
    return reinterpret_cast<const volatile T*>(ARGS_ADDRESS)[index];
}

// A Tensix word in a RISC-V instruction stream is stored rotated left by two.
#define TT_WORD(word) __asm__ volatile(".word %0" : : "i"((uint32_t)(((uint32_t)(word) << 2) | ((uint32_t)(word) >> 30))))
#define TT_OP(opcode, fields) (((uint32_t)(opcode) << 24) + (uint32_t)(fields))

#ifdef ARCH_BLACKHOLE
#define ADDR_MODE_BIT 14
#else
#define ADDR_MODE_BIT 15
#endif

#define TTI_NOP TT_WORD(TT_OP(0x02, 0))
#define TTI_DMANOP TT_WORD(TT_OP(0x60, 0))
#define TTI_SFPNOP TT_WORD(TT_OP(0x8f, 0))
#define SFP_SIMPLE(op, imm, c, d, mod) TT_WORD(TT_OP(op, ((imm) << 12) + ((c) << 8) + ((d) << 4) + (mod)))
#define SFP_MAD(op, a, b, c, d, mod) TT_WORD(TT_OP(op, ((a) << 16) + ((b) << 12) + ((c) << 8) + ((d) << 4) + (mod)))
#define TTI_SFPMOV(imm, c, d, mod) SFP_SIMPLE(0x7c, imm, c, d, mod)
#define TTI_SFPABS(imm, c, d, mod) SFP_SIMPLE(0x7d, imm, c, d, mod)
#define TTI_SFPMAD(a, b, c, d, mod) SFP_MAD(0x84, a, b, c, d, mod)
#define TTI_SFPADD(a, b, c, d, mod) SFP_MAD(0x85, a, b, c, d, mod)
#define TTI_SFPMUL(a, b, c, d, mod) SFP_MAD(0x86, a, b, c, d, mod)
#define TTI_SETDMAREG(size, value, signals, reg16) TT_WORD(TT_OP(0x45, ((size) << 22) + ((value) << 8) + ((signals) << 7) + (reg16)))
#define THCON_OP(op, is_const, select, result, b, a) TT_WORD(TT_OP(op, ((is_const) << 23) + ((select) << 18) + ((result) << 12) + ((b) << 6) + (a)))
#define TTI_ADDDMAREG(k, r, b, a) THCON_OP(0x58, k, 0, r, b, a)
#define TTI_MULDMAREG(k, r, b, a) THCON_OP(0x5a, k, 0, r, b, a)
#define TTI_SHIFTDMAREG(k, s, r, b, a) THCON_OP(0x5c, k, s, r, b, a)
#define TTI_CMPDMAREG(k, s, r, b, a) THCON_OP(0x5d, k, s, r, b, a)
#define TTI_RDCFG(gpr, reg) TT_WORD(TT_OP(0xb1, ((gpr) << 16) + (reg)))
#define TTI_RMWCIB0(mask, data, reg) TT_WORD(TT_OP(0xb3, ((mask) << 16) + ((data) << 8) + (reg)))
#define TTI_SETRWC(clear, cr, d, b, a, bits) TT_WORD(TT_OP(0x37, ((clear) << 22) + ((cr) << 18) + ((d) << 14) + ((b) << 10) + ((a) << 6) + (bits)))
#define TTI_INCRWC(cr, d, b, a) TT_WORD(TT_OP(0x38, ((cr) << 18) + ((d) << 14) + ((b) << 10) + ((a) << 6)))
#define TTI_SETC16(reg, value) TT_WORD(TT_OP(0xb2, ((reg) << 16) + (value)))
#define TTI_SETDVALID(sides) TT_WORD(TT_OP(0x57, sides))
#define TTI_CLEARDVALID(sides, reset) TT_WORD(TT_OP(0x36, ((sides) << 22) + (reset)))
#define MATRIX_OP(op, clear, accumulate, mod, addr_mode, dst) \
    TT_WORD(TT_OP(op, ((clear) << 22) + ((accumulate) << 21) + ((mod) << 19) + ((addr_mode) << ADDR_MODE_BIT) + (dst)))
#define TTI_MVMUL(clear, mod, addr_mode, dst) MATRIX_OP(0x26, clear, 0, mod, addr_mode, dst)
#define TTI_ELWMUL(clear, acc, mod, addr_mode, dst) MATRIX_OP(0x27, clear, acc, mod, addr_mode, dst)
#define TTI_ELWADD(clear, acc, mod, addr_mode, dst) MATRIX_OP(0x28, clear, acc, mod, addr_mode, dst)
#define TTI_STALLWAIT(block, condition) TT_WORD(TT_OP(0xa2, ((block) << 15) + (condition)))
#ifdef ARCH_BLACKHOLE
#define TTI_UNPACR_NOP(unpacker, stream, count, set_valid, format, stall, bank, value, pop) \
    TT_WORD(TT_OP(0x43, ((unpacker) << 23) + ((stream) << 16) + ((count) << 12) + ((set_valid) << 8) + ((format) << 6) + \
                            ((stall) << 5) + ((bank) << 4) + ((value) << 2) + (pop)))
#else
#define TTI_UNPACR_NOP(unpacker, nop) TT_WORD(TT_OP(0x43, ((unpacker) << 23) + (nop)))
#endif

// Source formats are only programmed by --dvalid-unpacr-nop runs, which no row comes from.
#define ALU_FORMAT_SPEC_REG_SrcA_override_RMW 0
#define ALU_FORMAT_SPEC_REG_SrcB_override_RMW 0
#define ALU_FORMAT_SPEC_REG0_SrcA_RMW 0
#define ALU_FORMAT_SPEC_REG1_SrcB_RMW 0
#define THCON_SEC0_REG2_Out_data_format_RMW 0
#define THCON_SEC1_REG2_Out_data_format_RMW 0

namespace ckernel {
struct p_stall {
    static constexpr uint32_t STALL_UNPACK = 0x8, STALL_THREAD = 0x1ff, UNPACK = 0x6;
#ifdef ARCH_BLACKHOLE
    static constexpr uint32_t TRISC_CFG = 0x400, CFGEXU = 0x1000;
#else
    static constexpr uint32_t TRISC_CFG = 0x2000;
#endif
};
struct p_setrwc {
    static constexpr uint32_t CLR_AB = 3;
};
struct p_unpacr_nop {
    static constexpr uint32_t SET_DVALID = 1, UNP_ZEROSRC = 1, UNP_SET_DVALID = 7;
};

static volatile uint32_t* const regfile = reinterpret_cast<volatile uint32_t*>(0xFFE00000u);
static volatile uint32_t* const pc_buf_base = reinterpret_cast<volatile uint32_t*>(0xFFE80000u);

inline void store_and_read_back(volatile uint32_t* at, uint32_t value) {
    uint32_t read;
    __asm__ volatile("sw %1, 0(%2)\n\tlw %0, 0(%2)\n\tand %0, %0, %0" : "=&r"(read) : "r"(value), "r"(at) : "memory");
}
inline void tensix_sync() { store_and_read_back(pc_buf_base + 1, 0); }
inline void sync_regfile_write(uint32_t index) {
    volatile uint32_t read = regfile[index];
    (void)read;
}
template <uint32_t FIELD>
inline void cfg_reg_rmw_tensix(uint32_t) {
    __builtin_trap();
}
}  // namespace ckernel

#ifdef COMPILE_FOR_BRISC
// The writing side of a circular buffer of sixteen pages, for a feeder that writes no data. It is
// counted in L1: pages received, and 16 bytes on those acknowledged.
#ifndef COUNTERS
#define COUNTERS (ARGS_ADDRESS + 0x40)
#endif
inline volatile uint32_t* cb_counter(uint32_t buffer) {
    return reinterpret_cast<volatile uint32_t*>(COUNTERS + 32 * buffer);
}
inline void cb_reserve_back(uint32_t buffer, uint32_t pages) {
    while ((uint16_t)(cb_counter(buffer)[0] - cb_counter(buffer)[4]) + pages > 16) {
    }
}
inline void cb_push_back(uint32_t buffer, uint32_t pages) { *cb_counter(buffer) = *cb_counter(buffer) + pages; }
#endif

#ifdef DATAFLOW
#include "api/dataflow/dataflow_api.h"
#else
#define BEFORE_KERNEL
#endif
