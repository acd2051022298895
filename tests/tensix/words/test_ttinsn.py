import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilelab.tensix.words.ttinsn import from_ttinsn, to_ttinsn


@given(st.integers(0, 0xBFFFFFFF))
def test_rotation_inverts(word: int) -> None:
    memory_word = to_ttinsn(word)
    assert memory_word & 3 != 3
    assert from_ttinsn(memory_word) == word


def test_the_last_word_that_can_be_encoded() -> None:
    assert to_ttinsn(0xBFFFFFFF) == 0xFFFFFFFE


def test_opcodes_from_0xc0_cannot_be_encoded() -> None:
    with pytest.raises(ValueError, match=r"0xc0000000 has no \.ttinsn encoding"):
        to_ttinsn(0xC0000000)
    with pytest.raises(ValueError, match="0x00000003 is a RISC-V instruction"):
        from_ttinsn(0x00000003)


@pytest.mark.parametrize("function", [to_ttinsn, from_ttinsn])
@pytest.mark.parametrize("word", [-1, 1 << 32])
def test_words_have_32_bits(function: object, word: int) -> None:
    assert callable(function)
    with pytest.raises(ValueError, match="is not a 32-bit word"):
        function(word)
