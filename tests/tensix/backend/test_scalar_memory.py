"""The scalar unit's loads, stores and atomics."""

import numpy as np
import pytest

from scalar_harness import CHIPS, THREAD, Scalar
from tilelab.tensix.tile.tile import Tile
from tilelab.tensix.words.waits import WAIT_L1, WAIT_SRC_A_UNPACK, WAIT_SRC_B_UNPACK

A, OFFSET, D = 3, 20, 8
"""GPRs that hold an address, an offset (in their low half), data."""


@pytest.fixture(params=CHIPS)
def machine(request: pytest.FixtureRequest) -> Scalar:
    made = Scalar(request.param)
    made.state.l1[:] = np.random.default_rng(3).integers(0, 256, len(made.state.l1), np.uint8)
    made.gpr[:] = np.random.default_rng(4).integers(0, 1 << 32, 64, np.uint32)
    made.gpr[A], made.gpr[OFFSET] = 0x1000, 0xABCD0023
    return made


BYTE = 0x10023
INDIRECT = {"offset_index": 2 * OFFSET, "addr_reg_index": A}


@pytest.mark.parametrize(("spec", "bytes_"), list(enumerate((0, 2, 4, 16))))
@pytest.mark.parametrize("size", range(4))
def test_loadind(machine: Scalar, size: int, spec: int, bytes_: int) -> None:
    expected = machine.gpr.copy()
    expected[OFFSET] += bytes_
    l1 = machine.l1
    if size == 0:
        expected[D : D + 4] = l1[BYTE >> 4 << 2 :][:4]
    elif size == 1:
        expected[D + 1] = l1[BYTE >> 2]
    elif size == 2:
        expected[D + 1] = expected[D + 1] & 0xFFFF0000 | machine.state.l1.view("<u2")[BYTE >> 1]
    else:
        expected[D + 1] = expected[D + 1] & 0xFFFFFF00 | machine.state.l1[BYTE]
    machine.run("LOADIND", size_sel=size, auto_inc_spec=spec, data_reg_index=D + 1, **INDIRECT)
    assert machine.gpr.tolist() == expected.tolist()


@pytest.mark.parametrize("size", range(4))
def test_storeind_to_l1(machine: Scalar, size: int) -> None:
    expected = machine.state.l1.copy()
    start, width = [(BYTE & ~15, 16), (BYTE & ~3, 4), (BYTE & ~1, 2), (BYTE, 1)][size]
    first = D if size == 0 else D + 1
    expected[start : start + width] = machine.gpr[first : first + 4].view(np.uint8)[:width]
    machine.run(
        "STOREIND",
        mem_hier_sel=1,
        size_sel=size >> 1,
        reg_size_sel=size & 1,
        auto_inc_spec=3,
        data_reg_index=D + 1,
        **INDIRECT,
    )
    assert (machine.state.l1 == expected).all()
    assert machine.gpr[OFFSET] == 0xABCD0033


def test_an_offset_wraps_within_its_half(machine: Scalar) -> None:
    machine.gpr[OFFSET] = 0xFFFF0007
    machine.run("LOADIND", size_sel=1, auto_inc_spec=2, offset_index=41, addr_reg_index=A)
    assert machine.gpr[OFFSET] == 0x00030007


def test_addresses_beyond_l1_are_refused(machine: Scalar) -> None:
    machine.gpr[A] = machine.state.arch.l1_size // 16
    machine.gpr[OFFSET] = 0
    for name in ("ATINCGET", "ATINCGETPTR", "ATSWAP", "ATCAS"):
        assert machine.refused(name, addr_reg_index=A) == "l1-bounds"
        assert machine.refused(name, mem_hier_sel=1) == "scalar-memory-hierarchy"
    assert machine.refused("LOADIND", **INDIRECT) == "l1-bounds"
    assert machine.refused("STOREIND", mem_hier_sel=1, **INDIRECT) == "l1-bounds"


def test_tile_registers(machine: Scalar) -> None:
    kept = 0xFFB12070  # clock gating: a kept value
    machine.gpr[D] = 0x12345678
    machine.run("STOREREG", tdma_data_reg_index=D, reg_addr=kept - 0xFFB00000 >> 2)
    machine.run("LOADREG", tdma_data_reg_index=D + 1, reg_addr=kept - 0xFFB00000 >> 2)
    assert machine.gpr[D + 1] == 0x12345678
    machine.gpr[A], machine.gpr[OFFSET] = 0x5500_0000 + (kept & 0xFFFFF) - 0x21, 0x0215
    machine.gpr[D] = 0x9ABCDEF0
    machine.run("STOREIND", size_sel=1, auto_inc_spec=2, data_reg_index=D, **INDIRECT)
    machine.run("LOADREG", tdma_data_reg_index=D + 1, reg_addr=kept - 0xFFB00000 >> 2)
    assert machine.gpr[D + 1] == 0x9ABCDEF0
    assert machine.gpr[OFFSET] == 0x0219


def test_what_is_no_tile_register(machine: Scalar) -> None:
    for name in ("LOADREG", "STOREREG"):
        assert machine.refused(name, reg_addr=0x10FFC >> 2) == "scalar-register-address"
        assert machine.refused(name, reg_addr=0x20000 >> 2) == "noc-register"
        assert machine.refused(name, reg_addr=0xF0000 >> 2) == "unmapped-address"
    machine.gpr[A] = machine.gpr[OFFSET] = 0
    assert machine.refused("STOREIND", size_sel=1, **INDIRECT) == "scalar-register-address"
    refused = machine.refused("STOREIND", size_sel=1, reg_size_sel=1, **INDIRECT)
    assert refused == "scalar-memory-hierarchy"


def test_storeind_to_src_b(machine: Scalar) -> None:
    record = machine.state.record
    record["src_b_unpack_bank"], record["unpack_src_row"][1, THREAD] = 1, 32
    machine.gpr[A], machine.gpr[OFFSET] = 5 * 4 + 2 - 3, 0x3F
    # low halves are sign, mantissa, exponent; high halves are bf16
    machine.gpr[D : D + 2] = 0xC0490000 | 0xA57F, 0x3F8055AA
    machine.run("STOREIND", reg_size_sel=1, data_reg_index=D + 1, **INDIRECT)
    low = [1 << 31 | 0x7F << 23 | 0x25 << 16, 0xC0490000, 0xAA << 23 | 0x55 << 16, 0x3F800000]
    assert record["src_b"][1, 32 + 5, 8:12].tolist() == low
    assert np.count_nonzero(record["src_b"]) == 4
    record["src_b_valid"][1] = 1
    assert machine.code("STOREIND", reg_size_sel=1, **INDIRECT) == WAIT_SRC_B_UNPACK


def test_storeind_to_src_a(machine: Scalar) -> None:
    record = machine.state.record
    record["unpack_src_row"][0, THREAD] = 16
    machine.gpr[A], machine.gpr[OFFSET] = 3 * 4, 0
    machine.run("STOREIND", data_reg_index=D, auto_inc_spec=3, **INDIRECT)
    assert not record["src_a"].any()  # the first four rows are discarded
    assert machine.gpr[OFFSET] == 16
    machine.gpr[A], machine.gpr[OFFSET], machine.gpr[D] = 19 * 4 + 3, 0, 0x40000000
    machine.run("STOREIND", data_reg_index=D, **INDIRECT)
    assert record["src_a"][0, 15 + 16, 13] == 0x40000000
    machine.gpr[A] = 20 * 4
    assert machine.refused("STOREIND", **INDIRECT) == "storeind-src-address"
    machine.state.set_config_field("SRCA_SET_SetOvrdWithAddr", 1, THREAD)
    machine.run("STOREIND", data_reg_index=D, **INDIRECT)
    assert record["src_a"][0, 16, 1] == 0x40000000
    machine.gpr[A] = 68 * 4
    assert machine.refused("STOREIND", **INDIRECT) == "storeind-src-address"
    record["src_a_valid"][0] = 1
    assert machine.code("STOREIND", **INDIRECT) == WAIT_SRC_A_UNPACK


@pytest.mark.parametrize("width", [0, 4, 31])
def test_atincget_wraps_within_its_bits(machine: Scalar, width: int) -> None:
    machine.l1[0x4002], machine.gpr[D] = 0xFFFFFFFE, 5
    machine.run("ATINCGET", wrap_val=width, sel_32b=2, data_reg_index=D, addr_reg_index=A)
    mask = (2 << width) - 1
    assert machine.l1[0x4002] == 0xFFFFFFFE & ~mask | 3 & mask
    assert machine.gpr[D] == 0xFFFFFFFE


def test_atincgetptr_waits_while_the_fifo_is_full_or_empty(machine: Scalar) -> None:
    """A FIFO of four: its counters have three bits, the width's capacity is four."""
    push = {"wrap_val": 3, "sel_32b": 1, "data_reg_index": D, "addr_reg_index": A}
    pop = push | {"sel_32b": 0}
    counters = machine.l1[0x4000:0x4002]
    counters[:] = 0
    assert machine.code("ATINCGETPTR", **pop) == WAIT_L1
    for n in range(4):
        machine.run("ATINCGETPTR", **push)
        assert machine.gpr[D] == n
    assert machine.code("ATINCGETPTR", **push) == WAIT_L1
    machine.run("ATINCGETPTR", **pop)
    assert machine.gpr[D] == 0
    machine.run("ATINCGETPTR", no_incr=1, **push)
    assert counters.tolist() == [1, 4]
    counters[:] = 5, 7
    machine.run("ATINCGETPTR", incr_val=1, **pop)
    assert counters.tolist() == [7, 7]


def test_atswap_stores_the_halves_of_its_mask(machine: Scalar) -> None:
    halves = machine.state.l1.view("<u2")[0x8000:0x8008]
    before, data = halves.copy(), machine.gpr[D : D + 4].view("<u2").copy()
    machine.run("ATSWAP", swap_mask=0b10010110, data_reg_index=D + 3, addr_reg_index=A)
    chosen = np.array([0, 1, 1, 0, 1, 0, 0, 1], bool)
    assert halves.tolist() == np.where(chosen, data, before).tolist()
    machine.run("ATSWAP", single_data_reg=1, swap_mask=0xFC, data_reg_index=D + 1, addr_reg_index=A)
    assert halves.tolist() == [before[0], data[1], data[2], data[3], 0, 0, 0, 0]


def test_atcas_waits_for_its_value(machine: Scalar) -> None:
    machine.l1[0x4003] = 16 + 3
    fields = {"swap_val": 9, "cmp_val": 3, "sel_32b": 3, "addr_reg_index": A}
    assert machine.code("ATCAS", **fields) == WAIT_L1
    machine.l1[0x4003] = 3
    machine.run("ATCAS", **fields)
    assert machine.l1[0x4003] == 9


@pytest.mark.parametrize("engine", ["reference", "fast"])
def test_threads_meet_through_l1(engine: str) -> None:
    """Thread 0 waits with ATCAS for what thread 2 writes with ATSWAP."""
    tile = Tile("blackhole", engine=engine)
    rows = tile.arch.instructions
    tile.state.gpr[0, A] = tile.state.gpr[2, A] = 0x100
    tile.state.gpr[2, D] = 7
    tile.push(rows["ATCAS"].encode(swap_val=1, cmp_val=7, addr_reg_index=A), thread=0)
    tile.run(max_cycles=50, until=lambda t: t.state.clock >= 20)
    assert tile.state.frontend[0]["gate_full"]
    tile.push(rows["ATSWAP"].encode(swap_mask=0xFF, data_reg_index=D, addr_reg_index=A), thread=2)
    tile.run(max_cycles=50)
    assert tile.read(0x1000, 16) == bytes([1] + [0] * 15)
