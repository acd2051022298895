"""The text files beside this module, which the ISA's owners can read and correct."""

from functools import cache

from tilelab.sim.texts import paragraphs


@cache
def words(language: str) -> dict[str, str]:
    """What pages and diagrams say in "en" or "zh", by what the program calls it: ``words.txt``."""
    chinese = language == "zh"
    return {key: zh if chinese else en for key, en, zh in paragraphs(__package__, "words.txt")}
