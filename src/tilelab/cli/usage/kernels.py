"""``tilelab build``, ``new`` and ``examples``; ``run``, ``check``, ``view`` and ``compare``."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from tilelab.cli.usage.shared import (
    MOST_ROUNDS,
    Arch,
    Chips,
    Compiler,
    Engine,
    Json,
    MaxCycles,
    OneTarget,
    Only,
    Policies,
    Schedule,
    Targets,
    Trace,
    carried_out,
)

Sarif = Annotated[
    Path | None, typer.Option("--sarif", metavar="FILE", help="Write the findings as SARIF 2.1.0.")
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
WhatIfs = Annotated[
    list[str] | None,
    typer.Option(
        "--what-if",
        metavar="NAME=free|Nx",
        help="Run again with this faster: unpack=free, fidelity=LoFi; docs/cycles.md has all.",
    ),
]
Placement = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=0, max=7, help="With --cycles: begin in this way alone, of eight."
    ),
]
Throttled = Annotated[
    bool, typer.Option("--throttled", help="Set firmware's throttle flag (L1 0x10) first.")
]
Kernel = Annotated[
    str, typer.Argument(metavar="TARGET", help="A kernel.toml, its folder, assembly.")
]


@carried_out(
    "build",
    Only("output compiler", "commands", without=True),
)
def build(
    targets: Annotated[
        list[Path],
        typer.Argument(
            metavar="TARGET...",
            help="A kernel.toml, a folder that holds one, or a C++ source alone.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="DIR", help="Put the ELFs into this folder."),
    ] = None,
    compiler: Compiler = "",
    arch: Annotated[
        Chips | None, typer.Option(help="The chip to build for, of a source alone.")
    ] = None,
    define: Annotated[
        list[str] | None,
        typer.Option("-D", metavar="NAME=VALUE", help="A constant, as in [build] constants."),
    ] = None,
    commands: Annotated[
        bool,
        typer.Option(
            "--compile-commands", help="Write compile_commands.json instead, for editors."
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Compile kernels: one ELF for each of a tile's three TRISC cores.

    Of several targets each is tried; exit 2 if one fails.
    """


@carried_out("new")
def new(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to make.")],
    build: Annotated[bool, typer.Option(help="Build it, too; needs a compiler.")] = True,
    compiler: Compiler = "",
    json: Json = False,
) -> None:
    """Make a folder with a kernel that runs: source, kernel.toml, data, what editors need."""


def _examples(incomplete: str) -> list[str]:
    from tilelab.kernels.examples import examples as find  # noqa: PLC0415  for completion alone

    return [name for name in find() if name.startswith(incomplete)]


@carried_out("examples")
def examples(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help="Print this example's folder only.", autocompletion=_examples
        ),
    ] = None,
    copy: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Copy to DIR/NAME, to change and run.")
    ] = None,
    json: Json = False,
) -> None:
    """List the examples, or find one: tilelab run "$(tilelab examples matmul)"."""


@carried_out(
    "run",
    Only("compiler", "build define watch what_if"),
    Only("what_if placement", "cycles"),
    Only("json cluster", "watch", without=True),
    old={"--view": "page"},
)
def run(
    targets: Targets,
    arch: Arch = None,
    engine: Engine = "fast",
    clock: Annotated[
        Literal["functional", "cycle"] | None,
        typer.Option(help="Count rounds, or time each cycle.", show_default=False),
    ] = None,
    max_cycles: MaxCycles = MOST_ROUNDS,
    policy: Policies = None,
    cycles: Annotated[
        bool, typer.Option("--cycles", help="Time each cycle; say where the time went.")
    ] = False,
    what_if: WhatIfs = None,
    placement: Placement = None,
    lines: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the cycles of each source line: .csv or .json."),
    ] = None,
    throttled: Throttled = False,
    junk: Junk = None,
    trace: Trace = None,
    page: Annotated[
        Path | None, typer.Option(metavar="PAGE", help="Of a recording: draw what the tiles did.")
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Run so many at once; as many as there are cores."),
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Run them on this Dask cluster.")
    ] = None,
    build: Annotated[
        bool, typer.Option("--build", help="First build the kernels whose source has changed.")
    ] = False,
    define: Annotated[
        list[str] | None,
        typer.Option(
            "-D",
            metavar="NAME=VALUE[,VALUE...]",
            help="Build with this constant, for the same arrays; of several values, run each.",
        ),
    ] = None,
    compiler: Compiler = "",
    save_outputs: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write DIR/KERNEL/output0.npy and so on.")
    ] = None,
    watch: Annotated[
        bool,
        typer.Option("--watch", help="Build and run again whenever a file of the kernels changes."),
    ] = False,
    json: Json = False,
) -> None:
    """Run kernels and check their results; exit 1 if one fails, 2 if one cannot be run."""


EXPLORES = "schedules schedule"


@carried_out(
    "check",
    Only("bound seed save places", EXPLORES),
    old={"--save": "save"},
)
def check(
    targets: Targets,
    arch: Arch = None,
    max_cycles: MaxCycles = MOST_ROUNDS,
    policy: Policies = None,
    sarif_file: Sarif = None,
    page_file: Annotated[
        Path | None, typer.Option("--page", metavar="PAGE", help="Also write an HTML page here.")
    ] = None,
    schedules: Annotated[
        str, typer.Option(metavar="N|exhaustive", help="Also run so many schedules, or all.")
    ] = "0",
    bound: Annotated[
        int,
        typer.Option(
            min=1, max=16, help="Pairs of accesses turned round, or the depth by priorities."
        ),
    ] = 2,
    seed: Annotated[int, typer.Option(min=0, help="Which random schedules.")] = 0,
    schedule: Schedule = None,
    save: Annotated[
        Path | None,
        typer.Option(
            "--save-schedule", metavar="FILE", help="Keep a schedule that differs, for --schedule."
        ),
    ] = None,
    places: Annotated[
        bool,
        typer.Option("--places", help="Of a schedule that differs: where else one delay does."),
    ] = False,
    checks: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Also make the checks of this Python file; repeatable."),
    ] = None,
    json_wanted: Json = False,
) -> None:
    """Run programs under the checker; exit 1 if anything is found, 2 if one cannot be run."""


@carried_out("score")
def score(
    targets: Annotated[
        list[Path],
        typer.Argument(metavar="TARGET...", help="A kernel.toml, or a folder of them."),
    ],
    source: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Build this C++ file instead of the kernel's own."),
    ] = None,
    schedules: Annotated[
        int, typer.Option(min=0, max=100_000, help="Also run so many schedules.")
    ] = 0,
    max_cycles: MaxCycles = MOST_ROUNDS,
    seconds: Annotated[
        float, typer.Option(metavar="S", help="The time that one kernel may take.")
    ] = 60.0,
    memory: Annotated[
        int, typer.Option(min=1, metavar="MIB", help="The memory that one kernel may take.")
    ] = 4096,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Score so many at once; as many as there are cores."),
    ] = None,
    compiler: Compiler = "",
    json: Json = False,
) -> None:
    """Score kernels: right, how exact, how fast, what is wrong; exit 1 for one that is wrong.

    Each is built, run, compared, checked and timed in a process of its own.
    """


@carried_out("view", Only("json", "watch", without=True))
def view(
    targets: OneTarget,
    output: Annotated[
        Path,
        typer.Option(
            "--page", "--output", "-o", metavar="PAGE", help="The page to write; - is stdout."
        ),
    ] = Path("report.html"),
    arch: Arch = None,
    engine: Engine = "fast",
    max_cycles: MaxCycles = MOST_ROUNDS,
    check: Annotated[
        bool,
        typer.Option("--check", help="Also run it under the checker, and mark what it finds."),
    ] = False,
    watch: Annotated[
        bool,
        typer.Option("--watch", help="Build, run and draw again at each change; the page follows."),
    ] = False,
    json: Json = False,
) -> None:
    """Write one HTML page that shows a run: timeline, sources, bubbles, registers, heat maps.

    With --check what the checker finds is marked there. A run that fails is shown up to there; exit
    1 then, 2 if it cannot be run.
    """


@carried_out("compare", old={"--output": "output", "-o": "output"})
def compare(
    before: Kernel,
    after: Kernel,
    arch: Arch = None,
    engine: Engine = "fast",
    max_cycles: MaxCycles = MOST_ROUNDS,
    output: Annotated[
        Path | None,
        typer.Option(
            "--page", metavar="PAGE", help="Also write a page: both timelines, and why they differ."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Run two kernels under the cycle clock and explain how they differ; exit 1 if one fails."""
