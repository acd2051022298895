"""``tilelab ttnn``: run an unmodified ttnn program on a simulated chip."""

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tilelab.build.standin.layout import lay_out as stand_in
from tilelab.build.vendors.wheel import find_wheel
from tilelab.chip.running import kernel_cache
from tilelab.cli.chip_checked import replayed
from tilelab.cli.chip_look import Look
from tilelab.cli.console import stdout
from tilelab.cli.streams import complain, print_json
from tilelab.cli.usage import (
    BOARD,
    CHIP,
    JSON,
    LATE,
    ONE_TILE,
    SEVERAL,
    WHICH,
    argument,
    command,
    flag,
    option,
)
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import folder_meanwhile
from tilelab.sim.parent import die_with
from tilelab.sim.texts import text_of
from tilelab.tensix.arch import arch as arch_named
from tilelab.tensix.tables.layout import Place
from tilelab.traffic.calls import parse_log
from tilelab.traffic.sniff import read_recorded
from tilelab.vendor.library.explain import REPORT
from tilelab.vendor.library.folder import lay_out, lay_out_recorded, part_of

STDERR = 2
NO_MACROS = "TT_METAL_DISABLE_SFPLOADMACRO"
"""For kernels as Tenstorrent's simulator has them, and as what imports them builds them anew."""
MESH = "TT_MESH_GRAPH_DESC_PATH"


@command(rules=(WHICH,), old={"--view": "page"})
def ttnn(
    program: Path = argument("PROGRAM.py", "The program."),
    arguments: list[str] | None = argument("ARGUMENT...", "Its arguments.", default=None),
    arch: str = CHIP,
    one: bool = ONE_TILE,
    board: str | None = BOARD,
    late: bool = LATE,
    fast_dispatch: bool = flag("Commands go through dispatch tiles."),
    macros: bool = flag("Kernels use SFPLOADMACRO, as on cards."),
    chips: int = SEVERAL,
    page: Path | None = option("PAGE", "Draw what the tiles did."),
    trace: Path | None = option("FILE", "Write that for Perfetto (.pftrace)."),
    cycles: bool = flag("Say what tiles took under the cycle clock."),
    check: bool = flag("Also run it under the checker: exit 1 if it finds any."),
    record: Path | None = option("FILE", "Keep the host's calls; tilelab run replays them."),
    python: str = option("PATH", "A Python that has ttnn installed.", default=""),
    json: bool = JSON,
) -> int:
    """Run a ttnn program on a simulated chip; say which tiles ran what. Its own exit code.

    --page, --trace, --cycles and --check record its calls, and replay them.
    """
    arch, tiles, views, grid = part_of(arch, one, board)
    if not program.is_file():
        raise BadInputError(f"{program}: no such file")
    look = Look(page, trace, cycles, check, late=late and check)
    if late and (look.timed or record):
        raise BadInputError("--late is not recorded: no --page, --trace, --cycles or --record")
    look.refuse()
    if chips > 1 and look.wanted:
        raise BadInputError("--chips: no --page, --trace, --cycles or --check of several yet")
    interpreter, wheel = interpreter_and_wheel(python)
    with folder_meanwhile("tilelab-ttnn-") as folder:
        log = record or (folder / "calls.bin" if look.wanted else None)
        if log:
            library = lay_out_recorded(folder, arch, tiles, log, chips, views)
        else:
            library = lay_out(folder, arch, tiles, late, chips=chips, views=views)
        command = [interpreter, str(program), *(arguments or [])]
        environment = chip_environment(library, grid, fast_dispatch)
        if macros:
            environment.pop(NO_MACROS)
        environment = with_mesh(environment, folder, arch, chips)
        code, ran = _run(command, folder, environment, json)
        if log and _lost(log):
            return code or 1  # the recorder has said so
        if ran is None:
            complain("the program did not open the simulated chip, or it ended in an error")
            return code or 1
        if log and look.wanted:
            found = parse_log(program.name, read_recorded(log))
            return replayed(found, program.name, look, [wheel], json) or code
    if json:
        print_json({"exit_code": code, **ran})
    else:
        _print(ran)
    return code


def _run(
    command: list[str], folder: Path, environment: dict[str, str], aside: bool
) -> tuple[int, dict[str, Any] | None]:
    """Run a program; its exit code, and what the chip says that it did, if it was opened.

    ``aside``: what it prints goes to stderr, for stdout is a document's.
    """
    _say_first_run()
    report = folder / "report.json"
    environment[REPORT] = str(report)
    output = STDERR if aside else None
    parent = os.getpid()
    code = subprocess.run(
        command,
        env=environment,
        stdout=output,
        check=False,
        preexec_fn=lambda: die_with(parent),
    ).returncode
    return code, json.loads(report.read_text()) if report.is_file() else None


def _lost(log: Path) -> bool:
    """Whether a recording could not be written to its end: the recorder empties it then."""
    if log.is_file() and not log.stat().st_size:
        log.unlink()
        return True
    return False


def _say_first_run() -> None:
    """Say that ttnn is about to compile for a while, if it has never kept anything."""
    kept = kernel_cache()
    if not kept.is_dir() or not any(kept.iterdir()):
        complain(
            "ttnn compiles firmware and kernels now, which takes minutes; "
            f"later runs find them in {kept}"
        )


def interpreter_and_wheel(python: str) -> tuple[str, Path]:
    """A Python that has ttnn, and where its wheel is, which is given a compiler if it has none.

    ``python``: as for find_wheel.
    """
    interpreter, wheel = find_wheel(python)
    _provide_compiler(wheel)
    return interpreter, wheel


def run_program(
    command: list[str], folder: Path, library: Path, more: Mapping[str, str], *, aside: bool
) -> tuple[int, dict[str, Any] | None]:
    """Run a program on a library's chip of one tile, with more in its environment; as _run."""
    environment = chip_environment(library, (1, 1), fast=False) | dict(more)
    return _run(command, folder, environment, aside)


def _provide_compiler(wheel: Path) -> None:
    """Put a stand-in where the wheel looks for the vendor's compiler, if there is none."""
    sfpi = wheel / "runtime" / "sfpi"
    if not (sfpi / "compiler").exists():
        complain(f"laying out a compiler for ttnn's kernels in {sfpi} (once; tilelab sfpi)")
        stand_in(sfpi, "zig")


def chip_environment(library: Path, grid: Place | None, fast: bool) -> dict[str, str]:
    """What tt-metal looks at: the library, the grid where it has to be told, how to dispatch."""
    made = os.environ | {
        "TT_METAL_SIMULATOR": str(library),
        NO_MACROS: "1",
    }
    made.pop("TT_METAL_SLOW_DISPATCH_MODE", None)
    if not fast:
        made["TT_METAL_SLOW_DISPATCH_MODE"] = "1"
    if grid:
        made["TT_METAL_CORE_GRID_OVERRIDE_TODEPRECATE"] = f"{grid[0] - 1},{grid[1] - 1}"
    return made


def with_mesh(environment: dict[str, str], folder: Path, arch: str, chips: int) -> dict[str, str]:
    """An environment that also names a description of how chips are wired, which ttnn wants of
    numbers that are no board's.
    """
    several = arch_named(arch).layout.several
    if MESH in environment or several is None or chips in (1, *several.boards):
        return environment
    rows, columns = several.grid(chips)
    path = folder / "mesh.textproto"
    said = text_of(__package__, "mesh.textproto", arch=arch.upper(), rows=rows, columns=columns)
    path.write_text(said, "utf-8")
    return environment | {MESH: str(path)}


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
        chip = f"chip {tile['chip']}, " if "chip" in tile else ""
        cores = ", ".join(f"{name} {count:,}" for name, count in tile["retired"].items())
        stdout.print(
            f"  {chip}tile {x},{y}: {tile['tensix_instructions']:,} Tensix instructions; {cores}"
        )
    if len(busy) > 16:
        stdout.print(f"  and {len(busy) - 16} more tiles")
