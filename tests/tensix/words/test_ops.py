import pytest

from tilelab.tensix import ops
from tilelab.tensix.ops import TT_OP_INCRWC, TT_OP_MVMUL, TT_OP_NOP, TT_OP_SFPNOT, WORMHOLE


def test_positions_as_the_c_macro() -> None:
    assert TT_OP_MVMUL(1, 0, 3, 16) == 0x2640C010
    assert WORMHOLE.TT_OP_MVMUL(1, 0, 3, 16) == 0x26418010
    assert TT_OP_NOP() == 0x02000000


def test_parameters_that_the_hardware_does_not_read() -> None:
    assert TT_OP_SFPNOT(0, 1, 2, 0) == 0x80000120


def test_overlapping_operands_of_the_assembler_are_not_the_macros() -> None:
    assert WORMHOLE.TT_OP_UNPACR(0, 0, 1) == 0x42002000


def test_by_name() -> None:
    assert TT_OP_MVMUL(0, addr_mode=3, dst=16) == 0x2600C010


def test_negative_values_are_twos_complement() -> None:
    assert TT_OP_INCRWC(0, -8, 0, 0) == 0x38020000


def test_mistakes() -> None:
    with pytest.raises(TypeError, match=r"TT_OP_MVMUL\(.*\) takes 4 values, not 5"):
        TT_OP_MVMUL(0, 0, 0, 0, 0)
    with pytest.raises(TypeError, match="has no parameter dest"):
        TT_OP_MVMUL(dest=0)
    with pytest.raises(TypeError, match="got clear_dvalid twice"):
        TT_OP_MVMUL(0, clear_dvalid=0)
    with pytest.raises(ValueError, match="clear_dvalid=4 does not fit 2 bits"):
        TT_OP_MVMUL(4)
    with pytest.raises(ValueError, match="clear_dvalid=-3 does not fit 2 bits"):
        TT_OP_MVMUL(-3)


def test_names() -> None:
    with pytest.raises(AttributeError, match="blackhole has no TT_OP_NOTHING"):
        _ = ops.TT_OP_NOTHING
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = ops.nothing
    with pytest.raises(AttributeError, match="wormhole has no TT_OP_SFPGT"):
        _ = WORMHOLE.TT_OP_SFPGT
    assert sum(name.startswith("TT_OP_") for name in dir(ops)) >= 137
    assert len(dir(WORMHOLE)) >= 3 * 128


def test_tt_and_tti_push_the_word() -> None:
    pushed: list[int] = []

    class Stream:
        def push(self, word: int) -> None:
            pushed.append(word)

    ops.TT_MVMUL(Stream(), 0, 0, 3, 16)
    ops.TTI_MVMUL(Stream(), addr_mode=3, dst=16)
    assert pushed == [ops.TT_OP_MVMUL(0, 0, 3, 16)] * 2
