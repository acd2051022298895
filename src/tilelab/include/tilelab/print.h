// Printing from a kernel, and assertions: what a core says, `tilelab run` shows.
//
//   tilelab::print("tile ", i, ": ", x);       a line
//   DPRINT << "x = " << HEX() << x << ENDL();  the vendor's way; DPRINT_UNPACK, _MATH, _PACK
//   DPRINT << TSLICE(tt::CBIndex::c_0, 0, SliceRange::h0_w0_32());  unpacker's and packer's cores
//   TILELAB_ASSERT(i < 4);                     also the vendor's ASSERT and LLK_ASSERT
//
// A core puts records into a ring in L1, which the host reads when it looks; a core whose ring is
// full waits for that, and so does one that prints a tile. Text stays where the program has it.
//
// Not offered: the vendor's DPRINT_DATA0 and _DATA1 (cores without a coprocessor thread), formats
// with {}, and printing vectors.
#pragma once

#include <tilelab/circular_buffers.h>

#if defined(TRISC_UNPACK)
#define TILELAB_PRINTS 0x1E000
#elif defined(TRISC_MATH)
#define TILELAB_PRINTS 0x1E400
#else
#define TILELAB_PRINTS 0x1E800
#endif
#define TILELAB_PRINTS_RECORDS 64

#define TILELAB_TEXT_(x) #x
#define TILELAB_TEXT(x) TILELAB_TEXT_(x)

// Tells the host where the ring is; nothing loads it.
asm(".section .tilelab_prints, \"\", @progbits\n\t.ascii \"" TILELAB_TEXT(
    TILELAB_PRINTS) " " TILELAB_TEXT(TILELAB_PRINTS_RECORDS) "\"\n\t.text");

namespace tilelab {

// What a record says; tilelab.kernels.prints reads them.
enum class Said : uint32_t {
    TEXT, CHARACTER, UNSIGNED, SIGNED, FLOAT, BF16, BASE, PRECISION, WIDTH, FIXED, FAILED, ROWS, COLUMNS, TILE
};

// A record, once there is room for it: three words behind the two counters, of records that the
// core wrote and that the host has read.
[[gnu::noinline]] inline void say(Said what, uint32_t value, uint32_t more) {
    const uint32_t count = *word_at(TILELAB_PRINTS);
    while (count - *word_at(TILELAB_PRINTS + 4) >= TILELAB_PRINTS_RECORDS) see_other_writers();
    const uint32_t at = TILELAB_PRINTS + 8 + 12 * (count % TILELAB_PRINTS_RECORDS);
    *word_at(at) = static_cast<uint32_t>(what);
    *word_at(at + 4) = value;
    *word_at(at + 8) = more;
    *word_at(TILELAB_PRINTS) = count + 1;
}

// Wait until the host has read all that this core has said.
inline void wait_for_host() {
    while (*word_at(TILELAB_PRINTS) != *word_at(TILELAB_PRINTS + 4)) see_other_writers();
}

// Something to print that is no number: what it is, and two words.
struct Saying {
    Said what;
    uint32_t value, more;
};

struct Slice {
    uint32_t buffer, address, rows, columns;
};

struct Bf16 {
    uint16_t bits;
};

inline void say_one(const char* text) { say(Said::TEXT, reinterpret_cast<uint32_t>(text), 0); }
inline void say_one(char c) { say(Said::CHARACTER, static_cast<uint8_t>(c), 0); }
inline void say_one(bool b) { say(Said::UNSIGNED, b, 0); }
inline void say_one(unsigned int n) { say(Said::UNSIGNED, n, 0); }
inline void say_one(unsigned long n) { say(Said::UNSIGNED, n, 0); }
inline void say_one(unsigned short n) { say(Said::UNSIGNED, n, 0); }
inline void say_one(unsigned char n) { say(Said::UNSIGNED, n, 0); }
inline void say_one(unsigned long long n) { say(Said::UNSIGNED, n, n >> 32); }
inline void say_one(int n) { say(Said::SIGNED, n, n >> 31); }
inline void say_one(long n) { say(Said::SIGNED, n, n >> 31); }
inline void say_one(short n) { say(Said::SIGNED, n, n >> 31); }
inline void say_one(signed char n) { say(Said::SIGNED, n, n >> 31); }
inline void say_one(long long n) { say(Said::SIGNED, n, n >> 32); }
inline void say_one(float x) { say(Said::FLOAT, __builtin_bit_cast(uint32_t, x), 0); }
inline void say_one(Bf16 x) { say(Said::BF16, x.bits, 0); }
inline void say_one(Saying s) { say(s.what, s.value, s.more); }
inline void say_one(Slice s) {
    say(Said::ROWS, s.rows, 0);
    say(Said::COLUMNS, s.columns, 0);
    say(Said::TILE, s.buffer, s.address);
    wait_for_host();  // the core's next steps may overwrite the tile
}

// A line of whatever is given.
template <typename... Values>
inline void print(const Values&... values) {
    (say_one(values), ...);
    say_one('\n');
}

struct Printer {
    template <typename Value>
    const Printer& operator<<(const Value& value) const {
        say_one(value);
        return *this;
    }
};

}  // namespace tilelab

// ------------------------------------------------------------------ as the vendor calls it
#define DPRINT (tilelab::Printer{})
#define DPRINT_UNPACK(x) UNPACK(x)
#define DPRINT_MATH(x) MATH(x)
#define DPRINT_PACK(x) PACK(x)

constexpr char ENDL() { return '\n'; }
constexpr tilelab::Saying HEX() { return {tilelab::Said::BASE, 16, 0}; }
constexpr tilelab::Saying OCT() { return {tilelab::Said::BASE, 8, 0}; }
constexpr tilelab::Saying DEC() { return {tilelab::Said::BASE, 10, 0}; }
constexpr tilelab::Saying SETPRECISION(uint32_t digits) { return {tilelab::Said::PRECISION, digits, 0}; }
constexpr tilelab::Saying FIXED() { return {tilelab::Said::FIXED, 1, 0}; }
constexpr tilelab::Saying DEFAULTFLOAT() { return {tilelab::Said::FIXED, 0, 0}; }
constexpr tilelab::Saying SETW(uint32_t characters, bool sticky = true) {
    return {tilelab::Said::WIDTH, characters, sticky};
}
constexpr tilelab::Bf16 BF16(uint16_t bits) { return {bits}; }
constexpr float F32(float x) { return x; }
constexpr uint32_t U32(uint32_t n) { return n; }

// Which rows and columns of a tile: from, up to, in steps of.
struct SliceRange {
    uint8_t h0, h1, hs, w0, w1, ws;
    static constexpr SliceRange hw0_32_16() { return {0, 32, 16, 0, 32, 16}; }
    static constexpr SliceRange hw0_32_8() { return {0, 32, 8, 0, 32, 8}; }
    static constexpr SliceRange hw0_32_4() { return {0, 32, 4, 0, 32, 4}; }
    static constexpr SliceRange h0_w0_32() { return {0, 1, 1, 0, 32, 1}; }
    static constexpr SliceRange h0_32_w0() { return {0, 32, 1, 0, 1, 1}; }
    static constexpr SliceRange h1_w0_32() { return {1, 2, 1, 0, 32, 1}; }
    static constexpr SliceRange hw041() { return {0, 4, 1, 0, 4, 1}; }
};

#ifndef TRISC_MATH
// A tile of a circular buffer, as far ahead of this core's place as `index` says.
inline tilelab::Slice TSLICE(uint32_t buffer, uint32_t index, SliceRange range) {
    const uint32_t address = (tilelab::tile_address(buffer, index) + 1) * 16;
    const auto packed = [](uint32_t from, uint32_t to, uint32_t step) { return from | to << 8 | step << 16; };
    return {buffer, address, packed(range.h0, range.h1, range.hs), packed(range.w0, range.w1, range.ws)};
}
#endif

// If it does not hold, the run ends at this line.
#define TILELAB_ASSERT(condition)                                                                  \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            tilelab::say(tilelab::Said::FAILED,                                                    \
                         reinterpret_cast<uint32_t>(__FILE_NAME__ ":" TILELAB_TEXT(                \
                             __LINE__) ": assertion failed: " #condition),                         \
                         0);                                                                       \
            asm volatile("ebreak");                                                                \
        }                                                                                          \
    } while (0)
#ifndef ASSERT
#define ASSERT(condition, ...) TILELAB_ASSERT(condition)
#endif
#ifndef LLK_ASSERT
#define LLK_ASSERT(condition, message) TILELAB_ASSERT((condition) && message)
#endif
