"""What the encoding document leaves open: one list, in English and Chinese, for the ISA's owners.

The list itself is ``questions.txt`` beside this module.
"""

from dataclasses import dataclass

from tilelab.sim.texts import columns, paragraphs


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


def _read(head: str, ask: str, zh: str, reading: str) -> Question:
    key, topic, lines, *answered = columns(head)
    return Question(key, topic, lines, ask, zh, reading, "".join(answered))


_READ = [_read(*lines) for lines in paragraphs(__package__, "questions.txt")]
EVERY: dict[str, Question] = {question.key: question for question in _READ}
if len(EVERY) < len(_READ):
    raise ValueError("questions.txt: two questions have one key")
QUESTIONS = {key: question for key, question in EVERY.items() if not question.answered}
ANSWERED = {key: question for key, question in EVERY.items() if question.answered}
