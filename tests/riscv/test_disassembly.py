"""Disassembly against the text that GNU as was given."""

import pytest

from riscv_harness import ASSEMBLED
from tilelab.riscv.disassembly import disassemble, find


@pytest.mark.parametrize("text", ASSEMBLED)
def test_disassembly_is_what_was_assembled(text: str) -> None:
    expected = text.replace("0x7c0", "cfg0").replace("0xbc0", "tt_cfg_qstatus")
    assert disassemble(ASSEMBLED[text]) == expected


@pytest.mark.parametrize(
    ("word", "pc", "text"),
    [
        (0x00412503, None, "lw a0, 4(sp)"),
        (0x04E58263, 0x74, "beq a1, a4, 0xb8"),
        (0xFEE79CE3, 0x60, "bne a5, a4, 0x58"),
        (0x004000EF, 0xD8, "jal ra, 0xdc"),
        (0x06000000, None, ".ttinsn 0x01800000"),
        (0xFFFFFFFF, None, ".word 0xffffffff"),
    ],
)
def test_disassembly(word: int, pc: int | None, text: str) -> None:
    assert disassemble(word, pc) == text


def test_a_core_without_an_extension_lacks_its_words() -> None:
    assert find(ASSEMBLED["sh1add a0, a1, a2"], ("I", "M")) is None
    assert find(ASSEMBLED["mul a0, a1, a2"], ("I", "M")) is not None
