"""Every statement of the document has a test that holds it, or a question to the ISA's owners."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from tilelab.tilext.profile import load_profile
from tilelab.tilext.questions import EVERY

FOLDER = Path(__file__).parent
HEADINGS = {3, 11, 216}
TITLES = re.compile(r"ACE 指令|^\W*$")


@dataclass(frozen=True)
class Statement:
    line: int
    text: str
    tests: tuple[str, ...]
    questions: tuple[str, ...]


def read():
    for row in (FOLDER / "statements.txt").read_text("utf-8").splitlines()[1:]:
        line, text, tests, questions = (part.strip() for part in row.split("|"))
        yield Statement(int(line), text, tuple(tests.split()), tuple(questions.split()))


STATEMENTS = list(read())


def test_every_statement_has_a_test_or_a_question():
    sources = "\n".join(path.read_text("utf-8") for path in FOLDER.glob("test_*.py"))
    known = set(re.findall(r"^def (test_\w+)", sources, re.MULTILINE))
    for statement in STATEMENTS:
        assert statement.tests or statement.questions, statement.text
        assert set(statement.tests) <= known, statement
        assert set(statement.questions) <= EVERY.keys(), statement


def test_every_question_belongs_to_a_statement_or_to_the_tables():
    asked = {key for statement in STATEMENTS for key in statement.questions}
    tables = {"opcode", "issue-order", "unassigned-bits", "between-words", "restored-text"}
    rest = {key for key in EVERY if key not in asked}
    assert rest <= tables | {"anonymous-enables", "csr-list"}, rest


def test_every_line_of_prose_is_there(whole_seed):
    lines = {statement.line for statement in STATEMENTS}
    for number, text in enumerate(whole_seed, 1):
        cells = "\t" in text and not 413 <= number <= 419
        if cells or TITLES.search(text) or not re.search("[一-鿿]", text):
            continue
        assert number in lines | HEADINGS, (number, text)


@pytest.mark.parametrize(("name", "code"), [("bulk", 0), ("semaphore", 2)])
def test_what_the_mind_map_suggests_has_names(name, code):
    codes = load_profile().codes("tma.copy", "completion")
    assert codes.by_name[name] == code
    assert not codes.closed
    assert load_profile("printed").codes("tma.copy", "completion") is None
