// Circular buffers: rings of tiles in L1 between the host, the unpacker's core and the packer's.
//
// Each buffer has two words in L1, at 0x1FE00 + 8 × its number: tiles received, which who fills it
// writes, and tiles acknowledged, which who drains it writes; both count from the start on and
// never go back. Start-up sets them from kernel.toml: an input holds all its tiles, an output none.
// The host fills inputs before the start and drains outputs after the end. A buffer that the
// packer fills and the unpackers drain works too: start-up finds it empty if it is an output.
#pragma once

#include <tilelab_build.h>

namespace tt {
enum CBIndex : uint32_t {
    c_0, c_1, c_2, c_3, c_4, c_5, c_6, c_7, c_8, c_9, c_10, c_11, c_12, c_13, c_14, c_15,
    c_16, c_17, c_18, c_19, c_20, c_21, c_22, c_23, c_24, c_25, c_26, c_27, c_28, c_29, c_30, c_31
};
}  // namespace tt

namespace tilelab {

TILELAB_ERROR("kernel.toml places no such circular buffer") void no_such_circular_buffer();

[[gnu::always_inline]] inline CircularBuffer circular_buffer(uint32_t id) {
    const CircularBuffer buffer = circular_buffers[id];
    if (__builtin_constant_p(buffer.tiles) && buffer.tiles == 0) no_such_circular_buffer();
    return buffer;
}

constexpr uint32_t tile_bytes(DataFormat format) {
    return format == DataFormat::Float32 ? 4 * TILE_DATUMS : 2 * TILE_DATUMS;
}

constexpr uint32_t COUNTERS = 0x1FE00;
inline volatile uint32_t& received(uint32_t id) { return *word_at(COUNTERS + 8 * id); }
inline volatile uint32_t& acknowledged(uint32_t id) { return *word_at(COUNTERS + 8 * id + 4); }

// This core's place in each ring: tiles drained (unpacker's core) or pushed (packer's core), and
// tiles packed that are not pushed yet.
inline uint32_t done_here[32], packed_ahead[32];

// A core reads L1 through its cache; fence empties that, so that it sees what others wrote.
inline void see_other_writers() { asm volatile("fence" : : : "memory"); }

inline uint32_t tiles_in(uint32_t id) {
    see_other_writers();
    return received(id) - acknowledged(id);
}

// Where the tile `ahead` places after this core's place is, in the units of 16 bytes, less one,
// that unpackers and packers take.
[[gnu::always_inline]] inline uint32_t tile_address(uint32_t id, uint32_t ahead) {
    const CircularBuffer buffer = circular_buffer(id);
    const uint32_t slot = (done_here[id] + ahead) % buffer.tiles;
    return (buffer.address + slot * tile_bytes(buffer.format)) / 16 - 1;
}

}  // namespace tilelab

// Wait until the buffer holds `tiles` tiles.
[[gnu::always_inline]] inline void cb_wait_front(uint32_t id, uint32_t tiles) {
#ifdef TRISC_UNPACK
    while (tilelab::tiles_in(id) < tiles) {}
#endif
}

// Give the first `tiles` tiles back, once the unpackers have read them.
[[gnu::always_inline]] inline void cb_pop_front(uint32_t id, uint32_t tiles) {
#ifdef TRISC_UNPACK
    tensix_sync();
    tilelab::acknowledged(id) = tilelab::done_here[id] += tiles;
#endif
}

// Wait until the buffer has room for `tiles` tiles.
[[gnu::always_inline]] inline void cb_reserve_back(uint32_t id, uint32_t tiles) {
#ifdef TRISC_PACK
    while (tilelab::tiles_in(id) + tiles > tilelab::circular_buffer(id).tiles) {}
#endif
}

// Hand over the `tiles` tiles packed last, once the packer has written them.
[[gnu::always_inline]] inline void cb_push_back(uint32_t id, uint32_t tiles) {
#ifdef TRISC_PACK
    tensix_sync();
    tilelab::received(id) = tilelab::done_here[id] += tiles;
    tilelab::packed_ahead[id] = 0;
#endif
}
