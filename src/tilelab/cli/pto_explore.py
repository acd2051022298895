"""``tilelab pto explore``: every interleaving of a pipe's credits, or of a program's cores."""

from itertools import groupby
from pathlib import Path

import typer

from tilelab.cli.pto_kinds import protocols
from tilelab.cli.pto_program import program_of
from tilelab.cli.pto_rows import (
    ARCH_OF_PROGRAM,
    ARGUMENTS,
    CHIPS,
    KERNEL,
    MAX_STATES,
    PROTOCOL,
    SAVE_SCHEDULE,
)
from tilelab.cli.streams import print_json
from tilelab.cli.usage import JSON, argument, command, flag, option
from tilelab.pto import Direction
from tilelab.pto import schedules as ways
from tilelab.pto.credit_model import Model
from tilelab.pto.explore import Verdict as ModelVerdict
from tilelab.pto.explore import explore
from tilelab.pto.native.job import Kernel
from tilelab.pto.paths import find_arch
from tilelab.pto.prove import prove_program
from tilelab.pto.search import Verdict, search
from tilelab.sim.errors import BadInputError

DIRECTIONS = ("C2V", "V2C", "BOTH", "V2C_CTRL", "C2V_GM", "V2C_GM", "BOTH_GM")
SHOWN = 60  # entries of an order that are printed


@command("pto explore")
def pipe(
    slots: str = option("N[-M]", "SlotNum: a number, or a range such as 1-15.", default="4"),
    arch: str = option("The chip.", choices=CHIPS, default="a2a3"),
    direction: str = option("Who sends to whom.", choices=DIRECTIONS, default="C2V"),
    protocol: str = option(
        "NAME", "Of credits, as above.", default="seed", autocompletion=protocols
    ),
    tiles: int = option("Tiles per run; 0: any number (a proof).", default=0, min=0),
    vec: int = option("Vector cores.", default=2, min=1, max=2),
    nosplit: bool = flag("A5: sub-block 0 alone."),
    multi: bool = flag("A TMPipe."),
    flag_bits: int = option("Counter width; 0: unbounded.", default=4, min=0),
    cube: str = option("WORDS", 'Its loop, such as "push pop".', default=""),
    vector: str = option("WORDS", 'Its loop, such as "pop tfree push".', default=""),
    no_allocate: bool = flag("isAllocate = false."),
    no_free: bool = flag("isFree = false."),
    record_period: int = option("Record every k-th; 0: never.", default=1, min=0),
    wait_period: int = option("Wait at every k-th; 0: never.", default=1, min=0),
    use_after_pop: bool = flag("Check the use of zero-copy tiles too."),
    max_states: int = option("Give up beyond this many.", default=2_000_000, min=1),
    json: bool = JSON,
) -> None:
    """Prove a pipe's credits safe for any number of tiles, or print the shortest bad schedule."""
    way = Direction[f"DIR_{direction}"]
    if nosplit and (find_arch(arch).reduces or vec == 1):
        raise BadInputError("--nosplit is for a5 and two vector cores")
    verdicts = [
        explore(
            Model(
                count, arch, way, protocol, tiles or None, vec, nosplit, multi, flag_bits,
                _words(cube), _words(vector), not no_allocate, not no_free, record_period,
                wait_period, use_after_pop,
            ),
            max_states,
        )
        for count in _slots(slots)
    ]  # fmt: skip
    safe = all(verdict.safe for verdict in verdicts)
    if json:
        print_json({"safe": safe, "verdicts": [verdict.as_dict() for verdict in verdicts]})
    else:
        _print_verdicts(verdicts)
    if not safe:
        raise typer.Exit(1)


@command("pto explore")
def program(
    file: str = argument("FILE", "FILE.py, FILE.pto or -."),
    arch: str | None = ARCH_OF_PROGRAM,
    protocol: str | None = PROTOCOL,
    arg: list[str] | None = ARGUMENTS,
    max_states: int = MAX_STATES,
    save_schedule: Path | None = SAVE_SCHEDULE,
    one_run: bool = flag("Decide from the signals and waits of one run, in linear time."),
    json: bool = JSON,
) -> None:
    """Run a Python or IR program under every order of its cores."""
    given = program_of(file, arg, arch=arch, protocol=protocol)
    if one_run:
        _told(prove_program(given), file, save_schedule, json)
    else:
        _told(search(given.once(), max_states), file, save_schedule, json)


@command("pto explore")
def kernel(
    kernel: Kernel = KERNEL,
    max_states: int = MAX_STATES,
    save_schedule: Path | None = SAVE_SCHEDULE,
    json: bool = JSON,
) -> None:
    """Run a compiled kernel under every order of its cores."""
    with kernel.built(trace=False) as job:
        _told(search(job.once(), max_states), str(kernel.kernel), save_schedule, json)


def _told(verdict: Verdict, file: str, save: Path | None, json: bool) -> None:
    """Print a verdict; exit 1 if something can go wrong."""
    if save is not None and verdict.found:
        bad = verdict.found[0]
        ways.save(save, bad.schedule, file, f"{bad.code}: {bad.message}")
    if json:
        print_json({"program": file, **verdict.as_dict()})
    else:
        print(f"{file}: {verdict.states} states, {verdict.runs} runs")
        for bad in verdict.found:
            print(f"\n{bad.code}: {bad.message}")
            if bad.detail:
                print("  " + bad.detail.replace("\n", "\n  "))
            print(f"  order: {' '.join(_short(bad.schedule))}")
        if verdict.safe and verdict.complete:
            print("proved: no order of its cores goes wrong")
        elif verdict.safe:
            bound = "the bound was reached (--max-states), so nothing is proved"
            print(f"nothing found so far; {bound}")
        elif save is not None:
            print(f"\nthe first is kept: tilelab pto run {file} --schedule {save}")
    if not verdict.safe:
        raise typer.Exit(1)


def _short(names: list[str]) -> list[str]:
    """A schedule with repeats counted."""
    counts = [(name, len(list(group))) for name, group in groupby(names)]
    out = [name if count == 1 else f"{name}*{count}" for name, count in counts]
    return out[:SHOWN] + ["..."] * (len(out) > SHOWN)


def _print_verdicts(verdicts: list[ModelVerdict]) -> None:
    """The table of a model's search, and what it found."""
    model = verdicts[0].model
    print(f"{'SlotNum':>7} {'verdict':8} {'states':>8} {'lead':>5} {'overrun':>8} {'leftover':>9}")
    for v in verdicts:
        word = "safe" if v.safe else "UNSAFE"
        print(
            f"{v.model.slots:>7} {word:8} {v.states:>8} {v.max_lead:>5} {v.max_overrun:>8} "
            f"{v.leftover:>9}"
        )
    for v in verdicts:
        for bad in v.found:
            print(f"\nSlotNum {v.model.slots}: {bad.kind} [{bad.code}]: {bad.message}")
            for step in bad.schedule:
                print(f"  {step}")
    if all(v.safe for v in verdicts):
        scope = f"{model.tiles} tiles" if model.tiles else "any number of tiles"
        print(f"\nproved for {scope}: no deadlock, overrun, stale read, overflow or leftover flag")
    late = any(path.zero_copy for path in find_arch(model.arch).paths[model.direction])
    if late and model.protocol == "seed" and not model.use_after_pop:
        print("note: this path is zero-copy and the seed frees in TPOP; see also --use-after-pop")


def _slots(text: str) -> list[int]:
    first, dash, last = text.partition("-")
    try:
        low = int(first)
        high = int(last) if dash else low
    except ValueError:
        raise BadInputError(f"--slots {text}: write a number or a range such as 1-15") from None
    if low < 1 or high < low or high > 64:
        raise BadInputError(f"--slots {text}: from 1 to 64, the smaller first")
    return list(range(low, high + 1))


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.replace(",", " ").split())
