"""Runs what a ``kernel.toml`` describes on a tile, and checks what it leaves in L1."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tilelab.kernels.arrays import placed_bytes
from tilelab.kernels.expansions import ExpansionTally
from tilelab.kernels.kernel_toml.file import KernelFile, read_kernel_file
from tilelab.kernels.l1_places import check_apart_from_programs, outdated
from tilelab.kernels.outputs import OutputResult, compare, expected_values
from tilelab.kernels.page_counts import pages_left
from tilelab.kernels.prints import Prints
from tilelab.kernels.result import KernelResult, ThreadCounts
from tilelab.kernels.warned import warnings_told
from tilelab.report.breakdown import breakdown
from tilelab.sim.errors import (
    BadInputError,
    CycleLimitError,
    DeadlockError,
    TilelabError,
)
from tilelab.tensix.cycle.looks import IN_STREAMS
from tilelab.tensix.riscv.csr import CFG0_NO_DATA_CACHE
from tilelab.tensix.riscv.elf import load_elf
from tilelab.tensix.run.stop_reason import StopReason
from tilelab.tensix.state import CORES, THREADS
from tilelab.tensix.state.noc_record import ITSELF
from tilelab.tensix.tables.l1_map import CIRCULAR_BUFFERS
from tilelab.tensix.tile.arguments import whole
from tilelab.tensix.tile.tile import Tile
from tilelab.tensix.words.origin import CORE_NAMES

DEFAULT_MAX_CYCLES = 20_000_000
CHUNK = 20_000
"""Rounds between two reports of progress."""


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
    if kernel.build and kernel.build.headers and tile.arch.data_cache_lines:
        for core in range(CORES):  # as tt-metal's firmware does, unless it is asked not to
            tile.state.s.riscv[core].cfg0 |= CFG0_NO_DATA_CACHE


def note_buffers(tile: Tile, kernel: KernelFile) -> None:
    """Have traces note the fill of the kernel's circular buffers."""
    placed = {item.buffer for item in kernel.circular_buffers if item.buffer is not None}
    cycle = tile.state.s.cycle
    cycle.buffers = sum(1 << number for number in placed)
    cycle.buffer_counters = CIRCULAR_BUFFERS.start
    if kernel.build and kernel.build.headers:
        cycle.buffer_counters = IN_STREAMS
        if not tile.state.s.noc.connected:  # streams belong to the NoC
            tile.state.s.noc.connected = ITSELF


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
        raise BadInputError(f"{kernel.shown}: is for {kernel.arch}; the tile is {tile.arch.name}")
    check_fresh(tile)
    expected = [expected_values(kernel, output) for output in kernel.outputs]
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
    outputs = [
        compare(tile, kernel, output, wanted)
        for output, wanted in zip(kernel.outputs, expected, strict=True)
    ]
    result = collect(str(kernel.path.parent.name), tile, outputs, tally)
    result.warnings[:0] = stale
    if tile.checks == Tile.checks:  # the checker makes findings of these
        result.warnings += pages_left(tile, kernel)
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
            raise cycle_limit(tile, max_cycles)
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


def cycle_limit(tile: Tile, max_cycles: int, how: str = "not done") -> CycleLimitError:
    """The error of a program that has not ended at the limit, with where everything is."""
    return CycleLimitError(
        f"CycleLimit: {how} after {max_cycles} cycles; raise --max-cycles or look for an endless "
        "loop",
        tile.whereabouts(),
    )


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
