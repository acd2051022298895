"""``tilelab case``: whether words leave what a file says that they do."""

from pathlib import Path

import typer

from tilelab.cli.streams import print_json
from tilelab.cli.usage import JSON, argument, command, option
from tilelab.debug.case import read_case, run_case
from tilelab.tensix.tile.engines import ENGINES


@command()
def case(
    files: list[Path] = argument("FILE...", "State, words, what they leave: .case."),
    engine: str | None = option(
        "What executes them; both unless given.", choices=ENGINES, show_default=False
    ),
    json: bool = JSON,
) -> None:
    """Execute words on a state and compare what they leave; exit 1 if it is not as a file says."""
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
