"""``tilelab dap``: editors that speak the Debug Adapter Protocol debug kernels."""

import sys
from pathlib import Path
from typing import Any

import typer

from tilelab.cli.debug import folders_of, session_of
from tilelab.cli.prepared import single
from tilelab.cli.usage import command, option
from tilelab.debug.dap import Adapter
from tilelab.debug.gdb_link import listen
from tilelab.debug.session import Session
from tilelab.sim.errors import BadInputError
from tilelab.tensix.tile.engines import CLOCKS


def launched(given: dict[str, Any]) -> tuple[Session, list[Path]]:
    """The session that launch arguments ask for; BadInputError if they are wrong."""
    targets = given.get("target")
    names = [targets] if isinstance(targets, str) else targets
    if not isinstance(names, list) or not all(isinstance(n, str) and n != "-" for n in names):
        raise BadInputError('launch needs "target": a kernel.toml, its folder, ELFs or assembly')
    arch = str(given["arch"]) if "arch" in given else None
    clock = str(given.get("clock", CLOCKS[0]))
    target = single(names, arch, "dap")
    return session_of(target, arch, str(given.get("engine", "fast")), clock), folders_of(target)


@command()
def dap(
    port: int | None = option(
        "Listen here, not on stdin; 0: any port that is free.", min=0, max=65535
    ),
) -> int:
    """Serve the Debug Adapter Protocol to an editor, on stdin and stdout or a port.

    Launch arguments: target, and arch, clock, engine, stopOnEntry. A port goes to stdout; one
    editor is served.
    """
    if port is None:
        # without a buffer, whose lock the thread that reads would hold as the process ends
        with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as source:
            Adapter(source, sys.stdout.buffer, launched).run()
        return 0
    with listen(port) as listener:
        typer.echo(listener.getsockname()[1])
        link, _ = listener.accept()
    with link, link.makefile("rb") as source, link.makefile("wb") as sink:
        Adapter(source, sink, launched).run()
    return 0
