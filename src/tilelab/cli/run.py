"""``tilelab run``: run kernels and programs, check what they leave."""

from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from tilelab.cli.chip_look import Look, recordings_among
from tilelab.cli.console import complain_of, print_json, progress_line, read_text, stderr, stdout
from tilelab.cli.cycles import print_breakdown, print_supposed, with_breakdowns
from tilelab.cli.job import Job, Ran, Settings, job_of, run_on, tile_for, told_apart
from tilelab.cli.options import Arch, Engine, Json, MaxCycles
from tilelab.cli.rebuild import build_stale, with_variants, with_what_ifs
from tilelab.cli.report import document, print_result, print_summary
from tilelab.cli.saved import saving
from tilelab.cli.sweep import cores, in_order, sweep
from tilelab.cli.targets import Target, Unreadable, resolve
from tilelab.kernels.run import DEFAULT_MAX_CYCLES, KernelResult
from tilelab.report.what_if import parse_what_if
from tilelab.sim.errors import BadInputError, TilelabError
from tilelab.sim.files import writing
from tilelab.tensix.tile.tile import Tile
from tilelab.trace.jsonl import JsonLinesWriter
from tilelab.trace.recording import Recording
from tilelab.trace.writers import append, check_holds, needs_cycles

Targets = Annotated[
    list[str],
    typer.Argument(
        metavar="TARGET...",
        help="A kernel.toml or a folder of them, ELFs, assembly, - for stdin, host recordings.",
    ),
]
PolicyTexts = Annotated[
    list[str] | None,
    typer.Option(metavar="CHECK=error|warn|off", help="What a failed check does; repeatable."),
]
Cycles = Annotated[
    bool, typer.Option("--cycles", help="Run under the cycle clock; say where the time went.")
]
WhatIfs = Annotated[
    list[str] | None,
    typer.Option(
        "--what-if",
        metavar="NAME=free|Nx",
        help="With --cycles: run again with this faster, as unpack=free or fidelity=LoFi.",
    ),
]
Throttled = Annotated[
    bool, typer.Option("--throttled", help="Set firmware's throttle flag (L1 0x10) first.")
]
Junk = Annotated[
    int | None,
    typer.Option(
        min=0,
        max=(1 << 64) - 1,
        metavar="SEED",
        help="Registers and L1 begin as junk, not as zeros; the seed says which.",
    ),
]
Trace = Annotated[
    Path | None,
    typer.Option(help="Write what happened here: .pftrace (Perfetto), .txt, or JSON Lines."),
]
Jobs = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Run so many at once; as many as there are cores."),
]
Cluster = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Run them on this Dask cluster.")
]
Build = Annotated[
    bool, typer.Option("--build", help="First build the kernels whose source has changed.")
]
Define = Annotated[
    list[str] | None,
    typer.Option(
        "-D",
        metavar="NAME=VALUE[,VALUE…]",
        help="Build with this constant, for the same arrays; of several values, run each.",
    ),
]
Compiler = Annotated[str, typer.Option(help="For --build and -D: zig, gcc or a path.")]
View = Annotated[
    Path | None, typer.Option(metavar="PAGE", help="Of a recording: draw what the tiles did.")
]
Saved = Annotated[
    Path | None,
    typer.Option("--save-outputs", metavar="DIR", help="Write DIR/KERNEL/output0.npy and so on."),
]


def run(
    targets: Targets,
    arch: Arch = None,
    engine: Engine = "fast",
    max_cycles: MaxCycles = DEFAULT_MAX_CYCLES,
    policy: PolicyTexts = None,
    cycles: Cycles = False,
    what_if: WhatIfs = None,
    throttled: Throttled = False,
    junk: Junk = None,
    trace: Trace = None,
    view: View = None,
    jobs: Jobs = None,
    cluster: Cluster = None,
    build: Build = False,
    define: Define = None,
    compiler: Compiler = "",
    save_outputs: Saved = None,
    json: Json = False,
) -> int:
    """Run kernels and check their results; exit 1 if one fails, 2 if one cannot be run."""
    if define and (build or cluster is not None):
        raise BadInputError("-D builds anew, and here: it excludes --build and --cluster")
    if (jobs is not None) + (cluster is not None) + (trace is not None) > 1:
        raise BadInputError("--jobs, --cluster and --trace (one at a time) exclude each other")
    if compiler and not (build or define or "fidelity" in str(what_if)):
        raise BadInputError("--compiler is for --build and -D: without them nothing is built")
    if what_if and not cycles:
        raise BadInputError("--what-if compares cycles: it needs --cycles")
    if recordings_among(targets):
        others = (what_if, jobs, cluster, throttled, policy, arch, build, define, save_outputs)
        if any(others) or junk is not None:
            raise BadInputError(
                "recordings take --engine, --max-cycles, --cycles, --trace, --view and --json only"
            )
        from tilelab.cli.recording import run_recordings  # noqa: PLC0415  a chip takes long to load

        return run_recordings(targets, engine, max_cycles, Look(view, trace, cycles), json)
    if view:
        raise BadInputError("--view is for recordings; tilelab view draws a kernel")
    text = read_text("-") if "-" in targets else None
    if build:
        build_stale(targets, compiler)
    found = resolve(targets, arch, text, elfs_exist=not define)
    timed = cycles or (trace is not None and needs_cycles(trace))
    clock = "cycle" if timed else "functional"
    settings = Settings(engine, max_cycles, policies(policy or []), cycles, throttled, clock, junk)
    ready = _ready(found, arch, settings)
    supposed = [parse_what_if(text) for text in what_if or []]
    builds = define or any(one.fidelity for one in supposed)
    with TemporaryDirectory() if builds else nullcontext("") as folder:
        if define:
            ready = with_variants(ready, define, Path(folder), compiler)
        if supposed:
            ready = with_what_ifs(ready, supposed, Path(folder), compiler)
        running = _running(ready, trace, jobs, cluster)
        if save_outputs is not None:
            stdout.goes_on = True
            running = saving(running, save_outputs)
        return _report(running, several=len(ready) > 1, json=json)


Ready = list[Job | Ran]
"""What is to be run, and what came of targets that cannot be."""


def _running(
    ready: Ready, trace: Path | None, jobs: int | None, cluster: str | None
) -> Generator[Ran, None, None]:
    """Run in the way that was asked for."""
    if trace is not None:
        stdout.goes_on = True
        return _traced(ready, trace)
    if cluster is not None:
        return _on_cluster(ready, cluster)
    if len(ready) > 1:
        return _in_processes(ready, jobs or cores())
    return _one_by_one(ready)


def _ready(found: list[Target | Unreadable], arch: str | None, settings: Settings) -> Ready:
    return told_apart(
        [
            Ran(target.name, target.error)
            if isinstance(target, Unreadable)
            else job_of(target, arch, settings)
            for target in found
        ]
    )


def _report(running: Generator[Ran, None, None], *, several: bool, json: bool) -> int:
    """Print what comes of the runs as it comes; returns the exit code."""
    done: list[Ran] = []
    stdout.goes_on |= not several
    with closing(running):
        for ran in running:
            done.append(ran)
            if isinstance(ran.outcome, TilelabError) and not several and not json:
                raise ran.outcome
            _print(ran, json)
    outcomes = [(ran.name, ran.outcome) for ran in done]
    if json:
        print_json(with_breakdowns(document(outcomes), outcomes, done))
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
        tile = tile_for(item.arch, item.settings)
        with observe(tile, item.name), progress_line(stderr) as show:
            show(f"{item.name}: running")
            ran = run_on(tile, item, partial(_show_cycles, show, item.name))
        yield ran


def _traced(ready: Ready, path: Path) -> Generator[Ran, None, None]:
    """Run the jobs in this process; all their instructions go into one file."""
    check_holds(path, sum(isinstance(item, Job) for item in ready))
    with writing(path) as at, closing(_one_by_one(ready, partial(_tracing, path=at))) as running:
        try:
            yield from running
        except GeneratorExit:
            return  # the only run failed, and is told as an error; what is written is whole


def _show_cycles(show: Callable[[str], None], name: str, cycles: int) -> None:
    show(f"{name}: {cycles:,} cycles")


def _in_processes(ready: Ready, processes: int) -> Generator[Ran, None, None]:
    """Run the jobs in processes of their own."""
    waiting = [item for item in ready if isinstance(item, Job)]
    for arch, settings in {(job.arch, job.settings): None for job in waiting}:
        tile_for(arch, settings)  # compiles once for all of them; wrong options end it here
    return _swept(ready, lambda tick: sweep(waiting, processes, tick))


def _on_cluster(ready: Ready, address: str) -> Generator[Ran, None, None]:
    """Run the jobs on a Dask cluster."""
    from tilelab.cli.cluster import connect, on_cluster  # noqa: PLC0415  only who asks needs Dask

    waiting = [item for item in ready if isinstance(item, Job)]
    for settings in {job.settings: None for job in waiting}:
        tile_for("blackhole", replace(settings, engine="reference"))  # wrong options end it here
    client = connect(address)
    return _swept(ready, lambda tick: on_cluster(client, waiting, tick))


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
    if ran.breakdown is not None:
        print_breakdown(ran.breakdown, ran.outcome)
        print_supposed(ran.outcome.cycles, ran.supposed)


def policies(texts: list[str]) -> tuple[tuple[str, str], ...]:
    """The checks and actions of ``--policy`` options; BadInputError if one is not written so."""
    pairs = []
    for text in texts:
        check, equals, action = text.partition("=")
        if not equals:
            raise BadInputError(
                f"--policy {text}: write it as CHECK=error, CHECK=warn or CHECK=off"
            )
        pairs.append((check, action))
    return tuple(pairs)


def _exit_code(outcome: KernelResult | TilelabError) -> int:
    if isinstance(outcome, TilelabError):
        return outcome.exit_code
    return 0 if outcome.passed else 1


@contextmanager
def _tracing(tile: Tile, name: str, path: Path) -> Iterator[None]:
    """Append what a tile does to a file."""
    if tile.state.s.cycle.on:
        recording = Recording(tile, name)
        yield
        append(recording, path)
    else:
        with path.open("a", encoding="utf-8") as file:
            tile.observe(JsonLinesWriter(file, tile.arch.name))
            yield
