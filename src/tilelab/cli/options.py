"""Options that several commands share."""

from typing import Annotated

import typer

DEFAULT_ARCH = "blackhole"

Arch = Annotated[
    str | None,
    typer.Option(
        help=f"For what names no chip: {DEFAULT_ARCH} (the default) or wormhole.",
        show_default=False,
    ),
]
Chip = Annotated[str, typer.Option(help="blackhole or wormhole.")]
Engine = Annotated[str, typer.Option(help="fast or reference.")]
MaxCycles = Annotated[int, typer.Option(min=1, help="Give up after this many cycles.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON document.")]
