"""Claims that lines race, as people and issues write them: one by one, in lists, in tables.

A claim names two places, ``FILE:LINE races FILE:LINE``, or one, which races with whatever it is. A
file has one claim on each line, with comments behind ``#``; or it is Markdown (``.md``), as the
vendor's audits are (tt-metal#50973): then claims are what stands between backquotes in a table's
first column or in a heading, and all else is prose.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tilelab.sim.errors import BadInputError
from tilelab.sim.files import read_file

PLACE: Final = r"(?P<{0}_file>[^\s:`|]+):(?P<{0}_line>\d+)"
CLAIM: Final = re.compile(rf"{PLACE.format('a')}(?:\s+races\s+{PLACE.format('b')})?")
QUOTED: Final = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class Claim:
    """Two places, each ``file:line``; the second is "" if nobody says with what the first races."""

    first: str
    second: str = ""

    def __str__(self) -> str:
        return f"{self.first} races {self.second}" if self.second else self.first


def read_claims(given: Sequence[str]) -> list[Claim]:
    """Claims, and files of claims; BadInputError for what is neither."""
    made = []
    for text in given:
        named = Path(text)
        if " " in text.strip() or not named.is_file():
            made.append(_claim(text, ""))
            continue
        lines = read_file(named).decode("utf-8", "replace").splitlines()
        found = list(_of_table(lines) if named.suffix == ".md" else _of_list(text, lines))
        if not found:
            raise BadInputError(f"{text}: has no claim in it")
        made += found
    return made


def _of_list(file: str, lines: Sequence[str]) -> Iterator[Claim]:
    """One claim on each line."""
    for number, line in enumerate(lines, 1):
        if said := line.partition("#")[0].strip():
            yield _claim(said, f"{file}:{number}: ")


def _of_table(lines: Sequence[str]) -> Iterator[Claim]:
    """Of Markdown, what is quoted in first columns and in headings."""
    for line in lines:
        row = line.strip()
        cell = row.strip("|").partition("|")[0] if row.startswith("|") else row
        if row.startswith(("|", "#")) and (quoted := QUOTED.search(cell)):
            if match := CLAIM.fullmatch(quoted[1].strip()):
                yield _made(match)


def _claim(said: str, where: str) -> Claim:
    match = CLAIM.fullmatch(said.strip())
    if match is None:
        raise BadInputError(
            f"{where}--claim {said.strip()!r}: a claim is 'FILE:LINE races FILE:LINE', or "
            "'FILE:LINE', or a file of such lines"
        )
    return _made(match)


def _made(match: re.Match[str]) -> Claim:
    places = [
        f"{Path(match[f'{side}_file']).name}:{match[f'{side}_line']}"
        for side in "ab"
        if match[f"{side}_file"]
    ]
    return Claim(*places)
