"""``tilelab pto protocol``: which protocol and depth of a program's rings is fast and safe."""

import contextlib
import io
from pathlib import Path
from typing import Any

from tilelab.cli.pto_program import program_of
from tilelab.cli.pto_rows import ARCH_OF_PROGRAM, ARGUMENTS, SAVE_SCHEDULE, SET
from tilelab.cli.streams import print_json
from tilelab.cli.usage import JSON, argument, command, option
from tilelab.pto import schedules as ways
from tilelab.pto.advice import advise
from tilelab.pto.compare import Comparison, Row, compare
from tilelab.pto.cycles.text import causes
from tilelab.report.protocols import picture as draw
from tilelab.sim.errors import BadInputError, ProgramError
from tilelab.sim.files import write_whole

MOST_DEPTH = 64


@command("pto")
def protocol(
    file: str = argument("FILE", "FILE.py, FILE.pto or -."),
    arch: str | None = ARCH_OF_PROGRAM,
    arg: list[str] | None = ARGUMENTS,
    depths: str = option("LIST", "SlotNum of every pipe: these.", default="1,2,3,4,6,8"),
    figures: list[str] = SET,
    also: list[str] = option("NAME", "Another protocol, such as sparse or ack/3.", default=[]),
    max_states: int = option(
        "Explore the best and the smallest up to so many.", default=200, min=0
    ),
    picture: Path | None = option("FILE.svg", "Draw cycles by depth here."),
    save_schedule: Path | None = SAVE_SCHEDULE,
    json: bool = JSON,
) -> None:
    """Compare protocols and depths: overlap, throughput, latency, and what is safe."""
    program = program_of(file, arg, arch=arch)
    with contextlib.redirect_stdout(io.StringIO()):  # the program prints in every run
        found = compare(program, _depths(depths), figures, max_states, also)
        advised = advise(program, figures)
    wrong = next((row for row in found.rows if row.order), None)
    if save_schedule is not None and wrong is not None:
        ways.save(save_schedule, wrong.order, file, f"{wrong.code}: {wrong.fault}")
    if picture is not None:
        write_whole(picture, draw(found, Path(file).name))
    if json:
        print_json(_document(file, found) | {"advice": [vars(one) for one in advised]})
    else:
        _print(file, found, wrong, save_schedule)
        for one in advised:
            print(f"advice: {one.text}")
    if not found.safe:
        raise ProgramError(f"{file}: no protocol and depth is safe: {found.rows[0].fault}")


def _depths(text: str) -> list[int]:
    try:
        found = sorted({int(word) for word in text.split(",")})
    except ValueError:
        found = [0]
    if not 1 <= found[0] <= found[-1] <= MOST_DEPTH:
        raise BadInputError(f"--depths {text}: write numbers from 1 to {MOST_DEPTH}, such as 1,2,4")
    return found


def _document(file: str, found: Comparison) -> dict[str, Any]:
    best = found.fastest
    return {
        "program": file,
        "rows": [
            vars(row) | {"safe": row.safe, "stalls": causes(row.stalls)} for row in found.rows
        ],
        "smallest": [
            {"protocol": name, "safe": safe, "fast": fast}
            for name in found.protocols
            for safe, fast in (found.depths(name),)
        ],
        "best": None if best is None else {"protocol": best.protocol, "depth": best.depth},
        "explored": [
            {"protocol": name, "depth": depth, **verdict.as_dict()}
            for (name, depth), verdict in found.searched.items()
        ],
        "assumed": found.assumed,
    }


def _print(file: str, found: Comparison, wrong: Row | None, kept: Path | None) -> None:
    head = f"{'protocol':20} {'depth':>5} {'cycles':>9} {'overlap':>7} {'tiles/kcycle':>12} "
    print(f"{head}{'latency':>8}  proof")
    for row in found.rows:
        said = f"safe: {row.events} events, {row.states} states" if row.safe else row.code
        print(
            f"{row.name:20} {row.depth:>5} {round(row.cycles):>9,} {row.overlap:>7.0%} "
            f"{row.rate:>12.2f} {round(row.latency):>8,}  {said}"
        )
    for name in found.protocols:
        safe, fast = found.depths(name)
        title = next(row.name for row in found.rows if row.protocol == name)
        if safe is None:
            row = next(row for row in found.rows if row.protocol == name)
            shown = f", with more tiles: {row.command}" * bool(row.command)
            print(f"{title}: never safe: {row.fault} [{row.code}]{shown}")
        else:
            most = max(row.depth for row in found.rows)
            edge = ", the deepest tried" if fast == most > safe else ""
            print(f"{title}: safe from {safe} slot(s), fast from {fast}{edge}")
    best = found.fastest
    if best is not None:
        slowest = max(found.safe, key=lambda row: row.cycles)
        print(
            f"best: {best.name}, {best.depth} slot(s); {slowest.name} with {slowest.depth} takes "
            f"{slowest.cycles / best.cycles:.2f} times as long"
        )
    for (name, depth), verdict in found.searched.items():
        until = "every order" if verdict.complete else "the bound was reached"
        word = "nothing goes wrong" if verdict.safe else verdict.found[0].message
        print(f"explored {name} with {depth}: {verdict.states} states, {until}; {word}")
    if found.assumed:
        print(f"assumed, as nothing is public: {', '.join(found.assumed)} (--set NAME=VALUE)")
    if kept is not None and wrong is not None:
        options = f"--protocol {wrong.protocol} --slots {wrong.depth}"
        print(f"the first fault is kept: tilelab pto run {file} {options} --schedule {kept}")
