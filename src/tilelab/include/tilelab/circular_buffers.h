// Circular buffers: rings of tiles in L1 between the host, a reader on NCRISC, the unpackers' core,
// the packer's and a writer on BRISC.
//
// Each buffer has two words in L1, at 0x1FE00 + 8 × its number: tiles received, which who fills it
// writes, and tiles acknowledged, which who drains it writes; both count from the start on and
// never go back. Start-up sets them from kernel.toml: an input holds all its tiles, others none.
// The host fills inputs before the start and drains outputs after the end. All others are filled
// and drained by cores, each by one.
#pragma once

#include <tilelab_build.h>

namespace tt {
enum CBIndex : uint32_t {
    c_0, c_1, c_2, c_3, c_4, c_5, c_6, c_7, c_8, c_9, c_10, c_11, c_12, c_13, c_14, c_15,
    c_16, c_17, c_18, c_19, c_20, c_21, c_22, c_23, c_24, c_25, c_26, c_27, c_28, c_29, c_30, c_31
};
}  // namespace tt

namespace tilelab {

TILELAB_ERROR("circular buffers have numbers from 0 to 31") void no_such_number();
TILELAB_ERROR("kernel.toml places no such circular buffer") void no_such_circular_buffer();

// Ends the run where a number that is known only now is none of a circular buffer.
[[gnu::always_inline]] inline void circular_buffers_are_0_to_31() {
    asm volatile("ebreak");
    __builtin_unreachable();
}
[[gnu::always_inline]] inline void check_number(uint32_t id) {
    if (id < 32) return;
    if (__builtin_constant_p(id)) no_such_number();
    circular_buffers_are_0_to_31();
}

[[gnu::always_inline]] inline PlacedBuffer circular_buffer(uint32_t id) {
    check_number(id);
    const PlacedBuffer buffer = circular_buffers[id];
    if (__builtin_constant_p(buffer.tiles) && buffer.tiles == 0) no_such_circular_buffer();
    return buffer;
}

// What SrcA and SrcB hold of a format in L1: fp32 loses 13 bits of its mantissa, or 16 where Dst
// would lose them anyway.
constexpr DataFormat format_in_src(DataFormat format) {
    if (format != DataFormat::Float32) return format;
    return dst_32bit ? DataFormat::Tf32 : DataFormat::Float16_b;
}

// Integers that are wider than what SrcA and SrcB compute with.
constexpr bool goes_to_dst(DataFormat format) {
    return is_32bit_integer(format) || format == DataFormat::UInt16;
}

// What a Dst of 16 bits holds: with exponents of five bits if any buffer has such.
constexpr bool dst_is_fp16 = !dst_32bit && [] {
    for (const PlacedBuffer& buffer : circular_buffers)
        if (buffer.tiles && is_fp16_family(buffer.format)) return true;
    return false;
}();

constexpr uint32_t DST_HALF_ROWS = 512;

TILELAB_ERROR("Dst has no such tile (a half has 8, or 4 of 32 bits; with dst_full_sync_en twice as many)")
void no_such_tile_of_dst();
constexpr uint32_t TILES_OF_DST = DST_HALF_ROWS / TILE_ROWS << dst_full >> dst_32bit;
[[gnu::always_inline]] inline void check_tile_of_dst(uint32_t dst_index) {
    if (__builtin_constant_p(dst_index) && dst_index >= TILES_OF_DST) no_such_tile_of_dst();
}

constexpr uint32_t COUNTERS = 0x1FE00;
inline volatile uint32_t& received(uint32_t id) { return *word_at(COUNTERS + 8 * id); }
inline volatile uint32_t& acknowledged(uint32_t id) { return *word_at(COUNTERS + 8 * id + 4); }

// This core's place in each ring: tiles drained or pushed since
// the start, where the next one is (see `unit`), tiles packed that are not pushed yet, and what the
// other side's counter was when last read.
struct Side {
    uint32_t done, place, packed_ahead, other_side;
};
inline Side sides[placed_buffers + 1];
[[gnu::always_inline]] inline Side& side(uint32_t id) {
    check_number(id);
    return sides[circular_buffers[id].index];
}

// Addresses as unpackers and packers take them: units of 16 bytes, less one for a header.
constexpr uint32_t unit(uint32_t address) { return address / 16 - 1; }

[[gnu::always_inline]] inline uint32_t wrapped(const PlacedBuffer& buffer, uint32_t place) {
    const uint32_t size = buffer.tiles * (buffer.bytes / 16);
    return place >= unit(buffer.address) + size ? place - size : place;
}

TILELAB_ERROR("the circular buffer has fewer tiles than this one's number") void no_such_tile();

// Where the tile `ahead` places after this core's place is.
[[gnu::always_inline]] inline uint32_t tile_address(uint32_t id, uint32_t ahead) {
    const PlacedBuffer buffer = circular_buffer(id);
    if (__builtin_constant_p(ahead >= buffer.tiles) && ahead >= buffer.tiles) no_such_tile();
    return wrapped(buffer, side(id).place + ahead * (buffer.bytes / 16));
}

// A core reads L1 through its cache; fence empties that, so that it sees what others wrote.
inline void see_other_writers() { asm volatile("fence" : : : "memory"); }

// Wait until the other side's counter is `least` or more, as far as counters are ahead.
[[gnu::always_inline]] inline void wait_for_counter(uint32_t id, volatile uint32_t& counter,
                                                    uint32_t least) {
    while (static_cast<int32_t>(side(id).other_side - least) < 0) {
        see_other_writers();
        side(id).other_side = counter;
    }
}

#if defined(TRISC_UNPACK) || defined(TRISC_PACK)

// This core goes on by `tiles` tiles. Its thread counts them in L1, `offset` bytes into the buffer's
// counters, once `unit` has nothing of its in flight: the core need not wait for that.
[[gnu::always_inline]] inline void go_on(uint32_t id, uint32_t tiles, uint32_t offset,
                                         uint32_t unit) {
    const PlacedBuffer buffer = circular_buffer(id);
    side(id).place = wrapped(buffer, side(id).place + tiles * (buffer.bytes / 16));
    side(id).done += tiles;
    constexpr uint32_t WORD = 1;  // STOREIND's size
    const uint32_t count = GPR_TILES + id, half = 2 * GPR_OFFSETS + id % 2 * 2 + offset / 4;
    for (uint32_t rest = tiles; rest != 0; rest -= rest < 63 ? rest : 63)
        issue_either(TT_OP_ADDDMAREG(1, 0, 0, 0) | count << 12 | (rest < 63 ? rest : 63) << 6 | count);
    gpr_half_write(2 * GPR_COUNTER, COUNTERS / 16 + id / 2);
    issue_either(TT_OP_STALLWAIT(p_stall::STALL_THCON, 0) | unit);
    issue_either(TT_OP_STOREIND(1, 0, WORD, 0, 0, 0, GPR_COUNTER) | half << 14 | count << 6);
}

// What counting relies on, before a core's first use of a buffer.
[[gnu::always_inline]] inline void prepare_counting() {
    gpr_write(GPR_BASE_A, 0);
    gpr_write(GPR_BASE_B, 0);
    gpr_write(GPR_COUNTER, 0);
    for (uint32_t i = 0; i < 4; ++i) gpr_half_write(2 * GPR_OFFSETS + i, 4 * i);
}
[[gnu::always_inline]] inline void prepare_count(uint32_t id) { gpr_write(GPR_TILES + id, 0); }

#elif defined(COMPILE_FOR_BRISC) || defined(COMPILE_FOR_NCRISC)

// This core goes on by `tiles` tiles, and counts them itself.
[[gnu::always_inline]] inline void go_on(uint32_t id, uint32_t tiles, volatile uint32_t& counter) {
    const PlacedBuffer buffer = circular_buffer(id);
    side(id).place = wrapped(buffer, side(id).place + tiles * (buffer.bytes / 16));
    counter = side(id).done += tiles;
}
[[gnu::always_inline]] inline void prepare_counting() {}
[[gnu::always_inline]] inline void prepare_count(uint32_t) {}

#else
[[gnu::always_inline]] inline void prepare_counting() {}
[[gnu::always_inline]] inline void prepare_count(uint32_t) {}
#endif

// Before a core's first use of a buffer.
[[gnu::always_inline]] inline void prepare_buffers() {
    prepare_counting();
#pragma GCC unroll 32
    for (uint32_t id = 0; id < 32; ++id) {
        if (!circular_buffers[id].tiles) continue;
        side(id).place = unit(circular_buffers[id].address);
        prepare_count(id);
    }
}

// What code at an address does with a circular buffer. Reports name it: the ELF says so, beside what
// is loaded. tilelab.tensix.riscv.buffer_notes reads it.
enum class Note : uint8_t {
    POPS, PUSHES, PREPARES_UNPACK_A, UNPACKS_A, PREPARES_UNPACK_B, UNPACKS_B, PREPARES_PACK, PACKS
};

}  // namespace tilelab

// A number that is not known when compiling is 255.
#define TILELAB_NOTE_(what, number)                                                                \
    asm volatile("77:\n\t.pushsection .tilelab_notes, \"\", @progbits\n\t.4byte 77b\n\t"               \
                 ".byte %0, %1, 0, 0\n\t.popsection"                                              \
                 :                                                                                 \
                 : "i"(static_cast<uint32_t>(what)), "i"(number))
#define TILELAB_NOTE(what, id)                                                                     \
    if (__builtin_constant_p(id))                                                                  \
        TILELAB_NOTE_(what, id);                                                                   \
    else                                                                                           \
        TILELAB_NOTE_(what, 255)

namespace tilelab {

// Blocks of rows are for formats without shared exponents.
TILELAB_ERROR("rows of this format do not lie in L1 one by one") void no_rows_of_this_format();

}  // namespace tilelab

// Which cores wait for and count tiles of buffers.
#if defined(TRISC_UNPACK) || defined(COMPILE_FOR_BRISC) || defined(COMPILE_FOR_NCRISC)
#define TILELAB_DRAINS
#endif
#if defined(TRISC_PACK) || defined(COMPILE_FOR_BRISC) || defined(COMPILE_FOR_NCRISC)
#define TILELAB_FILLS
#endif

// Wait until the buffer holds `tiles` tiles.
[[gnu::always_inline]] inline void cb_wait_front(uint32_t id, uint32_t tiles) {
#ifdef TILELAB_DRAINS
    using namespace tilelab;
    wait_for_counter(id, received(id), side(id).done + tiles);
#endif
}

// Give the first `tiles` tiles back, once the unpackers have read them.
[[gnu::always_inline]] inline void cb_pop_front(uint32_t id, uint32_t tiles) {
#ifdef TILELAB_DRAINS
    TILELAB_NOTE(tilelab::Note::POPS, id);
#ifdef TRISC_UNPACK
    tilelab::go_on(id, tiles, 4, p_stall::UNPACK);
#else
    tilelab::go_on(id, tiles, tilelab::acknowledged(id));
#endif
#endif
}

// Wait until the buffer has room for `tiles` tiles.
[[gnu::always_inline]] inline void cb_reserve_back(uint32_t id, uint32_t tiles) {
#ifdef TILELAB_FILLS
    using namespace tilelab;
    wait_for_counter(id, acknowledged(id), side(id).done + tiles - circular_buffer(id).tiles);
#endif
}

// Hand over the `tiles` tiles packed or copied last, once the packer has written them.
[[gnu::always_inline]] inline void cb_push_back(uint32_t id, uint32_t tiles) {
#ifdef TILELAB_FILLS
    TILELAB_NOTE(tilelab::Note::PUSHES, id);
#ifdef TRISC_PACK
    tilelab::go_on(id, tiles, 0, p_stall::PACK);
    tilelab::side(id).packed_ahead = 0;
#else
    tilelab::go_on(id, tiles, tilelab::received(id));
#endif
#endif
}
