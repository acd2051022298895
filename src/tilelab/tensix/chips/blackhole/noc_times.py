"""What Blackhole's NoC and DRAM take."""

from tilelab.isa.figure import derived, documented, measured
from tilelab.tensix.tables.noc_times import BUFFERS, DATASET, ISA, TT_SIM, NocTimes

_SIZES = f"{TT_SIM}, nocbench: writes of 4, 8 and 16 KiB take 72.2, 137.8 and 268.4 cycles each"

NOC_TIMES = NocTimes(
    flit_bytes=documented(64, f"{ISA}: 512 bits, one flit per cycle and axis"),
    hop=documented(9, ISA),
    into_network=documented(5, f"{ISA}: about 5"),
    out_of_network=documented(5, f"{ISA}: about 5"),
    interface=derived(12, "as on Wormhole"),
    flit_thousandths=measured(1022, f"{_SIZES}: the slope, where the document has 1000"),
    answer_thousandths=measured(1022, f"{_SIZES}: answers take no longer ({DATASET})"),
    buffer_flits=derived(
        16,
        f"{BUFFERS}, of Wormhole: 16; readers of a full channel stand in such queues ({TT_SIM}, "
        "dramratebench)",
    ),
    atomic_tenths=measured(
        126, "boopdotpng/tenstorrent-docs@a9da5e2: eight initiators, 12.0 to 12.6 cycles each"
    ),
    dram_read=measured(
        126, "tt-metal, data_movement/common.cpp: 529 - 403, DRAM's latency and remote L1's"
    ),
    dram_write=measured(22, f"{DATASET}: the difference of DRAM's and L1's writes, by tt-sim"),
    dram_request_tenths=measured(164, "tt-metal#55898: 12 ns"),
    dram_read_rate=measured(
        47100, f"{TT_SIM}, dramratebench: one channel, 1 to 120 readers, 45.4 to 47.1 bytes a cycle"
    ),
    dram_write_rate=measured(47100, "boopdotpng/tenstorrent-docs@a9da5e2: 47.3, read or write"),
    dram_channel_bits=documented(32, "a bank is a channel"),
)
