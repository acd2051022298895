"""A chip is one folder: a third one imports, sizes its state, and gets no meaning by accident."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dry_chip import CHIP
from dry_chip.rows import WITHOUT
from tilelab.isa.instruction import Instruction, InstructionSet, derived
from tilelab.sim.checks import CHECKS
from tilelab.sim.errors import UnimplementedFunctionalityError
from tilelab.tensix.arch import ARCHES, arch, check_frontends
from tilelab.tensix.backend.semantics import SEMANTICS, semantics
from tilelab.tensix.state import TensixState
from tilelab.tensix.tables.rows import changed
from tilelab.tensix.tables.units import Unit
from tilelab.tensix.tile.tile import ENGINES, Tile
from tilelab.tensix.words.assembly import assemble, disassemble

ROWS = [pytest.param(row, id=name) for name, row in CHIP.instructions.items()]


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The dry chip, found as if its folder were among the others."""
    monkeypatch.setitem(ARCHES, CHIP.name, CHIP)
    monkeypatch.delitem(SEMANTICS, CHIP.name, raising=False)


def test_its_tables_are_of_its_folder() -> None:
    assert set(CHIP.instructions) == {*arch("blackhole").instructions, "SFPDRY"} - set(WITHOUT)
    assert CHIP.config_fields["DRY_ONLY_Field"].word == 7
    assert CHIP.places.ADDR_MOD_AB_SEC0_SrcAIncr == 0  # a field of others: no bits
    assert CHIP.vector.last == 0x9A


def test_its_state_has_its_sizes() -> None:
    state = TensixState(CHIP)
    assert state.dst.shape == (2048, 16)
    assert state.frontend.shape == state.rwc.shape == (4,)
    assert state.riscv.shape == (5,)
    assert len(state.l1) == 2 << 20
    assert TensixState(arch("blackhole")).dst.shape == (1024, 16)
    smaller = TensixState(arch("wormhole")).riscv["local_ram"].shape
    assert smaller == (5, 1024)  # words


def test_nothing_binds_to_it_by_accident() -> None:
    assert not SEMANTICS[CHIP.name]
    state = TensixState(CHIP)
    assert {name for name, kernels in SEMANTICS.items() if kernels} == {"blackhole", "wormhole"}
    assert state.s.arch.vector.is_template[0x9A]


@pytest.mark.parametrize("row", ROWS)
def test_it_refuses_each_row(row: Instruction) -> None:
    word = row.opcode << 24
    tile = Tile(CHIP.name, engine="reference")
    code = tile.engine.execute(1, word)
    frontend = row.unit == Unit.FRONTEND
    assert CHECKS[code].name == ("no-backend-unit" if frontend else "instruction-not-modelled")


def test_a_refusal_says_what_is_missing() -> None:
    (word,) = assemble("sfpdry L3, L2", CHIP.name).words(1)
    assert disassemble(word, CHIP.name) == "sfpdry L3,L2"
    with pytest.raises(UnimplementedFunctionalityError, match="that nothing models yet"):
        Tile(CHIP.name, engine="reference").execute(word)


def test_a_kernel_is_bound_to_it_by_name_and_checked() -> None:
    def right(s: Any, t: int, vc: int, vd: int) -> int:
        for lane in range(32):
            s.vector.lreg[vd, lane] = s.vector.lreg[vc, lane]
        return 0

    def wrong(s: Any, t: int, vc: int) -> int:
        return 0

    with pytest.raises(TypeError, match=r"dry SFPDRY: row has \['s', 't', 'vc', 'vd'\]"):
        semantics("SFPDRY", (CHIP.name,))(wrong)
    with pytest.raises(TypeError, match="blackhole has no SFPDRY"):
        semantics("SFPDRY", ("blackhole", CHIP.name))(right)
    semantics("SFPDRY", (CHIP.name,))(right)
    with pytest.raises(TypeError, match="dry SFPDRY has two kernels"):
        semantics("SFPDRY", (CHIP.name,))(right)


def test_its_frontends_are_those_of_all_chips() -> None:
    check_frontends([*ARCHES.values()])
    longer = changed(CHIP.instructions["REPLAY"], "start_idx=23:15 len=14:4 load_mode=0")
    rows = InstructionSet(CHIP.name, [*derived(CHIP.instructions, (), (longer,))])
    with pytest.raises(ValueError, match="dry: REPLAY has other fields than on other chips"):
        check_frontends([arch("blackhole"), replace(CHIP, instructions=rows)])


def test_both_engines_refuse_alike() -> None:
    tiles = [Tile(CHIP.name, engine=engine) for engine in ENGINES]
    for row in CHIP.instructions.values():
        codes = [tile.engine.execute(3, row.opcode << 24) for tile in tiles]
        assert codes[0] == codes[1] > 0, row.name
    np.testing.assert_array_equal(*(tile.state.dst for tile in tiles))
