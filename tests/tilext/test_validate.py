"""What is proved about the profiles."""

from itertools import permutations

import pytest

from tilelab.tilext.mend import apart, mends
from tilelab.tilext.profile import load_profile
from tilelab.tilext.validate import Overlap, overlaps, validate

NO_CLASS = {name: {"1": "_=7=0"} for name in ("talu.3op", "talu.3op.f")}
"""An overlay's fields that undo what tells three operands from fewer (question talu-class)."""


def test_the_reports():
    repaired, printed = validate(load_profile()), validate(load_profile("printed"))
    assert (repaired.instructions, repaired.words, repaired.encodable) == (40, 78, 39)
    assert (printed.instructions, printed.words, printed.encodable) == (40, 78, 35)
    assert repaired.origins == {"printed": 482, "placed": 17, "repaired": 41, "inferred": 31}
    assert printed.origins == {"printed": 504, "placed": 17, "repaired": 9}


@pytest.mark.parametrize("name", ["repaired", "printed"])
def test_no_words_fit_two_instructions(name):
    assert overlaps(load_profile(name)) == []


def test_without_the_class_bit_talu_is_ambiguous():
    assert overlaps(load_profile("repaired", {"fields": NO_CLASS})) == [
        Overlap("talu.1op", "talu.3op", strict=True),
        Overlap("talu.2op.v", "talu.3op.f", strict=True),
    ]


@pytest.mark.parametrize("name", ["repaired", "printed"])
@pytest.mark.parametrize("order", list(permutations([2, 1, 0])))
def test_under_every_issue_order_it_is_known_where_an_instruction_ends(name, order):
    assert load_profile(name, {"order": list(order)}).order == order


def test_an_answer_about_vecuop1_settles_them():
    one = "_=31=0 vecuop2[1:0]=30:29 tuop=14:12=110 tmask=11 vecuop1=10:9=01 asp_en=8=0 _=7=0"
    three = "_=31=0 ts3=30:23 ts2=22:15 tuop=14:12=110 tmask=11 vecuop1=10:9=11 asp_en=8=0 _=7=0"
    rows = {"talu.1op": {"0": one}, "talu.3op": {"0": three}}
    left = overlaps(load_profile("repaired", {"rows": rows, "fields": NO_CLASS}))
    assert [(pair.first, pair.second) for pair in left] == [("talu.2op.v", "talu.3op.f")]


def test_unassigned_bits_that_must_be_0_can_tell_two_apart():
    word = next(w.text for w in load_profile().words["talu.2op.v"] if w.slot == 0)
    rows = {"talu.2op.v": {"0": f"{word} _=22=1"}}
    profile = load_profile("repaired", {"rows": rows, "fields": NO_CLASS})
    assert Overlap("talu.2op.v", "talu.3op.f", strict=False) in overlaps(profile)


def test_tuop_as_printed_would_make_mma_and_talu_collide():
    words = {
        "talu.1op": {"1": "_=31=0 td=30:23 ts1=22:15 tuop=14:12=011 vecuop2[5:2]=11:8 _=7=0"},
        "talu.3op": {"1": "_=31=0 td=30:23 ts1=22:15 tuop=14:12=011 vecuop2[3:0]=11:8 _=7=0"},
    }
    pairs = {(o.first, o.second) for o in overlaps(load_profile("repaired", {"rows": words}))}
    assert {("mma.tt", "talu.1op"), ("mma.tt", "talu.3op")} <= pairs


@pytest.mark.parametrize("name", ["repaired", "printed"])
def test_all_eight_tuop_codes_are_used(name):
    profile = load_profile(name)
    codes = {word.match >> 12 & 7 for i in profile.instructions.values() for word in i.words}
    assert codes == (set(range(8)) if name == "repaired" else {0, 1, 3, 5, 6, 7})


@pytest.mark.parametrize(("name", "pairs"), [("repaired", 741), ("printed", 595)])
def test_a_fixed_bit_tells_every_pair_apart(name, pairs):
    profile = load_profile(name)
    found = apart(profile)
    assert len(found) == pairs == len(profile.instructions) * (len(profile.instructions) - 1) // 2
    for one in found:
        names = zip((one.first, one.second), one.slots, strict=True)
        first, second = (profile.instructions[name].word(slot) for name, slot in names)
        assert (first.mask & second.mask) >> one.bit & 1
        assert (first.match ^ second.match) >> one.bit & 1


def test_mends_end_each_ambiguity():
    overlay = {"fields": {name: dict(words) for name, words in NO_CLASS.items()}}
    found = mends(load_profile("repaired", overlay))
    assert [(mend.instruction, mend.slot, mend.cell) for mend in found] == [
        ("talu.3op", 1, "_=7=1"),
        ("talu.3op.f", 2, "_=31=1"),
    ]
    mended = {mend.instruction: {str(mend.slot): mend.cell} for mend in found}
    assert overlaps(load_profile("repaired", {"fields": mended})) == []


def test_a_users_copy_of_an_instruction_is_told_from_it():
    rows = {
        "1": "_=31=0 td=30:23 ts1=22:15 tuop=14:12=100 vecuop2[5:2]=11:8 _=7=0",
        "0": "_=31=0 tuop=14:12=110 tmask=11 vecuop1=10:9 asp_en=8=0 _=7=0",
    }
    own = {"instructions": {"my.op": {"like": "talu.1op"}}, "rows": {"my.op": rows}}
    (mend,) = mends(load_profile("repaired", own))
    assert (mend.overlap.first, mend.overlap.second) == ("talu.1op", "my.op")
    assert mend.overlay == '[fields."my.op"]\n1 = "_=7=1"'
