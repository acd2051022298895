// What the vendor's host and firmware say about circular buffers and arguments, out of kernel.toml.
// The vendor's kernels count pages in the registers of streams.
#pragma once

#include <tilelab_build.h>

#include "internal/circular_buffer_interface.h"
#include "stream_io_map.h"

namespace tilelab {

// 16 words of L1 behind the code, for get_semaphore.
inline uint32_t* semaphores() { return reinterpret_cast<uint32_t*>(semaphores_at); }

inline void prepare_counters() {
    for (const Ring& ring : rings) {
        if (!ring.pages) continue;
        *get_cb_tiles_received_ptr(ring.number) = ring.filled;
        *get_cb_tiles_acked_ptr(ring.number) = 0;
    }
    for (uint32_t i = 0; i < 16; ++i) semaphores()[i * 4] = 0;
}

// A kernel waits for the host's word to go, and readers copy zeros from a place that has them.
inline void prepare_l1() {
    auto* const mailboxes = reinterpret_cast<mailboxes_t*>(MEM_MAILBOX_BASE);
    mailboxes->go_message_index = 0;
    mailboxes->go_messages[0].signal = RUN_MSG_GO;
    auto* const zeros = reinterpret_cast<volatile uint32_t*>(MEM_ZEROS_BASE);
    for (uint32_t i = 0; i < MEM_ZEROS_SIZE / 4; ++i) zeros[i] = 0;
}

// This core's records of the buffers, in its own units of addresses.
template <typename Interfaces>
inline void place_buffers(Interfaces& interfaces, uint32_t shift) {
    for (const Ring& ring : rings) {
        if (!ring.pages) continue;
        LocalCBInterface& record = get_local_cb_interface(ring.number);
        record.fifo_size = ring.bytes >> shift;
        record.fifo_limit = (ring.address + ring.bytes) >> shift;
        record.fifo_page_size = ring.page_bytes >> shift;
        record.fifo_num_pages = ring.pages;
        record.fifo_rd_ptr = record.fifo_wr_ptr = ring.address >> shift;
        record.tiles_acked_received_init = 0;
        record.fifo_wr_tile_ptr = 0;
    }
}

}  // namespace tilelab
