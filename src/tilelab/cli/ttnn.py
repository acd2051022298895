"""``tilelab ttnn``: run an unmodified ttnn program on a simulated chip."""

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from tilelab.build.standin.layout import lay_out as stand_in
from tilelab.cli.console import complain, print_json, stdout
from tilelab.cli.libttsim import Late, OneTile
from tilelab.cli.options import Chip, Json
from tilelab.sim.errors import BadInputError
from tilelab.tensix.arch import arch as arch_named
from tilelab.tensix.chip.library.explain import REPORT
from tilelab.tensix.chip.library.folder import lay_out, one_tile

INTERPRETERS = ("python3.12", "python3.10")
"""The Pythons that ttnn is published for, where --python does not name one."""


def ttnn(
    program: Annotated[Path, typer.Argument(metavar="PROGRAM.py", help="The program.")],
    arguments: Annotated[list[str] | None, typer.Argument(help="Its arguments.")] = None,
    arch: Chip = "blackhole",
    one: OneTile = False,
    late: Late = False,
    fast_dispatch: Annotated[
        bool, typer.Option("--fast-dispatch", help="Commands go through dispatch tiles.")
    ] = False,
    python: Annotated[str, typer.Option(help="A Python that has ttnn installed.")] = "",
    as_json: Json = False,
) -> int:
    """Run a ttnn program on a simulated chip; say which tiles ran what. Its own exit code."""
    profile = arch_named(arch)
    if not program.is_file():
        raise BadInputError(f"{program}: no such file")
    interpreter = _interpreter(python)
    _provide_compiler(interpreter)
    with tempfile.TemporaryDirectory(prefix="tilelab-ttnn-") as folder:
        library = lay_out(Path(folder), arch, one_tile(profile) if one else None, late)
        report = Path(folder) / "report.json"
        command = [interpreter, str(program), *(arguments or [])]
        environment = chip_environment(library, one, fast_dispatch) | {REPORT: str(report)}
        code = subprocess.run(command, env=environment, check=False).returncode
        ran = json.loads(report.read_text()) if report.is_file() else None
    if ran is None:
        complain("the program did not open the simulated chip, or it ended in an error")
        return code or 1
    if as_json:
        print_json({"exit_code": code, **ran})
    else:
        _print(ran)
    return code


def _interpreter(python: str) -> str:
    for name in [python] if python else INTERPRETERS:
        if found := shutil.which(name):
            return found
    wanted = python or " or ".join(INTERPRETERS)
    raise BadInputError(f"{wanted}: no such program; --python names a Python with ttnn")


def _provide_compiler(interpreter: str) -> None:
    """Put a stand-in where the wheel looks for the vendor's compiler, if there is none."""
    ask = "import importlib.util as u; s = u.find_spec('ttnn'); print(s.origin if s else '')"
    asked = subprocess.run([interpreter, "-c", ask], capture_output=True, text=True, check=False)
    origin = asked.stdout.strip()
    if not origin:
        raise BadInputError(f"{interpreter} has no ttnn: --python names a Python that has it")
    sfpi = Path(origin).parent / "runtime" / "sfpi"
    if not (sfpi / "compiler").exists():
        complain(f"laying out a compiler for ttnn's kernels in {sfpi} (once; tilelab sfpi)")
        stand_in(sfpi, "zig")


def chip_environment(library: Path, one: bool, fast: bool) -> dict[str, str]:
    """What tt-metal looks at: the library, whether it is a chip of one tile, how to dispatch."""
    made = os.environ | {
        "TT_METAL_SIMULATOR": str(library),
        "TT_METAL_DISABLE_SFPLOADMACRO": "1",
    }
    made.pop("TT_METAL_SLOW_DISPATCH_MODE", None)
    if not fast:
        made["TT_METAL_SLOW_DISPATCH_MODE"] = "1"
    if one:
        made["TT_METAL_CORE_GRID_OVERRIDE_TODEPRECATE"] = "0,0"
    return made


def _print(ran: dict[str, Any]) -> None:
    tiles = ran["tiles"]
    busy = [tile for tile in tiles if tile["tensix_instructions"]]
    stdout.print(
        f"{ran['arch']}: {len(tiles)} tiles booted, {len(busy)} computed, "
        f"{ran['noc_requests']:,} NoC requests, {ran['rounds']:,} rounds",
        markup=False,
    )
    for tile in busy[:16]:
        x, y = tile["place"]
        cores = ", ".join(f"{name} {count:,}" for name, count in tile["retired"].items())
        stdout.print(
            f"  tile {x},{y}: {tile['tensix_instructions']:,} Tensix instructions; {cores}"
        )
    if len(busy) > 16:
        stdout.print(f"  and {len(busy) - 16} more tiles")
