"""Rows of the NoC and of DRAM: recognised by their words, asked on a chip, or not run."""

import pytest

from tilelab.calibrate import chips, packets
from tilelab.calibrate.checkouts import Kernels
from tilelab.calibrate.families import answer
from tilelab.calibrate.perfbench import Perfbench
from tilelab.calibrate.programs import Builder, probe_compiler
from tilelab.calibrate.rows import Row
from tilelab.tensix.arch import ARCHES

LAYOUT = """
#define NOCBENCH_DIR_WRITE 0
#define NOCBENCH_MAGIC 0x4E4F4342u
#define NOCBENCH_R_CYCLES 1
"""
FLOW = """
#include "../nocbench_layout.h"
void kernel_main() {
    const uint32_t to = get_arg_val<uint32_t>(0), from = get_arg_val<uint32_t>(1);
    const uint64_t there = get_noc_addr(get_arg_val<uint32_t>(5), get_arg_val<uint32_t>(6), from);
    volatile uint32_t* clock = reinterpret_cast<volatile uint32_t*>(0xFFB121F0u);
    const uint32_t before = *clock;
    for (uint32_t i = 0; i < get_arg_val<uint32_t>(7); i++) {
        noc_async_write(from, there, get_arg_val<uint32_t>(8));
    }
    noc_async_write_barrier();
    volatile uint32_t* out = reinterpret_cast<volatile uint32_t*>(to);
    out[1] = *clock - before;
    out[0] = NOCBENCH_MAGIC;
}
"""


class Made(Kernels):
    """A checkout with a flow of our own, in the place of nocbench's."""

    def read(self, path: str) -> bytes | None:
        if path.endswith("flow.cpp"):
            return FLOW.encode()
        return LAYOUT.encode() if path.endswith("nocbench_layout.h") else None


@pytest.fixture
def bench() -> Perfbench:
    pytest.importorskip("ziglang", reason="ziglang is not installed")
    return Perfbench(Made(), lambda: Builder(probe_compiler()))


@pytest.mark.parametrize("arch", ["blackhole", "wormhole"])
def test_a_flow_of_writes_takes_its_flits_and_a_round_of_the_torus(bench, arch: str) -> None:
    chip = {"blackhole": "BH p150", "wormhole": "WH n300"}[arch]
    noc, times = ARCHES[arch].noc, ARCHES[arch].noc_times
    found = {}
    for hops in (noc.width, noc.height, noc.width + noc.height):
        row = Row("x", chip, f"64 writes of 4096 B + barrier, {hops} round-trip hops", "1")
        made = answer(bench, row)
        assert made.mechanism.name.startswith("NoC")
        assert made.predicted is not None, made.reason
        found[hops] = made.predicted
    flits = 64 * (1 + 4096 // times.flit_bytes.value) * times.flit_thousandths.value / 1000
    least = min(found.values())
    assert flits < least < flits * 1.1 + 100
    both = found[noc.width + noc.height]
    assert both - found[noc.width] == pytest.approx(times.hop.value * noc.height, abs=20)


def test_a_packet_by_hand_takes_a_round_of_the_torus(bench: Perfbench) -> None:
    """boopdotpng/tenstorrent-docs: 227, 187 and 339 cycles a packet on a Blackhole."""
    for where, card in ("x-far 15 hops", 227.1), ("y-near 1 hop", 187.1), ("2d-far", 339.1):
        made = answer(bench, Row("x", "BH p100a", f"NoC0 blocking read 64 B, {where}", "1"))
        assert made.predicted == pytest.approx(card, rel=0.05), made.reason


def test_a_zone_needs_the_vendors_kernel_and_its_headers(bench: Perfbench) -> None:
    text = "L1 read, same axis, 4 tx/barrier, 64 B: whole zone (issue loop + barrier)"
    made = answer(bench, Row("x", "WH", text, "359"))
    assert made.predicted is None
    assert "noc_estimator_tests/kernels/reader.cpp" in made.reason


def test_rows_that_no_program_gives_say_why(bench: Perfbench) -> None:
    for what, reason in (
        ("64 writes of 4096 B + barrier, 13 round-trip hops", "has 17 or 12 or 29 hops"),
        ("64 writes of 999999999 B + barrier, 17 round-trip hops", "have room"),
        ("3 writes of 4096 B + barrier, 17 round-trip hops", "flows have 64"),
        ("two flows, 0 shared links, 64 B writes", "needs perfbench/nocbench/noc-plan"),
        ("8 reader(s), ONE DRAM channel, aggregate", "needs perfbench/dramratebench"),
        ("9000 reader(s), ONE DRAM channel, aggregate", "needs perfbench/dramratebench"),
    ):
        made = answer(bench, Row("x", "BH", what, "1"))
        assert made.predicted is None
        assert reason in made.reason


def test_a_kernel_whose_headers_are_not_there_is_not_run() -> None:
    empty = Perfbench(Kernels(), lambda: Builder(probe_compiler()))
    row = Row("x", "WH", "64 writes of 4096 B + barrier, 10 round-trip hops", "1")
    assert "needs perfbench/nocbench/src/kernels/dataflow/flow.cpp" in answer(empty, row).reason


@pytest.mark.parametrize("arch", ["blackhole", "wormhole"])
def test_banks_are_read_where_the_vendors_allocator_has_them(arch: str) -> None:
    found = chips.bank_places(arch)
    assert len(found) == {"blackhole": 8, "wormhole": 12}[arch]
    assert len({place for place, _ in found}) == len(found)


def test_what_is_above_a_bound_is_as_it_should_be() -> None:
    bound = Row("x", "WH", "Loopback Directed Ideal, riscv_0: bandwidth lower bound", "30")
    assert [bound.error(predicted) for predicted in (27.0, 30.0, 64.0)] == [-10.0, 0.0, 0.0]


def test_a_direction_alone_is_asked_by_a_stream(bench: Perfbench) -> None:
    loop = "Loopback Directed Ideal, riscv_0: bandwidth lower bound in vendor CI"
    found = answer(bench, Row("x", "WH", loop, "30")).predicted
    assert found is not None
    assert 30 < found < 32


@pytest.mark.parametrize("kind", [packets.READ, packets.WRITE])
def test_tiles_are_placed_so_that_banks_share_no_link(kind: int) -> None:
    streams = packets.placed("wormhole", kind)
    assert len({stream.source for stream in streams}) == 12
    assert len({(stream.target, stream.address) for stream in streams}) == 12
