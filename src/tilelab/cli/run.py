"""``tilelab run``: run kernels and programs, check what they leave."""

from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from tilelab.cli.console import complain, print_json, progress_line, read_text, stderr
from tilelab.cli.cycles import print_breakdown, with_breakdowns
from tilelab.cli.job import Job, Ran, Settings, job_of, run_on, tile_for, told_apart
from tilelab.cli.report import document, print_result, print_summary
from tilelab.cli.sweep import cores, in_order, sweep
from tilelab.cli.targets import Unreadable, resolve
from tilelab.sim.errors import BadInputError, TilelabError
from tilelab.tensix.kernel_run import DEFAULT_MAX_CYCLES, KernelResult
from tilelab.tensix.tile import Tile
from tilelab.trace.jsonl import JsonLinesWriter
from tilelab.trace.recording import Recording
from tilelab.trace.writers import needs_cycles, write


def run(
    targets: Annotated[
        list[str],
        typer.Argument(
            metavar="TARGET...",
            help="A kernel.toml or a folder of them, ELFs, assembly, or - for stdin.",
        ),
    ],
    arch: Annotated[str, typer.Option(help="blackhole or wormhole (kernel.toml: its own).")] = (
        "blackhole"
    ),
    engine: Annotated[str, typer.Option(help="fast or reference.")] = "fast",
    max_cycles: Annotated[
        int, typer.Option(min=1, help="Give up after this many scheduler rounds.")
    ] = DEFAULT_MAX_CYCLES,
    policy: Annotated[
        list[str] | None,
        typer.Option(metavar="CHECK=error|warn|off", help="What a failed check does; repeatable."),
    ] = None,
    cycles: Annotated[
        bool, typer.Option("--cycles", help="Run under the cycle clock; say where the time went.")
    ] = False,
    throttled: Annotated[
        bool, typer.Option("--throttled", help="Set firmware's throttle flag (L1 0x10) first.")
    ] = False,
    trace: Annotated[
        Path | None,
        typer.Option(
            help="Write what happened here: .pftrace (Perfetto), .txt, or JSON Lines; see docs."
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Run so many at once; as many as there are cores."),
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Run them on this Dask cluster.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> int:
    """Run kernels and check their results; exit 1 if one fails, 2 if one cannot be run."""
    text = read_text("-") if "-" in targets else None
    found = resolve(targets, arch, text)
    timed = cycles or (trace is not None and needs_cycles(trace))
    clock = "cycle" if timed else "functional"
    settings = Settings(engine, max_cycles, _policies(policy or []), cycles, throttled, clock)
    ready = told_apart(
        [
            Ran(target.name, target.error)
            if isinstance(target, Unreadable)
            else job_of(target, arch, settings)
            for target in found
        ]
    )
    several = len(ready) > 1
    if (jobs is not None) + (cluster is not None) + (trace is not None) > 1:
        raise BadInputError("--jobs, --cluster and --trace (one at a time) exclude each other")
    if trace is not None:
        running = _one_by_one(ready, trace)
    elif cluster is not None:
        running = _on_cluster(ready, cluster)
    elif several:
        running = _in_processes(ready, jobs or cores())
    else:
        running = _one_by_one(ready, None)
    done: list[Ran] = []
    with closing(running):
        for ran in running:
            done.append(ran)
            if isinstance(ran.outcome, TilelabError) and not several and not json:
                raise ran.outcome
            _print(ran, json)
    outcomes = [(ran.name, ran.outcome) for ran in done]
    if json:
        breakdowns = [ran.breakdown for ran in done]
        print_json(with_breakdowns(document(outcomes), outcomes, breakdowns))
    elif several:
        print_summary(outcomes)
    return max(_exit_code(outcome) for _, outcome in outcomes)


Ready = list[Job | Ran]
"""What is to be run, and what came of targets that cannot be."""


def _one_by_one(ready: Ready, trace: Path | None) -> Generator[Ran, None, None]:
    """Run the jobs in this process; ``trace`` is where all their instructions go."""
    append = False
    for item in ready:
        if isinstance(item, Ran):
            yield item
            continue
        tile = tile_for(item.arch, item.settings)
        with ExitStack() as stack:
            if trace is not None:
                stack.enter_context(_tracing(tile, trace, append))
            show = stack.enter_context(progress_line(stderr))
            show(f"{item.name}: running")
            ran = run_on(tile, item, partial(_show_cycles, show, item.name))
        append = True
        yield ran


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
        complain(f"{ran.name}: {ran.outcome.summary}", ran.outcome.detail)
        return
    print_result(ran.outcome)
    if ran.breakdown is not None:
        print_breakdown(ran.breakdown, ran.outcome)


def _policies(texts: list[str]) -> tuple[tuple[str, str], ...]:
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
def _tracing(tile: Tile, path: Path, append: bool) -> Iterator[None]:
    try:
        file = path.open("a" if append else "w", encoding="utf-8")
    except OSError as error:
        raise BadInputError(f"{path}: {error.strerror or error}") from None
    with file:
        if tile.state.s.cycle.on:
            recording = Recording(tile)
            yield
            write(recording, path, append)
        else:
            tile.observe(JsonLinesWriter(file, tile.arch.name))
            yield
