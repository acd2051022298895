"""The func6 tables against the document's lines."""

import re

import pytest

from tilelab.tilext import func6
from tilelab.tilext.forms import FORMS, LOAD, STORE

NAMES = {"byte": 8, "halfword": 16, "word": 32, "double word": 64}


@pytest.mark.parametrize("row", func6.PRINTED, ids=lambda r: f"{r.table}-{r.name}-{r.direction}")
def test_a_row_is_as_printed(seed, row):
    code, rest = seed[row.line].split("\t", 1)
    digits = re.fullmatch(r"[56]'?b([01_]+)", code)[1].replace("_", "")
    printed = f"{row.code:06b}" if len(digits) == 6 else f"{row.code & 31:05b}"
    assert digits == printed
    assert rest.split()[0] == row.direction
    text = rest.lower()
    if row.table == "frf":
        assert f"{row.bits}-bit" in text
    elif row.bits == 4:
        assert "nibble" in text
    else:
        size = next(
            n
            for n in ("double word", "halfword", "word", "byte")
            if n in text.split("element size is")[-1]
        )
        assert NAMES[size] == row.bits
    assert row.signed == ("sign-extended" in text)


def test_every_code_line_has_a_row(seed):
    lines = {n for n in range(287, 331) if re.match(r"[56]'?b", seed.get(n, ""))}
    assert {row.line for row in func6.PRINTED} == lines
    assert len(lines) == 34


def test_the_mask_bit_is_bit_5(seed):
    assert "0: masked" in seed[285]
    assert "1: unmasked" in seed[285]
    for row in func6.PRINTED:
        if row.table == "vector":
            assert row.masked == (row.code < 32)


def test_the_one_repair_is_the_duplicate_code():
    assert set(func6.REPAIRED) ^ set(func6.PRINTED) == {
        func6.Func6("frf", 0b10_0011, STORE, "fp16", 16, 303),
        func6.Func6("frf", 0b10_0101, STORE, "fp16", 16, 303),
    }
    stores = [r for r in func6.REPAIRED if r.table == "frf" and r.direction == STORE]
    assert all(row.code & 0b100 for row in stores)


@pytest.mark.parametrize("rows", [func6.PRINTED, func6.REPAIRED])
def test_a_code_means_one_thing_in_its_table_and_direction(rows):
    keys = [(row.table, row.direction, row.code) for row in rows]
    names = [(row.table, row.direction, row.name) for row in rows]
    assert len(set(keys)) == len(keys)
    assert len(set(names)) == len(names)


def test_the_register_file_and_the_direction_of_the_asp_word_pick_the_table():
    picked = {name: (form.func6, form.direction) for name, form in FORMS.items()}
    assert picked["tmv.t.x"] == ("grf", STORE)
    assert picked["tmv.f.t"] == ("frf", LOAD)
    assert picked["tgld.index"] == ("vector", STORE)
    assert picked["talu.3op.f"] == ("frf", STORE)
    assert len(func6.legal(*picked["tmv.v.t"])) == 10
