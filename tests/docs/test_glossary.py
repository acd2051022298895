"""Every page leads to the glossary, and no page uses an abbreviation that nothing explains."""

import re
from pathlib import Path

import pytest
from prose import DOCS, README, pages, running

from tilelab.tensix.arch import ARCHES

GLOSSARY = DOCS / "glossary.md"
TERMS = re.findall(r"^### (.+)$", GLOSSARY.read_text(encoding="utf-8"), re.M)
PAGES = [page for page in pages() if page not in (README, GLOSSARY)]

COMMON = {
    *("API", "ABI", "ASCII", "CI", "CPU", "CSS", "CSV", "DAP", "DRAM", "ELF", "FIFO", "GCC", "GNU"),
    *("GPU", "HTML", "ID", "IR", "ISA", "JSON", "LLD", "LLVM", "MB", "NOP", "OK", "PCI", "QEMU"),
    *("RAM", "RISC", "SARIF", "SIGTERM", "SVG", "TOML", "URL", "UTF", "XML", "YAML"),
    *("PASS", "FAIL", "RAN", "BAD"),
}
"""Abbreviations that a reader of C++ and Python knows, and tilelab's own verdicts."""


def known() -> set[str]:
    """Abbreviations with a meaning: the glossary's, instructions, and common ones."""
    text = GLOSSARY.read_text(encoding="utf-8")
    explained = set(re.findall(r"\b[A-Z][A-Z0-9]+\b", " ".join(TERMS)))
    explained |= {word for each in re.findall(r"\*([^*\n]+)\*", text) for word in each.split()}
    explained |= set(re.findall(r"[Cc]alled ([A-Z]+)\b", text))
    rows = {name for arch in ARCHES.values() for name in arch.instructions}
    return {re.sub(r"\d$", "", name) for name in COMMON | explained | rows}


ABBREVIATION = re.compile(r"(?<![\w./-])[A-Z][A-Z0-9]*[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*s?\b")


def abbreviations(text: str) -> set[str]:
    """The abbreviations of a page's running text, without a number or an s at their end."""
    return {re.sub(r"\d?s?$", "", word) for word in ABBREVIATION.findall(running(text))}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_a_page_leads_to_the_glossary_at_its_head(page: Path) -> None:
    head = page.read_text(encoding="utf-8").partition("\n## ")[0]
    assert re.search(r"\]\((?:\.\./)*glossary\.md", head), "link the glossary before the first ##"


def test_the_readme_leads_to_the_glossary() -> None:
    assert "(docs/glossary.md" in README.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", [README, GLOSSARY, *PAGES], ids=lambda page: page.name)
def test_no_page_uses_an_abbreviation_that_nothing_explains(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    unknown = abbreviations(text) - known()
    spelt = {name for name in unknown if re.search(rf"\({name}s?\)", text)}  # explained in place
    assert unknown - spelt == set()


def test_each_term_is_defined_once_and_used() -> None:
    names = [term.lower() for term in TERMS]
    assert len(set(names)) == len(names)
    others = " ".join(
        page.read_text(encoding="utf-8").lower()
        for page in [README, *DOCS.rglob("*.md")]
        if page != GLOSSARY
    )
    assert [name for name in names if name not in others] == []


def test_terms_have_short_definitions() -> None:
    text = GLOSSARY.read_text(encoding="utf-8")
    for term, definition in re.findall(r"^### (.+)\n\n(.+(?:\n.+)*)", text, re.M):
        assert len(definition.split()) <= 60, term


def test_an_unknown_abbreviation_is_found() -> None:
    assert abbreviations("The XYZ pushes MVMULs. `ABC` is code.") == {"XYZ", "MVMUL"}
    assert "XYZ" not in known()
    assert {"MVMUL", "MOP", "LLK", "TRISC"} <= known()
