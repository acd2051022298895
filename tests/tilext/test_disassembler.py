"""Words to instructions, and what is never guessed."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilelab.sim.errors import BadInputError
from tilelab.tilext import assemble_text, disassemble_words
from tilelab.tilext.assembler import Assembler
from tilelab.tilext.disassembler import Disassembler
from tilelab.tilext.fuzz import random_values
from tilelab.tilext.profile import load_profile

INDEXED = "tgld.index tr8, (a0), v4, offset=a2, func6=e16, tilesize=2, tmask"


@pytest.fixture(scope="module")
def repaired():
    return Disassembler(load_profile())


def test_words_are_put_together():
    text = [INDEXED, "t_wait.all", "tmv.t.v tr3, v1, func6=e8.m, bc", INDEXED]
    assert disassemble_words(assemble_text("\n".join(text))) == text


def test_word_0_means_what_the_words_before_say():
    """The move's and the MMA's word 0 are one bit pattern."""
    move = assemble_text("tmv.t.v tr6, v1, func6=e8")
    mma = assemble_text("mma.tt tr0, tr1, tr6, mmauop=0, tilesize=1")
    assert move[1] == mma[1]
    assert disassemble_words([*move, *mma])[0].startswith("tmv.t.v")
    assert disassemble_words([*move, *mma])[1].startswith("mma.tt")


def test_a_word_without_its_companions_is_reported_with_candidates(repaired):
    words = assemble_text(INDEXED)
    (item,) = repaired.decode(words[2:])
    assert not item.certain
    assert item.problem == "word 0 without its companions"
    assert set(item.names) == {"tgld.index", "tsld.index"}
    items = list(repaired.decode(words[:2]))
    assert [len(item.words) for item in items] == [1, 1]
    assert "tgst.index" in items[0].names


def test_what_follows_a_lost_word_is_read_again():
    words = assemble_text(f"{INDEXED}\n{INDEXED}\nt_wait.all")
    for lost in range(3):
        lines = disassemble_words([word for n, word in enumerate(words) if n != lost])
        assert lines[-2:] == [INDEXED, "t_wait.all"]
        assert all(line.startswith(".word") for line in lines[:-2])


def test_ambiguous_words_list_every_candidate():
    profile = load_profile("repaired", {"fields": {"talu.3op": {"1": "_=7=0"}}})
    words = assemble_text("talu.1op tr1, tr2, vecuop2=4, vecuop1=1", profile)
    (item,) = Disassembler(profile).decode(words)
    assert [d.name for d in item.candidates] == ["talu.1op", "talu.3op"]
    (line,) = disassemble_words(words, profile)
    assert line.startswith(".word 0x")
    assert "# ambiguous: talu.1op tr1, tr2, vecuop2=4, vecuop1=1 | talu.3op" in line
    assert assemble_text(line) == words


@pytest.mark.parametrize("mask", ["", ", tmask"])
@pytest.mark.parametrize("code", range(4))
def test_every_talu_1op_is_read_as_it_was_written(code, mask):
    lines = [
        f"talu.1op tr{5 * kind % 256}, tr{kind}, vecuop2={kind}{mask}, vecuop1={code}"
        for kind in range(64)
    ]
    assert disassemble_words(assemble_text("\n".join(lines))) == lines


def test_tied_words_that_differ_are_illegal():
    words = assemble_text(INDEXED)
    words[0] ^= 1 << 7
    (line,) = disassemble_words(words)
    assert "vs2 is 5 and 4 in tied words" in line
    assert assemble_text(line) == words


def test_unassigned_bits(repaired):
    words = assemble_text("tgld.unit tr8, (a0), tilesize=1")
    words[0] |= 1 << 10
    (line,) = disassemble_words(words)
    assert "unassigned bits 0x00000400 are set in word 1: tgld.unit tr8" in line
    assert assemble_text(line) == words


def test_lenient_decoding_lets_unassigned_bits_hold_anything():
    words = assemble_text("talu.3op tr1, tr2, tr5, tr7, vecuop2=0, vecuop1=0")
    assert disassemble_words(words)[0].startswith("talu.3op")
    profile = load_profile("repaired", {"fields": {"talu.3op": {"1": "_=7=0"}}})
    words = assemble_text("talu.3op tr1, tr2, tr5, tr7, vecuop2=0, vecuop1=0", profile)
    line = disassemble_words(words, profile, strict=False)[0]
    assert "ambiguous: talu.1op tr1, tr2" in line
    assert "unassigned.0=0x3828000 | talu.3op tr1, tr2, tr5, tr7" in line


def test_foreign_words():
    assert "no word of the Tile Extension" in disassemble_words([0x00000013])[0]
    with pytest.raises(BadInputError, match="does not fit 32 bits"):
        disassemble_words([1 << 32])


@given(st.lists(st.integers(0, 0xFFFFFFFF), max_size=12))
def test_any_words_assemble_again(words):
    assert assemble_text("\n".join(disassemble_words(words))) == words


def random_stream(rng, profile, length):
    """Return words: whole instructions, instructions with a word missing, and noise."""
    assembler = Assembler(profile)
    instructions = list(profile.instructions.values())
    words: list[int] = []
    while len(words) < length:
        instruction = rng.choice(instructions)
        values = random_values(rng, profile, instruction)
        new = assembler.encode(instruction.name, values)
        kind = rng.randrange(4)
        if kind == 0:
            new.pop(rng.randrange(len(new)))
        elif kind == 1:
            new = [rng.getrandbits(32) for _ in new]
        elif kind == 2:
            new = [rng.getrandbits(25) << 7 | profile.opcode[0] for _ in new]
        words += new
    return words


@pytest.mark.parametrize("profile", ["repaired", "printed"])
@pytest.mark.parametrize("order", [[2, 1, 0], [0, 1, 2], [2, 0, 1]])
@pytest.mark.parametrize("strict", [True, False])
def test_random_streams_never_lose_a_word(profile, order, strict):
    chosen = load_profile(profile, {"order": order})
    disassembler = Disassembler(chosen, strict=strict)
    assembler = Assembler(chosen, strict=strict)
    words = random_stream(random.Random(7), chosen, 2000)
    items = list(disassembler.decode(words))
    assert [word for item in items for word in item.words] == words
    assert [item.index for item in items] == [
        sum(len(item.words) for item in items[:n]) for n in range(len(items))
    ]
    text = "\n".join(disassembler.text(item) for item in items)
    assert [w for _, line in assembler.lines(text) for w in line] == words


@pytest.mark.parametrize("profile", ["repaired", "printed"])
@pytest.mark.parametrize("order", [[2, 1, 0], [0, 1, 2]])
def test_instructions_between_noise_are_paired_as_they_were_written(profile, order):
    """Noise is a foreign word or an instruction's first word alone, twice in a row never."""
    chosen = load_profile(profile, {"order": order})
    assembler, disassembler, rng = Assembler(chosen), Disassembler(chosen), random.Random(3)
    words, starts = [], {}
    for _ in range(1500):
        instruction = rng.choice(list(chosen.instructions.values()))
        values = random_values(rng, chosen, instruction)
        starts[len(words)] = (instruction.name, values)
        words += assembler.encode(instruction.name, values)
        words += [rng.getrandbits(25) << 7 | 0x33] * rng.randrange(2)
    found = {item.index: item for item in disassembler.decode(words)}
    for start, original in starts.items():
        assert original in [(d.name, dict(d.values)) for d in found[start].candidates]
