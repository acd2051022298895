"""``tilelab pto cc``: real PTO kernels in C++, compiled and checked."""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from tilelab.cli.console import complain
from tilelab.cli.pto_show import fail, print_rings, write_pages
from tilelab.pto import schedules as ways
from tilelab.pto.native.build import build
from tilelab.pto.native.redundant import redundant as find_redundant
from tilelab.pto.native.run import CORES, Options, Outcome, run
from tilelab.pto.paths import find_arch
from tilelab.pto.protocol import PROTOCOLS
from tilelab.sim.errors import BadInputError, DeadlockError, TilelabError

LEAKS = ("H11", "H18", "E5", "E4")  # told, and no failure by themselves


def host_files(kernel: Path, hosts: list[Path]) -> list[Path]:
    """The host's program: as given, in the kernel's own file, or main.cpp beside it."""
    if hosts or not kernel.is_file():
        return hosts
    text = kernel.read_text(encoding="utf-8", errors="replace")
    if re.search(r"\bint\s+main\s*\(|^\s*TEST(_F)?\s*\(", text, re.MULTILINE):
        return []
    beside = kernel.parent / "main.cpp"
    if beside.is_file():
        return [beside]
    raise BadInputError(
        f"{kernel}: no host program: it has no main(), and there is no main.cpp beside it",
        "Give the file that launches the kernel with --host.",
    )


def cores_for(kernel: Path, asked: str | None) -> str:
    """The cores that a kernel is compiled for: as asked; as the CMakeLists.txt beside it says; else
    the Cube and its Vector cores.
    """
    if asked is not None:
        if asked not in CORES:
            raise BadInputError(f"no cores {asked!r}; there are {', '.join(CORES)}")
        return asked
    beside = kernel.parent / "CMakeLists.txt"
    text = beside.read_text(encoding="utf-8", errors="replace") if beside.is_file() else ""
    said = {
        one or two or "mix"
        for one, two in re.findall(
            r"^ *pto_(?:mix|(cube|vec))_st *\(|--cce-aicore-arch=dav-c\d+(?:-(cube|vec)\b|\b)",
            text, re.MULTILINE,
        )
    }  # fmt: skip
    return said.pop() if len(said) == 1 else "mix"


def data_folder(
    kernel: Path, data: Path | None, keep: list[tempfile.TemporaryDirectory[str]]
) -> Path:
    """Where the host runs: --data; else a scratch folder, filled by gen_data.py where that lies
    beside.
    """
    if data is not None:
        if not data.is_dir():
            raise BadInputError(f"{data}: no such folder")
        return data.resolve()
    scratch = tempfile.TemporaryDirectory(prefix="tilelab-pto-data-")
    keep.append(scratch)
    folder = Path(scratch.name)
    generator = kernel.resolve().parent / "gen_data.py"
    if generator.is_file():
        done = subprocess.run(
            [sys.executable, str(generator)],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise BadInputError(f"{generator}: it failed", (done.stderr or done.stdout)[-2000:])
    (folder / "run").mkdir()
    return folder / "run"


Kernel = Annotated[Path, typer.Argument(metavar="KERNEL.cpp", help="The kernel's source.")]
Isa = Annotated[Path, typer.Option("--pto-isa", help="A checkout of pto-isa.")]
Hosts = Annotated[
    list[Path] | None, typer.Option(help="The host's sources; default: main.cpp beside it.")
]
Arch = Annotated[str, typer.Option(help="a2a3 or a5.")]
Cores = Annotated[
    str | None,
    typer.Option(
        help="What it is compiled for: mix, vec or cube; default: as the CMakeLists.txt beside it "
        "says, else mix."
    ),
]
Scheme = Annotated[
    str, typer.Option(help="sparse (the vendor's code), sparse_fixed, seed, tagged, held.")
]
Case = Annotated[str, typer.Option(help="Which gtest cases, such as '*case1*'.")]
Data = Annotated[Path | None, typer.Option(help="The folder in which the host runs.")]
Arguments = Annotated[list[str] | None, typer.Option(help="An argument for the host's main.")]
Defines = Annotated[list[str] | None, typer.Option("-D", help="NAME or NAME=VALUE.")]
Includes = Annotated[list[Path] | None, typer.Option("-I", help="An include folder.")]
Order = Annotated[str, typer.Option(help="rr, cube_first, vec_first, a seed, or a schedule file.")]
Replay = Annotated[Path | None, typer.Option(help="Run a kept schedule again.")]
Schedules = Annotated[int, typer.Option(min=1, help="Run so many different schedules.")]
Save = Annotated[
    Path | None, typer.Option("--save-schedule", help="Keep the schedule of the first failure.")
]
Redundant = Annotated[
    bool, typer.Option("--redundant", help="Tell barriers and flags that order nothing, too.")
]
Auto = Annotated[
    bool, typer.Option("--auto", help="Auto mode: the compiler orders a core's pipes.")
]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict-barriers",
        help="A2/A3: want a pipe_barrier(PIPE_V) at every dependence, as PTOAS inserts them.",
    ),
]
Compiler = Annotated[str | None, typer.Option(help="g++ or clang++, by name or path.")]
FlagBits = Annotated[int, typer.Option(min=1, help="Width of a flag counter.")]
Timeout = Annotated[float, typer.Option(min=0.1, help="Give up a run after so long.")]
Timeline = Annotated[bool, typer.Option("--timeline", help="Print every event.")]
Trace = Annotated[Path | None, typer.Option(help="Write Perfetto's JSON here.")]
Report = Annotated[Path | None, typer.Option(help="Write the report page (HTML) here.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def cc(
    kernel: Kernel,
    pto_isa: Isa,
    host: Hosts = None,
    arch: Arch = "a2a3",
    cores: Cores = None,
    protocol: Scheme = "sparse",
    case: Case = "*",
    data: Data = None,
    arg: Arguments = None,
    define: Defines = None,
    include: Includes = None,
    schedule: Order = "rr",
    replay: Replay = None,
    schedules: Schedules = 1,
    save_schedule: Save = None,
    redundant: Redundant = False,
    auto: Auto = False,
    strict_barriers: Strict = False,
    compiler: Compiler = None,
    flag_bits: FlagBits = 4,
    timeout: Timeout = 120,
    timeline: Timeline = False,
    trace: Trace = None,
    report: Report = None,
    as_json: Json = False,
) -> None:
    """Compile a C++ PTO kernel, unmodified, and run it checked: every byte, flag and wait."""
    keep: list[tempfile.TemporaryDirectory[str]] = []
    try:
        find_arch(arch)
        if protocol not in PROTOCOLS:
            raise BadInputError(f"no protocol {protocol!r}; there are {', '.join(PROTOCOLS)}")
        hosts = host_files(kernel, list(host or []))
        if not kernel.is_file():
            raise BadInputError(f"{kernel}: no such file")
        way = ways.replay(ways.load(replay)) if replay else ways.parse(schedule)
        built = build(kernel, hosts, pto_isa, arch, compiler, define or (), include or (), auto)
        shown = {str(file.resolve()): str(file) for file in (kernel, *hosts)}
        options = Options(
            arch, protocol, flag_bits, auto, strict_barriers,
            [f"--gtest_filter={case}", *(arg or [])], data_folder(kernel, data, keep), shown, True,
            timeout, cores=cores_for(kernel, cores),
        )  # fmt: skip
        outcome, schedule_of = _runs(built, options, way, schedules)
        if redundant:
            outcome.findings += find_redundant(built, options, ways.STANDARD)
    except TilelabError as error:
        raise fail(error) from None
    failed = _failed(outcome)
    if save_schedule is not None and failed:
        names, text = schedule_of or (outcome.choices, "")
        try:
            ways.save(save_schedule, names, str(kernel), text)
        except TilelabError as error:
            raise fail(error) from None
    write_pages(outcome.result, kernel.name, outcome.error, trace, report)
    _tell(outcome, kernel, failed, schedules, timeline, as_json)


def _tell(
    outcome: Outcome, kernel: Path, failed: bool, schedules: int, timeline: bool, as_json: bool
) -> None:
    """Print what a run gave, and leave with its exit code."""
    if as_json:
        print(json.dumps(_document(outcome, failed, schedules), indent=2))
    else:
        _print(outcome, timeline)
    if outcome.error is not None:
        raise fail(outcome.error)
    if failed:
        count = len([one for one in outcome.findings if one.code not in LEAKS])
        what = f"{count} finding(s)" if count else f"the host's program returned {outcome.status}"
        complain(f"{kernel}: {what}", "")
        raise typer.Exit(1)


def _failed(outcome: Outcome) -> bool:
    hard = any(one.code not in LEAKS for one in outcome.findings)
    return outcome.error is not None or outcome.status != 0 or hard


def _runs(
    built: Any, options: Options, way: Any, count: int
) -> tuple[Outcome, tuple[list[str], str] | None]:
    """The first run, and what other schedules add to it."""
    outcome = run(built, options, ways.chooser(way))
    kept = _first_of(outcome)
    known = {finding.message for finding in outcome.findings}
    options.trace = False
    for seed in range(1, count):
        other = run(built, options, ways.at_random(seed))
        new = [one for one in other.findings if one.message not in known]
        known |= {one.message for one in new}
        outcome.findings += new
        if kept is None and _failed(other):
            kept = _first_of(other)
        if outcome.error is None and other.error is not None:
            outcome.error, outcome.results = other.error, other.results
        outcome.status = outcome.status or other.status
    return outcome, kept


def _first_of(outcome: Outcome) -> tuple[list[str], str] | None:
    if not _failed(outcome):
        return None
    hard = [one.message for one in outcome.findings if one.code not in LEAKS]
    text = (
        outcome.error.summary if outcome.error else hard[0] if hard else "the host's check failed"
    )
    return outcome.choices, text


def _document(outcome: Outcome, failed: bool, count: int) -> dict[str, Any]:
    error = outcome.error
    return {
        "ok": not failed,
        "error": None if error is None else {"kind": type(error).__name__, "code": error.code,
                                             "summary": error.summary, "detail": error.detail},
        "deadlock": error.report.as_dict() if isinstance(error, DeadlockError) else None,  # type: ignore[attr-defined]
        "status": outcome.status,
        "blocks": len(outcome.results),
        "schedules": count,
        "rings": outcome.result.summary(),
        "findings": [vars(finding) for finding in outcome.findings],
        "flags": {f"{core} {flag}": n for (core, flag), n in outcome.result.flags.items()},
        "output": outcome.output,
    }  # fmt: skip


def _print(outcome: Outcome, timeline: bool) -> None:
    if outcome.output.strip():
        print(outcome.output.rstrip())
    print_rings(outcome.result, timeline)
    seen: dict[tuple[str, str], int] = {}
    for finding in outcome.findings:
        key = (finding.code, finding.message)
        seen[key] = seen.get(key, 0) + 1
    for (code, message), times in seen.items():
        print(f"{code}: {message}" + (f" ({times} times)" if times > 1 else ""))
