"""Scores for a program that asks again and again: a line of JSON in, a line of JSON out.

A request names a kernel (``target``) and may bring another source (``code``, or the path
``source``). Nothing that a candidate does ends the service, and what was scored before is not
scored again.
"""

import json
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from hashlib import sha256
from typing import Any, Final

from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.runs.processes import Limits
from tilelab.score.apart import scored, wanted_of
from tilelab.score.one import Wanted
from tilelab.score.result import Score
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import folder_meanwhile

KEYS: Final = ("id", "target", "code", "source", "schedules")
LARGEST_CODE: Final = 1 << 20
"""Characters of a source in a request."""
LARGEST_LINE: Final = 8 << 20
KEPT: Final = 10_000
"""Scores that are remembered."""


class Service:
    """Answers requests, one after another."""

    def __init__(self, limits: Limits, max_cycles: int, compiler: str = "") -> None:
        self._limits = limits
        self._max_cycles = max_cycles
        self._compiler = compiler
        self._known: OrderedDict[str, Score] = OrderedDict()
        self.again = 0
        """How many requests were answered from what was scored before."""

    def answers(self, lines: Iterable[str]) -> Iterator[str]:
        """A line for each line; one that is no request is answered with an ``error``."""
        for line in lines:
            if not line.strip():
                continue
            try:
                yield json.dumps(self.answer(_parsed(line)))
            except BadInputError as error:
                yield json.dumps({"error": error.summary})

    def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        """What a request is answered: its ``id``, if it has one, and ``score`` or ``error``."""
        named = {"id": asked["id"]} if "id" in asked else {}
        try:
            _check(asked)
            return named | {"score": self.score(asked).to_dict()}
        except BadInputError as error:
            return named | {"error": error.summary}

    def score(self, asked: Mapping[str, Any]) -> Score:
        """The score of what a request asks; BadInputError for a request that means nothing."""
        code = asked.get("code")
        with folder_meanwhile("tilelab-") as folder:
            source = asked.get("source")
            if code is not None:
                source = folder / "candidate.cpp"
                source.write_text(code, encoding="utf-8")
            given = asked.get("schedules", 0), self._max_cycles, self._compiler
            wanted = wanted_of(asked["target"], source, *given)
            if len(wanted) != 1:
                raise BadInputError(f"target: {len(wanted)} kernels; a request is for one")
            key = content(wanted[0])
            if key not in self._known:
                with closing(scored(wanted, self._limits, 1, lambda running: None)) as running:
                    self._known[key] = next(running)
            else:
                self.again += 1
        self._known.move_to_end(key)
        if len(self._known) > KEPT:
            self._known.popitem(last=False)
        return self._known[key]


def _parsed(line: str) -> dict[str, Any]:
    if len(line) > LARGEST_LINE:
        raise BadInputError(f"a request of more than {LARGEST_LINE >> 20} MiB")
    try:
        asked = json.loads(line)
    except (ValueError, RecursionError):
        raise BadInputError("a request is one line of JSON") from None
    if not isinstance(asked, dict):
        raise BadInputError("a request is a JSON object")
    return asked


def _check(asked: Mapping[str, Any]) -> None:
    """BadInputError for a request that means nothing."""
    if unknown := sorted(set(asked) - set(KEYS)):
        raise BadInputError(f"a request has no {unknown[0]!r}; it has {', '.join(KEYS)}")
    if "target" not in asked:
        raise BadInputError("a request names its target")
    for name in ("target", "code", "source"):
        text = asked.get(name, "-")
        if not isinstance(text, str) or not text or "\0" in text:
            raise BadInputError(f"{name} is a text that is not empty")
    if "code" in asked and "source" in asked:
        raise BadInputError("code and source exclude each other")
    if len(asked.get("code", "")) > LARGEST_CODE:
        raise BadInputError(f"code of more than {LARGEST_CODE >> 20} MiB")


def content(wanted: Wanted) -> str:
    """What a score depends on: the kernel's folder, its inputs, the source, how it is scored."""
    digest = sha256(repr((wanted.schedules, wanted.max_cycles, wanted.compiler)).encode())
    files = {path for path in wanted.path.parent.iterdir() if path.is_file()}
    try:
        files |= {one.file for one in read_kernel_file(wanted.path, elfs_exist=False).inputs}
    except BadInputError as error:
        digest.update(error.summary.encode())
    if wanted.source is not None:
        digest.update(wanted.source.read_bytes())
    for path in sorted(files):
        digest.update(f"\n{path}\n".encode())
        digest.update(sha256(path.read_bytes()).digest())
    return digest.hexdigest()
