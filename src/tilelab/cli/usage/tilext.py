"""``tilelab tilext``: reference, open questions, checks, exports, programs, the objdump filter."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from tilelab.cli.usage.shared import Json, Only, carried_out

app = typer.Typer(
    help="The RISC-V Tile Extension: reference, programs and exports.", rich_markup_mode=None
)

ProfileName = Annotated[
    Literal["repaired", "printed"], typer.Option("--profile", help="Which reading of the document.")
]
Overlay = Annotated[
    Path | None, typer.Option(metavar="FILE.toml", help="Codes that the document lacks.")
]
Lenient = Annotated[
    bool, typer.Option("--lenient", help="Let illegal codes and unassigned bits pass.")
]


@app.command()
@carried_out("tilext")
def reference(
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Where to write.")
    ] = Path("docs/tilext"),
    profile: ProfileName = "repaired",
    overlay: Overlay = None,
    as_json: Json = False,
) -> None:
    """Write the reference pages in English and Chinese with their bit diagrams."""


@app.command("open-questions")
@carried_out("tilext")
def open_questions(as_json: Json = False) -> None:
    """Print what the document leaves open, in English and Chinese."""


@app.command()
@carried_out("tilext", Only("seed", "random"))
def check(
    profile: ProfileName = "repaired",
    overlay: Overlay = None,
    random: Annotated[
        int, typer.Option(min=0, metavar="N", help="Also round-trip so many random instances.")
    ] = 0,
    seed: Annotated[int, typer.Option(min=0, help="Which random instances.")] = 0,
    as_json: Json = False,
) -> None:
    """Count and validate the table; with --random N also round-trip N random instances."""


@app.command()
@carried_out("tilext")
def export(
    what: Annotated[
        Literal[
            "c-header",
            "decodetree",
            "json",
            "opcode-table",
            "riscv-opcodes",
            "sail",
            "tablegen",
            "unified-db",
        ],
        typer.Argument(help="The format."),
    ],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="PATH", help="A file, or a folder for several."),
    ] = None,
    profile: ProfileName = "repaired",
    overlay: Overlay = None,
) -> None:
    """Export a C header or the table as JSON (one file), or files for other tools (a folder)."""


@app.command()
@carried_out(
    "tilext", Only("style as_json", "gas", without=True), Only("style", "output", without=True)
)
def asm(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Assembly; - is stdin.")] = "-",
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Little-endian words; the .s with --gas."
        ),
    ] = None,
    gas: Annotated[
        bool, typer.Option("--gas", help="A whole .s: tile lines become .insn, the rest stays.")
    ] = False,
    style: Annotated[
        Literal["hex", "word", "insn"], typer.Option(help="Numbers, .word or .insn r.")
    ] = "hex",
    lenient: Lenient = False,
    profile: ProfileName = "repaired",
    overlay: Overlay = None,
    as_json: Json = False,
) -> None:
    """Assemble under a profile and an overlay, in any of the output styles; or a mixed .s."""


@app.command()
@carried_out("tilext")
def disasm(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="Words as text, little-endian binary, an ELF; - is stdin."
        ),
    ] = "-",
    lenient: Lenient = False,
    check_words: Annotated[
        bool, typer.Option("--check", help="Exit 1 if a word is not part of a legal instruction.")
    ] = False,
    profile: ProfileName = "repaired",
    overlay: Overlay = None,
    as_json: Json = False,
) -> None:
    """Disassemble words or an ELF's code under a profile and an overlay."""


@app.command()
@carried_out("tilext")
def annotate(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Output of objdump -d; - is stdin.")
    ] = "-",
    profile: ProfileName = "repaired",
    overlay: Overlay = None,
) -> None:
    """Filter objdump -d output: say what the words of the Tile Extension are."""


@app.command()
@carried_out("tilext")
def elf(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An ELF.")],
    profile: ProfileName = "repaired",
    overlay: Overlay = None,
    as_json: Json = False,
) -> None:
    """Disassemble the Tile Extension's instructions in an ELF's executable sections."""


@app.command("run")
@carried_out("tilext_run", Only("diff show", "as_json", without=True))
def run_program(
    program: Annotated[
        str, typer.Argument(metavar="FILE", help="A linked RV64 ELF, or assembly; - is stdin.")
    ],
    machine: Annotated[
        Path | None,
        typer.Option(metavar="FILE.toml", help="Parameters, overlay, operations."),
    ] = None,
    given: Annotated[
        list[str] | None, typer.Option("--in", help="[share:]ADDRESS|SYMBOL=FILE.npy")
    ] = None,
    wanted: Annotated[
        list[str] | None,
        typer.Option("--out", help="[share:]ADDRESS|SYMBOL=FILE.npy,TYPE,ROWSxCOLUMNS"),
    ] = None,
    registers: Annotated[
        list[str] | None, typer.Option("--reg", help="REGISTER=NUMBER|SYMBOL at the start.")
    ] = None,
    threads: Annotated[int, typer.Option(min=1, max=8, help="Threads that run it.")] = 1,
    limit: Annotated[
        int, typer.Option("--max-steps", min=1, help="Instructions before it is given up.")
    ] = 20_000_000,
    show: Annotated[
        list[str] | None, typer.Option(help="Print a tile register: tr8,int32,16x16.")
    ] = None,
    diff: Annotated[
        bool, typer.Option("--diff", help="Which tile registers have changed.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Run a program: scalar RV64IM around tile instructions, with data in and out as .npy."""
