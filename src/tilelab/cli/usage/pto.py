"""``tilelab pto``: run programs and kernels, and explore them."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from tilelab.cli.usage.shared import Json, SaveSchedule, carried_out, with_settings
from tilelab.sim.errors import BadInputError

SOURCES = (".cpp", ".cc", ".cxx", ".c++")
"""As ``tilelab.pto.native.build.SOURCES``."""

Chips = Literal["a2a3", "a5"]
Protocols = Literal["seed", "tagged", "held", "sparse", "sparse_fixed"]
"""As ``tilelab.pto.protocol.PROTOCOLS``."""
DIRECTIONS = ("C2V", "V2C", "BOTH", "V2C_CTRL", "C2V_GM", "V2C_GM", "BOTH_GM")
ArchOfProgram = Annotated[Chips | None, typer.Option(help="The chip; overrides the file.")]
Protocol = Annotated[Protocols | None, typer.Option(help="Of credits; overrides the file.")]
Arguments = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=VALUE", help="FILE.npy or a number, for a .pto parameter."),
]
Order = Annotated[
    str,
    typer.Option(
        metavar="ORDER", help="rr, cube_first, vec_first, a seed, or a schedule file to replay."
    ),
]
MaxStates = Annotated[int, typer.Option(min=1, help="Give up beyond this many.")]
NAMES = {
    "kernel": typer.Argument(metavar="KERNEL.cpp"),
    "pto_isa": typer.Option(metavar="DIR"),
    "host": typer.Option(metavar="FILE.cpp"),
    "define": typer.Option("-D", metavar="NAME[=VALUE]"),
    "include": typer.Option("-I", metavar="DIR"),
    "data": typer.Option(metavar="DIR"),
    "arg": typer.Option(metavar="ARGUMENT"),
    "flag_bits": typer.Option(min=1),
    "timeout": typer.Option(metavar="SECONDS"),
    "trace": typer.Option(metavar="FILE"),
    "page": typer.Option(metavar="PAGE"),
}
"""How the fields of a ``Kernel`` and of ``Shown`` are written where not as their names are."""


@dataclass(frozen=True)
class Kernel:
    """What is said of a kernel: fields as of ``tilelab.pto.native.job.Kernel``."""

    kernel: Annotated[Path, "The kernel's source."]
    pto_isa: Annotated[Path, "A checkout of pto-isa."]
    host: Annotated[list[Path], "The host's sources; default: main.cpp beside it."] = field(
        default_factory=list
    )
    arch: Annotated[Chips, "The chip."] = "a2a3"
    cores: Annotated[
        Literal["mix", "vec", "cube"] | None,
        "What it is compiled for; default: as the CMakeLists.txt beside it says, else mix.",
    ] = None
    protocol: Annotated[Protocols, "Of credits; sparse is the vendor's code."] = "sparse"
    case: Annotated[str, "Which gtest cases, such as '*case1*'."] = "*"
    data: Annotated[Path | None, "The folder in which the host runs."] = None
    arg: Annotated[list[str], "An argument for the host's main."] = field(default_factory=list)
    define: Annotated[list[str], "A macro."] = field(default_factory=list)
    include: Annotated[list[Path], "An include folder."] = field(default_factory=list)
    auto: Annotated[bool, "Auto mode: the compiler orders a core's pipes."] = False
    strict_barriers: Annotated[
        bool, "A2/A3: want a pipe_barrier(PIPE_V) at every dependence, as PTOAS inserts them."
    ] = False
    compiler: Annotated[str | None, "g++ or clang++, by name or path."] = None
    flag_bits: Annotated[int, "Width of a flag counter."] = 4
    timeout: Annotated[float, "Give up a run after so long."] = 120


@dataclass(frozen=True)
class Shown:
    """How a run is shown."""

    timeline: Annotated[bool, "Print every event."] = False
    trace: Annotated[Path | None, "Write Perfetto's JSON here."] = None
    page: Annotated[Path | None, "Also write an HTML page here."] = None
    json: Annotated[bool, "Print one JSON document."] = False


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


def _directions(incomplete: str) -> list[str]:
    return [name for name in DIRECTIONS if name.startswith(incomplete.upper())]


app = typer.Typer(
    help="PTO's TPUSH and TPOP over ring FIFOs: run programs, prove credit schemes.",
    rich_markup_mode=None,
)
explore = typer.Typer(
    cls=ByKind,
    help="Search every interleaving: prove a pipe or a program safe, or not.",
    rich_markup_mode=None,
)


@app.command("run")
@with_settings(**NAMES)
@carried_out("pto", old={"--report": "page"})
def run(
    target: Annotated[
        str, typer.Argument(metavar="FILE", help="FILE.py, FILE.pto or - for stdin.")
    ],
    shown: Shown,
    arch: ArchOfProgram = None,
    protocol: Protocol = None,
    schedule: Order = "rr",
    hazards: Annotated[
        Literal["raise", "warn", "record"] | None, typer.Option(help="What a hazard does.")
    ] = None,
    arg: Arguments = None,
    timeout: Annotated[
        int, typer.Option(min=0, metavar="SECONDS", help="Give up after so long; 0: never.")
    ] = 0,
    orders: Annotated[
        int,
        typer.Option(
            min=0, metavar="N", help="Also try other orders, up to so many states: does one differ?"
        ),
    ] = 0,
) -> None:
    """Run a PTO program and report its rings, findings, and any deadlock."""


@app.command("cc")
@with_settings(**NAMES)
@carried_out("pto_cc", old={"--report": "page", "--replay": "schedule"})
def cc(
    kernel: Kernel,
    shown: Shown,
    schedule: Order = "rr",
    schedules: Annotated[int, typer.Option(min=1, help="Run so many different schedules.")] = 1,
    save_schedule: SaveSchedule = None,
    redundant: Annotated[
        bool, typer.Option("--redundant", help="Tell barriers and flags that order nothing, too.")
    ] = False,
) -> None:
    """Compile a C++ PTO kernel, unmodified, and run it checked: every byte, flag and wait."""


app.add_typer(explore, name="explore")


@explore.command()
@carried_out("pto_explore")
def pipe(
    slots: Annotated[
        str, typer.Option(metavar="N[-M]", help="SlotNum: a number, or a range such as 1-15.")
    ] = "4",
    arch: Annotated[Chips, typer.Option(help="The chip.")] = "a2a3",
    direction: Annotated[
        str,
        typer.Option(
            metavar="|".join(DIRECTIONS), help="Who sends to whom.", autocompletion=_directions
        ),
    ] = "C2V",
    protocol: Annotated[Protocols, typer.Option(help="Of credits.")] = "seed",
    tiles: Annotated[int, typer.Option(min=0, help="Tiles per run; 0: any number (a proof).")] = 0,
    vec: Annotated[int, typer.Option(min=1, max=2, help="Vector cores.")] = 2,
    nosplit: Annotated[bool, typer.Option("--nosplit", help="A5: sub-block 0 alone.")] = False,
    multi: Annotated[bool, typer.Option("--multi", help="A TMPipe.")] = False,
    flag_bits: Annotated[int, typer.Option(min=0, help="Counter width; 0: unbounded.")] = 4,
    cube: Annotated[str, typer.Option(metavar="WORDS", help='Its loop, such as "push pop".')] = "",
    vector: Annotated[
        str, typer.Option(metavar="WORDS", help='Its loop, such as "pop tfree push".')
    ] = "",
    no_allocate: Annotated[bool, typer.Option("--no-allocate", help="isAllocate = false.")] = False,
    no_free: Annotated[bool, typer.Option("--no-free", help="isFree = false.")] = False,
    record_period: Annotated[int, typer.Option(min=0, help="Record every k-th; 0: never.")] = 1,
    wait_period: Annotated[int, typer.Option(min=0, help="Wait at every k-th; 0: never.")] = 1,
    use_after_pop: Annotated[
        bool, typer.Option("--use-after-pop", help="Check the use of zero-copy tiles too.")
    ] = False,
    max_states: MaxStates = 2_000_000,
    as_json: Json = False,
) -> None:
    """Prove a pipe's credits safe for any number of tiles, or print the shortest bad schedule."""


@explore.command()
@carried_out("pto_explore")
def program(
    file: Annotated[str, typer.Argument(metavar="FILE", help="FILE.py, FILE.pto or -.")],
    arch: ArchOfProgram = None,
    protocol: Protocol = None,
    arg: Arguments = None,
    max_states: MaxStates = 20_000,
    save_schedule: SaveSchedule = None,
    as_json: Json = False,
) -> None:
    """Run a Python or IR program under every order of its cores."""


@explore.command()
@with_settings(**NAMES)
@carried_out("pto_explore")
def kernel(
    kernel: Kernel,
    max_states: MaxStates = 20_000,
    save_schedule: SaveSchedule = None,
    as_json: Json = False,
) -> None:
    """Run a compiled kernel under every order of its cores."""
