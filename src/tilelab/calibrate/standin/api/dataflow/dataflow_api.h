// What the dataflow kernels of mesham/tt-sim's perfbench use of tt-metal's dataflow API, for a core of
// a chip's tile, and nothing else. A request takes the loads and stores of ttnn 0.81.1's
// noc_async_read and noc_async_write with a dedicated NoC: look whether the initiator is free, then
// type (writes), addresses, coordinates, length, go. Other releases store more, or less.
#pragma once

#define FORCE_INLINE inline __attribute__((always_inline))
#ifdef ARCH_BLACKHOLE
constexpr uint32_t NIU_STRIDE = 0x800, NOC_NODE_ID = 0x44, NIU_GO = 0x40, AT_DATA = 0x28;
constexpr uint32_t TARG_COORDINATE = 0x8, RET_COORDINATE = 0x14, COORDINATE_SHIFT = 0;
constexpr uint32_t NOC_MAX_BURST_SIZE = 16384;
#else
constexpr uint32_t NIU_STRIDE = 0x400, NOC_NODE_ID = 0x2c, NIU_GO = 0x28, AT_DATA = 0x24;
constexpr uint32_t TARG_COORDINATE = 0x4, RET_COORDINATE = 0x10, COORDINATE_SHIFT = 4;
constexpr uint32_t NOC_MAX_BURST_SIZE = 8192;
#endif
constexpr uint32_t TARG_LO = 0x0, RET_LO = 0xc, CTRL = 0x1c, AT_LEN = 0x20;
constexpr uint32_t NIU_ATOMIC_RESPONSES = 0x200, NIU_WRITE_ACKS = 0x204, NIU_READ_RESPONSES = 0x208;
constexpr uint32_t READS = 0x2090, ATOMICS = 0x2091, WRITES = 0x2092, INCREMENT_WORD = 0x107c;
constexpr uint32_t WRITE_BUF = 0, READ_BUF = 1, ATOMIC_BUF = 3;
constexpr uint32_t NOC_NODE_ID_MASK = 0x3f, NOC_ADDR_NODE_ID_BITS = 6, PLACE_SHIFT = 36;
constexpr uint8_t noc_index = 0;
inline uint8_t my_x[2], my_y[2];
inline uint32_t reads_issued[2], writes_issued[2];

#define NIU_REG(noc, buf, reg) \
    (*reinterpret_cast<volatile uint32_t*>(0xFFB20000u + ((uint32_t)(noc) << 16) + (buf) * NIU_STRIDE + (reg)))
#define NOC_CMD_BUF_READ_REG(noc, buf, reg) NIU_REG(noc, buf, reg)

// What the firmware does before a kernel: the coordinates that requests come back to.
inline void dataflow_init() {
    const uint32_t own = NIU_REG(noc_index, 0, NOC_NODE_ID) & 0xFFF;
    NIU_REG(noc_index, READ_BUF, CTRL) = READS;
    NIU_REG(noc_index, READ_BUF, RET_COORDINATE) = own << COORDINATE_SHIFT;
    NIU_REG(noc_index, WRITE_BUF, TARG_COORDINATE) = own << COORDINATE_SHIFT;
    NIU_REG(noc_index, ATOMIC_BUF, RET_COORDINATE) = own << COORDINATE_SHIFT;
    NIU_REG(noc_index, ATOMIC_BUF, RET_LO) = ARGS_ADDRESS - 16;
    reads_issued[noc_index] = NIU_REG(noc_index, 0, NIU_READ_RESPONSES);
    writes_issued[noc_index] = NIU_REG(noc_index, 0, NIU_WRITE_ACKS);
}
#define BEFORE_KERNEL dataflow_init();

FORCE_INLINE uint64_t get_noc_addr(uint32_t x, uint32_t y, uint32_t address) {
    return (uint64_t)(y << 6 | x) << PLACE_SHIFT | address;
}
inline uint32_t get_semaphore(uint32_t id) { return ARGS_ADDRESS + 0x2000 + 16 * id; }

FORCE_INLINE void one_read(uint64_t from, uint32_t to, uint32_t size, uint8_t noc) {
    while (NIU_REG(noc, READ_BUF, NIU_GO)) {}
    NIU_REG(noc, READ_BUF, RET_LO) = to;
    NIU_REG(noc, READ_BUF, TARG_LO) = (uint32_t)from;
    NIU_REG(noc, READ_BUF, TARG_COORDINATE) = (uint32_t)(from >> PLACE_SHIFT) << COORDINATE_SHIFT;
    NIU_REG(noc, READ_BUF, AT_LEN) = size;
    NIU_REG(noc, READ_BUF, NIU_GO) = 1;
    reads_issued[noc] += 1;
}
FORCE_INLINE void one_write(uint32_t from, uint64_t to, uint32_t size, uint8_t noc, uint32_t vc) {
    while (NIU_REG(noc, WRITE_BUF, NIU_GO)) {}
    NIU_REG(noc, WRITE_BUF, CTRL) = (WRITES & ~0xE000) | vc << 13;
    NIU_REG(noc, WRITE_BUF, TARG_LO) = from;
    NIU_REG(noc, WRITE_BUF, RET_LO) = (uint32_t)to;
    NIU_REG(noc, WRITE_BUF, RET_COORDINATE) = (uint32_t)(to >> PLACE_SHIFT) << COORDINATE_SHIFT;
    NIU_REG(noc, WRITE_BUF, AT_LEN) = size;
    NIU_REG(noc, WRITE_BUF, NIU_GO) = 1;
    writes_issued[noc] += 1;
}
inline void noc_async_read(uint64_t from, uint32_t to, uint32_t size, uint8_t noc = noc_index) {
    while (size > NOC_MAX_BURST_SIZE) {
        one_read(from, to, NOC_MAX_BURST_SIZE, noc);
        from += NOC_MAX_BURST_SIZE, to += NOC_MAX_BURST_SIZE, size -= NOC_MAX_BURST_SIZE;
    }
    one_read(from, to, size, noc);
}
inline void noc_async_write(uint32_t from, uint64_t to, uint32_t size, uint8_t noc = noc_index, uint32_t vc = 1) {
    while (size > NOC_MAX_BURST_SIZE) {
        one_write(from, to, NOC_MAX_BURST_SIZE, noc, vc);
        from += NOC_MAX_BURST_SIZE, to += NOC_MAX_BURST_SIZE, size -= NOC_MAX_BURST_SIZE;
    }
    one_write(from, to, size, noc, vc);
}
inline void noc_async_read_barrier(uint8_t noc = noc_index) {
    while (NIU_REG(noc, 0, NIU_READ_RESPONSES) != reads_issued[noc]) {}
}
inline void noc_async_write_barrier(uint8_t noc = noc_index) {
    while (NIU_REG(noc, 0, NIU_WRITE_ACKS) != writes_issued[noc]) {}
}
inline void noc_semaphore_inc(uint64_t at, uint32_t step, uint8_t noc = noc_index) {
    while (NIU_REG(noc, ATOMIC_BUF, NIU_GO)) {}
    NIU_REG(noc, ATOMIC_BUF, TARG_LO) = (uint32_t)at;
    NIU_REG(noc, ATOMIC_BUF, TARG_COORDINATE) = (uint32_t)(at >> PLACE_SHIFT) << COORDINATE_SHIFT;
    NIU_REG(noc, ATOMIC_BUF, CTRL) = ATOMICS;
    NIU_REG(noc, ATOMIC_BUF, AT_LEN) = INCREMENT_WORD | ((uint32_t)at >> 2 & 3);
    NIU_REG(noc, ATOMIC_BUF, AT_DATA) = step;
    NIU_REG(noc, ATOMIC_BUF, NIU_GO) = 1;
}
inline void noc_semaphore_wait_min(volatile uint32_t* at, uint32_t least) {
    while (*at < least) {}
}
inline void invalidate_l1_cache() { __asm__ volatile("fence" ::: "memory"); }
