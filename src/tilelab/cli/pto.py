"""``tilelab pto``: run programs and kernels, and explore them."""

import contextlib
import io
import signal
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from tilelab.cli.pto_program import program_of
from tilelab.cli.pto_rows import (
    ARCH_OF_PROGRAM,
    ARGUMENTS,
    ORDER,
    PROTOCOL,
    SHOWN,
    SLOTS,
)
from tilelab.cli.pto_show import Shown, print_document, print_rings, write_files
from tilelab.cli.usage import argument, command, option
from tilelab.kernels.result import number
from tilelab.pto import Cluster
from tilelab.pto import schedules as ways
from tilelab.pto.cycles import text as told
from tilelab.pto.cycles.clock import Timed
from tilelab.pto.errors import PtoWarning
from tilelab.pto.ir_run import Outcome
from tilelab.pto.ir_world import Popped
from tilelab.pto.program import Program
from tilelab.pto.search import search
from tilelab.sim.errors import ProgramError, TilelabError


@command("pto", old={"--report": "page"})
def run(
    target: str = argument("FILE", "FILE.py, FILE.pto or - for stdin."),
    shown: Shown = SHOWN,
    arch: str | None = ARCH_OF_PROGRAM,
    protocol: str | None = PROTOCOL,
    slots: int | None = SLOTS,
    schedule: str = ORDER,
    hazards: str | None = option("What a hazard does.", choices=("raise", "warn", "record")),
    arg: list[str] | None = ARGUMENTS,
    timeout: int = option("SECONDS", "Give up after so long; 0: never.", default=0, min=0),
    orders: int = option(
        "N", "Also try other orders, up to so many states: does one differ?", default=0, min=0
    ),
) -> None:
    """Run a PTO program and report its rings, findings, and any deadlock."""
    cycles = shown.cycles or None
    program = program_of(
        target, arg, arch=arch, protocol=protocol, hazards=hazards, cycles=cycles, slots=slots
    )
    error: TilelabError | None = None
    clusters: list[Cluster] = []
    with _ended_after(timeout), warnings.catch_warnings():
        warnings.simplefilter("ignore", PtoWarning)  # findings are printed below
        try:
            outcome = program.run(ways.parse(schedule), clusters.append)
        except TilelabError as caught:
            if caught.exit_code == 2 or not clusters:
                raise
            error, outcome = caught, Outcome(clusters[-1].result())
    result = outcome.result
    cluster = clusters[-1]
    timed = shown.timed(result, cluster.arch, cluster.vec)
    name = Path(target).name if target != "-" else "standard input"
    write_files(shown, result, name, error, timed)
    popped = {core: [_popped(tile) for tile in tiles] for core, tiles in outcome.popped.items()}
    if shown.json:
        ok, events = error is None, len(result.raw)
        more = {} if timed is None else {"cycles": told.as_dict(timed)}
        print_document(result, error, ok, result.findings, popped=popped, events=events, **more)
    else:
        _print(outcome, shown, popped, timed)
    if error is not None:
        raise error
    if orders:
        _other_orders(program, orders, shown.json)


@contextlib.contextmanager
def _ended_after(seconds: int) -> Iterator[None]:
    """What runs within is ended after so long; 0: never."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise ProgramError(f"the program did not end within {seconds} s")

    if seconds:
        signal.signal(signal.SIGALRM, stop)
        signal.alarm(seconds)
    try:
        yield
    finally:
        if seconds:
            signal.alarm(0)


def _other_orders(program: Program, most: int, json: bool) -> None:
    """Say whether another order of the cores differs: exit 1 where one does."""
    with contextlib.redirect_stdout(io.StringIO()):  # the program prints in every run
        verdict = search(program.once(), most)
    for bad in verdict.found:
        raise ProgramError(f"another order differs: {bad.code}: {bad.message}", bad.detail)
    if not json:
        all_ = "no other order" if verdict.complete else f"no order in {verdict.states} states"
        print(f"{all_} differs")


def _popped(tile: Popped) -> dict[str, Any]:
    return {
        "tile": tile.tile,
        "shape": list(tile.data.shape),
        "dtype": str(tile.data.dtype),
        "sum": number(float(tile.data.astype(np.float64).sum())),
    }


def _print(
    outcome: Outcome,
    shown: Shown,
    popped: dict[str, list[dict[str, Any]]],
    timed: Timed | None,
) -> None:
    for core, values in outcome.printed:
        print(f"{core} tprint {'x'.join(map(str, values.shape))} {values.dtype}")
        print(np.array2string(values, threshold=64, edgeitems=2))
    print_rings(shown, outcome.result, timed)
    for core, tiles in popped.items():
        for one in tiles:
            size = "x".join(map(str, one["shape"]))
            total = float(one["sum"])
            print(f"{core} popped tile {one['tile']}: {size} {one['dtype']}, sum {total:g}")
    for finding in outcome.result.findings:
        print(f"{finding.code}: {finding.message}")
