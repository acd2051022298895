"""``tilelab pto run`` and ``tilelab pto explore``."""

import contextlib
import io
import json
import signal
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Annotated, Any

import numpy as np
import typer

from tilelab.cli import pto_explore as programs
from tilelab.cli.pto_cc import cc, cores_for, data_folder, host_files
from tilelab.cli.pto_program import Session, argument, is_ir, read
from tilelab.cli.pto_show import fail, print_rings, write_pages
from tilelab.pto import Cluster, Direction, Result
from tilelab.pto import schedules as ways
from tilelab.pto.errors import PtoWarning
from tilelab.pto.explore import Model, Verdict
from tilelab.pto.explore import explore as search
from tilelab.pto.ir_world import Popped
from tilelab.pto.native.run import Options
from tilelab.sim.errors import BadInputError, DeadlockError, ProgramError, TilelabError

app = typer.Typer(
    name="pto",
    help="PTO's TPUSH and TPOP over ring FIFOs: run programs, prove credit schemes.",
    add_completion=False,
    pretty_exceptions_enable=False,
)

app.command("cc")(cc)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def _alarm(seconds: int) -> None:
    def stop(number: int, frame: FrameType | None) -> None:
        raise ProgramError(f"the program did not end within {seconds} s")

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)


Orders = Annotated[
    int, typer.Option(min=0, help="Try other orders too, up to so many states: does one differ?")
]


@app.command("run")
def run(
    target: Annotated[
        str, typer.Argument(metavar="FILE", help="FILE.py, FILE.pto or - for stdin.")
    ],
    arch: Annotated[str | None, typer.Option(help="a2a3 or a5; overrides the file.")] = None,
    protocol: Annotated[
        str | None, typer.Option(help="seed, tagged, sparse or sparse_fixed; overrides the file.")
    ] = None,
    schedule: Annotated[
        str, typer.Option(help="rr, cube_first, vec_first, a seed, or a file.")
    ] = "rr",
    hazards: Annotated[str | None, typer.Option(help="raise, warn or record.")] = None,
    arg: Annotated[
        list[str] | None, typer.Option(help="NAME=FILE.npy or NAME=NUMBER, for a .pto parameter.")
    ] = None,
    timeline: Annotated[bool, typer.Option("--timeline", help="Print every event.")] = False,
    trace: Annotated[Path | None, typer.Option(help="Write Perfetto's JSON here.")] = None,
    report: Annotated[Path | None, typer.Option(help="Write the report page (HTML) here.")] = None,
    timeout: Annotated[int, typer.Option(min=0, help="Give up after this many seconds.")] = 0,
    orders: Orders = 0,
    as_json: Json = False,
) -> None:
    """Run a PTO program and report its rings, findings, and any deadlock."""
    session = Session({"arch": arch, "protocol": protocol, "hazards": hazards})
    error: TilelabError | None = None
    if timeout:
        _alarm(timeout)
    result = None
    try:
        text = read(target)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PtoWarning)  # findings are printed below
            if is_ir(target, text):
                arguments = dict(argument(item) for item in arg or [])
                result = session.ir(text, arguments, ways.parse(schedule))
            elif arg:
                raise BadInputError("--arg is for .pto files")
            else:
                result = session.python(text, target, ways.parse(schedule))
    except TilelabError as caught:
        if caught.exit_code == 2 or session.cluster is None:
            raise fail(caught) from None
        error = caught
        result = session.cluster.result()
    finally:
        if timeout:
            signal.alarm(0)
    name = Path(target).name if target != "-" else "standard input"
    write_pages(result, name, error, trace, report)
    if as_json:
        print(json.dumps(_document(result, session.popped, error), indent=2))
    else:
        for core, values in session.printed:
            print(f"{core} tprint {'x'.join(map(str, values.shape))} {values.dtype}")
            print(np.array2string(values, threshold=64, edgeitems=2))
        _print(result, session.popped, timeline)
    if error is not None:
        raise fail(error)
    if orders:
        _other_orders(_once(target, text, arch, protocol, arg or []), orders, as_json)


def _other_orders(once: Callable[[programs.Order], programs.Ran], most: int, as_json: bool) -> None:
    """Say whether another order of the cores differs: exit 1 where one does."""
    with contextlib.redirect_stdout(io.StringIO()):  # the program prints in every run
        verdict = programs.search(once, most)
    bad = verdict.found[0] if verdict.found else None
    if bad is not None:
        raise fail(ProgramError(f"another order differs: {bad.code}: {bad.message}", bad.detail))
    if not as_json:
        all_ = "no other order" if verdict.complete else f"no order in {verdict.states} states"
        print(f"{all_} differs")


def _document(
    result: Result, popped: dict[str, list[Popped]], error: TilelabError | None
) -> dict[str, Any]:
    deadlock = error.report.as_dict() if isinstance(error, DeadlockError) else None  # type: ignore[attr-defined]
    return {
        "ok": error is None,
        "error": None if error is None else {"kind": type(error).__name__, "code": error.code,
                                             "summary": error.summary, "detail": error.detail},
        "deadlock": deadlock,
        "rings": result.summary(),
        "findings": [vars(finding) for finding in result.findings],
        "flags": {f"{core} {flag}": count for (core, flag), count in result.flags.items()},
        "popped": {core: [_popped(tile) for tile in tiles] for core, tiles in popped.items()},
        "events": len(result.raw),
    }  # fmt: skip


def _popped(tile: Popped) -> dict[str, Any]:
    return {
        "tile": tile.tile,
        "shape": list(tile.data.shape),
        "dtype": str(tile.data.dtype),
        "sum": float(tile.data.astype(np.float64).sum()),
    }


def _print(result: Result, popped: dict[str, list[Popped]], timeline: bool) -> None:
    print_rings(result, timeline)
    for core, tiles in popped.items():
        for tile in tiles:
            shown = _popped(tile)
            size = "x".join(map(str, shown["shape"]))
            print(f"{core} popped tile {tile.tile}: {size} {shown['dtype']}, sum {shown['sum']:g}")
    for finding in result.findings:
        print(f"{finding.code}: {finding.message}")


def _slots(text: str) -> list[int]:
    first, dash, last = text.partition("-")
    try:
        low = int(first)
        high = int(last) if dash else low
    except ValueError:
        raise BadInputError(f"--slots {text}: write a number or a range such as 1-15") from None
    if low < 1 or high < low or high > 64:
        raise BadInputError(f"--slots {text}: from 1 to 64, the smaller first")
    return list(range(low, high + 1))


def _direction(text: str) -> Direction:
    name = text.upper().removeprefix("DIR_")
    if f"DIR_{name}" not in Direction.__members__:
        names = ", ".join(member.removeprefix("DIR_") for member in Direction.__members__)
        raise BadInputError(f"no direction {text!r}; there are {names}")
    return Direction[f"DIR_{name}"]


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.replace(",", " ").split())


File = Annotated[
    str | None, typer.Argument(metavar="[FILE]", help="A program: FILE.py, FILE.pto, FILE.cpp.")
]
Slots = Annotated[str, typer.Option(help="SlotNum: a number, or a range such as 1-15.")]
Arch = Annotated[str | None, typer.Option(help="a2a3 or a5.")]
Way = Annotated[str, typer.Option(help="C2V, V2C, BOTH, V2C_CTRL, C2V_GM, ...")]
Scheme = Annotated[str | None, typer.Option(help="seed, tagged, held, sparse, sparse_fixed.")]
Tiles = Annotated[int, typer.Option(min=0, help="Tiles per run; 0: any number (a proof).")]
Vec = Annotated[int, typer.Option(min=1, max=2, help="Vector cores.")]
NoSplit = Annotated[bool, typer.Option("--nosplit", help="A5: sub-block 0 alone.")]
Multi = Annotated[bool, typer.Option("--multi", help="A TMPipe.")]
FlagBits = Annotated[int, typer.Option(min=0, help="Counter width; 0: unbounded.")]
CubeLoop = Annotated[str, typer.Option(help='Its loop, such as "push pop".')]
VectorLoop = Annotated[str, typer.Option(help='Its loop, such as "pop tfree push".')]
NoAllocate = Annotated[bool, typer.Option("--no-allocate", help="isAllocate = false.")]
NoFree = Annotated[bool, typer.Option("--no-free", help="isFree = false.")]
RecordPeriod = Annotated[int, typer.Option(min=0, help="Record every k-th; 0: never.")]
WaitPeriod = Annotated[int, typer.Option(min=0, help="Wait at every k-th; 0: never.")]
UseAfterPop = Annotated[
    bool, typer.Option("--use-after-pop", help="Check the use of zero-copy tiles too.")
]
MaxStates = Annotated[
    int, typer.Option(min=0, help="Give up beyond this many (0: 2000000; a program's 20000).")
]
Save = Annotated[
    Path | None, typer.Option("--save-schedule", help="Keep a program's first bad order here.")
]
Isa = Annotated[Path | None, typer.Option("--pto-isa", help="For a FILE.cpp.")]
Case = Annotated[str, typer.Option(help="For a FILE.cpp: which gtest cases.")]
Hosts = Annotated[list[Path] | None, typer.Option(help="For a FILE.cpp: the host's sources.")]
Cores = Annotated[str | None, typer.Option(help="For a FILE.cpp: mix, vec or cube.")]
Defines = Annotated[
    list[str] | None, typer.Option("-D", help="For a FILE.cpp: NAME or NAME=VALUE.")
]
Includes = Annotated[list[Path] | None, typer.Option("-I", help="For a FILE.cpp: a folder.")]
Auto = Annotated[bool, typer.Option("--auto", help="For a FILE.cpp: auto mode.")]
Data = Annotated[Path | None, typer.Option(help="For a FILE.cpp: where its host runs.")]
Arguments = Annotated[
    list[str] | None,
    typer.Option(help="NAME=FILE.npy or NAME=NUMBER, for a FILE.pto; a FILE.cpp's host's words."),
]


@app.command("explore")
def explore(
    context: typer.Context,
    file: File = None,
    slots: Slots = "4",
    arch: Arch = None,
    direction: Way = "C2V",
    protocol: Scheme = None,
    tiles: Tiles = 0,
    vec: Vec = 2,
    nosplit: NoSplit = False,
    multi: Multi = False,
    flag_bits: FlagBits = 4,
    cube: CubeLoop = "",
    vector: VectorLoop = "",
    no_allocate: NoAllocate = False,
    no_free: NoFree = False,
    record_period: RecordPeriod = 1,
    wait_period: WaitPeriod = 1,
    use_after_pop: UseAfterPop = False,
    max_states: MaxStates = 0,
    save_schedule: Save = None,
    pto_isa: Isa = None,
    host: Hosts = None,
    cores: Cores = None,
    define: Defines = None,
    include: Includes = None,
    auto: Auto = False,
    case: Case = "*",
    data: Data = None,
    arg: Arguments = None,
    as_json: Json = False,
) -> None:
    """Search every interleaving: prove a pipe or a program safe, or print a bad schedule."""
    try:
        programs.refuse_others(context, file)
    except TilelabError as error:
        raise fail(error) from None
    if file is not None:
        kernel = programs.Compiled(
            pto_isa, host or [], cores, define or [], include or [], auto, case, data
        )
        _explore_file(
            lambda keep: _program(file, arch, protocol, arg or [], kernel, keep),
            file, max_states or 20_000, as_json, save_schedule,
        )  # fmt: skip
        return
    try:
        way = _direction(direction)
        models = [
            Model(
                count, arch or "a2a3", way, protocol or "seed", tiles or None, vec, nosplit, multi,
                flag_bits, _words(cube), _words(vector), not no_allocate, not no_free,
                record_period, wait_period, use_after_pop,
            )
            for count in _slots(slots)
        ]  # fmt: skip
        verdicts = [search(model, max_states or 2_000_000) for model in models]
    except TilelabError as error:
        raise fail(error) from None
    _tell_verdicts(verdicts, as_json)


def _tell_verdicts(verdicts: list[Verdict], as_json: bool) -> None:
    safe = all(verdict.safe for verdict in verdicts)
    if as_json:
        document = {"safe": safe, "verdicts": [v.as_dict() for v in verdicts]}
        print(json.dumps(document, indent=2))
    else:
        programs.print_verdicts(verdicts)
    if not safe:
        raise typer.Exit(1)


Once = Callable[[programs.Order], programs.Ran]


def _explore_file(
    start: Callable[[list[tempfile.TemporaryDirectory[str]]], Once],
    file: str, max_states: int, as_json: bool, save: Path | None,
) -> None:  # fmt: skip
    """Search a program's orders; the host's folder is kept until the search ends."""
    keep: list[tempfile.TemporaryDirectory[str]] = []
    try:
        verdict = programs.search(start(keep), max_states)
        programs.show(verdict, file, as_json, save)
    except TilelabError as error:
        raise fail(error) from None


def _program(
    file: str, arch: str | None, protocol: str | None, arg: list[str], compiled: programs.Compiled,
    keep: list[tempfile.TemporaryDirectory[str]],
) -> Callable[[programs.Order], programs.Ran]:  # fmt: skip
    """A program as what the search runs, again and again."""
    if programs.is_kernel(file):
        kernel = Path(file)
        options = Options(
            arch or "a2a3", protocol or "sparse",
            arguments=[f"--gtest_filter={compiled.case}", *arg], auto=compiled.auto,
            folder=data_folder(kernel, compiled.data, keep),
            cores=cores_for(kernel, compiled.cores),
        )  # fmt: skip
        hosts = host_files(kernel, compiled.host)
        return programs.of_kernel(
            kernel, hosts, compiled.pto_isa, options, compiled.define, compiled.include
        )
    return _once(file, read(file), arch, protocol, arg)


def _once(
    file: str, text: str, arch: str | None, protocol: str | None, arg: list[str]
) -> Callable[[programs.Order], programs.Ran]:
    """A Python or IR program as what the search runs."""
    own = {"arch": arch, "protocol": protocol, **programs.RECORD}
    arguments = dict(argument(item) for item in arg)
    assembler = is_ir(file, text)

    def start(path: programs.Order, keep: Callable[[Cluster], None]) -> None:
        session = Session(dict(own), keep)
        if assembler:
            session.ir(text, arguments, path)
        else:
            session.python(text, file, path)

    return programs.of_cluster(start)


def main() -> None:
    """``python -m tilelab.cli.pto``."""
    app()


if __name__ == "__main__":
    main()
