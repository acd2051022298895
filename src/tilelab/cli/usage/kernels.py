"""``tilelab build``, ``new`` and ``examples``; ``run``, ``check``, ``view`` and ``compare``."""

from pathlib import Path

from tilelab.cli.usage.shared import (
    ARCH,
    CHIPS,
    CLOCKS,
    COMPILER,
    ENGINE,
    JSON,
    MAX_CYCLES,
    ONE_TARGET,
    POLICY,
    SCHEDULE,
    TARGETS,
    Only,
    argument,
    command,
    flag,
    option,
)


def _examples(incomplete: str) -> list[str]:
    from tilelab.kernels.examples import examples as find  # noqa: PLC0415  for completion alone

    return [name for name in find() if name.startswith(incomplete)]


build = command(
    "build.build",
    """Compile kernels: one ELF for each of a tile's three TRISC cores.

    Of several targets each is tried; exit 2 if one fails.
    """,
    argument(
        "targets",
        "TARGET...",
        "A kernel.toml, a folder that holds one, or a C++ source alone.",
        list[Path],
    ),
    option("-o --output DIR", "Put the ELFs into this folder.", Path),
    COMPILER,
    option("--arch", "The chip to build for, of a source alone.", CHIPS),
    option("-D NAME=VALUE", "A constant, as in [build] constants.", list[str], name="define"),
    flag(
        "--compile-commands", "Write compile_commands.json instead, for editors.", name="commands"
    ),
    JSON,
    rules=(Only("output compiler", "commands", without=True),),
)

new = command(
    "new.new",
    "Make a folder with a kernel that runs: source, kernel.toml, data, what editors need.",
    argument("folder", "DIR", "The folder to make.", Path),
    option("--task NAME", "With this task (tilelab tasks), and a kernel to begin with."),
    flag("--solution", "With the task's solution instead."),
    option("--arch", "The task's chip.", CHIPS, "blackhole"),
    option("--build/--no-build", "Build it, too; needs a compiler.", bool, True),
    COMPILER,
    JSON,
    rules=(Only("solution arch", "task"),),
)

tasks = command(
    "tasks.tasks",
    "List the tasks that tilelab new --task makes folders of, or show one.",
    argument("name", "NAME", "Show this task's kernel.toml and source.", str, None),
    flag("--solution", "Show its solution, too."),
    JSON,
    rules=(Only("solution", "name"),),
)

examples = command(
    "examples.examples",
    """List the examples, or find one: tilelab run "$(tilelab examples matmul)".""",
    argument(
        "name", "NAME", "Print this example's folder only.", str, None, autocompletion=_examples
    ),
    option("--copy DIR", "Copy to DIR/NAME, to change and run.", Path),
    JSON,
)

JUNK = option(
    "--junk SEED",
    "Registers and L1 begin as junk, not as zeros; the seed says which.",
    int,
    min=0,
    max=(1 << 64) - 1,
)

run = command(
    "run.run",
    "Run kernels and check their results; exit 1 if one fails, 2 if one cannot be run.",
    TARGETS,
    ARCH,
    ENGINE,
    option("--clock", "Count rounds, or time each cycle.", CLOCKS, show_default=False),
    MAX_CYCLES,
    POLICY,
    flag("--cycles", "Time each cycle; say where the time went."),
    option(
        "--what-if NAME=free|Nx",
        "Run again with this faster: unpack=free, dram=2x, fidelity=LoFi; docs/cli/run.md has all.",
        list[str],
    ),
    option("--placement N", "With --cycles: begin in this way alone, of eight.", int, min=0, max=7),
    option("--lines FILE", "Write the cycles of each source line: .csv or .json.", Path),
    flag("--throttled", "Set firmware's throttle flag (L1 0x10) first."),
    JUNK,
    option("--trace FILE", "Write what happened: .pftrace (Perfetto), .txt, JSON Lines.", Path),
    option("--page PAGE", "Of a recording: draw what the tiles did.", Path),
    option("--jobs N", "Run so many at once; as many as there are cores.", int, min=1),
    option("--cluster ADDRESS", "Run them, or a recording's chips, on this Dask cluster."),
    flag("--build", "First build the kernels whose source has changed."),
    option(
        "-D NAME=VALUE[,VALUE...]",
        "Build with this constant, for the same arrays; of several values, run each.",
        list[str],
        name="define",
    ),
    COMPILER,
    option("--save-outputs DIR", "Write DIR/KERNEL/output0.npy and so on.", Path),
    flag("--watch", "Build and run again whenever a file of the kernels changes."),
    JSON,
    rules=(
        Only("compiler", "build define watch what_if"),
        Only("what_if placement", "cycles"),
        Only("json cluster", "watch", without=True),
    ),
    old={"--view": "page"},
)

check = command(
    "check.check",
    "Run programs under the checker; exit 1 if anything is found, 2 if one cannot be run.",
    TARGETS,
    ARCH,
    MAX_CYCLES,
    POLICY,
    option("--sarif FILE", "Write the findings as SARIF 2.1.0.", Path, name="sarif_file"),
    option("--page PAGE", "Also write an HTML page here.", Path, name="page_file"),
    option("--schedules N|exhaustive", "Also run so many schedules, or all.", str, "0"),
    option(
        "--bound",
        "Pairs of accesses turned round, or the depth by priorities.",
        int,
        2,
        min=1,
        max=16,
    ),
    option("--seed", "Which random schedules.", int, 0, min=0),
    SCHEDULE,
    option(
        "--save-schedule FILE", "Keep a schedule that differs, for --schedule.", Path, name="save"
    ),
    flag("--places", "Of a schedule that differs: where else one delay does."),
    option("--checks FILE", "Also make the checks of this Python file; repeatable.", list[Path]),
    option(
        "--claim CLAIM",
        "Execute 'FILE:LINE races FILE:LINE', or each of a file of such lines; repeatable.",
        list[str],
    ),
    JUNK,
    flag("--late", "Of a recording: also let what tiles ask of the NoC come as late as it may."),
    JSON,
    rules=(Only("bound seed save places", "schedules schedule"),),
    old={"--save": "save"},
)

score = command(
    "score.score",
    """Score kernels: right, how exact, how fast, what is wrong; exit 1 for one that is wrong.

    Each is built, run, compared, checked and timed in a process of its own.
    """,
    argument("targets", "TARGET...", "A kernel.toml, or a folder of them.", list[Path], None),
    option("--source FILE", "Build this C++ file instead of the kernel's own.", Path),
    option("--schedules N", "Also run so many schedules.", int, 0, min=0, max=100_000),
    MAX_CYCLES,
    option("--seconds S", "The time that one kernel may take.", float, 60.0),
    option("--memory MIB", "The memory that one kernel may take.", int, 4096, min=1),
    option("--jobs N", "Score so many at once; as many as there are cores.", int, min=1),
    option(
        "--serve",
        "Answer requests on stdin instead: lines of JSON, or an agent's by MCP.",
        ("json", "mcp"),
    ),
    COMPILER,
    JSON,
    rules=(Only("source schedules jobs json", "serve", without=True),),
)

tune = command(
    "tune.tune",
    """Find the quickest right one of many candidates; exit 1 if none is right.

    Each is run once; the quicker half of the right ones is asked every number, of these the quicker
    half is scored whole. Several options that name values are tried in all combinations.
    """,
    argument("target", "TARGET", "A kernel.toml, or its folder.", Path),
    option("-D --define NAME=VALUES", "Try these values: 1,2,4 or 1..8; repeatable.", list[str]),
    option("--source FILE", "Try this C++ file; repeatable.", list[Path]),
    option(
        "--fidelity NAME",
        "Try this math_fidelity: LoFi, HiFi2, HiFi3, HiFi4; repeatable.",
        list[str],
    ),
    option("-o --output FILE", "Keep the rows in this CSV file, and go on from it.", Path),
    option("--picture FILE", "Draw cycles against error, as SVG.", Path),
    option("--schedules N", "Of the best, also run so many schedules.", int, 0, min=0, max=100_000),
    MAX_CYCLES,
    option("--seconds S", "The time that one candidate may take.", float, 60.0),
    option("--memory MIB", "The memory that one candidate may take.", int, 4096, min=1),
    option("--jobs N", "Score so many at once; as many as there are cores.", int, min=1),
    option("--cluster ADDRESS", "Score on a Dask cluster that sees the same files."),
    COMPILER,
    JSON,
    rules=(Only("seconds memory jobs", "cluster", without=True),),
)

view = command(
    "view.view",
    """Write one HTML page that shows a run: timeline, sources, bubbles, registers, heat maps.

    With --check what the checker finds is marked there. A run that fails is shown up to there; exit
    1 then, 2 if it cannot be run.
    """,
    ONE_TARGET,
    option("--page --output -o PAGE", "The page to write; - is stdout.", Path, Path("report.html")),
    ARCH,
    ENGINE,
    MAX_CYCLES,
    flag("--check", "Also run it under the checker, and mark what it finds."),
    flag("--watch", "Build, run and draw again at each change; the page follows."),
    JSON,
    rules=(Only("json", "watch", without=True),),
)

compare = command(
    "compare.compare",
    "Run two kernels under the cycle clock and explain how they differ; exit 1 if one fails.",
    argument("before", "TARGET", "A kernel.toml, its folder, assembly."),
    argument("after", "TARGET", "A kernel.toml, its folder, assembly."),
    ARCH,
    ENGINE,
    MAX_CYCLES,
    option(
        "--page PAGE",
        "Also write a page: both timelines, and why they differ.",
        Path,
        name="output",
    ),
    JSON,
    old={"--output": "output", "-o": "output"},
)
