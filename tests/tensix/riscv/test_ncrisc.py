"""The fifth core: its reset, its memory, and what it does not reach."""

import pytest

from chip_program import CHIPS, PLACES, boot, keep, make, results
from riscv_program import HALT, T0, T1, li, store, sw
from tilelab.sim.errors import TilelabError
from tilelab.tensix.riscv.mover_commands import COMMAND, MOVE
from tilelab.tensix.tables.tile_registers import DEBUG_REGISTERS, IRAM, TDMA_REGISTERS
from tilelab.tensix.tile.tile import Tile

BRISC, NCRISC = 3, 4
LOCAL = 0xFFB00000
BOTH = pytest.mark.parametrize("engine", ["reference", "fast"])


@BOTH
@pytest.mark.parametrize("chip", CHIPS)
def test_it_runs_from_its_fixed_place_with_ram_of_its_own(chip: str, engine: str) -> None:
    made = make(chip, engine)
    own = PLACES[chip][0]
    last = LOCAL + made.arch.local_ram[NCRISC] - 4
    boot(made, own, {NCRISC: store(last, 77) + keep(last, 0)})
    assert made.run(10_000)
    assert results(made, own, 1) == [77]
    assert made.tiles[own].state.riscv["retired"][NCRISC] > 0


@BOTH
@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("address", [0xFFEC0000, 0xFFE80004, 0xFFE00000, 0xFFEF0000])
def test_mailboxes_and_the_coprocessor_are_not_for_it(chip: str, engine: str, address: int) -> None:
    made = make(chip, engine)
    boot(made, PLACES[chip][0], {NCRISC: keep(address, 0)})
    with pytest.raises(TilelabError, match=f"nothing is mapped at {address:#x}"):
        made.run(10_000)


@BOTH
def test_blackhole_starts_it_where_registers_say(engine: str) -> None:
    made = make("blackhole", engine)
    own = PLACES["blackhole"][0]
    made.write(own, 0x5000, b"".join(w.to_bytes(4, "little") for w in [*store(0x8000, 5), HALT]))
    made.write(own, DEBUG_REGISTERS + 0x238, (0x5000).to_bytes(4, "little"))
    made.write(own, DEBUG_REGISTERS + 0x23C, (1).to_bytes(4, "little"))
    made.write(own, DEBUG_REGISTERS + 0x1B0, (0x7800).to_bytes(4, "little"))
    assert made.run(10_000)
    assert results(made, own, 1) == [5]


@BOTH
def test_wormhole_runs_it_from_instruction_ram_that_the_mover_fills(engine: str) -> None:
    made = make("wormhole", engine)
    own = PLACES["wormhole"][0]
    code = [*store(0x8000, 9), HALT]
    made.write(own, 0x5000, b"".join(word.to_bytes(4, "little") for word in code))
    state = made.tiles[own].state
    state.config[0, 162], state.config[0, 163] = IRAM, 1
    program = []
    for offset, value in ((0, 0x500), (4, 0x4000), (8, 4), (12, 1), (COMMAND, MOVE)):
        program += store(TDMA_REGISTERS + offset, value)
    program += [*li(T0, DEBUG_REGISTERS + 0x1B0), *li(T1, 0x7000), sw(T1, T0)]
    boot(made, own, {BRISC: program})
    assert made.run(10_000)
    assert results(made, own, 1) == [9]
    assert int(state.riscv["pc"][NCRISC]) - IRAM == 4 * (len(code) - 1)
    assert state.iram[:4].tobytes() == code[0].to_bytes(4, "little")


def test_a_copied_tile_keeps_its_instruction_ram() -> None:
    tile = Tile("wormhole", engine="reference")
    tile.state.iram[100] = 3
    other = Tile.__new__(Tile)
    other.__setstate__(tile.__getstate__())
    assert other.state.iram[100] == 3
    assert other.state.iram is not tile.state.iram


@BOTH
def test_nothing_is_fetched_from_instruction_ram_elsewhere(engine: str) -> None:
    made = make("blackhole", engine)
    own = PLACES["blackhole"][0]
    made.write(own, DEBUG_REGISTERS + 0x238, IRAM.to_bytes(4, "little"))
    made.write(own, DEBUG_REGISTERS + 0x23C, (1).to_bytes(4, "little"))
    made.write(own, DEBUG_REGISTERS + 0x1B0, (0x7800).to_bytes(4, "little"))
    with pytest.raises(TilelabError, match="no instruction to fetch at 0xffc00000"):
        made.run(100)
