"""``tilelab pto``: run programs and kernels, and explore them."""

from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from tilelab.cli.usage.shared import JSON, REQUIRED, Together, argument, command, flag, option
from tilelab.sim.errors import BadInputError

SOURCES = (".cpp", ".cc", ".cxx", ".c++")
"""As ``tilelab.pto.native.build.SOURCES``."""
CHIPS = ("a2a3", "a5")
PROTOCOLS = ("seed", "tagged", "held", "sparse", "sparse_fixed")
"""As ``tilelab.pto.protocol.PROTOCOLS``."""
DIRECTIONS = ("C2V", "V2C", "BOTH", "V2C_CTRL", "C2V_GM", "V2C_GM", "BOTH_GM")

ARCH_OF_PROGRAM = option("--arch", "The chip; overrides the file.", CHIPS)


def _protocols(incomplete: str) -> list[str]:
    return [name for name in (*PROTOCOLS, "rendezvous") if name.startswith(incomplete)]


PROTOCOL = option(
    "--protocol NAME",
    f"Of credits; overrides the file: {', '.join(PROTOCOLS)}, rendezvous, ack/N, chunk/N.",
    autocompletion=_protocols,
)
SLOTS = option("--slots N", "SlotNum of every pipe; overrides the file.", int, None, min=1)
SET = option(
    "--set NAME=VALUE", "A figure of the clock, in place of its own.", list[str], [], "figures"
)
ORDER = option(
    "--schedule ORDER",
    "rr, cube_first, vec_first, a seed, or a schedule file to replay.",
    str,
    "rr",
)
ARGUMENTS = option("--arg NAME=VALUE", "FILE.npy or a number, for a .pto parameter.", list[str])
MAX_STATES = option("--max-states", "Give up beyond this many.", int, 20_000, min=1)
KERNEL = Together(
    "kernel",
    "pto.native.job.Kernel",
    (
        argument("kernel", "KERNEL.cpp", "The kernel's source.", Path),
        option("--pto-isa DIR", "A checkout of pto-isa.", Path, REQUIRED),
        option(
            "--host FILE.cpp", "The host's sources; default: main.cpp beside it.", list[Path], []
        ),
        option("--arch", "The chip.", CHIPS, "a2a3"),
        option(
            "--cores",
            "What it is compiled for; default: as the CMakeLists.txt beside it says, else mix.",
            ("mix", "vec", "cube"),
        ),
        option(
            "--protocol",
            "Of credits; sparse is the vendor's code, library the checkout's own TPUSH and TPOP.",
            (*PROTOCOLS, "library"),
            "sparse",
        ),
        option("--case", "Which gtest cases, such as '*case1*'.", str, "*"),
        option("--data DIR", "The folder in which the host runs.", Path),
        option("--gen ARGUMENTS", "For its gen_data.py and generate_cases.py.", str, ""),
        option("--arg ARGUMENT", "An argument for the host's main.", list[str], []),
        option("-D NAME[=VALUE]", "A macro.", list[str], [], name="define"),
        option("-I DIR", "An include folder.", list[Path], [], name="include"),
        flag("--auto", "Auto mode: the compiler orders a core's pipes."),
        flag(
            "--strict-barriers",
            "A2/A3: want a pipe_barrier(PIPE_V) at every dependence, as PTOAS inserts them.",
        ),
        option(
            "--events",
            "Event ids belong to a pair of pipes, or to the pipe that sets them (PTOAS#823).",
            ("pair", "setter"),
            "pair",
        ),
        option("--compiler", "g++ or clang++, by name or path."),
        option("--flag-bits", "Width of a flag counter.", int, 4, min=1),
        option("--timeout SECONDS", "Give up a run after so long.", float, 120),
    ),
)
SAVE_SCHEDULE = option(
    "--save-schedule FILE", "Keep the first schedule that goes wrong here.", Path
)
SHOWN = Together(
    "shown",
    "cli.pto_show.Shown",
    (
        flag("--timeline", "Print every event."),
        option("--trace FILE", "Write Perfetto's JSON here.", Path),
        option("--page PAGE", "Also write an HTML page here.", Path),
        JSON,
        flag("--cycles", "Tell the time: each pipe's work, and why it stands still."),
        SET,
    ),
)


class ByKind(TyperGroup):
    """Commands by what they explore; where none is named, the kind of file says which is meant."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the command's name before the rest."""
        if not args or args[0] not in (*self.commands, *ctx.help_option_names):
            program = any(word == "-" or word.endswith((".py", ".pto")) for word in args)
            kernel = any(word.endswith(SOURCES) for word in args)
            args = ["kernel" if kernel else "program" if program else "pipe", *args]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run it; an option that only others of these commands have is told as theirs."""
        try:
            return super().invoke(ctx)
        except typer.TyperException as error:
            option = getattr(error, "option_name", None)
            of = [name for name, one in self.commands.items() if _has(one, option)]
            if not of:
                raise
            raise BadInputError(f"{option} is for tilelab pto explore {' and '.join(of)}") from None


def _has(command: Any, option: str | None) -> bool:
    return any(option in parameter.opts for parameter in command.params)


app = typer.Typer(
    help="PTO's TPUSH and TPOP over ring FIFOs: run programs, prove credit schemes.",
    rich_markup_mode=None,
)
explore = typer.Typer(
    cls=ByKind,
    help="Search every interleaving: prove a pipe or a program safe, or not.",
    rich_markup_mode=None,
)


run = command(
    "pto.run",
    "Run a PTO program and report its rings, findings, and any deadlock.",
    argument("target", "FILE", "FILE.py, FILE.pto or - for stdin."),
    SHOWN,
    ARCH_OF_PROGRAM,
    PROTOCOL,
    SLOTS,
    ORDER,
    option("--hazards", "What a hazard does.", ("raise", "warn", "record")),
    ARGUMENTS,
    option("--timeout SECONDS", "Give up after so long; 0: never.", int, 0, min=0),
    option(
        "--orders N", "Also try other orders, up to so many states: does one differ?", int, 0, min=0
    ),
    old={"--report": "page"},
)

cc = command(
    "pto_cc.cc",
    "Compile a C++ PTO kernel, unmodified, and run it checked: every byte, flag and wait.",
    KERNEL,
    SHOWN,
    ORDER,
    option("--schedules", "Run so many different schedules.", int, 1, min=1),
    SAVE_SCHEDULE,
    flag("--redundant", "Tell barriers and flags that order nothing, too."),
    old={"--report": "page", "--replay": "schedule"},
)

protocol = command(
    "pto_protocol.protocol",
    "Compare protocols and depths: overlap, throughput, latency, and what is safe.",
    argument("file", "FILE", "FILE.py, FILE.pto or -."),
    ARCH_OF_PROGRAM,
    ARGUMENTS,
    option("--depths LIST", "SlotNum of every pipe: these.", str, "1,2,3,4,6,8"),
    SET,
    option("--also NAME", "Another protocol, such as sparse or ack/3.", list[str], []),
    option("--max-states", "Explore the best and the smallest up to so many.", int, 200, min=0),
    option("--picture FILE.svg", "Draw cycles by depth here.", Path),
    SAVE_SCHEDULE,
    JSON,
)

pipe = command(
    "pto_explore.pipe",
    "Prove a pipe's credits safe for any number of tiles, or print the shortest bad schedule.",
    option("--slots N[-M]", "SlotNum: a number, or a range such as 1-15.", str, "4"),
    option("--arch", "The chip.", CHIPS, "a2a3"),
    option("--direction", "Who sends to whom.", DIRECTIONS, "C2V"),
    option("--protocol NAME", "Of credits, as above.", str, "seed", autocompletion=_protocols),
    option("--tiles", "Tiles per run; 0: any number (a proof).", int, 0, min=0),
    option("--vec", "Vector cores.", int, 2, min=1, max=2),
    flag("--nosplit", "A5: sub-block 0 alone."),
    flag("--multi", "A TMPipe."),
    option("--flag-bits", "Counter width; 0: unbounded.", int, 4, min=0),
    option("--cube WORDS", 'Its loop, such as "push pop".', str, ""),
    option("--vector WORDS", 'Its loop, such as "pop tfree push".', str, ""),
    flag("--no-allocate", "isAllocate = false."),
    flag("--no-free", "isFree = false."),
    option("--record-period", "Record every k-th; 0: never.", int, 1, min=0),
    option("--wait-period", "Wait at every k-th; 0: never.", int, 1, min=0),
    flag("--use-after-pop", "Check the use of zero-copy tiles too."),
    option("--max-states", "Give up beyond this many.", int, 2_000_000, min=1),
    JSON,
)

program = command(
    "pto_explore.program",
    "Run a Python or IR program under every order of its cores.",
    argument("file", "FILE", "FILE.py, FILE.pto or -."),
    ARCH_OF_PROGRAM,
    PROTOCOL,
    ARGUMENTS,
    MAX_STATES,
    SAVE_SCHEDULE,
    flag("--one-run", "Decide from the signals and waits of one run, in linear time."),
    JSON,
)

kernel = command(
    "pto_explore.kernel",
    "Run a compiled kernel under every order of its cores.",
    KERNEL,
    MAX_STATES,
    SAVE_SCHEDULE,
    JSON,
)

app.command("run")(run)
app.command("cc")(cc)
app.command("protocol")(protocol)
app.add_typer(explore, name="explore")
for one in (pipe, program, kernel):
    explore.command()(one)
