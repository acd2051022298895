// Circular buffers as objects, as newer kernels of tt-metal have them: CircularBuffer by number,
// DataflowBuffer by number or by its name in kernel.toml, dfb::NAME.
#pragma once

#include <tilelab/circular_buffers.h>

namespace tilelab {

// What both have; each core does its part of it, as with the functions cb_….
class Buffer {
public:
    explicit constexpr Buffer(uint32_t number) : number_(number) {}
    constexpr operator uint32_t() const { return number_; }
    [[gnu::always_inline]] void wait_front(uint32_t tiles) const { cb_wait_front(number_, tiles); }
    [[gnu::always_inline]] void pop_front(uint32_t tiles) const { cb_pop_front(number_, tiles); }
    [[gnu::always_inline]] void reserve_back(uint32_t tiles) const { cb_reserve_back(number_, tiles); }
    [[gnu::always_inline]] void push_back(uint32_t tiles) const { cb_push_back(number_, tiles); }

    // Bytes of a tile, and how many tiles there is room for.
    constexpr uint32_t get_entry_size() const { return circular_buffers[number_].bytes; }
    constexpr uint32_t get_tile_size() const { return circular_buffers[number_].bytes; }
    constexpr uint32_t get_total_num_entries() const { return circular_buffers[number_].tiles; }

#if defined(COMPILE_FOR_BRISC) || defined(COMPILE_FOR_NCRISC)
    // Where the first tile is that is not popped, and where the next one goes that is pushed.
    uint32_t get_read_ptr() const { return (side(number_).place + 1) * 16; }
    uint32_t get_write_ptr() const { return (side(number_).place + 1) * 16; }
#else
#ifdef TRISC_UNPACK
    // Where the first tile lies that is not popped, in units of 16 bytes.
    uint32_t get_read_ptr() const { return side(number_).place + 1; }
    // Unpack from another place of L1; who asks for that puts the pointer right again.
    void evil_set_read_ptr(uint32_t place) const { side(number_).place = place - 1; }
#elif defined(TRISC_PACK)
    uint32_t get_write_ptr() const { return side(number_).place + 1; }
#endif
    // Where a tile that was waited for lies: known to the unpackers' core, which tells the others.
    [[gnu::always_inline]] uint32_t get_tile_address(uint32_t index) const {
        return told_by_unpack([&] { return (tile_address(number_, index) + 1) * 16; });
    }
    // One of a tile's words.
    [[gnu::always_inline]] uint32_t read_tile_value(uint32_t index, uint32_t word) const {
        return told_by_unpack([&] {
            see_other_writers();
            return *word_at((tile_address(number_, index) + 1) * 16 + 4 * word);
        });
    }
#endif

protected:
    uint32_t number_;

private:
    template <typename Value>
    [[gnu::always_inline]] static uint32_t told_by_unpack(Value value) {
#ifdef TRISC_UNPACK
        const uint32_t known = value();
        mailbox_write(TRISC1, known);
        mailbox_write(TRISC2, known);
        return known;
#elif defined(TRISC_MATH) || defined(TRISC_PACK)
        return mailbox_read(TRISC0);
#else
        return value();
#endif
    }
};

}  // namespace tilelab

class CircularBuffer : public tilelab::Buffer {
public:
    using Buffer::Buffer;
    constexpr uint32_t get_cb_id() const { return number_; }
};

class DataflowBuffer : public tilelab::Buffer {
public:
    using Buffer::Buffer;
    constexpr uint32_t get_id() const { return number_; }
};

#if !defined(COMPILE_FOR_BRISC) && !defined(COMPILE_FOR_NCRISC)
// What a core reads of a tile that it waits for.
[[gnu::always_inline]] inline uint32_t read_tile_value(uint32_t id, uint32_t index, uint32_t word) {
    return CircularBuffer(id).read_tile_value(index, word);
}
[[gnu::always_inline]] inline uint32_t get_tile_address(uint32_t id, uint32_t index) {
    return CircularBuffer(id).get_tile_address(index);
}
#endif

// What the vendor's headers have beside: how tiles are taken, and a buffer's record.
namespace dfb {
enum AccessPattern : uint8_t { STRIDED, ALL, BLOCKED, UNKNOWN };
}  // namespace dfb

using DataflowBufferAnyPattern = DataflowBuffer;
template <typename T> inline constexpr bool is_dataflow_buffer_v = false;
template <> inline constexpr bool is_dataflow_buffer_v<DataflowBuffer> = true;

namespace tilelab {
// Where a buffer is read or written: a number that moves the buffer when it is set.
class FifoPointer {
public:
    constexpr FifoPointer() = default;
    FifoPointer(const FifoPointer&) = delete;
    operator uint32_t() const { return (side(number).place + 1) * 16 / LINE; }
    uint32_t operator=(uint32_t value) const {
        side(number).place = value * LINE / 16 - 1;
        return value;
    }
    uint32_t operator+=(uint32_t more) const { return *this = *this + more; }
    uint32_t operator-=(uint32_t less) const { return *this = *this - less; }
    uint32_t number = 0;

    // In bytes on cores that move data, else in units of 16 bytes.
#if defined(COMPILE_FOR_BRISC) || defined(COMPILE_FOR_NCRISC)
    static constexpr uint32_t LINE = 1;
#else
    static constexpr uint32_t LINE = 16;
#endif
};
}  // namespace tilelab

struct LocalCBInterface {
    uint32_t fifo_size, fifo_limit, fifo_page_size, fifo_num_pages;
#ifdef TRISC_UNPACK
    tilelab::FifoPointer fifo_rd_ptr;
#elif defined(TRISC_PACK)
    tilelab::FifoPointer fifo_wr_ptr;
#endif
};
namespace tilelab {
inline constinit LocalCBInterface local_interfaces[32]{};
}
[[gnu::always_inline]] inline LocalCBInterface& get_local_cb_interface(uint32_t id) {
    constexpr uint32_t unit = tilelab::FifoPointer::LINE;
    const tilelab::PlacedBuffer buffer = tilelab::circular_buffer(id);
    const uint32_t size = buffer.tiles * buffer.bytes;
    LocalCBInterface& record = tilelab::local_interfaces[id];
    record.fifo_size = size / unit;
    record.fifo_limit = (buffer.address + size) / unit;
    record.fifo_page_size = buffer.bytes / unit;
    record.fifo_num_pages = buffer.tiles;
#ifdef TRISC_UNPACK
    record.fifo_rd_ptr.number = id;
#elif defined(TRISC_PACK)
    record.fifo_wr_ptr.number = id;
#endif
    return record;
}
