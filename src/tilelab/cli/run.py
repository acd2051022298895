"""``tilelab run``: run kernels and programs, check what they leave."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

from tilelab.build.compilers import find_compiler
from tilelab.cli.chip_look import Look, npe_traces_among, recordings_among
from tilelab.cli.console import progress_line, stderr
from tilelab.cli.cycles import print_breakdown, print_supposed
from tilelab.cli.rebuild import build_stale, note
from tilelab.cli.report import document, print_result, print_summary
from tilelab.cli.saved import saving
from tilelab.cli.streams import complain_of, print_json, printing, read_text
from tilelab.cli.usage import (
    ARCH,
    CLOCKS,
    COMPILER,
    ENGINE,
    JSON,
    JUNK,
    MAX_CYCLES,
    POLICY,
    TARGETS,
    Only,
    command,
    flag,
    option,
)
from tilelab.kernels.result import KernelResult
from tilelab.report.what_if import WhatIf, parse_what_if
from tilelab.runs.job import Job, Ran, Settings, compiled, jobs_of, run_apart, run_on, tile_for
from tilelab.runs.processes import in_order, sweep
from tilelab.runs.targets import resolve
from tilelab.runs.variants import with_variants, with_what_ifs
from tilelab.runs.watch import again
from tilelab.sim.checks import CHECKS_BY_NAME, Check
from tilelab.sim.errors import BadInputError, TilelabError
from tilelab.sim.files import folder_meanwhile, writing
from tilelab.sim.host import cores
from tilelab.tensix.tile.tile import Tile
from tilelab.trace.jsonl import JsonLinesWriter
from tilelab.trace.lines import LineTimes, line_file, line_times
from tilelab.trace.recording import Recording
from tilelab.trace.writers import append, check_holds, needs_cycles

WHAT_IF = option(
    "NAME=free|Nx",
    "Run again with this faster: unpack=free, dram=2x, fidelity=LoFi; docs/cli/run.md has all.",
)
PLACEMENT = option("N", "With --cycles: begin in this way alone, of eight.", min=0, max=7)
TRACE = option("FILE", "Write what happened: .pftrace (Perfetto), .txt, JSON Lines.")
CLUSTER = option("ADDRESS", "Run them, or a recording's chips, on this Dask cluster.")
DEFINE = option(
    "-D NAME=VALUE[,VALUE...]",
    "Build with this constant, for the same arrays; of several values, run each.",
    short=True,
)


@command(
    rules=(
        Only("compiler", "build define watch what_if"),
        Only("what_if placement", "cycles"),
        Only("json cluster", "watch", without=True),
    ),
    old={"--view": "page"},
)
def run(
    targets: list[str] = TARGETS,
    arch: str | None = ARCH,
    engine: str = ENGINE,
    clock: str | None = option(
        "Count rounds, or time each cycle.", choices=CLOCKS, show_default=False
    ),
    max_cycles: int = MAX_CYCLES,
    policy: list[str] | None = POLICY,
    cycles: bool = flag("Time each cycle; say where the time went."),
    what_if: list[str] | None = WHAT_IF,
    placement: int | None = PLACEMENT,
    lines: Path | None = option("FILE", "Write the cycles of each source line: .csv or .json."),
    throttled: bool = flag("Set firmware's throttle flag (L1 0x10) first."),
    junk: int | None = JUNK,
    trace: Path | None = TRACE,
    page: Path | None = option("PAGE", "Of a recording: draw what the tiles did."),
    jobs: int | None = option("N", "Run so many at once; as many as there are cores.", min=1),
    cluster: str | None = CLUSTER,
    build: bool = flag("First build the kernels whose source has changed."),
    define: list[str] | None = DEFINE,
    compiler: str = COMPILER,
    save_outputs: Path | None = option("DIR", "Write DIR/KERNEL/output0.npy and so on."),
    watch: bool = flag("Build and run again whenever a file of the kernels changes."),
    json: bool = JSON,
) -> int:
    """Run kernels and check their results; exit 1 if one fails, 2 if one cannot be run."""
    if define and (build or cluster is not None):
        raise BadInputError("-D builds anew, and here: it excludes --build and --cluster")
    if (jobs is not None) + (cluster is not None) + (trace is not None) > 1:
        raise BadInputError("--jobs, --cluster and --trace (one at a time) exclude each other")
    if (npe := npe_traces_among(targets)) or recordings_among(targets):
        others = (jobs, throttled, policy, build, define, save_outputs, watch, lines, junk, clock)
        look = Look(page, trace, cycles, what_if=tuple(what_if or ()))
        absent = (*others, placement)
        return _on_chip(targets, npe, arch, engine, max_cycles, look, cluster, json, absent)
    if page:
        raise BadInputError("--page is for recordings; tilelab view draws a kernel")
    if compiler:
        find_compiler(compiler)  # also where nothing turns out to need it
    clock = _clock(clock, cycles or lines is not None, trace)
    given = policies(policy or [])
    settings = Settings(engine, max_cycles, given, cycles, throttled, clock, junk, placement)

    supposed = [parse_what_if(text) for text in what_if or []]

    def once() -> int:
        text = read_text("-") if "-" in targets else None
        if build or (watch and not define):
            build_stale(targets, compiler)
        ready = jobs_of(resolve(targets, arch, text, elfs_exist=not define), arch, settings)
        with _built(ready, define or [], supposed, compiler) as ready:
            running = _running(ready, trace, lines, jobs, cluster)
            if save_outputs is not None:
                printing.goes_on = True
                running = saving(running, save_outputs)
            return _report(running, several=len(ready) > 1, json=json)

    return watching(targets, once) if watch else once()


FOR_NPE = "tt-npe's traces take --arch, --cycles, --what-if and --json"
FOR_RECORDINGS = (
    "recordings take --engine, --max-cycles, --cycles, --what-if, --trace, --page, --cluster and "
    "--json"
)


def _on_chip(
    targets: list[str],
    npe: bool,
    arch: str | None,
    engine: str,
    max_cycles: int,
    look: Look,
    cluster: str | None,
    json: bool,
    others: tuple[object, ...],
) -> int:
    """Play tt-npe's traces, or recordings of a host, to chips; ``others``: what these lack."""
    # a chip takes long to load
    from tilelab.cli.npe import run_npe_traces  # noqa: PLC0415
    from tilelab.cli.recording import run_recordings  # noqa: PLC0415

    if npe:
        _refuse(FOR_NPE, *others, cluster, look.trace, look.view)
        return run_npe_traces(targets, arch or "blackhole", look.what_if, json)
    _refuse(FOR_RECORDINGS, *others, arch)
    return run_recordings(targets, engine, max_cycles, look, cluster, json)


def _refuse(known: str, *others: object) -> None:
    """BadInputError if one of other options is given."""
    if any(one is not None and one is not False and one != [] for one in others):
        raise BadInputError(known)


def _clock(clock: str | None, timed: bool, trace: Path | None) -> str:
    """The clock that is asked for, or that what is asked for needs."""
    if clock == "functional" and timed:
        raise BadInputError("--cycles and --lines are for the cycle clock: leave --clock away")
    timed |= trace is not None and needs_cycles(trace)
    return clock or ("cycle" if timed else "functional")


Ready = list[Job | Ran]
"""What is to be run, and what came of targets that cannot be."""


@contextmanager
def _built(
    ready: Ready, define: Sequence[str], supposed: Sequence[WhatIf], compiler: str
) -> Iterator[Ready]:
    """What is to be run, built with other constants or for what is supposed, for a while."""
    builds = define or any(one.fidelity for one in supposed)
    with folder_meanwhile("tilelab-") if builds else nullcontext(Path()) as folder:
        if define:
            with progress_line(stderr) as show:
                ready = with_variants(ready, define, folder, compiler, show, note)
        if supposed:
            ready = with_what_ifs(ready, supposed, folder, compiler, note)
        yield ready


def _running(
    ready: Ready, trace: Path | None, lines: Path | None, jobs: int | None, cluster: str | None
) -> Generator[Ran, None, None]:
    """Run in the way that was asked for."""
    if trace is not None or lines is not None:
        printing.goes_on = True
        return _observed(ready, trace, lines)
    if cluster is not None:
        return _on_cluster(ready, cluster)
    if len(ready) > 1:
        return _in_processes(ready, jobs or cores())
    return _one_by_one(ready)


def _report(running: Generator[Ran, None, None], *, several: bool, json: bool) -> int:
    """Print what comes of the runs as it comes; returns the exit code."""
    done: list[Ran] = []
    printing.goes_on |= not several
    with closing(running):
        for ran in running:
            done.append(ran)
            if isinstance(ran.outcome, TilelabError) and not several and not json:
                raise ran.outcome
            _print(ran, json)
    outcomes = [(ran.name, ran.outcome) for ran in done]
    if json:
        made = document(outcomes)
        for entry, one in zip(made["kernels"], done, strict=True):
            if one.supposed:
                entry["what_if"] = [asdict(supposed) for supposed in one.supposed]
            if one.levels is not None:
                entry["placements"] = one.levels.document()
        print_json(made)
    elif several:
        print_summary(outcomes)
    return max(_exit_code(outcome) for _, outcome in outcomes)


Observe = Callable[[Tile, str], AbstractContextManager[None]]
"""What surrounds the run of a tile, which has a name."""


def _one_by_one(
    ready: Ready, observe: Observe = lambda tile, name: nullcontext()
) -> Generator[Ran, None, None]:
    """Run the jobs in this process."""
    for item in ready:
        if isinstance(item, Ran):
            yield item
            continue
        tile = tile_for(item.arch, item.settings, item.what)
        with observe(tile, item.name), progress_line(stderr) as show:
            show(f"{item.name}: running")
            ran = run_on(tile, item, partial(_show_cycles, show, item.name))
        yield ran


def _observed(ready: Ready, trace: Path | None, lines: Path | None) -> Generator[Ran, None, None]:
    """Run the jobs in this process; all their instructions, and lines, go into one file each."""
    if trace is not None:
        check_holds(trace, sum(isinstance(item, Job) for item in ready))
    tables: list[LineTimes] = []
    with (
        writing(trace) if trace else nullcontext() as at,
        line_file(lines, tables),
        closing(_one_by_one(ready, partial(_observing, trace=at, tables=tables))) as running,
    ):
        try:
            yield from running
        except GeneratorExit:
            return  # the only run failed, and is told as an error; what is written is whole


def _show_cycles(show: Callable[[str], None], name: str, cycles: int) -> None:
    show(f"{name}: {cycles:,} cycles")


def _in_processes(ready: Ready, processes: int) -> Generator[Ran, None, None]:
    """Run the jobs in processes of their own."""
    waiting = compiled(ready)
    return _swept(ready, lambda tick: sweep(waiting, processes, tick, run_apart))


def _on_cluster(ready: Ready, address: str) -> Generator[Ran, None, None]:
    """Run the jobs on a Dask cluster."""
    from tilelab.runs.cluster import connect, on_cluster  # noqa: PLC0415  only who asks needs Dask

    waiting = [item for item in ready if isinstance(item, Job)]
    for settings in {job.settings: None for job in waiting}:
        tile_for("blackhole", replace(settings, engine="reference"))  # wrong options end it here
    client = connect(address)
    return _swept(ready, lambda tick: on_cluster(client, waiting, tick, run_apart))


Finished = Generator[tuple[int, Ran], None, None]
Start = Callable[[Callable[[list[str]], None]], Finished]
"""Starts a sweep, which calls the function given with the names of what is running."""


def _swept(ready: Ready, start: Start) -> Generator[Ran, None, None]:
    """A sweep's results in the order of ``ready``, with progress between them."""
    numbers = [number for number, item in enumerate(ready) if isinstance(item, Job)]
    known = [(number, item) for number, item in enumerate(ready) if isinstance(item, Ran)]
    done = len(known)

    with progress_line(stderr) as show:

        def tick(running: list[str]) -> None:
            show(f"{done} of {len(ready)} done, running: {', '.join(running)}")

        def finished() -> Finished:
            nonlocal done
            yield from known
            with closing(start(tick)) as results:
                for number, ran in results:
                    done += 1
                    yield numbers[number], ran

        with closing(in_order(finished())) as ordered:
            for ran in ordered:
                show("")
                yield ran


def _print(ran: Ran, json: bool) -> None:
    if ran.notice:
        stderr.print(ran.notice)
    if json:
        return
    if isinstance(ran.outcome, TilelabError):
        complain_of(ran.outcome, ran.name)
        return
    print_result(ran.outcome)
    if ran.cycles and ran.outcome.breakdown is not None:
        print_breakdown(ran.outcome.breakdown, ran.outcome, ran.levels)
        print_supposed(ran.outcome.cycles, ran.supposed)


def policies(texts: list[str], *, checker: bool = False) -> tuple[tuple[str, str], ...]:
    """The checks and actions of ``--policy`` options; BadInputError if one is not written so."""
    pairs = []
    for text in texts:
        check, equals, action = text.partition("=")
        if not equals:
            raise BadInputError(
                f"--policy {text}: write it as CHECK=error, CHECK=warn or CHECK=off"
            )
        if not checker and _is_checkers(check):
            raise BadInputError(f"--policy {text}: {check} is a check of tilelab check, not of run")
        pairs.append((check, action))
    return tuple(pairs)


def _is_checkers(name: str) -> bool:
    if type(CHECKS_BY_NAME.get(name)) is Check:
        return False
    # only a mistake needs the checker
    from tilelab.check import engine, rules  # noqa: PLC0415

    assert engine.OWN  # which declares the rules that stand beside what looks for them
    return isinstance(CHECKS_BY_NAME.get(name), rules.Rule)


def _exit_code(outcome: KernelResult | TilelabError) -> int:
    if isinstance(outcome, TilelabError):
        return outcome.exit_code
    return 0 if outcome.passed else 1


@contextmanager
def _observing(
    tile: Tile, name: str, trace: Path | None, tables: list[LineTimes]
) -> Iterator[None]:
    """Append what a tile does to a file, and what its source lines took to tables."""
    if tile.state.s.cycle.on:
        recording = Recording(tile, name)
        yield
        tables.append(line_times(recording))
        if trace:
            append(recording, trace)
    elif trace:
        with trace.open("a", encoding="utf-8") as file:
            tile.observe(JsonLinesWriter(file, tile.arch.name))
            yield


def watching(targets: list[str], act: Callable[[], int]) -> int:
    """Act whenever a file of the targets changes; an error is told, and the next change awaited."""

    def once() -> None:
        try:
            act()
        except TilelabError as error:
            complain_of(error)

    again(targets, once, lambda names: stderr.print(f"changed: {names}", markup=False))
    return 0
