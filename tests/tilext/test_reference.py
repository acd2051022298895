"""The generated pages and diagrams are what the table says now."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tilelab.tilext.diagram import boxes, diagram
from tilelab.tilext.profile import load_profile
from tilelab.tilext.questions import QUESTIONS
from tilelab.tilext.reference import pages
from tilelab.tilext.table import TABLE

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
    assert links <= QUESTIONS.keys()


def test_the_questions_page_has_both_languages(generated):
    for question in QUESTIONS.values():
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
