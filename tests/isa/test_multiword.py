"""Instructions of several words: notation, codec, tied operands, choices."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilelab.isa.multiword import MultiWord, parse_cell, parse_word

LOAD = MultiWord(
    "load",
    (
        parse_word(1, "_=31=1 td=30:23 rs1=19:15 tuop=14:12=001 vs2=11:7"),
        parse_word(
            0,
            "offseten=31 memuop=30:25=1xxxxx offset(offseten:rs3|imm[4:0])=24:20"
            " imm[9:5]=19:15 tuop=14:12=110 vs2=11:7",
        ),
    ),
)
PLAIN = {"td": 8, "rs1": 10, "vs2": 3, "memuop": 0b100001, "offseten": 0, "imm": 0x3E1}


def test_cells_state_both_ends_and_render_as_they_are_printed():
    cell = parse_cell("offset(offseten:rs3|imm2[4:0])=24:20")
    assert (cell.label, cell.field.hi, cell.field.lo) == ("rs3/imm2[4:0]", 24, 20)
    assert parse_cell("compare(cas_en:rs3|0)=24:20").label == "rs3/00000"
    assert parse_cell("mode=29:28=00(index_vector)").label == "mode:00(index vector)"
    assert parse_cell("_=30=1(move)").label == "1(move)"
    assert parse_cell("tuop=14:12=110!").restored


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("td", "is not a cell"),
        ("td=23:30", "not a range"),
        ("tuop=14:12=10", "2 digits for 3 bits"),
        ("csr_idx[4:0]=27:25", "has 5 bits, its cell has 3"),
    ],
)
def test_bad_cells_are_refused(text, message):
    with pytest.raises(ValueError, match=message):
        parse_cell(text)


def test_bad_words_are_refused():
    with pytest.raises(ValueError, match="overlap"):
        parse_word(0, "a=7:4 b=4:0")
    with pytest.raises(ValueError, match="outside 32 bits"):
        parse_word(0, "a=32:31")
    with pytest.raises(ValueError, match="not a one-bit operand"):
        parse_word(0, "x(enable:a|b)=4:0")


def test_encode_places_every_piece():
    words = LOAD.encode(PLAIN)
    assert words[1] == 1 << 31 | 8 << 23 | 10 << 15 | 1 << 12 | 3 << 7
    assert words[0] == 0b100001 << 25 | 1 << 20 | 0x1F << 15 | 6 << 12 | 3 << 7
    assert LOAD.decode(words) == PLAIN


def test_choice_takes_the_selected_operand():
    with_register = {**PLAIN, "offseten": 1, "rs3": 12, "imm": 0x3E0}
    words = LOAD.encode(with_register)
    assert words[0] >> 20 & 31 == 12
    assert LOAD.decode(words) == with_register


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"td": 256}, "td=256 is not in 0..255"),
        ({"td": -1}, "td=-1 is not in 0..255"),
        ({"memuop": 0b000001}, "memuop=1 is not 1xxxxx"),
        ({"offseten": 1, "rs3": 1, "imm": 1}, "imm=1 needs bits"),
        ({"rs3": 1}, "has no rs3 here"),
        ({"offseten": 1}, "needs rs3"),
    ],
)
def test_unfit_values_are_named(change, message):
    with pytest.raises(ValueError, match=message):
        LOAD.encode({**PLAIN, **change})


def test_tied_operands_must_agree():
    words = LOAD.encode(PLAIN)
    with pytest.raises(ValueError, match="vs2 is 3 and 2 in tied words"):
        LOAD.decode({1: words[1], 0: words[0] ^ 1 << 7})


def test_zeros_of_a_choice_are_checked():
    row = MultiWord("cas", (parse_word(0, "cas_en=31 compare(cas_en:rs3|0)=24:20"),))
    assert row.decode(row.encode({"cas_en": 0})) == {"cas_en": 0}
    with pytest.raises(ValueError, match="although cas_en is 0"):
        row.decode({0: 1 << 20})


def test_strict_matching_wants_unassigned_bits_to_be_zero():
    word = LOAD.word(1)
    assert word.unassigned == 0x0070007F
    assert word.matches(word.match)
    assert not word.matches(word.match | 1 << 20)
    assert word.matches(word.match | 1 << 20, strict=False)


@given(st.data())
def test_decode_undoes_encode(data):
    values = {"offseten": data.draw(st.integers(0, 1))}
    for name in LOAD.active(values):
        if name != "offseten":
            cover = LOAD.operands[name].cover(values)
            values[name] = data.draw(st.integers(0, (1 << LOAD.operands[name].width) - 1)) & cover
    values["memuop"] |= 0b100000
    assert LOAD.decode(LOAD.encode(values)) == values
