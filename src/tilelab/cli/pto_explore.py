"""``tilelab pto explore FILE``: a program under every order of its cores."""

import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import typer

from tilelab.cli.pto_program import ProgramError
from tilelab.pto import schedules as ways
from tilelab.pto.cluster import Cluster
from tilelab.pto.errors import PtoWarning
from tilelab.pto.explore import Verdict as ModelVerdict
from tilelab.pto.native.build import SOURCES, build
from tilelab.pto.native.run import Options, run
from tilelab.pto.paths import find_arch
from tilelab.pto.search import Path as Order
from tilelab.pto.search import Ran, Verdict, search
from tilelab.sim.errors import BadInputError, ProgramError, TilelabError

RECORD = {"hazards": "record", "capacity": "record", "constraints": "record", "leaks": "record"}


def of_cluster(start: Callable[[Order, Callable[[Cluster], None]], Any]) -> Callable[[Order], Ran]:
    """A Python or IR program as what ``search`` runs; ``start`` says which cluster it made."""

    def once(path: Order) -> Ran:
        kept: list[Cluster] = []
        error: TilelabError | None = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PtoWarning)
            try:
                start(path, kept.append)
            except TilelabError as caught:
                error = caught
        return Ran(kept[-1].findings if kept else [], error, path)

    return once


def of_kernel(
    kernel: Path, hosts: list[Path], isa: Path | None, options: Options, define: list[str],
    include: list[Path],
) -> Callable[[Order], Ran]:  # fmt: skip
    """A compiled kernel as what ``search`` runs."""
    if isa is None:
        raise BadInputError(f"{kernel}: a C++ kernel needs --pto-isa DIR")
    built = build(kernel, hosts, isa, options.arch, None, define, include, options.auto)
    options.trace = False

    def once(path: Order) -> Ran:
        outcome = run(built, options, path)
        left = outcome.schedule or path
        error = outcome.error
        if error is None and outcome.status:
            error = ProgramError(f"the host's program returned {outcome.status}", outcome.output)
        return Ran(outcome.findings, error, left)

    return once


def is_kernel(file: str) -> bool:
    """Whether a file is C++."""
    return file.endswith(SOURCES)


@dataclass(frozen=True)
class Compiled:
    """What is said of a FILE.cpp alone."""

    pto_isa: Path | None
    host: list[Path]
    cores: str | None
    define: list[str]
    include: list[Path]
    auto: bool
    case: str
    data: Path | None


OF_KERNELS = tuple(field.name for field in fields(Compiled))
OF_PROGRAMS = ("arg", "save_schedule")
OF_PIPES = (
    "slots", "direction", "tiles", "vec", "nosplit", "multi", "flag_bits", "cube", "vector",
    "no_allocate", "no_free", "record_period", "wait_period", "use_after_pop",
)  # fmt: skip


def refuse_others(context: typer.Context, file: str | None) -> None:
    """BadInputError if an option is given that means nothing for what is explored."""
    if file is None:
        others = dict.fromkeys(OF_KERNELS, "a FILE.cpp") | dict.fromkeys(OF_PROGRAMS, "a FILE")
    else:
        others = dict.fromkeys(OF_PIPES, "a pipe, without a FILE")
        others |= {} if is_kernel(file) else dict.fromkeys(OF_KERNELS, "a FILE.cpp")
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if parameter.name in others and source is not None and source.name == "COMMANDLINE":
            raise BadInputError(f"{parameter.opts[0]} is for {others[parameter.name]}")


def show(verdict: Verdict, file: str, as_json: bool, save: Path | None) -> None:
    """Print a verdict; exit 1 if something can go wrong."""
    if save is not None and verdict.found:
        bad = verdict.found[0]
        ways.save(save, bad.schedule, file, f"{bad.code}: {bad.message}")
    if as_json:
        print(json.dumps({"program": file, **verdict.as_dict()}, indent=2))
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
            print(
                "nothing found so far; the bound was reached (--max-states), so nothing is proved"
            )
        elif save is not None:
            print(f"\nthe first is kept: tilelab pto run {file} --schedule {save}")
    if not verdict.safe:
        raise typer.Exit(1)


def _short(names: list[str]) -> list[str]:
    """A schedule with repeats counted."""
    out: list[str] = []
    count = 0
    for index, name in enumerate(names):
        count += 1
        if index + 1 == len(names) or names[index + 1] != name:
            out.append(name if count == 1 else f"{name}*{count}")
            count = 0
    return out[:60] + (["..."] if len(out) > 60 else [])


def print_verdicts(verdicts: list[ModelVerdict]) -> None:
    """The table of a model's search, and what it found."""
    scope = f"{verdicts[0].model.tiles} tiles" if verdicts[0].model.tiles else "any number of tiles"
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
        print(f"\nproved for {scope}: no deadlock, overrun, stale read, overflow or leftover flag")
    model = verdicts[0].model
    late = any(
        path.zero_copy
        for (way, _), path in find_arch(model.arch).paths.items()
        if way is model.direction
    )
    if late and model.protocol == "seed" and not model.use_after_pop:
        print("note: this path is zero-copy and the seed frees in TPOP; see also --use-after-pop")


__all__ = [
    "RECORD",
    "Compiled",
    "Order",
    "Ran",
    "is_kernel",
    "of_cluster",
    "of_kernel",
    "print_verdicts",
    "refuse_others",
    "search",
    "show",
]
