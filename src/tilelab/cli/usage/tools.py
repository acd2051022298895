"""Debuggers and servers, the vendor's software on simulated chips, numbers, measurements."""

from pathlib import Path

from tilelab.cli.usage.shared import (
    ARCH,
    BOARDS,
    CHIP,
    CLOCK,
    COMPILER,
    ENGINE,
    JSON,
    ONE_TARGET,
    SCHEDULE,
    Only,
    argument,
    command,
    flag,
    option,
)

ONE_TILE = flag("--one-tile", "A chip with one Tensix tile instead of all.", name="one")
BOARD = option("--board", "A chip as this board has it, with its tiles and DRAM.", BOARDS)
WHICH = Only("board", "arch one chips", without=True)
LATE = flag("--late", "What a tile asks of the NoC comes as late as it may; who uses it is told.")

debug = command(
    "debug.debug",
    """Step a kernel or program forwards and backwards; help lists the commands.

    Commands come from a terminal, a pipe, --command or --script. Of the last three, one that
    cannot be carried out ends it: exit 2.
    """,
    ONE_TARGET,
    ARCH,
    ENGINE,
    CLOCK,
    option("--command -c", "Carry out this command first; repeatable.", list[str]),
    option("--script -x FILE", "Carry out this file's commands, then end."),
    SCHEDULE,
)

gdb = command(
    "debug.gdb",
    """Let gdb debug a kernel, one thread for each core, forwards and backwards.

    The port goes to stdout: gdb-multiarch math.elf -ex "target remote :PORT". It is served to one
    gdb after the other, until one kills the program.
    """,
    ONE_TARGET,
    ARCH,
    ENGINE,
    CLOCK,
    option("--port", "0: any that is free.", int, 0, min=0, max=65535),
    SCHEDULE,
)

dap = command(
    "dap.dap",
    """Serve the Debug Adapter Protocol to an editor, on stdin and stdout or a port.

    Launch arguments: target, and arch, clock, engine, stopOnEntry. A port goes to stdout; one
    editor is served.
    """,
    option("--port", "Listen here, not on stdin; 0: any port that is free.", int, min=0, max=65535),
)

serve = command(
    "serve.serve",
    """Serve a tile, or a chip of some, to the vendor's driver and debugger, until interrupted.

    The socket's path goes to stdout, messages to stderr; nothing is left behind.
    """,
    argument(
        "targets",
        "[TARGET...]",
        "Start with this kernel.toml, folder or ELFs loaded and running.",
        list[str],
        None,
    ),
    ARCH,
    ENGINE,
    CLOCK,
    option("--folder DIR", "Make the socket here, not in the temporary folder.", Path),
    option("--grid COLUMNSxROWS", "Serve so many tiles of a chip, with NCRISC."),
    rules=(Only("clock", "grid", without=True),),
)

sfpi = command(
    "sfpi.sfpi",
    "Lay out a stand-in for the vendor's compiler, for programs that call it by its path.",
    argument("folder", "DIR", "Where the vendor's compiler would be unpacked.", Path),
    option("--compiler", "What it stands on.", ("zig", "gcc"), "zig"),
    JSON,
)

CHIPS = option("--chips", "How many chips, wired as on the vendor's boards.", int, 1, min=1, max=32)

libttsim = command(
    "libttsim.libttsim",
    "Lay out libttsim.so and soc_descriptor.yaml: a simulated chip for tt-metal and ttnn.",
    argument("folder", "DIR", "Where to put it.", Path),
    CHIP,
    ONE_TILE,
    BOARD,
    LATE,
    flag("--ahead", "Run ahead of a host that polls, instead of a clock for each of its clocks."),
    CHIPS,
    JSON,
    rules=(Only("ahead", "late", without=True), WHICH),
)

ttnn = command(
    "ttnn.ttnn",
    """Run a ttnn program on a simulated chip; say which tiles ran what. Its own exit code.

    --page, --trace, --cycles and --check record its calls, and replay them.
    """,
    argument("program", "PROGRAM.py", "The program.", Path),
    argument("arguments", "ARGUMENT...", "Its arguments.", list[str], None),
    CHIP,
    ONE_TILE,
    BOARD,
    LATE,
    flag("--fast-dispatch", "Commands go through dispatch tiles."),
    flag("--macros", "Kernels use SFPLOADMACRO, as on cards."),
    CHIPS,
    option("--page PAGE", "Draw what the tiles did.", Path),
    option("--trace FILE", "Write that for Perfetto (.pftrace).", Path),
    flag("--cycles", "Say what tiles took under the cycle clock."),
    flag("--check", "Also run it under the checker: exit 1 if it finds any."),
    option("--record FILE", "Keep the host's calls; tilelab run replays them.", Path),
    option("--python PATH", "A Python that has ttnn installed.", str, ""),
    JSON,
    rules=(WHICH,),
    old={"--view": "page"},
)

import_ = command(
    "import_kernels.import_",
    """Run a ttnn program; write a folder for each launch of a compute kernel, with its data.

    The folder's kernel.toml has the vendor's headers, the circular buffers as the reader filled
    them, and the bytes that came out. The program runs on one tile, and is compiled anew.
    """,
    argument("program", "PROGRAM.py", "The program.", Path),
    argument("arguments", "ARGUMENT...", "Its arguments.", list[str], None),
    option("--into DIR", "Where the folders go.", Path, Path("imported")),
    CHIP,
    option("--python PATH", "A Python that has ttnn installed.", str, ""),
    JSON,
)

explain_matmul = command(
    "explain_matmul.explain_matmul",
    "Explain one element of a matrix product, or measure the errors of all fidelities.",
    option("-a FILE.npy", "The matrix A, (m, k).", name="a"),
    option("-b FILE.npy", "The matrix B, (k, n).", name="b"),
    option("--row", "Row of the element.", int, 0, min=0),
    option("--column", "Column of the element.", int, 0, min=0),
    option(
        "--format",
        "The operands' format.",
        ("bf16", "tf32", "bfp8", "bfp4", "fp16", "fp8"),
        "bf16",
        name="data_format",
    ),
    option("--fidelity", "How many phases.", ("lofi", "hifi2", "hifi3", "hifi4"), "hifi4"),
    option("--dst", "Bits of a number in Dst.", ("16", "32"), "16"),
    CHIP,
    option("--k", "Length of random operands.", int, 16, min=1, max=4096),
    option("--seed", "Of random operands.", int, 0, min=0),
    option(
        "--distribution",
        "Measure errors over operands that are so distributed.",
        ("normal", "uniform", "positive", "lognormal"),
    ),
    option("--samples", "How many results to measure.", int, 4096, min=1),
    option("--picture FILE.svg", "Also draw the errors.", Path),
    JSON,
    rules=(
        Only("samples picture", "distribution"),
        Only("a b row column fidelity", "distribution", without=True),
        Only("k seed", "a b", without=True),
    ),
    old={"--svg": "picture"},
)

doctor = command(
    "doctor.doctor",
    "Check the installation: packages, cache, compilers, an example; exit 1 for what is bad.",
    JSON,
)

bench = command(
    "bench.bench",
    "Measure the engines, and other simulators where they are installed, side by side.",
    argument(
        "names",
        "NAME...",
        "Beginnings of benchmarks' names, or llk, chip, check, growth, history, "
        "schedules, start, sweep.",
        list[str],
        None,
    ),
    option("--runs", "Measured runs of each.", int, 5, min=1),
    option("--size", "Length of a run; several may be given.", list[int], min=1),
    flag("--tiny", "Runs as short as can be."),
    JSON,
)

calibrate = command(
    "calibrate.calibrate",
    "Compare the cycle clock with published silicon figures, by running the same programs.",
    argument("rows", "ROWS.tsv", "Published figures, a row each.", Path),
    option("--kernels DIR", "Checkouts with the kernels that the figures come from.", list[Path]),
    option("--split", "Only these rows.", ("fit", "hold")),
    option(
        "--before DIR",
        "Files as before a change, by their paths in a checkout: "
        "rows with two figures get both predictions.",
        Path,
    ),
    option("--after DIR", "The same, files as after a change.", Path),
    flag("--raw", "Also the cards' raw points that the checkouts have."),
    option("--picture FILE.svg", "Also draw predicted against silicon.", Path),
    COMPILER,
    option("--python PATH", "A Python that has ttnn installed.", str, ""),
    JSON,
)
