"""``tilelab asm``, ``disasm``, ``expand`` and ``case``."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from tilelab.cli.usage.shared import Chip, Json, carried_out

AnyChip = Annotated[
    Literal["blackhole", "wormhole", "tilext"],
    typer.Option(help="The chip; tilext is the RISC-V Tile Extension."),
]


@carried_out("asm")
def asm(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Assembly; - is stdin.")] = "-",
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write little-endian words here."),
    ] = None,
    ttinsn: Annotated[
        bool, typer.Option("--ttinsn", help="Words as they stand in a RISC-V instruction stream.")
    ] = False,
    arch: AnyChip = "blackhole",
    as_json: Json = False,
) -> None:
    """Assemble: print one word a line, or write them with -o."""


@carried_out("asm")
def disasm(
    source: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[WORD...|FILE|-]",
            help="Words; or a file: words as text (one a line), binary (little-endian), or an ELF.",
        ),
    ] = None,
    ttinsn: Annotated[
        bool, typer.Option("--ttinsn", help="Words are as in a RISC-V instruction stream.")
    ] = False,
    arch: AnyChip = "blackhole",
    as_json: Json = False,
) -> None:
    """Disassemble: print one instruction a line; of an ELF its code, RISC-V's as comments."""


@carried_out("expand")
def expand(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Assembly; - is stdin.")],
    arch: Chip = "blackhole",
    json: Json = False,
    provenance: Annotated[
        bool, typer.Option("--provenance", help="Say where each word came from.")
    ] = False,
    max_words: Annotated[
        int, typer.Option(min=0, help="Refuse a program that expands to more words than this.")
    ] = 10_000_000,
) -> None:
    """Expand a program's MOPs and REPLAYs: what each thread's wait gate gets."""


@carried_out("case")
def case(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="State, words, what they leave: .case.")
    ],
    engine: Annotated[
        Literal["fast", "reference"] | None,
        typer.Option(help="What executes them; both unless given.", show_default=False),
    ] = None,
    json: Json = False,
) -> None:
    """Execute words on a state and compare what they leave; exit 1 if it is not as a file says."""
