"""Random programs at the allocator's input; `python tests/vector_fuzz.py` runs thousands."""

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tilelab.build.vector import complete
from tilelab.build.vector.code import VectorError
from tilelab.tensix.words.ttinsn import from_ttinsn, to_ttinsn
from vector_fuzz import Unit, drawn, fate
from vector_machine import CHIPS

PROGRAMS = 150
AT = "instr_mod0=4 sfpu_addr_mode=7 dest_reg_addr="
REPLAY, TRANSPOSE = 0x04 << 24 | 4 << 4, 0x8C << 24
INDICES_ON, INDICES_OFF = 0x9100_04F1, 0x9100_00F1
"""SFPCONFIG of LaneConfig: ENABLE_DEST_INDEX, or nothing."""


def word(instruction: int) -> str:
    return f".word {to_ttinsn(instruction):#x}"


def load(name: str, row: int) -> str:
    return f"tt.vec SFPLOAD lreg_ind>{name} {AT}{2 * row}"


def store(name: str, row: int) -> str:
    return f"tt.vec SFPSTORE lreg_ind={name} {AT}{2 * row}"


def own_load(lreg: int, row: int) -> str:
    return word(0x70 << 24 | lreg << 20 | 4 << 16 | 7 << 13 | 2 * row)


def own_store(lreg: int, row: int) -> str:
    return word(0x72 << 24 | lreg << 20 | 4 << 16 | 7 << 13 | 2 * row)


def allocated(*lines: str) -> str:
    """The assembly of a function of these lines, each its own line of p.cpp, for Blackhole."""
    body = []
    for i, line in enumerate(lines):
        body += [f"\t.loc\t1 {i + 1} 0", line if line.endswith(":") else f"\t{line}"]
    head = ['\t.file\t1 "p.cpp"', "\t.type\tf, @function", "f:"]
    text = "\n".join([*head, *body, "\tret", "\t.size\tf, .-f"]) + "\n"
    return complete(text, "blackhole", Path("p.cpp"))


def words(text: str) -> list[int]:
    return [from_ttinsn(int(found, 0)) for found in re.findall(r"\.word\s+(\w+)", text)]


def lreg_of(instruction: int) -> int:
    """The LReg of an SFPLOAD or SFPSTORE."""
    return instruction >> 20 & 15


@pytest.mark.parametrize("chip", CHIPS)
def test_random_programs_compute_what_numpy_says(chip: str) -> None:
    """Or say in which line more is asked for than there is; most get their LRegs."""
    unit = Unit(chip)
    counts = Counter(fate(seed, chip, unit) for seed in range(200, 200 + PROGRAMS))
    assert counts["right"] > PROGRAMS / 2


def test_what_words_keep_survives_an_operand_in_the_same_lreg() -> None:
    """SFPCONFIG takes its operand from LReg[0], where a word of the source's has left a value."""
    text = allocated(
        own_load(0, 2),
        load("ft0", 4),
        "tt.vec SFPCONFIG config_dest=12 @0=ft0",
        own_store(0, 20),
    )
    rows = drawn(1)
    result = Unit("blackhole").run(text, rows, 0)
    assert (result[20] == rows[2]).all()


def test_a_crowd_in_two_blocks_is_no_crash() -> None:
    """Nine values are alive where one block begins, and where the next one ends."""
    names = [f"ft{i}" for i in range(9)]
    product = "lreg_src_a=ft0 lreg_src_b=ft1 lreg_src_c=9 instr_mod1=0"
    lines = [*[load(name, i) for i, name in enumerate(names)], "beqz\ts1, .L0"]
    lines += [f"tt.vec SFPMUL lreg_dest>fs0 {product}", store("fs0", 40), ".L0:"]
    lines += [f"tt.vec SFPMUL lreg_dest>fs1 {product}", store("fs1", 41), "beqz\ts1, .L1"]
    lines += [store("ft0", 42), ".L1:", *[store(name, 20 + i) for i, name in enumerate(names)]]
    with pytest.raises(VectorError, match=r"^p\.cpp:\d+: \d+ vector values are needed at once"):
        allocated(*lines)


def test_dst_is_loaded_again_where_nothing_has_changed_it() -> None:
    """Nine loads, and all nine needed at the end: one of them is done when it is needed."""
    names = [f"ft{i}" for i in range(9)]
    lines = [load(name, i) for i, name in enumerate(names)]
    lines += [store(name, 20 + i) for i, name in enumerate(names)]
    rows = drawn(2)
    result = Unit("blackhole").run(allocated(*lines), rows, 0)
    assert (result[20:29] == rows[:9]).all()


@pytest.mark.parametrize(
    "between",
    [
        *[store("ft0", row) for row in range(9)],
        word(0x38 << 24 | 2 << 14),
        word(0x10 << 24),
        "sw\ta0, 0(a1)",
    ],
    ids=[*[f"stored{row}" for row in range(9)], "counter", "zeroacc", "pushed"],
)
def test_dst_is_not_loaded_again_after_what_may_change_it(between: str) -> None:
    """Then that value, or all nine, have no place: an error, or right numbers."""
    names = [f"ft{i}" for i in range(9)]
    lines = [load(name, i) for i, name in enumerate(names)]
    lines += [between, *[store(name, 20 + i) for i, name in enumerate(names)]]
    try:
        text = allocated(*lines)
    except VectorError:
        return
    assert "SFPSTORE" in between
    rows = drawn(3)
    result = Unit("blackhole").run(text, rows, 0)
    assert (result[20:29] == rows[:9]).all()


def test_a_transposition_needs_only_the_four_lregs_that_are_needed_after_it() -> None:
    """The words use LReg[0..3]; LReg[4..7] are free for values before it."""
    lines = [own_load(n, n) for n in range(4)]
    lines += [load(f"ft{i}", 4 + i) for i in range(4)]
    lines += [store(f"ft{i}", 30 + i) for i in range(4)]
    lines += [word(TRANSPOSE), *[own_store(n, 20 + n) for n in range(4)]]
    rows = drawn(4)
    result = Unit("blackhole").run(allocated(*lines), rows, 0)
    assert (result[30:34] == rows[4:8]).all()
    assert (result[20:24].reshape(4, 4, 8) == rows[:4].reshape(4, 4, 8).swapaxes(0, 1)).all()


def test_a_replay_is_taken_to_set_what_is_read_after_it_only_where_lregs_are_short() -> None:
    """Eight LRegs are read after it, which words before it have set; between are C++ values."""
    few = allocated(own_load(0, 0), load("ft0", 1), store("ft0", 2), word(REPLAY), own_store(0, 3))
    loaded = [lreg_of(w) for w in words(few) if w >> 24 == 0x70]
    assert loaded[0] == 0
    assert loaded[1] != 0
    lines = [load("ft0", 1), store("ft0", 2), word(REPLAY)]
    many = allocated(*lines, *[own_store(n, 20 + n) for n in range(8)])
    assert len(words(many)) == 11


UNKNOWN = ".ttinsn a5"
"""A word that the core makes at run time."""
CONFIGURED = [load("ft0", 4), "tt.vec SFPCONFIG config_dest=12 @0=ft0"]


def test_a_word_known_at_run_time_needs_no_lreg_that_nothing_has_set() -> None:
    """It may read all eight, and between is a value that has to be in one."""
    lines = [own_load(3, 2), *CONFIGURED, UNKNOWN, own_store(3, 20)]
    assert allocated("sw\ta5, 8(sp)", "mul\ta5, a5, a4", *lines)  # what the core does for itself
    text = allocated(*lines)
    rows = drawn(6)
    unit = Unit("blackhole")
    assert (unit.run(text, rows, 0)[20] == rows[2]).all()
    assert (unit.lreg[12] == np.tile(rows[4][:8], 4)).all()


@pytest.mark.parametrize("before", ["sw a5, 0(a1)", "call g"])
def test_what_may_have_set_every_lreg_leaves_none_where_all_are_read(before: str) -> None:
    with pytest.raises(VectorError, match="9 vector values are needed at once"):
        allocated(before, *CONFIGURED, *[own_store(n, 20 + n) for n in range(8)])


@pytest.mark.parametrize("made", [UNKNOWN, word(0x93 << 24 | 7 << 13)], ids=["unknown", "macro"])
def test_such_a_word_in_a_loop_leaves_a_place_for_values_before_it(made: str) -> None:
    """It may have set what it reads in the next round; what words that are seen have set stays."""
    lines = [own_load(3, 2), ".L0:", *CONFIGURED, made, "bnez\ts1, .L0", own_store(3, 20)]
    given = [lreg_of(w) for w in words(allocated(*lines)) if w >> 24 == 0x70]
    assert given[0] == 3
    assert 3 not in given[1:]


def test_an_lreg_that_is_read_by_number_is_kept_from_before_the_function() -> None:
    """The word may read the other seven as well: that does not go, but one by number stays."""
    lines = [*CONFIGURED, UNKNOWN, "tt.vec read d>ft1 n=3", store("ft1", 20)]
    given = {lreg_of(w) for w in words(allocated(*lines)) if w >> 24 == 0x70}
    assert given
    assert 3 not in given


def test_words_that_only_change_flags_touch_no_lreg() -> None:
    """Though SFPENCC has fields for two: LReg[0] is free between them."""
    values = [load(f"ft{i}", i) for i in range(8)]
    stores = [store(f"ft{i}", 20 + i) for i in range(8)]
    enable = word(0x8A << 24 | 3 << 12 | 10)
    rows = drawn(7)
    result = Unit("blackhole").run(allocated(*values, enable, *stores), rows, 0)
    assert (result[20:28] == rows[:8]).all()


def test_values_that_words_leave_no_lreg_for_are_refused_at_the_word() -> None:
    with pytest.raises(VectorError) as error:
        allocated(load("ft0", 0), word(REPLAY), store("ft0", 20))
    said = r"p\.cpp:2: 1 vector value\(s\) are needed after this, which uses 8 LRegs itself"
    assert re.fullmatch(said, error.value.summary)


def test_values_stay_below_the_indices_that_words_have_switched_on() -> None:
    """Of LReg[4..7], SFPSWAP moves the indices of LReg[0..3] (ENABLE_DEST_INDEX)."""
    values = [load(f"ft{i}", i) for i in range(4)]
    stores = [store(f"ft{i}", 20 + i) for i in range(4)]
    for on in (INDICES_ON, INDICES_OFF):
        kept = [own_load(n, n) for n in (2, 3)]
        after = [own_store(n, 30 + n) for n in (2, 3)]
        text = allocated(word(on), *kept, *values, *stores, word(INDICES_OFF), *after)
        given = [lreg_of(w) for w in words(text) if w >> 24 == 0x70][2:]
        assert (max(given) < 4) == (on == INDICES_ON)


@pytest.mark.parametrize("first", [load("ft0", 20 // 2), "tt.vec const d>ft0 value=5"])
def test_what_is_changed_under_a_condition_keeps_its_other_lanes(first: str) -> None:
    """Also where the value, a constant or a load, is made again for want of an LReg."""
    others = [f"ft{i}" for i in range(1, 7)]
    lines = [*[load(name, i) for i, name in enumerate(others)], first, load("fs1", 8)]
    lines += ["tt.vec cmp d>fs0 a=ft1 value=0 how=16", "tt.vec SFPPUSHC! instr_mod1=0"]
    lines += ["tt.vec cond! c=fs0", "tt.vec SFPXOR lreg_dest<>fs2,ft0 lreg_c=ft2"]
    lines += ["tt.vec assign d>ft0 old=ft0 new=fs2", "tt.vec SFPPOPC! instr_mod1=0"]
    lines += [store(name, 20 + i) for i, name in enumerate(["ft0", *others])]
    rows = drawn(5)
    result = Unit("blackhole").run(allocated(*lines), rows, 0)
    old = rows[10] if "SFPLOAD" in first else 5
    assert (result[20] == np.where(rows[0].view(np.int32) < 0, old ^ rows[1], old)).all()
