"""Runs what comes without a ``kernel.toml``: assembly programs and bare ELFs."""

from collections.abc import Callable, Mapping
from pathlib import Path

from tilelab.elf.program import Program as ElfProgram
from tilelab.kernels.expansions import ExpansionTally
from tilelab.kernels.run import (
    CHUNK,
    KernelResult,
    check_fresh,
    collect,
)
from tilelab.kernels.warned import warnings_told
from tilelab.sim.errors import CycleLimitError
from tilelab.sim.kernel import OK
from tilelab.tensix.cycle.cores import accepts
from tilelab.tensix.frontend.fifo import mop_pending, push
from tilelab.tensix.run.stuck import forget_stuck
from tilelab.tensix.state import CORES, THREADS
from tilelab.tensix.tile.tile import Tile
from tilelab.tensix.words.assembly import Program, Statement
from tilelab.tensix.words.origin import HOST, origin_of

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
    feeder = Feeder(program, tile)
    s = tile.state.s
    with warnings_told(tile):
        while feeder.pending or not tile.idle:
            if s.clock >= max_cycles:
                raise cycle_limit(tile, max_cycles)
            feeder.give()
            tile.run(1)
            if progress is not None and not s.clock % ROUNDS_BETWEEN_REPORTS:
                progress(int(s.clock))
    return collect(program.file, tile, [], tally)


class Feeder:
    """Gives a tile an assembly program's words, each thread at its own pace."""

    def __init__(self, program: Program, tile: Tile) -> None:
        self.tile = tile
        tile.sources.host_file = Path(program.file).name
        self.statements: list[list[Statement]] = [[] for _ in range(THREADS)]
        for statement in program.statements:
            self.statements[statement.thread].append(statement)
        self.given = [0] * THREADS

    @property
    def pending(self) -> bool:
        """Whether there is anything left to give."""
        return any(given < len(self.statements[t]) for t, given in enumerate(self.given))

    def give(self) -> None:
        """Before a round: give each thread its next statement if it can take it."""
        given = [self._give(t) for t in range(THREADS)]
        if any(given):
            forget_stuck(self.tile.state.s)

    def _give(self, t: int) -> bool:
        if self.given[t] == len(self.statements[t]):
            return False
        s, statement = self.tile.state.s, self.statements[t][self.given[t]]
        if statement.mop_cfg is not None:
            if mop_pending(s, t):
                return False
            s.frontend[t].mop_cfg[statement.mop_cfg] = statement.word
        elif not accepts(s, t) or push(s, t, statement.word, origin_of(HOST, statement.line)) != OK:
            return False
        self.given[t] += 1
        return True

    def mark(self) -> list[int]:
        """How far each thread's statements are given."""
        return list(self.given)

    def reset(self, mark: list[int]) -> None:
        """Go back to where that was."""
        self.given = list(mark)


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
                raise cycle_limit(tile, max_cycles)
        engine = tile.state.s.engine
        waiting = any(engine.core_wait[c] < 0 for c in range(CORES) if c in tile.programs)
        if waiting or any(engine.gate_wait):
            raise tile.deadlock()
    return collect(" ".join(str(program.path) for program in elfs.values()), tile, [], tally)


def cycle_limit(tile: Tile, max_cycles: int) -> CycleLimitError:
    """The error of a program that is still running at the limit, with where everything is."""
    return CycleLimitError(
        f"CycleLimit: still running after {max_cycles} cycles; raise --max-cycles or look for an "
        "endless loop",
        tile.whereabouts(),
    )
