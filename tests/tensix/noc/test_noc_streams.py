"""Streams' registers as counters, for cores, coprocessor and host alike."""

import pytest

from chip_program import BRISC, CHIPS, PLACES, boot, keep, make, results
from riscv_program import store
from tilelab.sim.errors import TilelabError
from tilelab.tensix.arch import arch
from tilelab.tensix.tables.tile_registers import LOCAL_RAM, STREAMS
from tilelab.tensix.tile.tile import Tile


@pytest.mark.parametrize("engine", ["reference", "fast"])
@pytest.mark.parametrize("chip", CHIPS)
def test_start_and_size_are_plain_counters_of_17_bits(chip: str, engine: str) -> None:
    made = make(chip, engine)
    own = PLACES[chip][0]
    registers = made.arch.noc
    base = STREAMS + 0x1000 * 63
    program = store(base + registers.stream_start, 0x12345)
    program += store(base + registers.stream_size, 0xFFF33456)
    program += keep(base + registers.stream_start, 0) + keep(base + registers.stream_size, 1)
    boot(made, own, {BRISC: program})
    assert made.run(10_000)
    assert results(made, own, 2) == [0x12345, 0x13456]


@pytest.mark.parametrize("chip", CHIPS)
def test_the_coprocessor_counts_pages(chip: str) -> None:
    made = make(chip, "reference")
    tile = made.tiles[PLACES[chip][0]]
    address = STREAMS + 0x2000 + made.arch.noc.stream_size
    tile.state.gpr[1, 7] = 3
    row = made.arch.instructions["STOREREG"]
    word = row.encode(tdma_data_reg_index=7, reg_addr=address - LOCAL_RAM >> 2)
    tile.execute(word, thread=1)
    assert tile.reg_read(address) == 3


@pytest.mark.parametrize("chip", CHIPS)
def test_other_registers_are_not_modelled(chip: str) -> None:
    made = make(chip, "reference")
    with pytest.raises(TilelabError, match="the stream register at 0xffb40024 is not modelled"):
        made.read(PLACES[chip][0], STREAMS + 0x24, 4)


@pytest.mark.parametrize("chip", CHIPS)
def test_a_tile_by_itself_has_no_noc(chip: str) -> None:
    with pytest.raises(TilelabError, match="0xffb40020 belongs to the NoC or its overlay"):
        Tile(chip, engine="reference").reg_read(0xFFB40020)
    assert arch(chip).noc.streams == 64
