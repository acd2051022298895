"""``tilelab case``: whether words leave what a file says that they do."""

from pathlib import Path

import typer

from tilelab.cli.streams import print_json
from tilelab.debug.case import read_case, run_case
from tilelab.tensix.tile.engines import ENGINES


def case(files: list[Path], engine: str | None, json: bool) -> None:
    """Execute cases, on both engines unless one is named; exit 1 if one leaves something else."""
    found: dict[str, dict[str, list[str]]] = {}
    for file in files:
        read = read_case(file)
        found[str(file)] = {one: run_case(read, one) for one in ENGINES if engine in (None, one)}
    if json:
        print_json({"cases": [{"case": name, "wrong": wrong} for name, wrong in found.items()]})
    else:
        for name, wrong in found.items():
            print(f"{'FAIL' if any(wrong.values()) else 'PASS'}  {name}")
            for one, lines in wrong.items():
                for line in lines:
                    print(f"  {one}: {line}")
    if any(any(wrong.values()) for wrong in found.values()):
        raise typer.Exit(1)
