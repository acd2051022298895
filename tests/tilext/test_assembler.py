"""Assembly text to words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilelab.sim.errors import BadInputError
from tilelab.tilext import assemble_text, disassemble_words, format_words, to_bytes
from tilelab.tilext.errors import AssemblyError, IllegalInstruction

LOAD = "tgld.unit t8, (a0), tilesize=4, offset=a2"


def test_words_are_laid_out_as_the_table_says():
    one, zero = assemble_text(LOAD)
    assert one == 1 << 31 | 8 << 23 | 2 << 20 | 10 << 15 | 0x7B
    assert zero == 1 << 31 | 12 << 20 | 6 << 12 | 0x7B


def test_the_ways_to_write_an_operand():
    same = assemble_text("tgld.unit tr8,(x10),offset=x12,tilesize=@0b10 # comment")
    assert same == assemble_text(LOAD + " // comment")
    assert assemble_text("tmv.t.f tr1, fa0, func6=fp16") == assemble_text(
        "tmv.t.f tr1, f10, func6=@0b100101, index=0"
    )


def test_offset_and_its_enable_bit():
    plain = assemble_text("tgld.unit tr0, (a0), tilesize=1")
    assert plain == assemble_text("tgld.unit tr0, (a0), tilesize=1, offset=0")
    word = assemble_text("tgld.unit tr0, (a0), tilesize=1, offset=0x3e1")[1]
    assert (word >> 31, word >> 20 & 31, word >> 15 & 31) == (0, 1, 31)
    both = assemble_text("tgld.unit tr0, (a0), tilesize=1, offset=a1, imm=96")[1]
    assert (both >> 31, both >> 20 & 31, both >> 15 & 31) == (1, 11, 3)


def test_tied_fields_are_written_in_both_words():
    two, _, zero = assemble_text("tgld.index tr0, (a0), v17, func6=e32, tilesize=1")
    assert two >> 7 & 31 == zero >> 15 & 31 == 17


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "unknown instruction 'nonsense'"),
        ("tgld.unt tr0", "did you mean tgld.unit"),
        ("tgld.unit", "begins with td, rs1; 0 operands"),
        ("tgld.unit tr0, a0, tilesize=1", "wants parentheses, not 'a0'"),
        ("tgld.unit a0, (a0), tilesize=1", "td wants a tile register, not 'a0'"),
        ("tgld.unit tr256, (a0), tilesize=1", "not 'tr256'"),
        ("tgld.unit tr0, (a0)", "tgld.unit needs tilesize="),
        ("tgld.unit tr0, (a0), tilesize=3", "it is one of 1, 2, 4, 8"),
        ("tgld.unit tr0, (a0), tilesize=1, tilesize=2", "tilesize is given twice"),
        ("tgld.unit tr0, (a0), tilesize=1, offset=1, offset=a0", "offset is given twice"),
        ("tgld.unit tr0, (a0), tilesize=1, imm=1, offset=2", "are the same bits here"),
        ("tgld.unit tr0, (a0), tilesize=1, offset=1024", "imm=1024 is not in 0..1023"),
        ("tgld.unit tr0, (a0), tilesize=1, offset=-1", "imm=-1 is not in 0..1023"),
        ("tgld.unit tr0, (a0), tilesize=1, offset=a0, imm=1", "imm=1 needs bits"),
        ("tgld.unit tr0, (a0), tilesize=1, offset=here", "offset=here: not a number"),
        ("tgld.unit tr0, (a0), tilesize=1, rs3=a0", "tgld.unit has no 'rs3'; it has offset"),
        ("tgld.unit tr0, (a0), tilesize", "tilesize wants a value"),
        ("tsatom.rd a0, (a1), a2, vec_size=0, memuop=1", "memuop=1 is not 1xxxxx"),
        ("tsatom.rd a0, (a1), a2, vec_size=0, memuop=32, compare=1", "wants an integer register"),
        ("tcsrw a0", "tcsrw cannot be encoded in profile repaired"),
        (".word 0x100000000", "does not fit 32 bits"),
        (".word", "is not a number"),
    ],
)
def test_errors_name_the_line_and_the_cause(text, message):
    with pytest.raises(AssemblyError, match="line 2: ") as info:
        assemble_text(f"# first\n{text}")
    assert message in info.value.summary
    assert "\n" not in info.value.summary


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tmv.t.v tr0, v0, func6=@0", "func6 0b0 is illegal; legal: e8=0b100001"),
        ("tgld.unit tr0, (a0), tilesize=@7", "tilesize 0b111 is illegal"),
        ("tcsr x0, csr_idx=1", "by Table 10"),
    ],
)
def test_what_is_illegal_is_refused_unless_asked_for(text, message):
    with pytest.raises(IllegalInstruction, match=message):
        assemble_text(text)
    words = assemble_text(text, strict=False)
    assert disassemble_words(words)[0].startswith(".word")
    again = disassemble_words(words, strict=False)
    assert assemble_text("\n".join(again), strict=False) == words


PIECES = st.sampled_from(
    [
        "tgld.unit",
        "mma.tt",
        "t_sync.imm",
        ".word",
        " ",
        ",",
        "=",
        "(",
        ")",
        "a0",
        "tr1",
        "v2",
        "#",
        "\n",
        "é",
        "//",
        "@",
        "0x",
        "-1",
        "1",
        "offset",
        "tilesize",
        "imm",
        "tmask",
        "9" * 5000,
    ]
)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_any_text_is_words_or_one_clear_error(text):
    try:
        words = assemble_text(text)
    except BadInputError as error:
        words = []
        summary = error.summary
    else:
        summary = ""
    assert all(0 <= word <= 0xFFFFFFFF for word in words)
    assert "\n" not in summary
    assert len(summary) < 400


def test_names_of_an_overlay_work_both_ways():
    overlay = {"codes": {"mmauop": {"bf16": 3}}, "opcode": 0x5B, "order": [0, 1, 2]}
    words = assemble_text("mma.tt tr0, tr1, tr2, mmauop=bf16, tilesize=1", overlay=overlay)
    assert [word & 0x707F for word in words] == [0x605B, 0x305B]
    (line,) = disassemble_words(words, overlay=overlay)
    assert "mmauop=bf16" in line


def test_an_overlay_row_makes_tcsrw_and_its_rule():
    row = "rs1_en=31=1 rd_en=30 csr_uop=29:28=01 csr_idx=27:20 rs1=19:15 tuop=14:12=010 rd=11:7"
    overlay = {"rows": {"tcsrw": {"1": row}}}
    (word,) = assemble_text("tcsrw zero, a1, csr_idx=7", overlay=overlay)
    assert disassemble_words([word], overlay=overlay) == ["tcsrw zero, a1, csr_idx=7"]
    with pytest.raises(IllegalInstruction, match="rd_en is 1 and rd is x0"):
        assemble_text("tcsrw zero, a1, csr_idx=7, rd_en", overlay=overlay)


def test_forms_of_output():
    words = assemble_text("t_wait.all")
    assert format_words(words) == ["0x1c0050fb"]
    assert format_words(words, "word") == [".word 0x1c0050fb"]
    assert format_words(words, "insn") == [".insn r 0x7b, 5, 14, x1, x0, x0"]
    assert to_bytes(words) == b"\xfb\x50\x00\x1c"
    with pytest.raises(BadInputError, match="unknown style"):
        format_words(words, "octal")


def test_the_printed_profile_keeps_the_print():
    words = assemble_text("tgld.unit ts1x, (a0)".replace("ts1x", "tr8") + ", tilesize=5", "printed")
    assert words[0] >> 20 & 7 == 5
    fp16 = assemble_text("tmv.t.f tr0, fa0, func6=fp16", "printed")[0]
    assert fp16 >> 20 & 63 == 0b100011
