"""``tilelab build``."""

from pathlib import Path
from typing import Any

import typer

from tilelab.build.call import named_kernel
from tilelab.build.compilers import find_compiler
from tilelab.build.editor import write_commands
from tilelab.build.kernel import Built, build_kernel, constants_from, with_constants
from tilelab.cli.streams import complain, print_json
from tilelab.cli.usage import CHIPS, COMPILER, JSON, Only, argument, command, flag, option
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import check_folder


@command(rules=(Only("output compiler", "commands", without=True),))
def build(
    targets: list[Path] = argument(
        "TARGET...", "A kernel.toml, a folder that holds one, or a C++ source alone."
    ),
    output: Path | None = option("-o DIR", "Put the ELFs into this folder."),
    compiler: str = COMPILER,
    arch: str | None = option("The chip to build for, of a source alone.", choices=CHIPS),
    define: list[str] | None = option(
        "-D NAME=VALUE", "A constant, as in [build] constants.", short=True
    ),
    commands: bool = flag(
        "--compile-commands", "Write compile_commands.json instead, for editors."
    ),
    json: bool = JSON,
) -> None:
    """Compile kernels: one ELF for each of a tile's three TRISC cores.

    Of several targets each is tried; exit 2 if one fails.
    """
    constants = constants_from(define or [])
    if commands:
        kernels = [with_constants(named_kernel(target, arch), constants) for target in targets]
        written = [str(write_commands(kernel)) for kernel in kernels]
        print_json({"compile_commands": written}) if json else typer.echo("\n".join(written))
        return
    if output is not None:
        check_folder(output)
    tool = find_compiler(compiler)
    results: list[dict[str, Any]] = []
    failed = []
    for target in targets:
        try:
            kernel = with_constants(named_kernel(target, arch), constants)
            made = build_kernel(kernel, tool, output, lambda text: complain("warnings", text))
        except BadInputError as error:
            if len(targets) == 1:
                raise
            complain(error.summary, error.detail)
            failed.append({"kernel": str(target), "error": error.summary})
            continue
        results += [_elf(target, built) for built in made]
        if not json:
            typer.echo("\n".join(str(built.path) for built in made))
    if json:
        print_json({"compiler": tool.version, "elfs": results, "failed": failed})
    if failed:
        raise typer.Exit(BadInputError.exit_code)


def _elf(target: Path, built: Built) -> dict[str, Any]:
    """One ELF, as JSON has it."""
    return {
        "kernel": str(target),
        "core": built.core,
        "elf": str(built.path),
        "cached": built.cached,
    }
