"""``tilelab pto explore``: every interleaving of a pipe's credits, or of a program's cores."""

from itertools import groupby
from pathlib import Path

import typer

from tilelab.cli.pto_program import program_of
from tilelab.cli.streams import print_json
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

SHOWN = 60  # entries of an order that are printed


def pipe(
    slots: str,
    arch: str,
    direction: str,
    protocol: str,
    tiles: int,
    vec: int,
    nosplit: bool,
    multi: bool,
    flag_bits: int,
    cube: str,
    vector: str,
    no_allocate: bool,
    no_free: bool,
    record_period: int,
    wait_period: int,
    use_after_pop: bool,
    max_states: int,
    json: bool,
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


def program(
    file: str,
    arch: str | None,
    protocol: str | None,
    arg: list[str] | None,
    max_states: int,
    save_schedule: Path | None,
    one_run: bool,
    json: bool,
) -> None:
    """Run a Python or IR program under every order of its cores."""
    given = program_of(file, arg, arch=arch, protocol=protocol)
    if one_run:
        _told(prove_program(given), file, save_schedule, json)
    else:
        _told(search(given.once(), max_states), file, save_schedule, json)


def kernel(kernel: Kernel, max_states: int, save_schedule: Path | None, json: bool) -> None:
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
