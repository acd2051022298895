"""``tilelab run TRACE.json``: replay tt-npe's traces of NoC events to a chip."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from tilelab.chip.chip import Chip
from tilelab.chip.faster import PARTS, suppose_chip
from tilelab.cli.console import progress_line, say, stderr
from tilelab.cli.cycles import print_supposed
from tilelab.cli.streams import print_json
from tilelab.report.what_if import Supposed, WhatIf, parse_what_if
from tilelab.sim.errors import BadInputError
from tilelab.trace.chip.waits import used
from tilelab.traffic.npe import NpeReplayed, NpeTrace, read_npe_trace, replay_npe

CLOSE = 0.2
"""Of a median wait: nearer counts as right."""
SHOWN = 3
"""Links and channels used most."""


def run_npe_traces(targets: list[str], arch: str, what_if: Sequence[str], json: bool) -> int:
    """Replay traces, and compare how long their barriers wait; 0."""
    supposed = [parse_what_if(text, PARTS) for text in what_if]
    if any(one.placed for one in supposed):
        raise BadInputError("a placement is of recordings: a trace has its own times")
    traces = [read_npe_trace(target) for target in targets]
    documents, errors = [], []
    for trace in traces:
        with progress_line(stderr) as show:
            show(f"{trace.name}: replaying")
            made = replay_npe(trace, Chip(arch, clock="cycle"))
            again = [_again(trace, arch, one) for one in supposed]
        if made.error is not None:
            errors.append(made.error)
        documents.append(_document(trace, arch, made, again))
        if not json:
            _print(trace, arch, made, again)
    near = sum(abs(error) <= CLOSE for error in errors)
    if json:
        print_json({"traces": documents, "within_20_percent": near, "with_barriers": len(errors)})
    elif len(traces) > 1:
        say(f"median wait within 20 % in {near} of {len(errors)} traces with barriers")
    return 0


def _again(trace: NpeTrace, arch: str, supposed: WhatIf) -> Supposed:
    chip = Chip(arch, clock="cycle")
    suppose_chip(chip, supposed)
    return Supposed(supposed.text, replay_npe(trace, chip).cycles)


def _print(trace: NpeTrace, arch: str, made: NpeReplayed, again: list[Supposed]) -> None:
    tiles = f"{len(trace.places)} tile" + "s" * (len(trace.places) != 1)
    say(
        f"{trace.name}: {arch}, {len(trace.requests):,} requests of {tiles}, {made.cycles:,} cycles"
    )
    if made.error is not None:
        card, here = made.medians
        say(
            f"  {len(made.barriers):,} barriers, median wait: {card:,.0f} cycles as recorded, "
            f"{here:,.0f} here ({made.error:+.1%})"
        )
    shares = [f"{one.name} {100 * one.share:.0f}%" for one in used(made.chip)[:SHOWN]]
    say(f"  used most: {'; '.join(shares)}")
    if trace.others:
        say("  not replayed: " + ", ".join(f"{n:,} {kind}" for kind, n in trace.others.items()))
    print_supposed(made.cycles, again)


def _document(
    trace: NpeTrace, arch: str, made: NpeReplayed, again: list[Supposed]
) -> dict[str, Any]:
    card, here = made.medians
    found = {
        "name": trace.name,
        "arch": arch,
        "requests": len(trace.requests),
        "tiles": len(trace.places),
        "cycles": made.cycles,
        "barriers": len(made.barriers),
        "recorded": card,
        "predicted": here,
        "error": made.error,
        "not_replayed": trace.others,
    }
    return found | ({"what_if": [asdict(one) for one in again]} if again else {})
