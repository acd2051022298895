"""``tilelab new``: a folder to write a kernel in."""

import runpy
import secrets
import shutil
from importlib.resources import as_file, files
from pathlib import Path

import typer

from tilelab.build.compilers import find_compiler
from tilelab.build.editor import write_commands, write_debugging
from tilelab.build.kernel import build_kernel
from tilelab.cli.streams import complain, print_json
from tilelab.cli.usage import CHIPS, COMPILER, JSON, Only, argument, command, flag, option
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.score.tasks import task as find_task
from tilelab.score.tasks import write
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import check_folder, reason

HIDDEN = {"gitignore": ".gitignore"}
"""Files of the template that have another name in the folder."""


@command(rules=(Only("solution arch", "task"),))
def new(
    folder: Path = argument("DIR", "The folder to make."),
    task: str | None = option(
        "NAME", "With this task (tilelab tasks), and a kernel to begin with."
    ),
    solution: bool = flag("With the task's solution instead."),
    arch: str = option("The task's chip.", choices=CHIPS, default="blackhole"),
    build: bool = option("--build/--no-build", "Build it, too; needs a compiler.", default=True),
    compiler: str = COMPILER,
    json: bool = JSON,
) -> None:
    """Make a folder with a kernel that runs: source, kernel.toml, data, what editors need."""
    if compiler and not build:
        raise BadInputError("--no-build compiles nothing, so there is no --compiler to choose")
    if folder.exists():
        raise BadInputError(f"{folder} exists already")
    check_folder(folder)
    wanted = find_task(task) if task is not None else None
    tool = find_compiler(compiler) if build else None
    draft = folder.absolute().with_name(f".{secrets.token_hex(4)}-{folder.name}")
    try:
        draft.mkdir()
        if wanted is None:
            _fill(draft)
        else:
            write(wanted, draft, arch, solved=solution)
        draft.rename(folder)
    except (OSError, ValueError) as error:
        raise BadInputError(f"{folder}: {reason(error)}") from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    kernel = read_kernel_file(folder, elfs_exist=False)
    write_commands(kernel)
    write_debugging(folder)
    if tool is not None:
        build_kernel(kernel, tool, None, lambda text: complain("warnings", text))
    made = sorted(path.name for path in folder.iterdir())
    if json:
        print_json({"folder": str(folder), "files": made})
        return
    typer.echo(f"{folder}: {', '.join(made)}")
    then = "run --build" if wanted is None else "score"
    typer.echo(f"change kernel.cpp, then: tilelab {then} {folder}")


def _fill(folder: Path) -> None:
    """Copy the template and make its data."""
    with as_file(files(__package__) / "template") as template:
        for path in sorted(template.iterdir()):
            if path.is_file():
                shutil.copyfile(path, folder / HIDDEN.get(path.name, path.name))
    runpy.run_path(str(folder / "make_data.py"))
