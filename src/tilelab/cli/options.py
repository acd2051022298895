"""Options that several commands share."""

from typing import Annotated

import typer

Arch = Annotated[str, typer.Option(help="blackhole or wormhole (kernel.toml: its own).")]
Chip = Annotated[str, typer.Option(help="blackhole or wormhole.")]
Engine = Annotated[str, typer.Option(help="fast or reference.")]
MaxCycles = Annotated[int, typer.Option(min=1, help="Give up after this many cycles.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON document.")]
