"""`tilelab pto run` and `tilelab pto explore`."""

from __future__ import annotations

import json
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Annotated, Any

import numpy as np
import typer

from tilelab.cli import pto_explore as programs
from tilelab.cli.console import TEXT
from tilelab.cli.pto_cc import cc, data_folder, host_files
from tilelab.cli.pto_show import fail, print_rings, write_pages
from tilelab.pto import Cluster, Direction, PtoError, Result
from tilelab.pto import schedules as ways
from tilelab.pto.cluster import Schedule
from tilelab.pto.errors import BadInput, DeadlockError, PtoWarning
from tilelab.pto.explore import Model
from tilelab.pto.explore import explore as search
from tilelab.pto.ir import parse
from tilelab.pto.ir_run import Popped, run_module
from tilelab.pto.native.run import Options

app = typer.Typer(
    name="pto",
    help="PTO's TPUSH and TPOP over ring FIFOs: run programs, prove credit schemes.",
    add_completion=False,
    pretty_exceptions_enable=False,
)

app.command("cc")(cc)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


class ProgramError(PtoError):
    """A Python core program or its check raised."""


def _read(target: str) -> str:
    try:
        return sys.stdin.read() if target == "-" else Path(target).read_text(encoding=TEXT)
    except UnicodeDecodeError:
        raise BadInput(f"{target}: not UTF-8 text") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = error.strerror if isinstance(error, OSError) else error
        raise BadInput(f"{target}: {reason}") from None


def _is_ir(target: str, text: str) -> bool:
    if target.endswith((".py", ".pto")):
        return target.endswith(".pto")
    if target != "-":
        raise BadInput(f"{target}: a program is a .py or a .pto file")
    lines = (line.strip() for line in text.splitlines())
    first = next((line for line in lines if line and not line.startswith("//")), "")
    return first.startswith(("module", "func.func"))


def _argument(item: str) -> tuple[str, Any]:
    name, equals, file = item.partition("=")
    if not equals:
        raise BadInput(f"--arg {item}: write NAME=FILE.npy or NAME=NUMBER")
    try:
        return name, int(file, 0) if not file.endswith(".npy") else np.load(file)
    except (OSError, ValueError) as error:
        raise BadInput(f"--arg {item}: {error}") from None


class _Session:
    """A run in progress: remembers its cluster, so that a failed run can still be shown."""

    def __init__(
        self, options: dict[str, Any], told: Callable[[Cluster], None] = lambda cluster: None
    ) -> None:
        self.told = told
        self.options = {name: value for name, value in options.items() if value is not None}
        self.cluster: Cluster | None = None
        self.popped: dict[str, list[Popped]] = {}
        self.printed: list[tuple[str, Any]] = []

    def keep(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.told(cluster)

    def python(self, text: str, name: str, schedule: Schedule) -> Result:
        """A Python file: `cube` and `vec` programs, optional `cluster` options and
        `check(result)`."""
        scope: dict[str, Any] = {"__name__": "__tilelab__", "__file__": name}
        try:
            exec(compile(text, name, "exec"), scope)
        except SyntaxError as error:
            raise BadInput(f"{name}:{error.lineno}: {error.msg}") from None
        except PtoError:
            raise
        except (Exception, SystemExit) as error:
            raise BadInput(f"{name}: {type(error).__name__}: {error}") from None
        cube, vec = scope.get("cube"), scope.get("vec")
        if cube is None and vec is None:
            raise BadInput(f"{name}: defines neither cube(core) nor vec(core)")
        try:
            options = scope.get("cluster", {})
            if not isinstance(options, dict):
                raise BadInput(f"{name}: cluster is a dict of options, not {options!r}")
            self.keep(Cluster(**(options | self.options)))
        except (TypeError, ValueError) as error:
            raise BadInput(f"{name}: cluster: {error}") from None
        assert self.cluster is not None
        cluster = self.cluster
        result: Result = _guard(name, lambda: cluster.run(cube, vec, schedule))
        if "check" in scope:
            _guard(name, lambda: scope["check"](result))
        return result

    def ir(self, text: str, arguments: dict[str, Any], schedule: Schedule) -> Result:
        """An IR file."""
        outcome = run_module(parse(text), arguments, schedule, on_cluster=self.keep, **self.options)
        self.popped = outcome.popped
        self.printed = outcome.printed
        return outcome.result


def _guard(name: str, call: Callable[[], Any]) -> Any:
    """Run the user's Python; what it raises becomes one line that names the place."""
    try:
        return call()
    except PtoError:
        raise
    except (Exception, SystemExit) as error:
        frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == name]
        line = f":{frames[-1].lineno}" if frames else ""
        what = "wrong result" if isinstance(error, AssertionError) else type(error).__name__
        text = " ".join(str(error).split()) or (frames[-1].line if frames else "")
        raise ProgramError(f"{name}{line}: {what}{': ' + text if text else ''}") from None


def _alarm(seconds: int) -> None:
    def stop(number: int, frame: FrameType | None) -> None:
        raise ProgramError(f"the program did not end within {seconds} s")

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)


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
    as_json: Json = False,
) -> None:
    """Run a PTO program and report its rings, findings, and any deadlock."""
    session = _Session({"arch": arch, "protocol": protocol, "hazards": hazards})
    error: PtoError | None = None
    if timeout:
        _alarm(timeout)
    result = None
    try:
        text = _read(target)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PtoWarning)  # findings are printed below
            if _is_ir(target, text):
                arguments = dict(_argument(item) for item in arg or [])
                result = session.ir(text, arguments, ways.parse(schedule))
            elif arg:
                raise BadInput("--arg is for .pto files")
            else:
                result = session.python(text, target, ways.parse(schedule))
    except PtoError as caught:
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


def _document(
    result: Result, popped: dict[str, list[Popped]], error: PtoError | None
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
        raise BadInput(f"--slots {text}: write a number or a range such as 1-15") from None
    if low < 1 or high < low or high > 64:
        raise BadInput(f"--slots {text}: from 1 to 64, the smaller first")
    return list(range(low, high + 1))


def _direction(text: str) -> Direction:
    name = text.upper().removeprefix("DIR_")
    if f"DIR_{name}" not in Direction.__members__:
        names = ", ".join(member.removeprefix("DIR_") for member in Direction.__members__)
        raise BadInput(f"no direction {text!r}; there are {names}")
    return Direction[f"DIR_{name}"]


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.replace(",", " ").split())


@app.command("explore")
def explore(
    file: Annotated[
        str | None, typer.Argument(metavar="[FILE]", help="A program: FILE.py, FILE.pto, FILE.cpp.")
    ] = None,
    slots: Annotated[str, typer.Option(help="SlotNum: a number, or a range such as 1-15.")] = "4",
    arch: Annotated[str | None, typer.Option(help="a2a3 or a5.")] = None,
    direction: Annotated[str, typer.Option(help="C2V, V2C, BOTH, V2C_CTRL, C2V_GM, ...")] = "C2V",
    protocol: Annotated[
        str | None, typer.Option(help="seed, tagged, held, sparse, sparse_fixed.")
    ] = None,
    tiles: Annotated[int, typer.Option(min=0, help="Tiles per run; 0: any number (a proof).")] = 0,
    vec: Annotated[int, typer.Option(min=1, max=2, help="Vector cores.")] = 2,
    nosplit: Annotated[bool, typer.Option("--nosplit", help="A5: sub-block 0 alone.")] = False,
    multi: Annotated[bool, typer.Option("--multi", help="A TMPipe.")] = False,
    flag_bits: Annotated[int, typer.Option(min=0, help="Counter width; 0: unbounded.")] = 4,
    cube: Annotated[str, typer.Option(help='Its loop, such as "push pop".')] = "",
    vector: Annotated[str, typer.Option(help='Its loop, such as "pop tfree push".')] = "",
    no_allocate: Annotated[bool, typer.Option("--no-allocate", help="isAllocate = false.")] = False,
    no_free: Annotated[bool, typer.Option("--no-free", help="isFree = false.")] = False,
    record_period: Annotated[int, typer.Option(min=0, help="Record every k-th; 0: never.")] = 1,
    wait_period: Annotated[int, typer.Option(min=0, help="Wait at every k-th; 0: never.")] = 1,
    use_after_pop: Annotated[
        bool, typer.Option("--use-after-pop", help="Check the use of zero-copy tiles too.")
    ] = False,
    max_states: Annotated[
        int, typer.Option(min=0, help="Give up beyond this many (0: 2000000; a program's 20000).")
    ] = 0,
    save_schedule: Annotated[
        Path | None, typer.Option("--save-schedule", help="Keep a program's first bad order here.")
    ] = None,
    pto_isa: Annotated[Path | None, typer.Option("--pto-isa", help="For a FILE.cpp.")] = None,
    case: Annotated[str, typer.Option(help="For a FILE.cpp: which gtest cases.")] = "*",
    data: Annotated[Path | None, typer.Option(help="For a FILE.cpp: where its host runs.")] = None,
    arg: Annotated[
        list[str] | None, typer.Option(help="NAME=FILE.npy or NAME=NUMBER, for a FILE.pto.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Search every interleaving: prove a pipe or a program safe, or print a bad schedule."""
    if file is not None:
        keep: list[
            tempfile.TemporaryDirectory[str]
        ] = []  # the host's folder, until the search ends
        try:
            once = _program(file, arch, protocol, arg or [], pto_isa, case, data, keep)
            verdict = programs.search(once, max_states or 20_000)
            programs.show(verdict, file, as_json, save_schedule)
        except PtoError as error:
            raise fail(error) from None
        return
    arch, protocol, max_states = arch or "a2a3", protocol or "seed", max_states or 2_000_000
    try:
        way = _direction(direction)
        verdicts = []
        for count in _slots(slots):
            model = Model(
                count, arch, way, protocol, tiles or None, vec, nosplit, multi, flag_bits,
                _words(cube), _words(vector), not no_allocate, not no_free, record_period,
                wait_period, use_after_pop,
            )  # fmt: skip
            verdicts.append(search(model, max_states))
    except PtoError as error:
        raise fail(error) from None
    if as_json:
        document = {
            "safe": all(v.safe for v in verdicts),
            "verdicts": [v.as_dict() for v in verdicts],
        }
        print(json.dumps(document, indent=2))
    else:
        programs.print_verdicts(verdicts)
    if not all(verdict.safe for verdict in verdicts):
        raise typer.Exit(1)


def _program(
    file: str, arch: str | None, protocol: str | None, arg: list[str], isa: Path | None, case: str,
    data: Path | None, keep: list[tempfile.TemporaryDirectory[str]],
) -> Callable[[programs.Order], programs.Ran]:  # fmt: skip
    """A program as what the search runs, again and again."""
    if programs.is_kernel(file):
        kernel = Path(file)
        options = Options(
            arch or "a2a3", protocol or "sparse", arguments=[f"--gtest_filter={case}"],
            folder=data_folder(kernel, data, keep),
        )  # fmt: skip
        return programs.of_kernel(kernel, host_files(kernel, []), isa, options, [], [])
    text = _read(file)
    own = {"arch": arch, "protocol": protocol, **programs.RECORD}
    arguments = dict(_argument(item) for item in arg)
    is_ir = _is_ir(file, text)

    def start(path: programs.Order, keep: Callable[[Cluster], None]) -> None:
        session = _Session(dict(own), keep)
        if is_ir:
            session.ir(text, arguments, path)
        else:
            session.python(text, file, path)

    return programs.of_cluster(start)


def main() -> None:
    """`python -m tilelab.cli.pto`."""
    app()


if __name__ == "__main__":
    main()
