"""Debuggers and servers, the vendor's software on simulated chips, numbers, measurements."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from tilelab.cli.usage.shared import (
    Arch,
    Chip,
    Clock,
    Compiler,
    Engine,
    Json,
    OneTarget,
    Only,
    Schedule,
    carried_out,
)

Port = Annotated[int, typer.Option(min=0, max=65535, help="0: any that is free.")]


@carried_out("debug")
def debug(
    targets: OneTarget,
    arch: Arch = None,
    engine: Engine = "fast",
    clock: Clock = "functional",
    command: Annotated[
        list[str] | None,
        typer.Option("--command", "-c", help="Carry out this command first; repeatable."),
    ] = None,
    script: Annotated[
        str | None,
        typer.Option(
            "--script", "-x", metavar="FILE", help="Carry out this file's commands, then end."
        ),
    ] = None,
    schedule: Schedule = None,
) -> None:
    """Step a kernel or program forwards and backwards; help lists the commands.

    Commands come from a terminal, a pipe, --command or --script. Of the last three, one that
    cannot be carried out ends it: exit 2.
    """


@carried_out("debug")
def gdb(
    targets: OneTarget,
    arch: Arch = None,
    engine: Engine = "fast",
    clock: Clock = "functional",
    port: Port = 0,
    schedule: Schedule = None,
) -> None:
    """Let gdb debug a kernel, one thread for each core, forwards and backwards.

    The port goes to stdout: gdb-multiarch math.elf -ex "target remote :PORT". It is served to one
    gdb after the other, until one kills the program.
    """


@carried_out("dap")
def dap(
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="Listen here, not on stdin; 0: any port that is free."),
    ] = None,
) -> None:
    """Serve the Debug Adapter Protocol to an editor, on stdin and stdout or a port.

    Launch arguments: target, and arch, clock, engine, stopOnEntry. A port goes to stdout; one
    editor is served.
    """


@carried_out("serve", Only("clock", "grid", without=True))
def serve(
    targets: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TARGET...]",
            help="Start with this kernel.toml, folder or ELFs loaded and running.",
        ),
    ] = None,
    arch: Arch = None,
    engine: Engine = "fast",
    clock: Clock = "functional",
    folder: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Make the socket here, not in the temporary folder."),
    ] = None,
    grid: Annotated[
        str | None,
        typer.Option(metavar="COLUMNSxROWS", help="Serve so many tiles of a chip, with NCRISC."),
    ] = None,
) -> None:
    """Serve a tile, or a chip of some, to the vendor's driver and debugger, until interrupted.

    The socket's path goes to stdout, messages to stderr; nothing is left behind.
    """


@carried_out("sfpi")
def sfpi(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Where the vendor's compiler would be unpacked.")
    ],
    compiler: Annotated[Literal["zig", "gcc"], typer.Option(help="What it stands on.")] = "zig",
    as_json: Json = False,
) -> None:
    """Lay out a stand-in for the vendor's compiler, for programs that call it by its path."""


OneTile = Annotated[
    bool, typer.Option("--one-tile", help="A chip with one Tensix tile instead of all.")
]
Late = Annotated[
    bool,
    typer.Option(
        "--late", help="What a tile asks of the NoC comes as late as it may; who uses it is told."
    ),
]


@carried_out("libttsim", Only("ahead", "late", without=True))
def libttsim(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to put it.")],
    arch: Chip = "blackhole",
    one: OneTile = False,
    late: Late = False,
    ahead: Annotated[
        bool,
        typer.Option(
            "--ahead",
            help="Run ahead of a host that polls, instead of a clock for each of its clocks.",
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Lay out libttsim.so and soc_descriptor.yaml: a simulated chip for tt-metal and ttnn."""


@carried_out("ttnn", old={"--view": "page"})
def ttnn(
    program: Annotated[Path, typer.Argument(metavar="PROGRAM.py", help="The program.")],
    arguments: Annotated[
        list[str] | None, typer.Argument(metavar="ARGUMENT...", help="Its arguments.")
    ] = None,
    arch: Chip = "blackhole",
    one: OneTile = False,
    late: Late = False,
    fast_dispatch: Annotated[
        bool, typer.Option("--fast-dispatch", help="Commands go through dispatch tiles.")
    ] = False,
    page: Annotated[
        Path | None, typer.Option(metavar="PAGE", help="Draw what the tiles did.")
    ] = None,
    trace: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write that for Perfetto (.pftrace).")
    ] = None,
    cycles: Annotated[
        bool, typer.Option("--cycles", help="Say what tiles took under the cycle clock.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Also run it under the checker: exit 1 if it finds any.")
    ] = False,
    record: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Keep the host's calls; tilelab run replays them."),
    ] = None,
    python: Annotated[
        str, typer.Option(metavar="PATH", help="A Python that has ttnn installed.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Run a ttnn program on a simulated chip; say which tiles ran what. Its own exit code.

    --page, --trace, --cycles and --check record its calls, and replay them.
    """


@carried_out(
    "explain_matmul",
    Only("samples picture", "distribution"),
    Only("a b row column fidelity", "distribution", without=True),
    Only("k seed", "a b", without=True),
    old={"--svg": "picture"},
)
def explain_matmul(
    a: Annotated[
        str | None, typer.Option("-a", metavar="FILE.npy", help="The matrix A, (m, k).")
    ] = None,
    b: Annotated[
        str | None, typer.Option("-b", metavar="FILE.npy", help="The matrix B, (k, n).")
    ] = None,
    row: Annotated[int, typer.Option(min=0, help="Row of the element.")] = 0,
    column: Annotated[int, typer.Option(min=0, help="Column of the element.")] = 0,
    data_format: Annotated[
        Literal["bf16", "tf32", "bfp8", "bfp4", "fp16", "fp8"],
        typer.Option("--format", help="The operands' format."),
    ] = "bf16",
    fidelity: Annotated[
        Literal["lofi", "hifi2", "hifi3", "hifi4"], typer.Option(help="How many phases.")
    ] = "hifi4",
    dst: Annotated[Literal["16", "32"], typer.Option(help="Bits of a number in Dst.")] = "16",
    arch: Chip = "blackhole",
    k: Annotated[int, typer.Option(min=1, max=4096, help="Length of random operands.")] = 16,
    seed: Annotated[int, typer.Option(min=0, help="Of random operands.")] = 0,
    distribution: Annotated[
        Literal["normal", "uniform", "positive", "lognormal"] | None,
        typer.Option(help="Measure errors over operands that are so distributed."),
    ] = None,
    samples: Annotated[int, typer.Option(min=1, help="How many results to measure.")] = 4096,
    picture: Annotated[
        Path | None, typer.Option(metavar="FILE.svg", help="Also draw the errors.")
    ] = None,
    json: Json = False,
) -> None:
    """Explain one element of a matrix product, or measure the errors of all fidelities."""


@carried_out("doctor")
def doctor(json: Json = False) -> None:
    """Check the installation: packages, cache, compilers, an example; exit 1 for what is bad."""


@carried_out("bench")
def bench(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME...",
            help="Beginnings of benchmarks' names, or llk, chip, check, growth, history, "
            "schedules, start, sweep.",
        ),
    ] = None,
    runs: Annotated[int, typer.Option(min=1, help="Measured runs of each.")] = 5,
    size: Annotated[
        list[int] | None, typer.Option(min=1, help="Length of a run; several may be given.")
    ] = None,
    tiny: Annotated[bool, typer.Option("--tiny", help="Runs as short as can be.")] = False,
    json: Json = False,
) -> None:
    """Measure the engines, and other simulators where they are installed, side by side."""


@carried_out("calibrate")
def calibrate(
    rows: Annotated[
        Path, typer.Argument(metavar="ROWS.tsv", help="Published figures, a row each.")
    ],
    kernels: Annotated[
        list[Path] | None,
        typer.Option(metavar="DIR", help="Checkouts with the kernels that the figures come from."),
    ] = None,
    split: Annotated[Literal["fit", "hold"] | None, typer.Option(help="Only these rows.")] = None,
    before: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Files as before a change, by their paths in a checkout: "
            "rows with two figures get both predictions.",
        ),
    ] = None,
    after: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The same, files as after a change.")
    ] = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="Also the cards' raw points that the checkouts have.")
    ] = False,
    picture: Annotated[
        Path | None,
        typer.Option(metavar="FILE.svg", help="Also draw predicted against silicon."),
    ] = None,
    compiler: Compiler = "",
    json: Json = False,
) -> None:
    """Compare the cycle clock with published silicon figures, by running the same programs."""
