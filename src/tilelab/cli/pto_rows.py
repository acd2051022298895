"""Rows that the ``pto`` commands share."""

from tilelab.cli.pto_kinds import PROTOCOLS, protocols
from tilelab.cli.pto_show import Shown
from tilelab.cli.usage import JSON, REQUIRED, argument, flag, option, together
from tilelab.pto.native.job import Kernel

CHIPS = ("a2a3", "a5")
ARCH_OF_PROGRAM = option("The chip; overrides the file.", choices=CHIPS)
PROTOCOL = option(
    "NAME",
    f"Of credits; overrides the file: {', '.join(PROTOCOLS)}, rendezvous, ack/N, chunk/N.",
    autocompletion=protocols,
)
SLOTS = option("N", "SlotNum of every pipe; overrides the file.", min=1)
SET = option("--set NAME=VALUE", "A figure of the clock, in place of its own.", default=[])
ORDER = option(
    "ORDER", "rr, cube_first, vec_first, a seed, or a schedule file to replay.", default="rr"
)
ARGUMENTS = option("NAME=VALUE", "FILE.npy or a number, for a .pto parameter.")
MAX_STATES = option("Give up beyond this many.", default=20_000, min=1)
SAVE_SCHEDULE = option("FILE", "Keep the first schedule that goes wrong here.")
KERNEL = together(
    Kernel,
    kernel=argument("KERNEL.cpp", "The kernel's source."),
    pto_isa=option("DIR", "A checkout of pto-isa.", default=REQUIRED),
    host=option("FILE.cpp", "The host's sources; default: main.cpp beside it.", default=[]),
    arch=option("The chip.", choices=CHIPS, default="a2a3"),
    cores=option(
        "What it is compiled for; default: as the CMakeLists.txt beside it says, else mix.",
        choices=("mix", "vec", "cube"),
    ),
    protocol=option(
        "Of credits; sparse is the vendor's code, library the checkout's own TPUSH and TPOP.",
        choices=(*PROTOCOLS, "library"),
        default="sparse",
    ),
    case=option("Which gtest cases, such as '*case1*'.", default="*"),
    data=option("DIR", "The folder in which the host runs."),
    gen=option("ARGUMENTS", "For its gen_data.py and generate_cases.py.", default=""),
    arg=option("ARGUMENT", "An argument for the host's main.", default=[]),
    define=option("-D NAME[=VALUE]", "A macro.", default=[], short=True),
    include=option("-I DIR", "An include folder.", default=[], short=True),
    auto=flag("Auto mode: the compiler orders a core's pipes."),
    strict_barriers=flag(
        "A2/A3: want a pipe_barrier(PIPE_V) at every dependence, as PTOAS inserts them."
    ),
    events=option(
        "Event ids belong to a pair of pipes, or to the pipe that sets them (PTOAS#823).",
        choices=("pair", "setter"),
        default="pair",
    ),
    compiler=option("g++ or clang++, by name or path."),
    flag_bits=option("Width of a flag counter.", default=4, min=1),
    timeout=option("SECONDS", "Give up a run after so long.", default=120),
)
SHOWN = together(
    Shown,
    timeline=flag("Print every event."),
    trace=option("FILE", "Write Perfetto's JSON here."),
    page=option("PAGE", "Also write an HTML page here."),
    json=JSON,
    cycles=flag("Tell the time: each pipe's work, and why it stands still."),
    figures=SET,
)
