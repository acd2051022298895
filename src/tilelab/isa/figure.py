"""Figures that say how they are known and from where, so that nothing unknown passes for known."""

from dataclasses import dataclass
from enum import StrEnum


class Provenance(StrEnum):
    """How a figure is known."""

    DOCUMENTED = "documented"
    DERIVED = "derived"
    MEASURED = "measured"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Figure:
    """A number of cycles (or of words, bytes), how it is known, and from where."""

    value: int
    provenance: Provenance
    source: str


def documented(value: int, source: str) -> Figure:
    """A figure that a document states (of "at least" the least)."""
    return Figure(value, Provenance.DOCUMENTED, source)


def derived(value: int, source: str) -> Figure:
    """A figure that follows from documented ones."""
    return Figure(value, Provenance.DERIVED, source)


def measured(value: int, source: str) -> Figure:
    """A figure that someone measured on a card; ``source`` says who, and what of."""
    return Figure(value, Provenance.MEASURED, source)


def unknown(value: int, source: str) -> Figure:
    """A figure that no document states; charged at its least."""
    return Figure(value, Provenance.UNKNOWN, source)


@dataclass(frozen=True)
class InstructionTiming:
    """One instruction: cycles until its unit accepts another, until it is out of its pipeline."""

    interval: Figure
    latency: Figure


UNTIMED = InstructionTiming(unknown(1, "no page"), unknown(1, "no page"))


def timing(interval: int, latency: int, source: str) -> InstructionTiming:
    """What a document says about an instruction's time."""
    return InstructionTiming(documented(interval, source), documented(latency, source))
