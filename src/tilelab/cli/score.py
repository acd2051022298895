"""``tilelab score``: what a kernel is worth, in one answer."""

import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from rich.markup import escape

from tilelab.build.compilers import find_compiler
from tilelab.cli.compare import Compared
from tilelab.cli.console import progress_line, stderr, stdout
from tilelab.cli.streams import print_json, printing
from tilelab.cli.usage import COMPILER, JSON, MAX_CYCLES, Only, argument, command, option
from tilelab.score.apart import limits_of, scored, wanted_of
from tilelab.score.result import Score, document
from tilelab.score.service import Service
from tilelab.score.ulp import Errors
from tilelab.sim.errors import BadInputError
from tilelab.sim.host import cores

MOST_OCTAVES = 3


@command(rules=(Only("source schedules jobs json", "serve", without=True),))
def score(
    targets: list[Path] | None = argument(
        "TARGET...", "A kernel.toml, or a folder of them.", default=None
    ),
    source: Path | None = option("FILE", "Build this C++ file instead of the kernel's own."),
    schedules: int = option("N", "Also run so many schedules.", default=0, min=0, max=100_000),
    max_cycles: int = MAX_CYCLES,
    seconds: float = option("S", "The time that one kernel may take.", default=60.0),
    memory: int = option("MIB", "The memory that one kernel may take.", default=4096, min=1),
    jobs: int | None = option("N", "Score so many at once; as many as there are cores.", min=1),
    serve: str | None = option(
        "Answer requests on stdin instead: lines of JSON, or an agent's by MCP.",
        choices=("json", "mcp"),
    ),
    compiler: str = COMPILER,
    json: bool = JSON,
) -> int:
    """Score kernels: right, how exact, how fast, what is wrong; exit 1 for one that is wrong.

    Each is built, run, compared, checked and timed in a process of its own.
    """
    if compiler:
        find_compiler(compiler)
    limits = limits_of(seconds, memory)
    if serve is not None:
        if targets:
            raise BadInputError("--serve takes its targets from requests, not from the command")
        return _serve(serve, Service(limits, max_cycles, compiler))
    if not targets:
        raise BadInputError("name a kernel.toml or a folder: see tilelab score --help")
    wanted = wanted_of(targets, source, schedules, max_cycles, compiler)
    if two := len(wanted) == 2:
        wanted = [replace(one, explains=True) for one in wanted]
    printing.goes_on |= len(wanted) > 1
    found: list[Score] = []
    with progress_line(stderr) as show:

        def tick(running: list[str]) -> None:
            show(f"{len(found)} of {len(wanted)} scored, running: {', '.join(running)}")

        with closing(scored(wanted, limits, jobs or cores(), tick)) as running:
            for one in running:
                found.append(one)
                if not json:
                    show("")
                    for line in lines(one):
                        stdout.print(line)
    runs = [one.run for one in found if one.run is not None]
    compared = None
    if two and len(runs) == 2:
        first, second = runs
        compared = Compared((found[0].name, found[1].name), (first, second))
    if json:
        more = {} if compared is None else {"difference": compared.document()}
        print_json(document(found) | more)
    elif compared is not None:
        compared.show()
    return max(one.exit_code for one in found)


def _serve(how: str, service: Service) -> int:
    """Answer until there are no more requests."""
    if how == "mcp":
        from tilelab.score.mcp import serve  # noqa: PLC0415  who does not ask need not have it

        serve(service)
        return 0
    for answer in service.answers(sys.stdin):
        print(answer, flush=True)
    return 0


def lines(one: Score) -> Iterator[str]:
    """A score as text."""
    verdict = "[bold green]RIGHT[/]" if one.correct else "[bold red]WRONG[/]"
    yield f"{verdict}  {escape(one.name)}"
    if one.category:
        yield f"  [red]{one.category}[/]: {escape(one.message)}"
    if one.ulp is not None:
        yield from _exactness(one.ulp)
    if one.cycles is not None:
        c = one.cycles
        tiles = f", {c.value / c.tiles:,.0f} for each of {c.tiles} tiles" if c.tiles else ""
        yield f"  {c.value:,} cycles ({c.low:,} to {c.high:,}){tiles}"
        if one.baseline is not None:
            times = one.baseline / c.value
            yield f"  {times:.2f} times as fast as the baseline of {one.baseline:,} cycles"
        least, most = min(c.placements), max(c.placements)
        yield f"  other placements: {least:,} to {most:,}; weakest figure: {escape(c.weakest)}"
        yield f"  {escape(c.bound)}"
        code = ", ".join(f"{core} {size:,}" for core, size in one.code.items())
        yield f"  code in bytes: {code}; {one.lregs} LRegs, {one.replay_slots} replay slots"
    for finding in one.findings:
        yield f"  [yellow]{finding.check}[/]: {escape(finding.message)}"
    if one.schedules and not one.category:
        yield f"  {one.schedules:,} schedules end alike"


def _exactness(errors: Errors) -> Iterator[str]:
    worst = errors.worst
    said = (
        f"{errors.asked:,} {errors.input_format} numbers of {escape(errors.input)}: "
        f"worst {worst.ulp:.2f} ulp at {worst.input:g}, mean {errors.mean:.2f}"
    )
    yield f"  {said}"
    bad = [one for one in errors.octaves if one.wrong or one.worst > (errors.limit or 1.0)]
    for one in sorted(bad, key=lambda octave: (-octave.wrong, -octave.worst))[:MOST_OCTAVES]:
        sign = "-" if one.negative else ""
        wrong = f"{one.wrong:,} of {one.count:,} wrong, " if one.wrong else ""
        yield f"    from {sign}2^{one.exponent}: {wrong}worst {one.worst:.2f} ulp"
