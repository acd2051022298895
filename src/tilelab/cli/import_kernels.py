"""``tilelab import``: the compute kernels of a live ttnn program as folders."""

import os
from collections import Counter
from pathlib import Path
from typing import Any

import typer

from tilelab.build.standin.driver import CALLS
from tilelab.chip.running import CACHE
from tilelab.cli.console import progress_line, stderr
from tilelab.cli.streams import complain, print_json
from tilelab.cli.ttnn import interpreter_and_wheel, run_program
from tilelab.cli.usage import CHIP, JSON, argument, command, option
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import check_folder, folder_meanwhile
from tilelab.tensix.arch import arch as arch_named
from tilelab.traffic.calls import parse_log
from tilelab.traffic.sniff import read_recorded
from tilelab.vendor.imported.compiled import read_compiled
from tilelab.vendor.imported.folder import write_folder
from tilelab.vendor.imported.launches import launches
from tilelab.vendor.library.folder import lay_out_recorded, one_tile


@command()
def import_(
    program: Path = argument("PROGRAM.py", "The program."),
    arguments: list[str] | None = argument("ARGUMENT...", "Its arguments.", default=None),
    into: Path = option("DIR", "Where the folders go.", default=Path("imported")),
    arch: str = CHIP,
    python: str = option("PATH", "A Python that has ttnn installed.", default=""),
    json: bool = JSON,
) -> None:
    """Run a ttnn program; write a folder for each launch of a compute kernel, with its data.

    The folder's kernel.toml has the vendor's headers, the circular buffers as the reader filled
    them, and the bytes that came out. The program runs on one tile, and is compiled anew.
    """
    arch_named(arch)
    if not program.is_file():
        raise BadInputError(f"{program}: no such file")
    check_folder(into)
    interpreter, wheel = interpreter_and_wheel(python)
    with folder_meanwhile("tilelab-import-") as folder:
        cache, calls, log = folder / "cache", folder / "compiler.jsonl", folder / "calls.bin"
        library = lay_out_recorded(folder, arch, one_tile(arch_named(arch)), log)
        # what it compiles now is all that there is: so each kernel's call is among the calls
        more = {CACHE: str(cache), CALLS: str(calls)}
        command = [interpreter, str(program), *(arguments or [])]
        code, ran = run_program(command, folder, library, more, aside=json)
        if ran is None:
            complain("the program did not open the simulated chip, or it ended in an error")
            raise typer.Exit(code or 1)
        os.environ[CACHE] = str(cache)
        recording = parse_log(program.name, read_recorded(log))
        made: list[dict[str, Any]] = []
        numbers: Counter[str] = Counter()
        with progress_line(stderr) as show:
            for launch in launches(recording, cache, show):
                name = launch.folder.parent.name
                numbers[name] += 1
                target = into / f"{name}-{numbers[name]}"
                row: dict[str, Any] = {"kernel": name, "folder": str(target), "why": ""}
                try:
                    compiled = read_compiled(launch, calls)
                    write_folder(target, launch, compiled, arch, str(wheel))
                except BadInputError as error:
                    row |= {"folder": None, "why": error.summary}
                made.append(row)
    _show(made, json)
    if not any(each["folder"] for each in made):
        raise typer.Exit(1)


def _show(made: list[dict[str, Any]], json: bool) -> None:
    if json:
        print_json({"kernels": made})
        return
    for each in made:
        if each["folder"]:
            typer.echo(each["folder"])
        else:
            complain(f"{each['kernel']}: not imported: {each['why']}")
    if not made:
        complain("the program launched no compute kernel")
