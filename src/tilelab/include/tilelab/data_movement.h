// Kernels for NCRISC and BRISC, which fill and drain circular buffers: write void kernel_main().
//
// Data move by the NoC: NCRISC asks interface 0, BRISC interface 1. A request goes on while the core
// does; a barrier waits for the answers to all of the core's requests of that kind.
#pragma once

#if !defined(COMPILE_FOR_BRISC) && !defined(COMPILE_FOR_NCRISC)
#error "a reader or a writer: [build] of kernel.toml names it"
#endif

#include <tilelab/circular_buffers.h>
#include <tilelab/noc_registers.h>

void kernel_main();

#ifdef COMPILE_FOR_BRISC
constexpr uint8_t noc_index = 1;
#else
constexpr uint8_t noc_index = 0;
#endif

namespace tilelab {

// A place's coordinates lie above 36 bits of address in what the functions below take.
constexpr uint32_t ADDRESS_BITS = 36;
constexpr uint32_t PLACE = 0xFFF, Y_SHIFT = 6;

namespace noc {

constexpr uint32_t BYTES = 0x10000;  // from one interface's registers to the next's
constexpr uint32_t TARGET = 0x00, RETURN = 0x0C, TAG = 0x18, CTRL = 0x1C, LENGTH = 0x20;
constexpr uint32_t READ = 0, WRITE = 2, RESPONSE = 1 << 4;  // of CTRL
constexpr uint32_t WRITE_ACKS = 1, READ_RESPONSES = 2;       // counters
constexpr uint32_t LONGEST = 16384;                          // bytes of a request

inline volatile uint32_t& of_interface(uint32_t offset) {
    return *word_at(REGISTERS + noc_index * BYTES + offset);
}
inline volatile uint32_t& counter(uint32_t number) { return of_interface(COUNTERS + 4 * number); }

// Coordinates of this tile, as the interface has them.
inline uint32_t own_place() { return of_interface(NODE_ID) & PLACE; }

inline void address(uint32_t offset, uint32_t low, uint32_t place) {
    of_interface(offset) = low;
    of_interface(offset + 4) = COORDINATE_SHIFT ? place << COORDINATE_SHIFT : 0;
    if constexpr (COORDINATE_SHIFT == 0) of_interface(offset + 8) = place;
}

// What this core has asked for, as the interface counts the answers.
inline uint32_t reads, writes;

// `there` is at another place, `here` in this tile.
inline void request(uint32_t kind, uint64_t there, uint32_t here, uint32_t bytes) {
    const uint32_t place = there >> ADDRESS_BITS, low = there, own = own_place();
    while (of_interface(CMD_CTRL)) {}
    address(kind == READ ? TARGET : RETURN, low, place);
    address(kind == READ ? RETURN : TARGET, here, own);
    of_interface(TAG) = 0;
    of_interface(LENGTH) = bytes;
    of_interface(CTRL) = kind | RESPONSE;
    of_interface(CMD_CTRL) = 1;
    (kind == READ ? reads : writes) += 1;
}

inline void requests(uint32_t kind, uint64_t there, uint32_t here, uint32_t bytes) {
    for (uint32_t at = 0; at < bytes; at += LONGEST) {
        const uint32_t rest = bytes - at;
        request(kind, there + at, here + at, rest < LONGEST ? rest : LONGEST);
    }
}

}  // namespace noc

// Before the first request: what the interface has counted so far.
inline void count_answers() {
    noc::reads = noc::counter(noc::READ_RESPONSES);
    noc::writes = noc::counter(noc::WRITE_ACKS);
}

}  // namespace tilelab

// An address in L1 of the tile at x, y, or in other memory there; then one of this tile.
inline uint64_t get_noc_addr(uint32_t x, uint32_t y, uint32_t address) {
    return static_cast<uint64_t>(x | y << tilelab::Y_SHIFT) << tilelab::ADDRESS_BITS | address;
}
inline uint64_t get_noc_addr(uint32_t address) {
    return static_cast<uint64_t>(tilelab::noc::own_place()) << tilelab::ADDRESS_BITS | address;
}

// From there to L1 of this tile, and from L1 of this tile to there. Both addresses are equal modulo
// 16; of a read from DRAM on Blackhole modulo 64.
inline void noc_async_read(uint64_t from, uint32_t to, uint32_t bytes) {
    tilelab::noc::requests(tilelab::noc::READ, from, to, bytes);
}
inline void noc_async_write(uint32_t from, uint64_t to, uint32_t bytes) {
    tilelab::noc::requests(tilelab::noc::WRITE, to, from, bytes);
}
inline void noc_async_read_barrier() {
    while (tilelab::noc::counter(tilelab::noc::READ_RESPONSES) != tilelab::noc::reads) {}
}
inline void noc_async_write_barrier() {
    while (tilelab::noc::counter(tilelab::noc::WRITE_ACKS) != tilelab::noc::writes) {}
}

// Where the next tile goes that this core pushes, and where the first is that it has not popped.
inline uint32_t get_write_ptr(uint32_t id) { return (tilelab::side(id).place + 1) * 16; }
inline uint32_t get_read_ptr(uint32_t id) { return (tilelab::side(id).place + 1) * 16; }
inline uint32_t get_tile_size(uint32_t id) { return tilelab::circular_buffer(id).bytes; }

#include <tilelab/arguments.h>
