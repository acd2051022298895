"""What Wormhole's NoC and DRAM take."""

from tilelab.isa.figure import derived, documented, measured
from tilelab.tensix.tables.noc_times import BUFFERS, DATASET, ISA, TT_SIM, NocTimes

_DRAM = "tt-isa-documentation, DRAMTile/README.md"

NOC_TIMES = NocTimes(
    flit_bytes=documented(32, f"{ISA}: 256 bits, one flit per cycle and axis"),
    hop=documented(9, ISA),
    into_network=documented(5, f"{ISA}: about 5"),
    out_of_network=documented(5, f"{ISA}: about 5"),
    interface=derived(
        12,
        f"an estimate, {DATASET}: of a read of 64 bytes 75 cycles of 205 are not ways; twice this, "
        "and instructions that ask and poll",
    ),
    flit_thousandths=measured(1026, f"{DATASET}: the fastest stream has 31.2 of 32 bytes a cycle"),
    answer_thousandths=measured(1115, f"{DATASET}: streams of reads have 28.6 bytes a cycle"),
    buffer_flits=documented(16, f"{BUFFERS}: 512 of 32 bytes"),
    atomic_tenths=derived(126, "as on Blackhole"),
    dram_read=measured(
        99, "tt-metal, data_movement/common.cpp: 358 - 259, DRAM's latency and remote L1's"
    ),
    dram_write=derived(99, "as a read: tt-sim finds no difference between the two"),
    dram_request_tenths=measured(68, "tt-metal#55898"),
    dram_read_rate=measured(22100, f"{_DRAM}: 92 % of 24 GB/s; {TT_SIM}, dramratebench: 22.1"),
    dram_write_rate=measured(21300, f"{TT_SIM}, dramratebench: 21.2 to 21.3 bytes a cycle"),
    dram_channel_bits=documented(30, f"{_DRAM}: two channels of 1 GiB in a tile's 2 GiB"),
)
