"""``tilelab examples``: the kernels that come with tilelab."""

import re
import secrets
import shutil
from pathlib import Path

import typer

from tilelab.cli.streams import print_json
from tilelab.cli.usage import JSON, argument, command, example_names, option
from tilelab.kernels.examples import examples as find_examples
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import make_folder, reason


@command()
def examples(
    name: str | None = argument(
        "NAME", "Print this example's folder only.", default=None, autocompletion=example_names
    ),
    copy: Path | None = option("DIR", "Copy to DIR/NAME, to change and run."),
    json: bool = JSON,
) -> None:
    """List the examples, or find one: tilelab run "$(tilelab examples matmul)"."""
    found = find_examples()
    if name is not None:
        if name not in found:
            raise BadInputError(f"no example is called {name!r}: choose from {', '.join(found)}")
        found = {name: found[name]}
    if copy is not None:
        make_folder(copy)
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
    """Copy an example to a folder that does not exist yet; what fails leaves nothing."""
    if target.exists():
        raise BadInputError(f"{target} exists already")
    draft = target.with_name(f".{secrets.token_hex(4)}-{target.name}")
    try:
        shutil.copytree(folder, draft)
        draft.rename(target)
    except shutil.Error as error:  # every file's (from, to, why)
        raise BadInputError(f"{target}: {_why(error.args[0][0][2])}") from None
    except (OSError, ValueError) as error:
        raise BadInputError(f"{target}: {reason(error)}") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return target


def _why(text: str) -> str:
    """The reason in an OSError's text, which has a number before it and names after it."""
    return re.sub(r"^\[Errno \d+\] |: '.*$", "", text)


def _description(folder: Path) -> str:
    return read_kernel_file(folder).description
