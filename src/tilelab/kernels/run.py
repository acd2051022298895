"""Runs what a ``kernel.toml`` describes on a tile, and checks what it leaves in L1."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from tilelab.kernels.arrays import placed_bytes
from tilelab.kernels.document import entry, row
from tilelab.kernels.expansions import ExpansionTally, tally_html
from tilelab.kernels.kernel_toml.file import KernelFile, read_kernel_file
from tilelab.kernels.l1_places import check_apart_from_programs, outdated
from tilelab.kernels.outputs import OutputResult, compare
from tilelab.kernels.prints import Prints
from tilelab.kernels.warned import warnings_told
from tilelab.report.breakdown import Breakdown, breakdown
from tilelab.sim.errors import (
    BadInputError,
    CycleLimitError,
    DeadlockError,
    TilelabError,
)
from tilelab.tensix.report.html import table
from tilelab.tensix.riscv.elf import load_elf
from tilelab.tensix.run.stop_reason import StopReason
from tilelab.tensix.state import CORES, THREADS
from tilelab.tensix.tables.l1_map import CIRCULAR_BUFFERS
from tilelab.tensix.tile.arguments import whole
from tilelab.tensix.tile.tile import Tile
from tilelab.tensix.words.origin import CORE_NAMES

DEFAULT_MAX_CYCLES = 20_000_000
CHUNK = 20_000
"""Rounds between two reports of progress."""


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
        return entry(self)

    def row(self) -> dict[str, Any]:
        """The run as one row of a table: ``pandas.DataFrame(r.row() for r in results)``."""
        return row(self)

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


def load(tile: Tile, kernel: KernelFile) -> None:
    """Put programs and inputs into a tile, clear its mailboxes and start its cores.

    BadInputError, with nothing written, if a file cannot be used.
    """
    programs = {core: load_elf(path) for core, path in kernel.elfs.items()}
    inputs = [(item.address, placed_bytes(item)) for item in kernel.inputs]
    check_apart_from_programs(kernel, programs)
    tile.load_programs(programs)
    for address, data in inputs:
        tile.write(address, data)
    for address in kernel.done.mailboxes.values():
        tile.write(address, bytes(4))
    note_buffers(tile, kernel)
    tile.note_arrays(kernel.inputs, (*kernel.outputs, *kernel.rings))
    tile.start(*kernel.elfs)


def note_buffers(tile: Tile, kernel: KernelFile) -> None:
    """Have traces note the fill of the kernel's circular buffers."""
    placed = {item.buffer for item in kernel.circular_buffers if item.buffer is not None}
    cycle = tile.state.s.cycle
    cycle.buffers = sum(1 << number for number in placed)
    cycle.buffer_counters = CIRCULAR_BUFFERS.start


def check_fresh(tile: Tile) -> None:
    """BadInputError if a tile has run already: what it left would mix with what comes."""
    if not tile.fresh:
        raise BadInputError(
            f"the tile has run already, to cycle {int(tile.state.s.clock):,}: take a new one"
        )


def run_kernel(
    kernel: KernelFile | Path | str,
    tile: Tile | None = None,
    max_cycles: int = DEFAULT_MAX_CYCLES,
    progress: Callable[[int], None] | None = None,
) -> KernelResult:
    """Run a kernel on a fresh tile and compare its outputs.

    ``kernel`` is what :func:`read_kernel_file` gives, or the path that it takes: of a folder or a
    kernel.toml. ``tile`` is a new one of the kernel's chip if none is given. BadInputError if the
    kernel cannot be used, if the tile is of another chip or has run already. Raises what goes wrong
    on the way: a failed check, DeadlockError, or CycleLimitError when the mailboxes are not set
    after ``max_cycles`` rounds. ``progress`` is called now and then with the rounds run so far.
    """
    if not isinstance(kernel, KernelFile):
        kernel = read_kernel_file(kernel)
    if tile is None:
        tile = Tile(kernel.arch)
    if not isinstance(tile, Tile):
        raise BadInputError(f"tile is a Tile, not {tile!r}")
    max_cycles = whole("max_cycles", max_cycles)
    if kernel.arch != tile.arch.name:
        raise BadInputError(f"{kernel.path}: is for {kernel.arch}; the tile is {tile.arch.name}")
    check_fresh(tile)
    tally = ExpansionTally()
    tile.observe(tally)
    prints = Prints(tile, kernel)
    load(tile, kernel)
    prints.clear()
    stale = outdated(kernel)
    with warnings_told(tile, stale):
        try:
            _until_done(tile, kernel, max_cycles, prints, progress)
        except TilelabError as error:
            raise prints.told(error) from None
    prints.finish()
    outputs = [compare(tile, kernel, output) for output in kernel.outputs]
    result = collect(str(kernel.path.parent.name), tile, outputs, tally)
    result.warnings[:0] = stale
    result.prints = prints.lines
    return result


def _until_done(
    tile: Tile,
    kernel: KernelFile,
    max_cycles: int,
    prints: Prints,
    progress: Callable[[int], None] | None,
) -> None:
    """Run until the mailboxes say so; as :func:`run_kernel` otherwise."""
    done_words = dict.fromkeys(kernel.done.mailboxes.values(), kernel.done.value)
    while True:
        left = max_cycles - int(tile.state.s.clock)
        if left <= 0:
            raise CycleLimitError(
                f"CycleLimit: not done after {max_cycles} cycles; raise --max-cycles or look for "
                "an endless loop",
                tile.whereabouts(),
            )
        try:
            reason = tile.run(min(left, CHUNK), watch=done_words)
        except DeadlockError:
            if not prints.take():
                raise
            continue  # a core waited for its print to be read
        printed = prints.take()
        if progress is not None:
            progress(int(tile.state.s.clock))
        if reason is StopReason.CONDITION:
            return
        if reason is StopReason.IDLE and not printed:
            raise tile.deadlock()


def collect(
    name: str, tile: Tile, outputs: list[OutputResult], tally: ExpansionTally
) -> KernelResult:
    """Gather a run's counts."""
    retired = {
        CORE_NAMES[core]: int(tile.state.s.riscv[core].retired)
        for core in range(CORES)
        if core in tile.programs
    }
    return KernelResult(
        name=name,
        cycles=int(tile.state.s.clock),
        outputs=outputs,
        threads=[thread_counts(tile, t) for t in range(THREADS)],
        retired=retired,
        expansions=tally,
        warnings=tile.warnings,
        line_of=tile.sources.line,
        breakdown=breakdown(tile.state) if tile.state.s.cycle.on else None,
    )


def thread_counts(tile: Tile, t: int) -> ThreadCounts:
    """One thread's counts so far."""
    frontend = tile.state.s.frontend[t]
    units: Counter[str] = Counter()
    opcodes: Counter[str] = Counter()
    for opcode in np.flatnonzero(tile.state.engine["issued"][t]):
        row = tile.arch.instructions.by_opcode[int(opcode)]
        count = int(tile.state.engine["issued"][t, opcode])
        units[str(row.unit)] += count
        opcodes[row.name] += count
    return ThreadCounts(
        pushed=int(frontend.pushed),
        expanded=int(frontend.expanded),
        issued=int(frontend.issued),
        stalled=int(tile.state.engine["stalled"][t]),
        units=dict(units.most_common()),
        opcodes=dict(opcodes.most_common()),
    )
