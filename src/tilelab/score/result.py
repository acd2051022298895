"""A score, and as data: the document that ``docs/score.schema.json`` describes."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from tilelab.check.findings import Finding
from tilelab.kernels.outputs import OutputResult
from tilelab.kernels.result import KernelResult, number
from tilelab.score.ulp import Errors

VERSION: Final = 1


@dataclass(frozen=True)
class Cycles:
    """Cycles under the cycle clock: as the kernel is, and between which they may lie on a card.

    ``low`` and ``high`` are the interval about the least and the most of the placements; ``tiles``
    are the 32x32 tiles of all outputs.
    """

    value: int
    low: int
    high: int
    tiles: int
    placements: tuple[int, ...]
    weakest: str
    bound: str


@dataclass(frozen=True)
class Score:
    """What came of a kernel. ``category`` is "" where nothing is wrong with it.

    ``correct``: its outputs, and where asked every number of an input, are right. ``code``: bytes
    by core. ``schedules``: how many were run; 0 also where none was asked for.
    ``baseline``: what the kernel.toml gives. ``run``: under the
    cycle clock, where a comparison is wanted; it is not part of the document.
    """

    name: str
    correct: bool = False
    category: str = ""
    message: str = ""
    exit_code: int = 0
    outputs: tuple[OutputResult, ...] = ()
    ulp: Errors | None = None
    cycles: Cycles | None = None
    code: dict[str, int] = field(default_factory=dict)
    lregs: int = 0
    replay_slots: int = 0
    findings: tuple[Finding, ...] = ()
    schedules: int = 0
    baseline: int | None = None
    run: KernelResult | None = None

    def to_dict(self) -> dict[str, Any]:
        """The score as data, of JSON's types alone, the same to the byte each time."""
        return {
            "name": self.name,
            "correct": self.correct,
            "category": self.category or None,
            "message": self.message or None,
            "outputs": [_output(output) for output in self.outputs],
            "ulp": None if self.ulp is None else _errors(self.ulp),
            "cycles": None if self.cycles is None else _cycles(self.cycles),
            "code_bytes": self.code,
            "lregs": self.lregs,
            "replay_slots": self.replay_slots,
            "findings": [_finding(one) for one in self.findings],
            "schedules": self.schedules,
            "baseline": self.baseline,
        }


def document(scores: Iterable[Score]) -> dict[str, Any]:
    """All scores of one call."""
    return {"version": VERSION, "scores": [score.to_dict() for score in scores]}


def _output(output: OutputResult) -> dict[str, Any]:
    return {
        "address": output.address,
        "shape": list(output.shape),
        "elements": output.elements,
        "wrong": output.wrong,
        "largest_error": number(output.worst),
    }


def _errors(errors: Errors) -> dict[str, Any]:
    made = asdict(errors)
    for asked in (made["worst"], *made["special"]):
        asked.update({name: number(value) for name, value in asked.items()})
    made["special"] = list(made["special"])
    made["octaves"] = list(made["octaves"])
    return made


def _cycles(cycles: Cycles) -> dict[str, Any]:
    made = asdict(cycles)
    made["placements"] = list(cycles.placements)
    made["per_tile"] = round(cycles.value / cycles.tiles, 2) if cycles.tiles else None
    return made


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "check": finding.check,
        "message": finding.message,
        "lines": [party.line for party in finding.parties if party.line],
        "cure": finding.cure or None,
    }
