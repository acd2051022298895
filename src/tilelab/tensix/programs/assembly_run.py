"""Runs what comes without a ``kernel.toml``: assembly programs and bare ELFs."""

from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path

from tilelab.sim.errors import CycleLimitError
from tilelab.sim.kernel import OK
from tilelab.tensix.cycle.cores import accepts
from tilelab.tensix.frontend.fifo import mop_pending, push
from tilelab.tensix.programs.expansions import ExpansionTally
from tilelab.tensix.programs.run import CHUNK, KernelResult, check_fresh, collect
from tilelab.tensix.riscv.elf import Program as ElfProgram
from tilelab.tensix.run.rounds import forget_stuck
from tilelab.tensix.state import CORES, THREADS
from tilelab.tensix.tile import Tile
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
    tile.sources.host_file = Path(program.file).name
    queues: list[deque[Statement]] = [deque() for _ in range(THREADS)]
    for statement in program.statements:
        queues[statement.thread].append(statement)
    s = tile.state.s
    while any(queues) or not tile.idle:
        if s.clock >= max_cycles:
            raise cycle_limit(tile, max_cycles)
        fed = [_feed(tile, t, queue) for t, queue in enumerate(queues)]
        if any(fed):
            forget_stuck(s)
        tile.run(1)
        if progress is not None and not s.clock % ROUNDS_BETWEEN_REPORTS:
            progress(int(s.clock))
    return collect(program.file, tile, [], tally)


def _feed(tile: Tile, t: int, queue: deque[Statement]) -> bool:
    """Give a thread its next statement if it can take it."""
    if not queue:
        return False
    s, statement = tile.state.s, queue[0]
    if statement.mop_cfg is not None:
        if mop_pending(s, t):
            return False
        s.frontend[t].mop_cfg[statement.mop_cfg] = statement.word
    elif not accepts(s, t) or push(s, t, statement.word, origin_of(HOST, statement.line)) != OK:
        return False
    queue.popleft()
    return True


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
