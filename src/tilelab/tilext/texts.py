"""The text files beside this module, which the ISA's owners can read and correct.

The first paragraph of each says what the others hold; `` | `` parts columns.
"""

from functools import cache

from tilelab.sim.texts import text_of


def paragraphs(name: str) -> list[list[str]]:
    """The lines of each paragraph of a file but the first."""
    return [block.split("\n") for block in text_of(__package__, name).strip().split("\n\n")[1:]]


def columns(line: str) -> list[str]:
    """The columns of a line."""
    return [part.strip() for part in line.split(" | ")]


@cache
def words(language: str) -> dict[str, str]:
    """What pages and diagrams say in "en" or "zh", by what the program calls it: ``words.txt``."""
    chinese = language == "zh"
    return {key: zh if chinese else en for key, en, zh in paragraphs("words.txt")}
