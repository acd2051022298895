import csv
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_data import folder, report
from tilelab.sim.errors import BadInputError
from tilelab.tensix.arch import ARCHES
from tilelab.tensix.words.assembly import Statement, assemble, disassemble, from_ttinsn, to_ttinsn

CHIPS = {"BH": "blackhole", "WH": "wormhole"}


def recorded_lines() -> list[dict[str, str]]:
    """Lines recorded from the vendor's assembler and disassembler, in all files of the folder."""
    lines = []
    for path in sorted(folder("TILELAB_ASM", "data/asm", "asm").glob("*.tsv")):
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file, delimiter="\t")
            if rows.fieldnames and "asm_text" in rows.fieldnames:
                lines += list(rows)
    return lines


def word_of(line: str, arch: str = "blackhole") -> int:
    (statement,) = assemble(line, arch).statements
    return statement.word


def error_of(text: str, arch: str = "blackhole") -> str:
    with pytest.raises(BadInputError) as caught:
        assemble(text, arch, "k.s")
    return str(caught.value)


def test_every_recorded_line() -> None:
    compared: Counter[str] = Counter()
    wrong = []
    for line in recorded_lines():
        arch, word = CHIPS[line["arch"]], int(line["tensix_word"], 16)
        compared[arch] += 1
        got = (
            word_of(line["asm_text"], arch),
            to_ttinsn(word),
            disassemble(word, arch),
            word_of(line["objdump_text"], arch),
        )
        memory_word = int(line["memory_word_rotl2"], 16)
        if got != (word, memory_word, line["objdump_text"], word):
            wrong.append((line["arch"], line["asm_text"], got))
    report("recorded assembly", compared)
    assert not wrong
    assert compared.keys() == set(CHIPS.values())


def any_word(arch: str) -> st.SearchStrategy[int]:
    """Words with an opcode of the chip, and any others."""
    opcodes = st.sampled_from(sorted(ARCHES[arch].instructions.by_opcode))
    sparse = st.builds(lambda a, b: a & b, *[st.integers(0, 0xFFFFFF)] * 2)
    known = st.builds(lambda op, bits: op << 24 | bits, opcodes, sparse)
    return known | st.integers(0, 0xFFFFFFFF)


@pytest.mark.parametrize("arch", ARCHES)
@given(data=st.data())
def test_what_is_disassembled_assembles_to_the_same_word(arch: str, data: st.DataObject) -> None:
    word = data.draw(any_word(arch))
    assert word_of(disassemble(word, arch), arch) == word


@pytest.mark.parametrize("arch", ARCHES)
def test_every_mnemonic_is_printed_for_its_plainest_word(arch: str) -> None:
    for row in ARCHES[arch].instructions.values():
        if row.mnemonic:
            assert disassemble(row.syntax.match, arch).split()[0] == row.mnemonic


@pytest.mark.parametrize(
    ("text", "word", "memory_word"),
    [
        ("ttmop 1,0,0", 0x01800000, 0x06000000),
        ("ttmop_cfg 0xABCD", 0x0300ABCD, 0x0C02AF34),
        ("ttreplay 16,16,0,1", 0x04040101, 0x10100404),
        ("ttreplay 0,5,1,1", 0x04000053, 0x1000014C),
        ("ttreplay 0,5,0,0", 0x04000050, 0x10000140),
        ("ttsetc16 13,0", 0xB20D0000, 0xC8340002),
        ("ttseminit 2,0,2", 0xA3200008, 0x8C800022),
        ("ttsemwait 322,2,2", 0xA6A1000A, 0x9A84002A),
        ("ttstallwait 2,2064", 0xA2010810, 0x88042042),
        ("ttsempost 2", 0xA4000008, 0x90000022),
        ("ttsetrwc 0,0,0,0,0,15", 0x3700000F, 0xDC00003C),
        ("sfpadd L0,L0,L1,0", 0x850A0100, 0x14280402),
    ],
)
def test_words_of_the_sources(text: str, word: int, memory_word: int) -> None:
    """The four example words of the MOP and REPLAY source, and words of real Blackhole kernels."""
    assert word_of(text) == word
    assert to_ttinsn(word) == memory_word
    assert from_ttinsn(memory_word) == word
    assert disassemble(word) == text.replace("ttmop_cfg 0xABCD", "ttmopcfg 43981")


@pytest.mark.parametrize("alias", ["ttmop_cfg 3", "ttunpacrnop 0,5", "TTNOP", "  ttnop  "])
def test_other_spellings(alias: str) -> None:
    assert disassemble(word_of(alias, "wormhole"), "wormhole")[0] == "t"


def test_no_mnemonic_for_trnspsrca_on_blackhole() -> None:
    assert disassemble(0x14000000, "blackhole") == ".ttinsn 0x14000000"
    assert disassemble(0x14000000, "wormhole") == "tttrnspsrca"
    assert "did you mean tttrnspsrcb?" in error_of("tttrnspsrca")


@pytest.mark.parametrize(
    "word",
    [
        0x00000000,  # no such opcode
        0xFFFFFFFF,
        0x02000001,  # ttnop carries no bits
        0x85000000,  # sfpadd always multiplies by L10
        0x7D000080,  # sfpabs writes L0 to L7
        0x7D000002,  # sfpabs has no modifier 2
        0x76001002,  # sfpdivp2 has no modifier 2
        0x94001000,  # sfpshft2 takes no number
    ],
)
def test_bits_that_no_mnemonic_carries(word: int) -> None:
    assert disassemble(word) == f".ttinsn {word:#010x}"


def test_a_program() -> None:
    text = """\
    # record two words            (a comment)
    .thread 2
    ttreplay 0, 2, 0, 1           // another
    TTNOP
    .ttinsn 0xFFFFFFFF
    .thread 0
    .mopcfg 1, 0x02000000
    .mopcfg 2, { ttreplay 0,2,0,0 }
    ttmop 1,0,0
    """
    program = assemble(text, file="k.s")
    assert program.threads == (0, 2)
    assert program.words(2) == [0x04000021, 0x02000000, 0xFFFFFFFF]
    assert program.words(0) == [0x01800000]
    assert program.statements[0] == Statement(3, "ttreplay 0, 2, 0, 1", 2, 0x04000021)
    assert [(s.mop_cfg, s.word) for s in program.statements if s.mop_cfg is not None] == [
        (1, 0x02000000),
        (2, 0x04000020),
    ]


def test_the_thread_is_1_until_told_otherwise() -> None:
    assert assemble("ttnop").threads == (1,)


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing", "// nothing\r\n"])
def test_an_empty_program(text: str) -> None:
    assert assemble(text).statements == ()


def test_windows_line_ends() -> None:
    assert assemble("ttnop\r\nttnop\r\n").words(1) == [0x02000000] * 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("ttmvmull 0,0,0,0", "unknown mnemonic 'ttmvmull'; did you mean ttmvmul?"),
        ("qqqqqqqq", "unknown mnemonic 'qqqqqqqq'"),
        (".threads 1", "unknown directive '.threads'; did you mean .thread?"),
        ("ttmop 2,0,0", "ttmop: mop_type is 2, not in the range 0 to 1"),
        ("ttmop 0,128,0", "ttmop: loop_count is 128, not in the range 0 to 127"),
        (
            "ttmop 1,0",
            "ttmop: 2 operands, expected 3: mop_type, loop_count, zmask_lo16_or_loop_count",
        ),
        ("ttmop 1,,0", "ttmop: '' is not a number"),
        ("ttnop 1", "ttnop: 1 operands, expected 0: none"),
        ("sfpabs L8,L0,0", "sfpabs: lreg_dest is 'L8', not a register from L0 to L7"),
        ("sfpabs L0,L0,2", "sfpabs: instr_mod1 is 2, not one of 0, 1"),
        (
            "sfpiadd L0,L0,2048,1",
            "sfpiadd: imm12_math is 2048, but must be from -2048 to 2047 with instr_mod1 1",
        ),
        (".thread 3", "thread 3 is not in the range 0 to 2"),
        (".thread", "'' is not a number"),
        (".ttinsn 0x100000000", "word 0x100000000 is not in the range 0 to 0xffffffff"),
        (".mopcfg 9, 0", ".mopcfg index 9 is not in the range 0 to 8"),
        (".mopcfg 1", ".mopcfg wants two operands: INDEX, VALUE"),
        (".mopcfg 1, { }", ".mopcfg has no instruction between { and }"),
        (".mopcfg 1, { ttnop", "'{ ttnop' is not a number"),
        (".mopcfg 1, { .thread 1 }", "unknown directive '.thread'; did you mean .thread?"),
    ],
)
def test_messages(line: str, message: str) -> None:
    assert error_of(f"ttnop\n{line}\n") == f"k.s:2: {message}"


def test_a_very_long_line_gives_a_short_message() -> None:
    assert len(error_of("x" * 100_000)) < 100
    assert len(error_of("ttmop 1,0," + "9" * 100_000)) < 100


def test_chips_differ() -> None:
    assert word_of("ttmvmul 0,0,1,0", "blackhole") == 0x26004000
    assert word_of("ttmvmul 0,0,1,0", "wormhole") == 0x26008000
    assert "unknown mnemonic 'sfparecip'" in error_of("sfparecip L0,L0,0", "wormhole")


def test_an_unknown_chip() -> None:
    with pytest.raises(BadInputError, match="unknown architecture 'quasar'"):
        assemble("ttnop", "quasar")


@pytest.mark.parametrize("word", [-1, 1 << 32, 1 << 400])
def test_disassembling_what_is_not_a_word(word: int) -> None:
    with pytest.raises(BadInputError, match="is not a 32-bit word"):
        disassemble(word)
