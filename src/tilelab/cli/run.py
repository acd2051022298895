"""``tilelab run``: run kernels and programs, check what they leave."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress, SpinnerColumn, TextColumn

from tilelab.cli.console import complain, print_json, read_text, stderr
from tilelab.cli.cycles import print_breakdown, with_breakdowns
from tilelab.cli.report import document, print_result, print_summary
from tilelab.cli.targets import ElfSet, Target, resolve
from tilelab.sim.errors import BadInputError, TilelabError
from tilelab.tensix.assembly import Program
from tilelab.tensix.cycle.breakdown import Breakdown, breakdown
from tilelab.tensix.kernel_run import DEFAULT_MAX_CYCLES, KernelResult, run_kernel
from tilelab.tensix.program_run import run_elfs, run_program
from tilelab.tensix.throttle import set_flag
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
    json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> int:
    """Run kernels and check their results; exit 1 if one fails, 2 if one cannot be run."""
    text = read_text("-") if "-" in targets else None
    found = resolve(targets, arch, text)
    options = _policies(policy or [])
    outcomes: list[tuple[str, KernelResult | TilelabError]] = []
    breakdowns: list[Breakdown | None] = []
    for target in found:
        name = name_of(target)
        with ExitStack() as stack:
            timed = cycles or (trace is not None and needs_cycles(trace))
            tile = Tile(arch_of(target, arch), engine, "cycle" if timed else "functional")
            if throttled:
                stderr.print(set_flag(tile))
            for check, action in options:
                tile.set_policy(check, action)
            if trace is not None:
                stack.enter_context(_tracing(tile, trace, append=bool(outcomes)))
            progress = stack.enter_context(_progress(name))
            try:
                outcome: KernelResult | TilelabError = run_target(
                    target, tile, max_cycles, progress
                )
            except TilelabError as error:
                if len(found) == 1 and not json:
                    raise
                outcome = error
        outcomes.append((name, outcome))
        made = breakdown(tile.state) if cycles and isinstance(outcome, KernelResult) else None
        breakdowns.append(made)
        if not json:
            _print(name, outcome)
            if made and isinstance(outcome, KernelResult):
                print_breakdown(made, outcome)
    if json:
        print_json(with_breakdowns(document(outcomes), outcomes, breakdowns))
    elif len(outcomes) > 1:
        print_summary(outcomes)
    return max(_exit_code(outcome) for _, outcome in outcomes)


def run_target(
    target: Target, tile: Tile, max_cycles: int, progress: Callable[[int], None]
) -> KernelResult:
    """Run whatever a target is on a fresh tile."""
    if isinstance(target, Program):
        return run_program(target, tile, max_cycles)
    if isinstance(target, ElfSet):
        return run_elfs(target.elfs, tile, max_cycles)
    return run_kernel(target, tile, max_cycles, progress)


def arch_of(target: Target, given: str) -> str:
    """The chip that a target is for; ``given`` if it does not say."""
    if isinstance(target, Program):
        return target.arch
    return given if isinstance(target, ElfSet) else target.arch


def name_of(target: Target) -> str:
    """What to call a target."""
    if isinstance(target, Program):
        return target.file
    if isinstance(target, ElfSet):
        return " ".join(str(path) for path in target.elfs.values())
    return target.path.parent.name


def _policies(texts: list[str]) -> list[tuple[str, str]]:
    pairs = []
    for text in texts:
        check, equals, action = text.partition("=")
        if not equals:
            raise BadInputError(
                f"--policy {text}: write it as CHECK=error, CHECK=warn or CHECK=off"
            )
        pairs.append((check, action))
    return pairs


def _print(name: str, outcome: KernelResult | TilelabError) -> None:
    if isinstance(outcome, TilelabError):
        complain(f"{name}: {outcome.summary}", outcome.detail)
    else:
        print_result(outcome)


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
            tile.trace(recording)
            yield
            write(recording, path, append)
        else:
            tile.observe(JsonLinesWriter(file, tile.arch.name))
            yield


@contextmanager
def _progress(name: str) -> Iterator[Callable[[int], None]]:
    """Show how far a run is, on a terminal only."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=stderr, transient=True, disable=not stderr.is_terminal) as bar:
        task = bar.add_task(f"{name}: running")
        yield lambda cycles: bar.update(task, description=f"{name}: {cycles:,} cycles")
