"""``tilelab examples``: the kernels that come with tilelab."""

import shutil
from pathlib import Path
from typing import Annotated

import typer

import tilelab
from tilelab.cli.console import print_json
from tilelab.sim.errors import BadInputError
from tilelab.tensix.kernel_file import KERNEL_FILE, read_kernel_file


def examples_folder() -> Path:
    """Where the examples are: in the installed package, or beside ``src`` in a checkout."""
    package = Path(tilelab.__file__).parent
    for folder in (package / "examples", package.parents[1] / "examples"):
        if any(folder.glob(f"*/{KERNEL_FILE}")):
            return folder
    raise BadInputError(f"this installation has no examples (looked beside {package})")


def find_examples() -> dict[str, Path]:
    """Return the folder of each example, by name."""
    return {path.parent.name: path.parent for path in sorted(_kernel_files())}


def _kernel_files() -> list[Path]:
    return list(examples_folder().glob(f"*/{KERNEL_FILE}"))


def examples(
    name: Annotated[str | None, typer.Argument(help="Print this example's folder only.")] = None,
    copy: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Copy to DIR/NAME, to change and run.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """List the examples, or find one: tilelab run "$(tilelab examples matmul)"."""
    found = find_examples()
    if name is not None:
        if name not in found:
            raise BadInputError(f"no example is called {name!r}: choose from {', '.join(found)}")
        found = {name: found[name]}
    if copy is not None:
        found = {key: _copy(folder, copy / key) for key, folder in found.items()}
    if json:
        print_json(
            {
                "examples": [
                    {"name": key, "path": str(folder), "description": _description(folder)}
                    for key, folder in found.items()
                ]
            }
        )
    elif name is not None:
        typer.echo(found[name])
    else:
        width = max(map(len, found))
        for key, folder in found.items():
            typer.echo(f"{key:<{width}}  {folder}\n{'':<{width}}  {_description(folder)}")


def _copy(folder: Path, target: Path) -> Path:
    """Copy an example to a folder that does not exist yet."""
    if target.exists():
        raise BadInputError(f"{target} exists already")
    try:
        shutil.copytree(folder, target)
    except OSError as error:
        raise BadInputError(f"{target}: {error.strerror or error}") from None
    return target


def _description(folder: Path) -> str:
    return read_kernel_file(folder).description
