"""Runs what comes without a ``kernel.toml``: assembly programs and bare ELFs."""

from collections.abc import Callable, Mapping

from tilelab.elf.program import Program as ElfProgram
from tilelab.kernels.expansions import ExpansionTally
from tilelab.kernels.result import KernelResult
from tilelab.kernels.run import CHUNK, check_fresh, collect, cycle_limit
from tilelab.kernels.warned import warnings_told
from tilelab.tensix.state import CORES
from tilelab.tensix.tile.feeder import Feeder
from tilelab.tensix.tile.tile import Tile
from tilelab.tensix.words.assembly import Program

ROUNDS_BETWEEN_REPORTS = 1024


def run_program(
    program: Program,
    tile: Tile,
    max_cycles: int,
    progress: Callable[[int], None] | None = None,
) -> KernelResult:
    """Push an assembly program's words, each thread at its own pace, and run until all is done.

    A ``.mopcfg`` takes effect once no MOP of its thread is queued or expanding, as authors'
    ``program()`` does. ``progress`` is called now and then with the
    rounds run so far. Errors as :meth:`Tile.run`; CycleLimitError after ``max_cycles`` rounds.
    """
    tally = ExpansionTally()
    tile.observe(tally)
    feeder = Feeder(program, tile.state, tile.sources)
    s = tile.state.s
    with warnings_told(tile):
        while feeder.pending or not tile.idle:
            if s.clock >= max_cycles:
                raise cycle_limit(tile, max_cycles, "still running")
            feeder.give()
            tile.run(1)
            if progress is not None and not s.clock % ROUNDS_BETWEEN_REPORTS:
                progress(int(s.clock))
    return collect(program.file, tile, [], tally)


def start_elfs(elfs: Mapping[str, ElfProgram], tile: Tile) -> None:
    """Load bare ELFs, by core, into a fresh tile and start them; errors as :meth:`Tile.start`."""
    check_fresh(tile)
    tile.load_programs(elfs)
    tile.start(*elfs)


def run_elfs(
    elfs: Mapping[str, ElfProgram],
    tile: Tile,
    max_cycles: int,
    progress: Callable[[int], None] | None = None,
) -> KernelResult:
    """Run bare ELFs, by core, until nothing can change any more.

    That is the end if every thread has drained (the cores then wait in endless loops), and a
    deadlock if not. Errors as :func:`run_program`.
    """
    tally = ExpansionTally()
    tile.observe(tally)
    start_elfs(elfs, tile)
    with warnings_told(tile):
        while not tile.settle(CHUNK):
            if progress is not None:
                progress(int(tile.state.s.clock))
            if tile.state.s.clock >= max_cycles:
                raise cycle_limit(tile, max_cycles, "still running")
        engine = tile.state.s.engine
        waiting = any(engine.core_wait[c] < 0 for c in range(CORES) if c in tile.programs)
        if waiting or any(engine.gate_wait):
            raise tile.deadlock()
    return collect(" ".join(str(program.path) for program in elfs.values()), tile, [], tally)
