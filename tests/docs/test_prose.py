"""Pages are short, in short sentences, without constructions that one reads twice."""

import re
import statistics
from pathlib import Path

import pytest
from prose import (
    DOCS,
    LONGEST_SENTENCE,
    MEDIAN_SENTENCE,
    MOST_WORDS,
    MOST_WORDS_IN_ALL,
    README,
    counted,
    faults,
    lengths,
    pages,
    running,
    sentences,
    words,
)

PAGES = pages()
every_page = pytest.mark.parametrize(
    "page", PAGES, ids=lambda page: page.relative_to(DOCS.parent).as_posix()
)


@every_page
def test_a_page_is_short(page: Path) -> None:
    count = words(page.read_text(encoding="utf-8"))
    assert count <= MOST_WORDS, f"{count} words: split it, or say less"


@every_page
def test_sentences_are_short(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    found = lengths(text)
    assert not found or statistics.median(found) <= MEDIAN_SENTENCE
    long = [each for each in sentences(text) if len(each.split()) > LONGEST_SENTENCE]
    assert long == []


@every_page
def test_no_sentence_has_a_forbidden_construction(page: Path) -> None:
    assert list(faults(page.read_text(encoding="utf-8"))) == []


@every_page
def test_a_vendor_has_a_name(page: Path) -> None:
    text = running(page.read_text(encoding="utf-8"))
    assert not re.search(r"\bvendor\b", text) or re.search(r"Tenstorrent|Huawei", text)


def test_all_pages_together_are_short() -> None:
    assert sum(words(page.read_text(encoding="utf-8")) for page in counted()) <= MOST_WORDS_IN_ALL


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("one two three", 3),
        ("one <!-- two\n", 3),
        ("one\n<!-- generated: x -->\n\ntwo three\n\n<!-- end -->\nfour", 2),
        ("```sh\none two\n```\nthree", 5),
    ],
)
def test_words_are_those_that_somebody_wrote(text: str, count: int) -> None:
    assert words(text) == count


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("One two. Three four five.\n\nSix.", [2, 3, 1]),
        ("- one two\n- three\n", [2, 1]),
        (
            "# a heading\n\n| a | table |\n\n```sh\ncode\n```\n\n`some code` [a link](of.md) here.",
            [4],
        ),
        ("Version 1.5 of `x.y. z` is one sentence.", [7]),
    ],
)
def test_sentences_are_those_of_running_text(text: str, found: list[int]) -> None:
    assert lengths(text) == found


@pytest.mark.parametrize(
    "sentence",
    [
        "Who stops reading ends the command.",
        "What does not go is an error at its line.",
        "Where a file cannot be written is said before the work begins.",
        "A class of its own is below it.",
        "It is an error, for it has no code.",
        "Rounding is as hardware has it.",
        "Another tile, that Dst has not, is taken.",
    ],
)
def test_a_forbidden_construction_is_found(sentence: str) -> None:
    assert list(faults(sentence))


@pytest.mark.parametrize("sentence", ["What is a MOP?", "Who waits for whom?", "It has not run."])
def test_questions_and_plain_sentences_are_allowed(sentence: str) -> None:
    assert not list(faults(sentence))


def test_the_readme_is_a_page() -> None:
    assert README in PAGES
