// Packets by hand: what the programs of boopdotpng/tenstorrent-docs (microbenching/noc) time, written
// anew after their source, with the stand-in's loads and stores. One packet after the other, each
// waited for, or all at once and then the last of them.
enum { READ, WRITE, INCREMENT };

void kernel_main() {
    const uint32_t results = get_arg_val<uint32_t>(0), data = get_arg_val<uint32_t>(1);
    const uint32_t kind = get_arg_val<uint32_t>(2), blocking = get_arg_val<uint32_t>(3);
    const uint64_t there = get_noc_addr(get_arg_val<uint32_t>(4), get_arg_val<uint32_t>(5), get_arg_val<uint32_t>(8));
    const uint32_t count = get_arg_val<uint32_t>(6), size = get_arg_val<uint32_t>(7);
    const volatile uint32_t* clock = reinterpret_cast<const volatile uint32_t*>(0xFFB121F0u);
    uint32_t answered = NIU_REG(noc_index, 0, NIU_ATOMIC_RESPONSES);
    const uint32_t before = *clock;
    for (uint32_t i = 0; i < count; ++i) {
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
