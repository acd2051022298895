"""Opcodes and fields by name: what kernels write instead of numbers."""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tilelab
from tilelab.tensix.arch import ARCHES
from tilelab.tensix.chips import opcodes
from tilelab.tensix.chips.opcodes import MVMUL, PACR, REPLAY, UNPACR, Opcode, opcode

SOURCES = Path(tilelab.__file__).parent
BY_NUMBER = re.compile(
    r"(opcode|>> 24) *(==|!=|in \(|<=|>=) *0x|0x(?!80)[0-9A-F]{2}0{6} *\||0x[0-9A-F]{2} << 24", re.I
)
"""0x80000000 is the sign of a number."""
NAMES = sorted({name for arch in ARCHES.values() for name in arch.instructions})


def test_a_name_is_its_opcode_and_reads_its_fields() -> None:
    assert REPLAY == 0x04
    assert REPLAY.len(0x0400_0130) == 0x13
    words = np.array([0x0400_0130, 0x0400_0041], np.uint32)
    np.testing.assert_array_equal(REPLAY.len(words), [0x13, 4])  # type: ignore[arg-type]


@given(name=st.sampled_from(NAMES), operands=st.integers(0, 0xFFFFFF))
def test_every_field_that_the_chips_agree_on_is_read_as_the_row_says(
    name: str, operands: int
) -> None:
    found = opcode(name)
    rows = [arch.instructions[name] for arch in ARCHES.values() if name in arch.instructions]
    for field in {field for row in rows for field in row.fields}:
        if len({f for row in rows for f in row.fields if f.name == field.name}) > 1:
            with pytest.raises(AttributeError, match="different bits"):
                getattr(found, field.name)
        else:
            word = found << 24 | operands
            assert getattr(found, field.name)(word) == field.get(word)


def test_what_is_no_instruction_fails_on_import() -> None:
    with pytest.raises(AttributeError, match="no chip has an instruction REPLY"):
        _ = opcodes.REPLY


def test_what_is_no_field_is_said() -> None:
    with pytest.raises(AttributeError, match="REPLAY has no field length"):
        _ = REPLAY.length
    with pytest.raises(AttributeError, match="MVMUL has at different bits on different chips addr"):
        _ = MVMUL.addr_mode


def test_a_reader_s_source_is_there_for_the_compiler() -> None:
    assert "(word >> 8) & 0xf" in inspect.getsource(PACR.pack_sel)
    assert UNPACR.unpack_block_selection is UNPACR.unpack_block_selection


def test_opcodes_are_one_number() -> None:
    with pytest.raises(ValueError, match="different opcodes"):
        Opcode(tuple(ARCHES["blackhole"].instructions[name] for name in ("MOP", "REPLAY")))


def test_no_source_but_the_tables_names_an_opcode_by_its_number() -> None:
    for bad in ("if opcode == 0x76:", "0x84000000 | vd << 4", "0x8F << 24"):
        assert BY_NUMBER.search(bad)
    found = [
        f"{path.relative_to(SOURCES)}: {line.strip()}"
        for path in (SOURCES / "tensix").rglob("*.py")
        if path.parent.name != "tables" and path.name != "generate.py"
        for line in path.read_text(encoding="utf-8").splitlines()
        if BY_NUMBER.search(line)
    ]
    assert found == []
