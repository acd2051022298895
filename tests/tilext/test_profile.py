"""Profiles, repairs, provenance and overlays."""

import pytest

from tilelab.sim.errors import BadInputError
from tilelab.tilext.errors import NotEncodable
from tilelab.tilext.export import as_json, unified_db
from tilelab.tilext.exports.decodetree import decodetree
from tilelab.tilext.exports.opcode_table import opcode_table
from tilelab.tilext.exports.sail import sail
from tilelab.tilext.exports.tablegen import tablegen
from tilelab.tilext.header import header
from tilelab.tilext.profile import load_profile
from tilelab.tilext.reference import pages
from tilelab.tilext.repairs import REPAIRS, Repair
from tilelab.tilext.table import TABLE


def origin(name, slot, label, profile="repaired"):
    word = next(w for w in load_profile(profile).words[name] if w.slot == slot)
    return word.origin(name, next(c for c in word.word.cells if c.label == label))


def test_what_each_profile_can_encode():
    assert TABLE.keys() - load_profile("repaired").instructions.keys() == {"tcsrw"}
    lost = TABLE.keys() - load_profile("printed").instructions.keys()
    assert lost == {"tcsr", "tcsrw", "mma.tt", "talu.1op", "talu.3op.f"}


def test_the_printed_profile_repairs_nothing():
    for name, words in load_profile("printed").words.items():
        for word, printed in zip(words, TABLE[name].words, strict=True):
            assert word.text == printed.cells


@pytest.mark.parametrize(
    ("place", "kind", "line", "question"),
    [
        (("tgst.unit", 1, "ts1"), "printed", 42, ""),
        (("tgld.unit", 1, "td"), "repaired", 34, "load-td"),
        (("mma.tt", 1, "mem_mata:0"), "inferred", 0, "mma-tile-tile"),
        (("mma.tv", 0, "tuop:110"), "repaired", 261, "restored-text"),
        (("t_wait.mem", 1, "st_en"), "inferred", 447, "t_wait-enables"),
        (("talu.3op", 1, "tuop:100"), "repaired", 404, "talu-tuop"),
    ],
)
def test_provenance(place, kind, line, question):
    found = origin(*place)
    assert (found.kind, found.line, found.question) == (kind, line, question)


def test_every_repair_changes_something():
    for repair in REPAIRS:
        changed = 0
        for row in TABLE.values():
            for word in row.words:
                text = word.cells
                for other in REPAIRS:
                    after = other.apply(row.name, word.slot, text)
                    changed += other is repair and after != text
                    text = after
        assert changed, repair


def test_a_repair_that_does_not_fit_is_an_error():
    with pytest.raises(ValueError, match="has no 'nonsense=1'"):
        Repair("opcode", "tgld.unit/1", "nonsense=1", "").apply("tgld.unit", 1, "td=30:23")


def test_an_instruction_that_cannot_be_encoded_says_why():
    with pytest.raises(NotEncodable, match="tcsrw cannot be encoded in profile repaired: line 238"):
        load_profile().instruction("tcsrw")
    with pytest.raises(
        BadInputError, match=r"unknown instruction 'tgld.unt'; did you mean tgld.unit\?"
    ):
        load_profile().instruction("tgld.unt")


def test_an_overlay_supplies_what_the_document_lacks(tmp_path):
    path = tmp_path / "chip.toml"
    path.write_text(
        "order = [0, 1, 2]\n[opcode]\n2 = 0x0b\n1 = 0x2b\n0 = 0x2b\n[codes.mmauop]\nbf16 = 3\n"
        '[rows.tcsrw]\n1 = "rs1_en=31=1 rd_en=30 csr_uop=29:28=01 csr_idx=27:20 rs1=19:15'
        ' tuop=14:12=010 rd=11:7"\n'
    )
    profile = load_profile("repaired", path)
    assert "tcsrw" in profile.instructions
    assert profile.opcode == {2: 0x0B, 1: 0x2B, 0: 0x2B}
    assert profile.issue_order(profile.instruction("tma.copy")) == (0, 1, 2)
    assert profile.codes("mma.tt", "mmauop").by_name == {"bf16": 3}
    word = profile.words["tcsrw"][0]
    assert {word.origin("tcsrw", cell).kind for cell in word.word.cells} == {"overlay"}


@pytest.mark.parametrize(
    ("overlay", "message"),
    [
        ({"opcod": 3}, "unknown key opcod"),
        ({"opcode": 0x7A}, "not one of a 32-bit"),
        ({"opcode": 0x1F}, "not one of a 32-bit"),
        ({"opcode": "x"}, "wrong type"),
        ({"order": [2, 1]}, "not some order"),
        ({"order": 5}, "wrong type"),
        ({"codes": {"mmauop": {"a": 1, "b": 1}}}, "two names to one code"),
        ({"codes": {"mmauop": {"a b": 1}}}, "not a name and a code"),
        ({"codes": {"mmauop": 3}}, "wrong type"),
        ({"codes": {"mmauops": {"a": 1}}}, "codes.mmauops is not an operand"),
        ({"codes": {"func6": {"a": 1}}}, "codes.func6 is not an operand without codes"),
        ({"rows": {"nothing": {}}}, "not an instruction"),
        ({"rows": {"tcsrw": {"3": ""}}}, "has no word 3"),
        ({"rows": {"tcsrw": {"1": "rd=11"}, "t_wait.all": {"1": "rd=a"}}}, "is not a cell"),
        ({"rows": {"tcsrw": {"1": "rd=11:7 rs1=11:7"}}}, "overlap"),
        ({"rows": {"tcsrw": {"1": 7}}}, "wrong type"),
        ({"rows": {"tcsrw": {"1": f"rd={10**20}"}}}, "outside 32 bits"),
        ({"fields": {"talu.3op": {"0": f"neg3={10**20}"}}}, "outside 32 bits"),
        ({"fields": {"talu.3op": {"0": f"neg3={10**10}:0"}}}, "outside 32 bits"),
        ({"rows": {"t_wait.all": {"1": "tuop=14:12=000"}}}, "begin alike"),
    ],
)
def test_bad_overlays_are_refused(overlay, message):
    with pytest.raises(BadInputError, match=message):
        load_profile("repaired", overlay)


def test_overlay_files_that_cannot_be_read(tmp_path):
    (tmp_path / "deep.toml").write_text("opcode = " + "[" * 100_000)
    with pytest.raises(BadInputError, match="nested too deeply"):
        load_profile("repaired", tmp_path / "deep.toml")
    with pytest.raises(BadInputError, match="No such file"):
        load_profile("repaired", tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("opcode = ")
    with pytest.raises(BadInputError, match=r"bad\.toml"):
        load_profile("repaired", tmp_path / "bad.toml")
    with pytest.raises(BadInputError, match="unknown profile"):
        load_profile("other")


def test_an_overlays_instruction_is_in_the_reference_and_every_export():
    overlay = {
        "instructions": {"mbar.wait": {"verb": "mbarrier_wait", "title": 'a "wait" \\ */ {x}'}},
        "rows": {"mbar.wait": {"1": "_=31:28=1110 mbar=19:15 tuop=14:12=101 ctrluop=9:7=010"}},
    }
    profile = load_profile("repaired", overlay)
    files = pages(profile)
    assert '### mbar.wait\n\na "wait" \\ */ {x}, overlay\n' in files["reference.en.md"]
    assert "img/mbar.wait.zh.svg" in files
    assert "#define TILEXT_MBAR_WAIT(mbar)" in header(profile)
    for export in (tablegen, decodetree, opcode_table, sail):
        assert "mbar_wait" in "".join(export(profile).values()).lower()
    assert 'of a \\"wait\\" ' in unified_db(profile)["inst/Xtilext/mbar.wait.w1.yaml"]
    assert "mbar.wait" in as_json(profile)
