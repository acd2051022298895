"""The generated pages and diagrams are what the table says now."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tilelab.tilext.diagram import boxes, diagram
from tilelab.tilext.profile import load_profile
from tilelab.tilext.questions import EVERY
from tilelab.tilext.reference import pages
from tilelab.tilext.table import TABLE
from tilelab.tilext.texts import MATRIX, SCOPES

DOCS = Path(__file__).parents[2] / "docs" / "tilext"


@pytest.fixture(scope="module")
def generated():
    return pages(load_profile())


def test_the_committed_pages_are_the_generated_ones(generated):
    committed = {
        str(path.relative_to(DOCS)): path.read_text("utf-8")
        for path in DOCS.rglob("*")
        if path.suffix in (".md", ".svg") and path.name != "README.md"
    }
    assert committed.keys() == generated.keys()
    stale = [path for path, text in generated.items() if committed[path] != text]
    assert stale == [], "run: tilelab tilext reference"


def test_the_reference_is_whole(generated):
    assert len(generated) == 3 + 2 * len(TABLE)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_page_shows_every_instruction_and_its_diagram(generated, language):
    page = generated[f"reference.{language}.md"]
    for row in TABLE.values():
        assert f"### {row.name}\n" in page
        assert f"(img/{row.name}.{language}.svg)" in page
    links = {part.split(")")[0] for part in page.split("open-questions.md#")[1:]}
    assert links <= EVERY.keys()


def test_the_questions_page_has_both_languages(generated):
    for question in EVERY.values():
        assert question.ask in generated["open-questions.md"]
        assert question.zh in generated["open-questions.md"]


@pytest.mark.parametrize("profile", ["repaired", "printed"])
@pytest.mark.parametrize("name", TABLE)
def test_a_diagram_is_a_picture_of_all_bits(profile, name):
    chosen = load_profile(profile)
    for word in chosen.words[name]:
        found = boxes(name, word)
        bits = [bit for box in found for bit in range(box.hi, box.lo - 1, -1)]
        assert bits == ([] if word.lost else list(range(31, -1, -1)))
    for language in ("en", "zh"):
        root = ET.fromstring(diagram(chosen, name, language))
        width, height = float(root.get("width")), float(root.get("height"))
        texts = [node.text for node in root.iter() if node.tag.endswith("text")]
        for word in chosen.words[name]:
            assert any(str(word.slot) in text for text in texts)
        for node in root.iter():
            if node.tag.endswith("rect"):
                assert float(node.get("x", 0)) + float(node.get("width")) <= width
                assert float(node.get("y", 0)) + float(node.get("height")) <= height


def test_the_chinese_diagram_speaks_as_the_document(seed):
    picture = diagram(load_profile(), "tgld.index", "zh")
    assert "ACE 指令编号 2" in picture
    assert seed[109].startswith("ACE 指令编号")
    assert ">ASP_store<" in picture
    assert seed[110].startswith("2(ASP_store)")
    assert ">ASP_load<" in diagram(load_profile(), "tmv.v.t", "zh")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_page_has_the_matrix_the_timing_the_mind_map_and_the_newest_document(generated, language):
    page = generated[f"reference.{language}.md"]
    assert "<http://isa.siorigin.com/tile-extension/tile-extension.zip>" in page
    for mechanism in ("t_wait", "t_sync", "DTE group wait", "mbarrier", "semaphore", "atomic"):
        assert f"\n| {mechanism} | " in page
    assert "throughput" in page
    assert "| memuop[5:3] | " in page
    assert "| t_sync |  |  | ✓ | ✓ |  |  | " in page


def test_the_matrix_is_the_documents(whole_seed):
    for row in MATRIX:
        cells = whole_seed[row.line - 1].split("\t")
        assert cells[0] == row.name
        assert tuple('checked=""' in cell for cell in cells[1:7]) == row.scopes
        assert row.zh in cells[7]
    assert [cell for cell in whole_seed[412].split("\t") if cell][:6] == list(SCOPES["zh"])


def test_meanings_are_those_of_the_instruction_not_of_its_family(generated):
    page = generated["reference.en.md"]
    parts = dict(part.split("\n", 1) for part in page.split("### ")[1:])
    (rs3,) = [line for line in parts["tsatom.rd"].splitlines() if line.startswith("| `rs3`")]
    assert "not stated" in rs3
    (rs3,) = [line for line in parts["tsatom.tile"].splitlines() if line.startswith("| `rs3`")]
    assert "used when offseten is 1" in rs3
    (enable,) = [x for x in parts["tgatom.tile"].splitlines() if x.startswith("| `offseten`")]
    assert "enables rs3" in enable


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_func6_has_its_meaning(generated, language):
    page = generated[f"reference.{language}.md"]
    for line in page.splitlines():
        if line.startswith("| `func6`"):
            assert "(#func6), " in line
    rows = [x for x in page.splitlines() if x.startswith(("| vector |", "| frf |", "| grf |"))]
    assert len(rows) == 20 + 6 + 18
    assert all(row.split(" | ")[5].strip() for row in rows)


def test_cells_whose_bit_numbers_are_lost_say_so(generated):
    placed = [
        (name, cell.label)
        for name, words in load_profile().words.items()
        for word in words
        if word.word is not None
        for cell in word.word.cells
        if cell.field.name != "opcode" and word.origin(name, cell).kind == "placed"
    ]
    assert len(placed) == 17
    assert {name for name, _ in placed} == {"mma.tt", "talu.3op.f"}
    assert "as printed, bits inferred, line 240" in generated["reference.en.md"]
