// The vector unit's instructions as C++ functions.
//
// A vector value is a float to the compiler, and each instruction a line `tt.vec …` of assembly
// whose operands are the names of floating-point registers. The build reads those lines, gives
// each value an LReg, and writes instruction words (tilelab/build/vector). Operands of the lines:
// FIELD=f read, FIELD>f written, FIELD<>f,g written and read, @N… in LReg[N], $… bits known only
// at run time. Fields are named as in tilelab's instruction table.
#pragma once

#include <stdint.h>

#if defined(ARCH_WORMHOLE) || defined(__riscv_xtttensixwh)
#define SFPI_WORMHOLE 1
#else
#define SFPI_WORMHOLE 0
#endif

// Inlined; and in line tables as if written where it is called (Clang).
#define sfpi_inline inline __attribute__((always_inline))
#if defined(__clang__)
#define SFPI_INLINE sfpi_inline __attribute__((nodebug))
#else
#define SFPI_INLINE sfpi_inline __attribute__((artificial))
#endif

struct __xtt_vector { float lreg; };

namespace sfpi::op {

using vec = __xtt_vector;
struct pair { vec first, second; };
struct quad { vec a, b, c, d; };

constexpr uint32_t INSTRUCTION_BUFFER = 0xFFE40000;

#define SFPI_BITS(value) "r"(uint32_t(value)), "r"(INSTRUCTION_BUFFER)

// VD = f(VC)
#define SFPI_UNARY(function, name, field)                                                          \
    SFPI_INLINE vec function(vec c, unsigned mod1) {                                               \
        vec d;                                                                                     \
        asm volatile("tt.vec " name " lreg_dest>%0 " field "=%1 instr_mod1=%2"                     \
                     : "=f"(d.lreg) : "f"(c.lreg), "i"(mod1));                                     \
        return d;                                                                                  \
    }
SFPI_UNARY(mov, "SFPMOV", "lreg_c")
SFPI_UNARY(abs, "SFPABS", "lreg_c")
SFPI_UNARY(exexp, "SFPEXEXP", "lreg_c")
SFPI_UNARY(exman, "SFPEXMAN", "lreg_c")
SFPI_UNARY(lz, "SFPLZ", "lreg_c")
SFPI_UNARY(cast, "SFPCAST", "lreg_src_c")
SFPI_UNARY(shuffle, "SFPSHFT2", "lreg_src_c")
#if !SFPI_WORMHOLE
SFPI_UNARY(arecip, "SFPARECIP", "lreg_c")
#endif
#undef SFPI_UNARY

SFPI_INLINE vec bit_not(vec c) {
    vec d;
    asm volatile("tt.vec SFPNOT lreg_dest>%0 lreg_c=%1" : "=f"(d.lreg) : "f"(c.lreg));
    return d;
}

// VD = f(VD, VC): what VD held is read and overwritten
#define SFPI_BINARY(function, name)                                                                \
    SFPI_INLINE vec function(vec b, vec c, unsigned mod1) {                                        \
        vec d;                                                                                     \
        asm volatile("tt.vec " name " lreg_dest<>%0,%1 lreg_c=%2 instr_mod1=%3"                    \
                     : "=f"(d.lreg) : "f"(b.lreg), "f"(c.lreg), "i"(mod1));                        \
        return d;                                                                                  \
    }
SFPI_BINARY(iadd, "SFPIADD")
SFPI_BINARY(shift, "SFPSHFT")
SFPI_BINARY(setexp, "SFPSETEXP")
SFPI_BINARY(setman, "SFPSETMAN")
SFPI_BINARY(setsgn, "SFPSETSGN")
#if !SFPI_WORMHOLE
SFPI_BINARY(gt, "SFPGT")
SFPI_BINARY(le, "SFPLE")
#endif
#undef SFPI_BINARY

// Bits. Blackhole's and, or have a result of their own.
#if SFPI_WORMHOLE
#define SFPI_BITWISE(function, name)                                                               \
    SFPI_INLINE vec function(vec b, vec c) {                                                       \
        vec d;                                                                                     \
        asm volatile("tt.vec " name " lreg_dest<>%0,%1 lreg_c=%2"                                  \
                     : "=f"(d.lreg) : "f"(b.lreg), "f"(c.lreg));                                   \
        return d;                                                                                  \
    }
#else
#define SFPI_BITWISE(function, name)                                                               \
    SFPI_INLINE vec function(vec b, vec c) {                                                       \
        vec d;                                                                                     \
        asm volatile("tt.vec " name " lreg_dest>%0 imm12_math=%1 lreg_c=%2 instr_mod1=1"           \
                     : "=f"(d.lreg) : "f"(b.lreg), "f"(c.lreg));                                   \
        return d;                                                                                  \
    }
#endif
SFPI_BITWISE(bit_and, "SFPAND")
SFPI_BITWISE(bit_or, "SFPOR")
#undef SFPI_BITWISE

SFPI_INLINE vec bit_xor(vec b, vec c) {
    vec d;
    asm volatile("tt.vec SFPXOR lreg_dest<>%0,%1 lreg_c=%2"
                 : "=f"(d.lreg) : "f"(b.lreg), "f"(c.lreg));
    return d;
}

// VD = VA × VB + VC
SFPI_INLINE vec mad(vec a, vec b, vec c, unsigned mod1) {
    vec d;
    asm volatile("tt.vec SFPMAD lreg_dest>%0 lreg_src_a=%1 lreg_src_b=%2 lreg_src_c=%3 instr_mod1=%4"
                 : "=f"(d.lreg) : "f"(a.lreg), "f"(b.lreg), "f"(c.lreg), "i"(mod1));
    return d;
}

SFPI_INLINE vec add(vec b, vec c, unsigned mod1) {
    vec d;
    asm volatile("tt.vec SFPADD lreg_dest>%0 lreg_src_a=10 lreg_src_b=%1 lreg_src_c=%2 instr_mod1=%3"
                 : "=f"(d.lreg) : "f"(b.lreg), "f"(c.lreg), "i"(mod1));
    return d;
}

#define SFPI_PRODUCT(function, name)                                                               \
    SFPI_INLINE vec function(vec a, vec b, unsigned mod1) {                                        \
        vec d;                                                                                     \
        asm volatile("tt.vec " name                                                                \
                     " lreg_dest>%0 lreg_src_a=%1 lreg_src_b=%2 lreg_src_c=9 instr_mod1=%3"        \
                     : "=f"(d.lreg) : "f"(a.lreg), "f"(b.lreg), "i"(mod1));                        \
        return d;                                                                                  \
    }
SFPI_PRODUCT(mul, "SFPMUL")
#if !SFPI_WORMHOLE
SFPI_PRODUCT(mul24, "SFPMUL24")
#endif
#undef SFPI_PRODUCT

// Constants: the same 32 bits in every lane.
SFPI_INLINE vec loadi(uint32_t imm16, unsigned mod0) {
    vec d;
    uint32_t word;
    if (__builtin_constant_p(imm16)) {
        asm volatile("tt.vec SFPLOADI lreg_ind>%0 instr_mod0=%1 imm16=%2"
                     : "=f"(d.lreg) : "i"(mod0), "i"(imm16 & 0xFFFF));
    } else {
        asm volatile("tt.vec SFPLOADI lreg_ind>%0 instr_mod0=%4 $%2,%1,%3"
                     : "=f"(d.lreg), "=&r"(word) : SFPI_BITS(imm16 & 0xFFFF), "i"(mod0));
    }
    return d;
}

SFPI_INLINE vec constant(uint32_t bits) {
    vec d;
    if (__builtin_constant_p(bits)) {
        asm volatile("tt.vec const d>%0 value=%1" : "=f"(d.lreg) : "i"(bits));
        return d;
    }
    uint32_t word;
    vec low = loadi(bits & 0xFFFF, 2);
    asm volatile("tt.vec SFPLOADI lreg_ind<>%0,%4 instr_mod0=8 $%2,%1,%3"
                 : "=f"(d.lreg), "=&r"(word) : SFPI_BITS(bits >> 16), "f"(low.lreg));
    return d;
}

// Forms with an immediate of 12 bits; with more bits, or at run time, the form with two registers.
#define SFPI_IMMEDIATE(function, name, field)                                                      \
    SFPI_INLINE vec function(vec c, uint32_t imm, unsigned mod1) {                                 \
        vec d;                                                                                     \
        asm volatile("tt.vec " name " lreg_dest>%0 lreg_c=%1 imm12_math=%2 instr_mod1=%3"          \
                     : "=f"(d.lreg) : "f"(c.lreg), "i"(imm & 0xFFF), "i"(mod1));                   \
        return d;                                                                                  \
    }
SFPI_IMMEDIATE(iadd_imm12, "SFPIADD", "lreg_c")
SFPI_IMMEDIATE(divp2_imm12, "SFPDIVP2", "lreg_c")
SFPI_IMMEDIATE(setexp_imm12, "SFPSETEXP", "lreg_c")
SFPI_IMMEDIATE(setman_imm12, "SFPSETMAN", "lreg_c")
SFPI_IMMEDIATE(setsgn_imm12, "SFPSETSGN", "lreg_c")
#if !SFPI_WORMHOLE
SFPI_IMMEDIATE(shift_imm12, "SFPSHFT", "lreg_c")
#endif
#undef SFPI_IMMEDIATE

SFPI_INLINE vec iadd_i(vec c, int32_t imm) {
    if (__builtin_constant_p(imm) && imm >= -2048 && imm < 2048) return iadd_imm12(c, uint32_t(imm), 5);
    return iadd(constant(uint32_t(imm)), c, 4);
}

// amount > 0 shifts left; mod1 2 shifts right arithmetically (Blackhole)
SFPI_INLINE vec shift_i(vec c, int32_t amount, unsigned mod1) {
    if (!__builtin_constant_p(amount)) return shift(c, constant(uint32_t(amount)), mod1);
#if SFPI_WORMHOLE
    vec d;
    asm volatile("tt.vec SFPSHFT lreg_dest<>%0,%1 imm12_math=%2 instr_mod1=%3"
                 : "=f"(d.lreg) : "f"(c.lreg), "i"(uint32_t(amount) & 0xFFF), "i"(mod1 | 1));
    return d;
#else
    return shift_imm12(c, uint32_t(amount), mod1 | 5);
#endif
}

SFPI_INLINE vec setexp_i(vec c, uint32_t exponent) {
    if (__builtin_constant_p(exponent)) return setexp_imm12(c, exponent & 0xFF, 1);
    return setexp(constant(exponent), c, 0);
}

SFPI_INLINE vec setman_i(vec c, uint32_t mantissa) {
    if (__builtin_constant_p(mantissa) && (mantissa & 0x7FF) == 0) {
        return setman_imm12(c, mantissa >> 11, 1);
    }
    return setman(constant(mantissa), c, 0);
}

SFPI_INLINE vec setsgn_i(vec c, uint32_t sign) {
    if (__builtin_constant_p(sign)) return setsgn_imm12(c, sign & 1, 1);
    return setsgn(constant(sign << 31), c, 0);
}

SFPI_INLINE vec divp2(vec c, int32_t exponent, unsigned mod1) {
    vec d;
    uint32_t word;
    if (__builtin_constant_p(exponent)) return divp2_imm12(c, uint32_t(exponent), mod1);
    asm volatile("tt.vec SFPDIVP2 lreg_dest>%0 lreg_c=%4 instr_mod1=%5 $%2,%1,%3"
                 : "=f"(d.lreg), "=&r"(word)
                 : SFPI_BITS((uint32_t(exponent) & 0xFFF) << 12), "f"(c.lreg), "i"(mod1));
    return d;
}

SFPI_INLINE vec round(vec c, uint32_t imm5, unsigned mod1, unsigned rounding) {
    vec d;
    asm volatile("tt.vec SFP_STOCH_RND lreg_dest>%0 lreg_src_c=%1 imm8_math=%2 instr_mod1=%3 rnd_mode=%4"
                 : "=f"(d.lreg) : "f"(c.lreg), "i"(imm5 & 0x1F), "i"(mod1), "i"(rounding));
    return d;
}

SFPI_INLINE vec round_by(vec c, vec b, unsigned mod1, unsigned rounding) {
    vec d;
    asm volatile("tt.vec SFP_STOCH_RND lreg_dest>%0 lreg_src_c=%1 lreg_src_b=%2 instr_mod1=%3 rnd_mode=%4"
                 : "=f"(d.lreg) : "f"(c.lreg), "f"(b.lreg), "i"(mod1), "i"(rounding));
    return d;
}

// Dst
SFPI_INLINE vec load(uint32_t address, unsigned mod0, unsigned addr_mode) {
    vec d;
    uint32_t word;
    if (__builtin_constant_p(address)) {
        asm volatile("tt.vec SFPLOAD lreg_ind>%0 instr_mod0=%1 sfpu_addr_mode=%2 dest_reg_addr=%3"
                     : "=f"(d.lreg) : "i"(mod0), "i"(addr_mode), "i"(address));
    } else {
        asm volatile("tt.vec SFPLOAD lreg_ind>%0 instr_mod0=%4 sfpu_addr_mode=%5 $%2,%1,%3"
                     : "=f"(d.lreg), "=&r"(word)
                     : SFPI_BITS(address & 0x1FFF), "i"(mod0), "i"(addr_mode));
    }
    return d;
}

SFPI_INLINE void store(vec v, uint32_t address, unsigned mod0, unsigned addr_mode) {
    uint32_t word;
    if (__builtin_constant_p(address)) {
        asm volatile("tt.vec SFPSTORE lreg_ind=%0 instr_mod0=%1 sfpu_addr_mode=%2 dest_reg_addr=%3"
                     : : "f"(v.lreg), "i"(mod0), "i"(addr_mode), "i"(address));
    } else {
        asm volatile("tt.vec SFPSTORE lreg_ind=%3 instr_mod0=%4 sfpu_addr_mode=%5 $%1,%0,%2"
                     : "=&r"(word)
                     : SFPI_BITS(address & 0x1FFF), "f"(v.lreg), "i"(mod0), "i"(addr_mode));
    }
}

// The counter that is added to addresses in Dst; an INCRWC adds at most 15, and Dst has 1024 rows.
SFPI_INLINE void advance_dst(uint32_t rows) {
    if (__builtin_constant_p(rows) && rows < 16) {
        asm volatile(".word %0" : : "i"((0x38u << 24 | (rows & 15) << 14) << 2));
        return;
    }
    for (uint32_t left = rows & 1023; left;) {
        const uint32_t step = left < 15 ? left : 15;
        *reinterpret_cast<volatile uint32_t*>(INSTRUCTION_BUFFER) = 0x38u << 24 | step << 14;
        left -= step;
    }
}

// Two values changed together.
SFPI_INLINE pair swap(vec a, vec b, unsigned mod1) {
    pair r;
    asm volatile("tt.vec SFPSWAP lreg_dest<>%0,%2 lreg_src_c<>%1,%3 instr_mod1=%4"
                 : "=f"(r.first.lreg), "=f"(r.second.lreg) : "f"(a.lreg), "f"(b.lreg), "i"(mod1));
    return r;
}

SFPI_INLINE quad transpose(vec a, vec b, vec c, vec d) {
    quad r;
    asm volatile("tt.vec SFPTRANSP @0=%4 @1=%5 @2=%6 @3=%7 @0>%0 @1>%1 @2>%2 @3>%3 @4~ @5~ @6~ @7~"
                 : "=f"(r.a.lreg), "=f"(r.b.lreg), "=f"(r.c.lreg), "=f"(r.d.lreg)
                 : "f"(a.lreg), "f"(b.lreg), "f"(c.lreg), "f"(d.lreg));
    return r;
}

// Tables: coefficients and operand in the LRegs that the instructions take them from.
SFPI_INLINE vec lut(vec l0, vec l1, vec l2, vec v, unsigned mod0) {
    vec d;
    asm volatile("tt.vec SFPLUT lreg_ind>%0 instr_mod0=%5 @0=%1 @1=%2 @2=%3 @3=%4"
                 : "=f"(d.lreg) : "f"(l0.lreg), "f"(l1.lreg), "f"(l2.lreg), "f"(v.lreg), "i"(mod0));
    return d;
}

SFPI_INLINE vec lut_fp32(vec l0, vec l1, vec l2, vec v, unsigned mod1) {
    vec d;
    asm volatile("tt.vec SFPLUTFP32 lreg_dest>%0 instr_mod1=%5 @0=%1 @1=%2 @2=%3 @3=%4"
                 : "=f"(d.lreg) : "f"(l0.lreg), "f"(l1.lreg), "f"(l2.lreg), "f"(v.lreg), "i"(mod1));
    return d;
}

SFPI_INLINE vec lut_fp32(vec l0, vec l1, vec l2, vec l4, vec l5, vec l6, vec v, unsigned mod1) {
    vec d;
    asm volatile("tt.vec SFPLUTFP32 lreg_dest>%0 instr_mod1=%8 @0=%1 @1=%2 @2=%3 @4=%4 @5=%5 @6=%6 @3=%7"
                 : "=f"(d.lreg)
                 : "f"(l0.lreg), "f"(l1.lreg), "f"(l2.lreg), "f"(l4.lreg), "f"(l5.lreg),
                   "f"(l6.lreg), "f"(v.lreg), "i"(mod1));
    return d;
}

// A given LReg: 0 to 7 as they are, 8 to 15 are constants.
SFPI_INLINE vec read_lreg(unsigned n) {
    vec d;
    asm volatile("tt.vec read d>%0 n=%1" : "=f"(d.lreg) : "i"(n));
    return d;
}
SFPI_INLINE void write_lreg(vec v, unsigned n) {
    asm volatile("tt.vec write s=%0 n=%1" : : "f"(v.lreg), "i"(n));
}
// It is needed up to here.
SFPI_INLINE void keep_lreg(unsigned n) { asm volatile("tt.vec keep n=%0" : : "i"(n)); }
SFPI_INLINE void write_config(vec v, unsigned n) {
    asm volatile("tt.vec SFPCONFIG config_dest=%1 @0=%0" : : "f"(v.lreg), "i"(n));
}
SFPI_INLINE vec read_config(unsigned n) {
    vec d;
    asm volatile("tt.vec SFPMOV lreg_dest>%0 lreg_c=%1 instr_mod1=8" : "=f"(d.lreg) : "i"(n));
    return d;
}

// No value yet; and an assignment, which changes the enabled lanes only.
SFPI_INLINE vec no_value() {
    vec d;
    asm volatile("tt.vec novalue d>%0" : "=f"(d.lreg));
    return d;
}
SFPI_INLINE vec assign(vec old, vec v) {
    vec d;
    asm volatile("tt.vec assign d>%0 old=%1 new=%2" : "=f"(d.lreg) : "f"(old.lreg), "f"(v.lreg));
    return d;
}

// Comparisons are no instructions yet: the build makes some where a condition asks for them.
struct truth { float name; };

SFPI_INLINE truth compare(vec a, vec b, unsigned how) {
    truth d;
    asm volatile("tt.vec cmp d>%0 a=%1 b=%2 how=%3"
                 : "=f"(d.name) : "f"(a.lreg), "f"(b.lreg), "i"(how));
    return d;
}
SFPI_INLINE truth compare(vec a, uint32_t bits, unsigned how) {
    truth d;
    if (!__builtin_constant_p(bits)) return compare(a, constant(bits), how);
    asm volatile("tt.vec cmp d>%0 a=%1 value=%2 how=%3"
                 : "=f"(d.name) : "f"(a.lreg), "i"(bits), "i"(how));
    return d;
}
SFPI_INLINE truth combine(truth a, truth b, unsigned how) {
    truth d;
    asm volatile("tt.vec bool d>%0 a=%1 b=%2 how=%3"
                 : "=f"(d.name) : "f"(a.name), "f"(b.name), "i"(how));
    return d;
}
SFPI_INLINE vec as_value(truth c) {
    vec d;
    asm volatile("tt.vec asvalue d>%0 c=%1" : "=f"(d.lreg) : "f"(c.name));
    return d;
}

// Which lanes are enabled
SFPI_INLINE void only(truth c) { asm volatile("tt.vec cond! c=%0" : : "f"(c.name)); }
SFPI_INLINE void push() { asm volatile("tt.vec SFPPUSHC! instr_mod1=0"); }
SFPI_INLINE void pop() { asm volatile("tt.vec SFPPOPC! instr_mod1=0"); }
SFPI_INLINE void others() { asm volatile("tt.vec SFPCOMPC!"); }

}  // namespace sfpi::op
