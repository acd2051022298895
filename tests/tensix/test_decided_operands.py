"""Decision 3 on constants beyond what the manual gives a field: they assemble, and are refused."""

import pytest

from tilelab.sim.errors import MachineError
from tilelab.tensix import Tile, assemble, disassemble
from tilelab.tensix.ops import BLACKHOLE
from tilelab.tensix.words.macros import OperandError


@pytest.mark.parametrize(("addr_mode", "dst"), [(9, 0), (31, 0), (0, 2048), (0, 0x3FFF)])
def test_an_mvmul_with_a_larger_constant_compiles_and_is_refused_when_issued(
    addr_mode: int, dst: int
) -> None:
    word = int(BLACKHOLE.TT_OP_MVMUL(0, 0, addr_mode, dst))
    (statement,) = assemble(f"ttmvmul 0,0,{addr_mode},{dst}").statements
    assert statement.word == word
    tile = Tile(engine="reference")
    with pytest.raises(MachineError, match="undefined-bits"):
        tile.execute(word, thread=1)


@pytest.mark.parametrize(("addr_mode", "dst"), [(32, 0), (0, 0x4000)])
def test_what_exceeds_the_macros_own_bits_does_not(addr_mode: int, dst: int) -> None:
    with pytest.raises(OperandError):
        BLACKHOLE.TT_OP_MVMUL(0, 0, addr_mode, dst)


def test_both_spellings_of_mop_cfg_are_assembled_and_one_is_written() -> None:
    words = [assemble(text).statements[0].word for text in ("ttmop_cfg 0xABCD", "ttmopcfg 43981")]
    assert words == [0x0300ABCD] * 2
    assert disassemble(0x0300ABCD) == "ttmopcfg 43981"
