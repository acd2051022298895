"""What a run gave: for people, and as data, whose parts ``docs/kernels.md`` describes."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import escape
from itertools import groupby
from math import isfinite
from typing import Any

from tilelab.kernels.expansions import KEPT, ExpansionTally, PushSite, SiteTally, tally_html
from tilelab.kernels.outputs import OutputResult
from tilelab.kernels.throttle import explain, recognise
from tilelab.report.breakdown import Breakdown
from tilelab.sim.errors import MachineError, TilelabError
from tilelab.tensix.arch import ARCHES
from tilelab.tensix.report.html import table
from tilelab.tensix.words.origin import CORE_NAMES, unpack_origin

NAMES = {row.opcode: row.name for row in ARCHES["blackhole"].instructions.values()}
"""Of every opcode; Wormhole's are among Blackhole's, by the same names."""
CORES = range(4)


@dataclass(frozen=True)
class ThreadCounts:
    """One thread's instructions: pushed, out of the expanders, issued, rounds held at the gate."""

    pushed: int
    expanded: int
    issued: int
    stalled: int
    units: dict[str, int]
    opcodes: dict[str, int]


def _unknown(core: int, pc: int) -> str:
    return ""


@dataclass(frozen=True)
class _Lines:
    """A result's ``line_of`` in another process: of the places that push words."""

    known: dict[tuple[int, int], str]

    def __call__(self, core: int, pc: int) -> str:
        return self.known.get((core, pc), "")


@dataclass(repr=False)
class KernelResult:
    """What a run gave. Printed, it is one line."""

    name: str
    cycles: int
    outputs: list[OutputResult]
    threads: list[ThreadCounts]
    retired: dict[str, int]
    expansions: ExpansionTally
    warnings: list[str] = field(default_factory=list)
    line_of: Callable[[int, int], str] = field(default=_unknown, repr=False)
    """The author's source line of a core's program counter; "" if unknown."""
    prints: list[str] = field(default_factory=list)
    """Lines that the kernel printed, each with its core."""
    breakdown: Breakdown | None = None
    """Where the time went; None under the functional clock, which counts none."""
    constants: Mapping[str, int] = field(default_factory=dict)
    """Those that it was built with, of a study of several."""
    error: None = field(default=None, init=False)
    """What ended it: nothing. :class:`~tilelab.runs.study.FailedRun` has an error here."""

    def __getstate__(self) -> dict[str, Any]:
        """For other processes: instead of the programs, the lines of what a report names."""
        lines = {(s.core, s.pc): self.line_of(s.core, s.pc) for s in self.expansions.sites}
        return {**vars(self), "line_of": _Lines(lines)}

    @property
    def passed(self) -> bool:
        """Whether every checked output is right."""
        return all(output.passed for output in self.outputs)

    def to_dict(self) -> dict[str, Any]:
        """The run as data, of JSON's types alone, as ``tilelab run --json`` prints it."""
        made = {
            "name": self.name,
            "passed": self.passed,
            "cycles": self.cycles,
            "outputs": [_output(output) for output in self.outputs],
            "threads": {str(t): vars(counts) for t, counts in enumerate(self.threads)},
            "riscv_instructions": self.retired,
            "expansions": [
                {
                    "thread": site.thread,
                    "core": CORE_NAMES.get(site.core, "host"),
                    "pc": site.pc,
                    "times": tally.runs,
                    "issued": tally.issued,
                    "chain": chain(tally),
                }
                for site, tally in self.expansions.sites.items()
            ],
            "warnings": self.warnings,
            "prints": self.prints,
        }
        if self.constants:
            made["constants"] = dict(self.constants)
        if self.breakdown is not None:
            made["breakdown"] = breakdown_document(self.breakdown, self)
        return made

    def row(self) -> dict[str, Any]:
        """The run as one row of a table: ``pandas.DataFrame(r.row() for r in results)``.

        Numbers and texts alone, under names that do not change. What there is no number of (a
        breakdown under the functional clock) has no column.
        """
        made: dict[str, Any] = {"name": self.name, **self.constants, "passed": self.passed}
        made |= {"error": "", "cycles": self.cycles}
        made["wrong"] = sum(output.wrong for output in self.outputs)
        errors = [output.worst for output in self.outputs if output.worst is not None]
        made["largest_error"] = max(errors, default=0.0)
        for t, counts in enumerate(self.threads):
            made[f"t{t}_issued"] = counts.issued
        if self.breakdown is not None:
            for t, part in enumerate(self.breakdown.threads):
                made[f"t{t}_utilisation"] = part.utilisation
            made["flops"], made["bound"] = self.breakdown.flops, self.breakdown.bound
        return made

    def __repr__(self) -> str:
        verdict = ("PASS" if self.passed else "FAIL") if self.outputs else "RAN"
        wrong = [
            f"{o.address:#x}: {o.wrong} of {o.elements} wrong" for o in self.outputs if o.wrong
        ]
        return f"<{verdict} {self.name}, {self.cycles:,} cycles{''.join(f', {w}' for w in wrong)}>"

    def _repr_html_(self) -> str:
        """For notebooks."""
        verdict = "PASS" if self.passed else "FAIL"
        if not self.outputs:
            verdict = "ran"
        threads = [
            [
                f"T{t}",
                c.pushed,
                c.expanded,
                c.issued,
                ", ".join(f"{u} {n:,}" for u, n in c.units.items()),
            ]
            for t, c in enumerate(self.threads)
        ]
        return (
            f"<div><b>{escape(self.name)}: {verdict}, {self.cycles:,} cycles</b>"
            + table(("thread", "pushed", "expanded", "issued", "by unit"), threads)
            + tally_html(self.expansions, self.line_of)
            + "</div>"
        )


def chain(tally: SiteTally) -> str:
    """One expansion in a line: ``1 MOP -> 4 REPLAY(16 words) -> 64 MVMUL, 1 SETRWC``."""
    from_mop = any(unpack_origin(origin).mop_step is not None for _, origin in tally.first)
    groups = []
    for _, group in groupby(tally.first, key=lambda item: _emission(item[1])):
        words = list(group)
        played = unpack_origin(words[0][1]).replay_slot is not None
        groups.append(
            f"REPLAY({len(words)} words)" if played else NAMES.get(words[0][0] >> 24, "?")
        )
    issued = [NAMES.get(word >> 24, f"opcode {word >> 24:#x}") for word, _ in tally.first]
    parts = [_counted(groups)] if from_mop else []
    if not from_mop or any(text.startswith("REPLAY") for text in groups):
        parts.append(_counted(issued))
    kept = f"   (of its first {KEPT:,} words)" if len(tally.first) >= KEPT else ""
    return " -> ".join(["1 MOP" if from_mop else "1 REPLAY", *parts]) + kept


def _emission(origin: int) -> tuple[int | None, bool]:
    """What tells apart the words that the MOP expander emitted."""
    where = unpack_origin(origin)
    return where.mop_step, where.replay_slot is not None


def _counted(items: list[str]) -> str:
    return ", ".join(f"{count} {item}" for item, count in Counter(items).items())


def where(site: PushSite, line: str = "") -> str:
    """A thread, and who pushed where: the author's line first, if it is known."""
    if site.core not in CORES:
        return f"T{site.thread} {line or f'line {site.pc}'}"
    pushed = f"{CORE_NAMES[site.core]} {site.pc:#x}"
    return f"T{site.thread} {line} ({pushed})" if line else f"T{site.thread} {pushed}"


def category(error: TilelabError) -> str:
    """What kind of thing went wrong, in one word."""
    return error.category if isinstance(error, MachineError) else "BadInput"


def failed(name: str, error: TilelabError) -> dict[str, Any]:
    """A run that ended in an error, in the same form."""
    said = {"category": category(error), "summary": error.summary, "detail": error.detail}
    return {"name": name, "passed": False, "error": said}


def _output(output: OutputResult) -> dict[str, Any]:
    first = output.first
    return {
        "address": output.address,
        "shape": list(output.shape),
        "passed": output.passed,
        "elements": output.elements,
        "wrong": output.wrong,
        "largest_error": number(output.worst),
        "bytes_differ": output.bytes_differ,
        "not_pushed": output.not_pushed or None,
        "first_wrong": None
        if first is None
        else {
            "index": list(first.index),
            "got": number(first.got),
            "expected": number(first.expected),
        },
        "diagnosis": list(output.diagnosis),
    }


def number(value: float | None) -> float | str | None:
    """A number for JSON, which has no infinities and NaNs: those become text."""
    return value if value is None or isfinite(value) else str(value)


def throttles(result: KernelResult, *, firmware: bool) -> list[str]:
    """What of a run was a throttled matmul: a line for each thread and level.

    ``firmware``: whether firmware's flag was set.
    """
    found: dict[tuple[int, int], list[PushSite]] = {}
    for site, tally in result.expansions.sites.items():
        level = recognise({NAMES.get(op, ""): count for op, count in tally.opcodes.items()})
        if level is not None:
            found.setdefault((site.thread, level), []).append(site)
    return [
        f"{_place(result, sites[0])}{_and_more(len(sites))} {explain(level, firmware=firmware)}"
        for (_, level), sites in found.items()
    ]


def _place(result: KernelResult, site: PushSite) -> str:
    return where(site, result.line_of(site.core, site.pc))


def _and_more(places: int) -> str:
    return "" if places == 1 else f" and {places - 1} more"


def breakdown_document(made: Breakdown, result: KernelResult | None) -> dict[str, Any]:
    """The breakdown for ``--json`` and pages; docs/cycles.md describes it."""
    found = throttles(result, firmware=made.firmware_throttle) if result else []
    return {**made.as_dict(), "throttled": found}
