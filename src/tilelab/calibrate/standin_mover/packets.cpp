// Packets by hand: what the programs of boopdotpng/tenstorrent-docs (microbenching/noc) time, written
// anew after their source, with the stand-in's loads and stores. One packet after the other, each
// waited for, or all at once and then the last of them.
// Whoever has further targets takes them in turns. A multicast is to the tiles between two corners; of
// linked ones all but the last keep their way.
enum { READ, WRITE, INCREMENT, MULTICAST, LINKED };
enum { LINK = 1 << 6, BROADCAST = 1 << 8 | 1 << 5, MULTICAST_VC = 4 };

inline void multicast(uint32_t from, uint64_t to, uint32_t corners, uint32_t size, bool link) {
    while (NIU_REG(noc_index, WRITE_BUF, NIU_GO)) {}
    const uint32_t control = (WRITES & ~0xE000) | MULTICAST_VC << 13 | BROADCAST;
    NIU_REG(noc_index, WRITE_BUF, CTRL) = link ? control | LINK : control;
    NIU_REG(noc_index, WRITE_BUF, TARG_LO) = from;
    NIU_REG(noc_index, WRITE_BUF, RET_LO) = (uint32_t)to;
    NIU_REG(noc_index, WRITE_BUF, RET_COORDINATE) = corners << COORDINATE_SHIFT;
    NIU_REG(noc_index, WRITE_BUF, AT_LEN) = size;
    NIU_REG(noc_index, WRITE_BUF, NIU_GO) = 1;
}

// The packets of whoever has several targets; what hangs on one instruction more is not asked of them.
void in_turns(uint32_t kind, uint32_t data, uint32_t count, uint32_t size, uint32_t address) {
    const uint32_t targets = get_arg_val<uint32_t>(7), corners = get_arg_val<uint32_t>(8);
    uint32_t next = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t place = get_arg_val<uint32_t>(8 + next);
        const uint64_t there = get_noc_addr(place & 63, place >> 6 & 63, address);
        if (kind == READ) one_read(there, data, size, noc_index);
        if (kind == WRITE) one_write(data, there, size, noc_index, 1);
        if (kind >= MULTICAST) {
            multicast(data, there, corners, size, kind == LINKED && i + 1 < count);
            writes_issued[noc_index] += targets;
        } else if (++next == targets) next = 0;
    }
    if (kind == READ) noc_async_read_barrier();
    else noc_async_write_barrier();
}

void kernel_main() {
    const uint32_t results = get_arg_val<uint32_t>(0), data = get_arg_val<uint32_t>(1);
    const uint32_t kind = get_arg_val<uint32_t>(2), blocking = get_arg_val<uint32_t>(3);
    const uint32_t count = get_arg_val<uint32_t>(4), size = get_arg_val<uint32_t>(5);
    const uint32_t address = get_arg_val<uint32_t>(6), place = get_arg_val<uint32_t>(8);
    const uint64_t there = get_noc_addr(place & 63, place >> 6 & 63, address);
    const volatile uint32_t* clock = reinterpret_cast<const volatile uint32_t*>(0xFFB121F0u);
    uint32_t answered = NIU_REG(noc_index, 0, NIU_ATOMIC_RESPONSES);
    const uint32_t before = *clock;
    const bool several = kind >= MULTICAST || get_arg_val<uint32_t>(7) > 1;
    if (several) in_turns(kind, data, count, size, address);
    for (uint32_t i = 0; i < (several ? 0 : count); ++i) {
        if (kind == READ) one_read(there, data, size, noc_index);
        if (kind == WRITE) one_write(data, there, size, noc_index, 1);
        if (kind == INCREMENT) noc_semaphore_inc(there, 1);
        answered += kind == INCREMENT;
        if (!blocking && i + 1 < count) continue;
        if (kind == READ) noc_async_read_barrier();
        if (kind == WRITE) noc_async_write_barrier();
        while (kind == INCREMENT && NIU_REG(noc_index, 0, NIU_ATOMIC_RESPONSES) != answered) {}
    }
    volatile uint32_t* out = reinterpret_cast<volatile uint32_t*>(results);
    out[1] = *clock - before;
    out[0] = 0x5041434Bu;
}
