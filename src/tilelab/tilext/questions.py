"""What the encoding document leaves open: one list, in English and Chinese, for the ISA's owners.

The list itself is ``questions.txt`` beside this module.
"""

from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True)
class Question:
    """One open point: the seed's ``lines``, the question twice, and the ``reading`` taken here."""

    key: str
    topic: str
    lines: str
    ask: str
    zh: str
    reading: str
    answered: str = ""
    """The document's lines that answer it themselves; "" while it is open."""


def _read(text: str) -> dict[str, Question]:
    found = {}
    for block in text.strip().split("\n\n")[1:]:
        head, ask, zh, reading = block.split("\n")
        key, topic, lines, *answered = (part.strip() for part in head.split("|"))
        if key in found:
            raise ValueError(f"questions.txt: two questions are called {key}")
        found[key] = Question(key, topic, lines, ask, zh, reading, "".join(answered))
    return found


EVERY: dict[str, Question] = _read(
    files("tilelab.tilext").joinpath("questions.txt").read_text(encoding="utf-8")
)
QUESTIONS = {key: question for key, question in EVERY.items() if not question.answered}
ANSWERED = {key: question for key, question in EVERY.items() if question.answered}
