"""The list of open questions, and the terms in the document's own words."""

import re
from pathlib import Path

import pytest

import tilelab.tilext
from tilelab.tilext.errors import MissingSpecification
from tilelab.tilext.forms import FORMS
from tilelab.tilext.profile import load_profile
from tilelab.tilext.questions import ANSWERED, EVERY, QUESTIONS
from tilelab.tilext.repairs import REPAIRS
from tilelab.tilext.texts import meaning, terms

SOURCES = Path(tilelab.tilext.__file__).parent


@pytest.mark.parametrize("question", EVERY.values(), ids=EVERY)
def test_a_question_is_complete(question):
    assert "?" in question.ask
    assert question.zh[-1] == "\N{FULLWIDTH QUESTION MARK}"
    assert re.search("[一-鿿]", question.zh)
    assert question.reading.endswith(".")
    assert re.fullmatch(r"all tables|\d+(-\d+)?(, \d+(-\d+)?)*", question.lines)


def test_what_raises_has_a_question():
    used = set()
    for source in SOURCES.rglob("*.py"):
        used |= set(re.findall(r'MissingSpecification\(\s*"([^"]+)"', source.read_text("utf-8")))
    assert used <= QUESTIONS.keys()
    assert {"csr-timing", "mask-source", "mmauop"} <= used


def test_every_repair_answers_a_question():
    assert {repair.key for repair in REPAIRS} <= EVERY.keys()


def test_what_the_document_answers_is_not_asked():
    assert QUESTIONS.keys().isdisjoint(ANSWERED)
    assert ANSWERED.keys() == {
        *("load-td", "anonymous-enables", "restored-text", "atomic-enable-bit", "func6-vector"),
        *("t_wait-counter", "t_wait-mma", "t_wait-all"),
    }
    assert all(re.fullmatch(r"\d+(-\d+)?", q.answered) for q in ANSWERED.values())


def test_missing_specification_carries_the_question():
    error = MissingSpecification("opcode", "here")
    assert error.summary == "here: not specified (opcode)"
    assert error.question is QUESTIONS["opcode"]
    assert QUESTIONS["opcode"].ask in error.detail


def test_the_chinese_terms_are_the_documents_own(whole_seed):
    def squeeze(text):
        return re.sub(r"\s", "", text)

    for term in terms().values():
        assert squeeze(term.zh) in squeeze(whole_seed[term.line - 1]), term


def test_terms_name_operands_that_exist():
    families = {}
    for profile in (load_profile("repaired"), load_profile("printed")):
        for name, instruction in profile.instructions.items():
            families.setdefault(FORMS[name].family, set()).update(instruction.operands)
            families.setdefault(name, set()).update(instruction.operands)
    for family, operand in terms():
        assert operand in families[family], (family, operand)
    assert meaning("tgld.unit", "memory", "tilesize").zh.startswith("连续访问几个")
    assert meaning("tgld.unit", "memory", "nothing") is None
