"""The rules that hand-written pages keep, and what they are measured by.

usage: python tests/docs/prose.py    (each page: words, words of its median and longest sentence)

A page's words are all that ``wc -w`` counts, except its generated parts. Its sentences are those
of running text: no code, tables, headings or HTML.
"""

import re
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
README = DOCS.parent / "README.md"

MOST_WORDS = 1_500
MOST_WORDS_IN_ALL = 30_000
MEDIAN_SENTENCE = 16
LONGEST_SENTENCE = 40

GENERATED = ("checks", "reference", "tilext")
"""Folders of generated pages, and of the Tile Extension's."""
RECORDS = ("decisions",)
"""Folders of pages for those who change the code: their length and style are their own."""
BESIDE = ("cli", "lessons")
"""Folders of pages that are not counted in the sum: generated pages with notes, and lessons."""
FORBIDDEN = {
    r"(?<![\w-])[Ww]hoever\b|\b[Ww]hatever (?:is|it|they)\b": "name the subject",
    r"^Who (?!.*\?$)|[;:] who (?!.*\?$)": "'who' without a noun: name the actor",
    r"^What (?!.*\?$)": "a sentence that begins with 'what': name the subject",
    r"^Where (?!.*\?$)": "say 'if' or 'when'",
    r"\bof (?:one's|its|their|your) own\b": "say 'its own …'",
    r"\bone's\b|\bone (?:may|can|has|sees|wants|need)\b": "say 'you'",
    r"\bas (?:the )?(?:hardware|vendor|machine)s? ha(?:s|ve) (?:it|them)\b": "say 'as on hardware'",
    r"\b(?:is|are) said\b": "say who says it",
    r"\bin silence\b|\bwithout a word\b": "say 'silently'",
    r"\bcommonest\b": "say 'most common'",
    r"\bha(?:s|ve) not[.,;]": "put the verb before its object",
    r", for (?:it|they|there|this|that|he)\b": "say 'because'",
    r"\bneed not\b": "say 'does not need to'",
    r"\bwhat does not go\b|\bno more than\b|\btakes? part in\b": "say it plainly",
    r"\bto wit\b|\bthereof\b|\bwhereby\b|\bbut for\b|\bsave for\b|\bupon\b": "say it plainly",
}
"""Patterns of sentences that a reader has to read twice, each with its cure."""


def pages() -> list[Path]:
    """The hand-written pages of the documentation, and the README."""
    kept = [
        path
        for path in sorted(DOCS.rglob("*.md"))
        if path.relative_to(DOCS).parts[0] not in (*GENERATED, *RECORDS)
    ]
    return [README, *kept]


def counted() -> list[Path]:
    """The pages whose words make the sum."""
    beside = [DOCS / name for name in BESIDE]
    return [page for page in pages() if page != README and not {*page.parents} & {*beside}]


def written(text: str) -> str:
    """A page without its generated parts."""
    return re.sub(r"<!-- generated: .*?<!-- end -->\n", "", text, flags=re.S)


def words(text: str) -> int:
    """How many words a page has that somebody wrote."""
    return len(written(text).split())


def running(text: str) -> str:
    """A page's running text: no code, tables, headings, HTML, or addresses of links."""
    text = re.sub(r"^```.*?^```\n", "\n", written(text), flags=re.S | re.M)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r"^<picture>.*?</picture>", "", text, flags=re.S | re.M)
    text = re.sub(r"^(?:#|\||    ).*$", "", text, flags=re.M)
    text = re.sub(r"^ *(?:[-*]|\d+\.) ", "\n", text, flags=re.M)
    text = re.sub(r"<[^>\n]+>|\*\*", "", text)
    text = re.sub(r"`[^`]*`", "code", text)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)


def sentences(text: str) -> Iterator[str]:
    """The sentences of a page's running text, each on one line."""
    for paragraph in re.split(r"\n\s*\n", running(text)):
        line = " ".join(paragraph.split())
        yield from (each for each in re.split(r"(?<=[.?!])[)\"']? +(?=[A-Z\d(\"'c])", line) if each)


def lengths(text: str) -> list[int]:
    """How many words each sentence has."""
    return [len(each.split()) for each in sentences(text)]


def faults(text: str) -> Iterator[str]:
    """Each use of a forbidden pattern, with its cure."""
    for sentence in sentences(text):
        for pattern, cure in FORBIDDEN.items():
            if re.search(pattern, sentence):
                yield f"{cure}: {sentence}"


def main() -> int:
    """Print the measures of every page."""
    for page in pages():
        text = page.read_text(encoding="utf-8")
        found = lengths(text) or [0]
        name = page.relative_to(DOCS.parent).as_posix()
        median = statistics.median(found)
        print(f"{name:40} {words(text):6,} {median:5} {max(found):4}")
        for fault in faults(text):
            print("   ", fault)
    print(f"in all {sum(words(page.read_text(encoding='utf-8')) for page in counted()):,}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
