"""Families of published figures: how a row's text says which program gives it, and asking that.

A row is recognised by its words, never by its id, so that rows of the same families that were never
seen are asked as well.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from tilelab.calibrate import chip_families, documents, matmul, pto, vendor
from tilelab.calibrate.machine import NotRunError
from tilelab.calibrate.mechanisms import mechanism_of
from tilelab.calibrate.perfbench import ACTIVE, MATRIX_WORDS, STATES, Perfbench
from tilelab.calibrate.rows import AFTER, BEFORE, Figures, Part, Row
from tilelab.tensix.tables.mechanisms import Mechanism
from tilelab.tensix.tables.units import FIDELITIES

NUMBERS = {"one": 1, "two": 2, "three": 3, "1": 1, "2": 2, "3": 3}
CORE = {"unpack": 0, "math": 1, "pack": 2}


@dataclass(frozen=True)
class Answer:
    """What the model gives for a row: a figure, or why there is none."""

    mechanism: Mechanism
    predicted: float | None = None
    reason: str = ""
    state: str = ""
    """Of the states in which a card may have been, and in which it differs: the one that is meant,
    which is that whose figure is nearest."""
    parts: tuple[Part, ...] = ()
    """All figures of a row that publishes several; ``predicted`` is what is furthest off."""

    @property
    def low(self) -> float | None:
        """The least that the figure can be, by how well its mechanism is known."""
        return None if self.predicted is None else self.predicted - self.off(self.predicted)

    @property
    def high(self) -> float | None:
        """The most."""
        return None if self.predicted is None else self.predicted + self.off(self.predicted)

    def off(self, predicted: float) -> float:
        """How far a figure may be off, by how well the mechanism is known."""
        return predicted * min(self.mechanism.spread, 100) / 100


Ask = Callable[[Perfbench, Row, str, "re.Match[str]"], Figures]
"""Gives the figure on a chip."""
DOCUMENTED = "documented"
PTO = "PTO"
_ELSEWHERE = (vendor.counted, pto.instruction)
"""What gives figures that are of no Tensix chip."""


def _threads(text: str) -> int:
    threads = NUMBERS.get(text)
    if threads not in ACTIVE:
        raise NotRunError(f"{text} threads: a tile has 3")
    return threads


def _tensix(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> Figures:
    core, threads = int(found["core"]), _threads(found["threads"])
    word = found["probe"]
    if word not in MATRIX_WORDS:
        return bench.tensix(arch, word, core, threads)
    return {state: bench.tensix(arch, word, core, threads, state) for state in STATES}


def _riscv(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> float:
    core, threads = int(found["core"]), _threads(found["threads"])
    return bench.riscv(arch, found["probe"], core, threads)


def _zone(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> float:
    return float(bench.zone(arch, found["probe"])[0])


def _divide(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> float:
    return bench.divide(arch, int(found["bits"]))


def _queue(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> float:
    said = re.search(r"\b(one|two|three|[123])\b[ \w]*thread", f"{row.what} {row.conditions}")
    return bench.queue_depth(arch, NUMBERS[said[1]] if said else 1)


def _footprint(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> float:
    said = re.search(r"TRISC(\d)", f"{row.what} {row.conditions}")
    return float(bench.footprint(arch, int(said[1]) if said else 1))


def _matmul(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> Figures:
    if found["fidelity"] not in FIDELITIES:
        raise NotRunError(f"no fidelity {found['fidelity']}")
    said = re.search(r"(unpack|math) thread", row.what)
    core = CORE[said[1]] if said else 1
    return matmul.cycles_a_tile(bench, arch, found["fidelity"], core)


def _document(bench: Perfbench, row: Row, arch: str, found: re.Match[str]) -> Figures:
    figure = documents.charged(row)
    if figure is None:
        raise NotRunError("the cycle clock has no figure of that on one tile")
    return figure


FAMILIES: tuple[tuple[str, str, Ask], ...] = (
    (
        "",
        r"(?P<probe>\w+) issued as \.ttinsn\b.*\bTRISC(?P<core>[0-2])\b.*\b(?P<threads>\d+) thread",
        _tensix,
    ),
    (
        "",
        r"(?P<probe>\w+) \(\w+\) cycles per instruction/group on TRISC(?P<core>[0-2])\b.*"
        r"\b(?P<threads>\d+) TRISC",
        _riscv,
    ),
    ("", r"zone (?P<probe>\w+)\b.*\bcycles for [\d,]+ retired", _zone),
    ("div", r"div\w*(?:/div\w*)?\b.*\b(?P<bits>\d+)-bit dividend", _divide),
    ("queue", r"Tensix instruction queue depth", _queue),
    ("footprint", r".*instruction-cache footprint boundary", _footprint),
    ("matmul_tiles", r"matmul_tiles inner loop, (?P<fidelity>\w+)", _matmul),
    (DOCUMENTED, r"matmul (?P<names>LoFi[\w/]*) ideal", documents.ideal_matmul),
    (PTO, pto.PATTERN, pto.instruction),
    *chip_families.FAMILIES,
    *vendor.FAMILIES,
    (DOCUMENTED, r".+", _document),
)
"""The probe's name, if the row does not give it; how a row is recognised; how it is asked."""


def answer(bench: Perfbench, row: Row) -> Answer:
    """What the model gives for a row."""
    for probe, pattern, ask in FAMILIES:
        found = re.match(pattern, row.what)
        if found is None or (ask is _document and not row.group.startswith("A0")):
            continue
        known = pto.MECHANISM if probe == PTO else mechanism_of(probe or found["probe"])
        if not row.chips and ask not in _ELSEWHERE:
            return Answer(known, reason=f"chip {row.chip!r} is not one of tilelab's")
        try:
            return _nearest(row, known, _asked(bench, row, ask, found))
        except NotRunError as why:
            return Answer(known, reason=str(why))
    return Answer(mechanism_of(""), reason=_needs(row))


def _asked(bench: Perfbench, row: Row, ask: Ask, found: re.Match[str]) -> Figures:
    """What a row's chip gives; a row of two chips is of both, of none as its family says."""
    if len(row.chips) < 2:
        arch = "".join(row.chips)
        figures = ask(bench, row, arch, found)
        if bench.older is None or row.change is None or not isinstance(figures, float):
            return figures
        old, new = row.change
        before = ask(bench.older, row, arch, found)
        assert isinstance(before, float)
        return [Part(BEFORE, old, before), Part(AFTER, new, figures)]
    parts = []
    for chip in row.chips:
        figures = ask(bench, row, chip, found)
        if not isinstance(figures, list):
            raise NotRunError(f"it is one figure of {' and '.join(row.chips)}")
        parts += [replace(part, name=f"{chip} {part.name}") for part in figures]
    return parts


def _nearest(row: Row, known: Mechanism, figures: Figures) -> Answer:
    """The answer that a row's figures give: of states the nearest, of parts the furthest."""
    if isinstance(figures, list):
        worst = max(figures, key=lambda part: abs(part.error))
        return Answer(known, worst.predicted, parts=tuple(figures))
    if not isinstance(figures, dict):
        return Answer(known, figures)
    state = min(figures, key=lambda name: abs(row.error(figures[name]) or 0))
    return Answer(known, figures[state], state=state)


def _needs(row: Row) -> str:
    """Why a row of no known family is not asked."""
    needs = row.can_we_run.partition(";")[0].strip()
    said = f"; it needs: {needs}" if needs and not needs.startswith("yes") else ""
    return f"no family of programs that one tile runs gives this{said}"
