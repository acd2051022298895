"""What ``tilelab ttnn`` and ``tilelab run RECORDING`` show of a chip: a page, a trace, cycles."""

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tilelab.chip.chip import Chip
from tilelab.chip.faster import PARTS
from tilelab.cli.chip_look import Look
from tilelab.cli.console import progress_line, say, stderr
from tilelab.cli.cycles import print_supposed
from tilelab.cli.streams import complain_of, print_json
from tilelab.report.what_if import Supposed, WhatIf, each_placement, parse_what_if
from tilelab.sim.errors import BadInputError, TilelabError
from tilelab.sim.files import writing
from tilelab.trace.chip.bounds import Bounds, bounds
from tilelab.trace.chip.field import writer_of
from tilelab.trace.chip.page import MODELLED, chip_page
from tilelab.trace.chip.perfetto import write_chip_perfetto
from tilelab.trace.chip.recorded import ChipRecorded
from tilelab.trace.chip.waits import program_sentence, programs, sentence, used, waits
from tilelab.traffic.ahead import replay_ahead
from tilelab.traffic.calls import CallLog
from tilelab.traffic.recording import Replayed, TrafficRecording

if TYPE_CHECKING:  # who does not check needs no compiler
    from tilelab.check.run import Checked

SHOWN = 24
"""Pieces that are listed on a terminal."""
WAITS = 4
"""For each, what its cores waited for most; and of the chip, the links and channels used most."""
LEAST = 0.005
"""Of the time: less is not told."""


def look_at(
    recording: TrafficRecording | CallLog,
    name: str,
    look: Look,
    roots: Iterable[Path] = (),
    json: bool = False,
    run: "Checked | None" = None,
) -> int:
    """Replay a recording to a chip under the cycle clock, and show what its tiles did.

    1 if a reply is not the recorded one, or the program fails. ``roots``: where sources of kernels
    are looked for. ``run``: what the checker found, for the page and for JSON.
    """
    look.refuse()
    supposed = [parse_what_if(text, PARTS) for text in each_placement(look.what_if)]
    chip = Chip(recording.arch, recording.tiles, clock="cycle")
    recorded = ChipRecorded(chip, name, whole=bool(look.view or look.trace))
    made: Replayed | None = None
    error: TilelabError | None = None
    with progress_line(stderr) as show:
        try:
            made = replay_ahead(recording, chip, show)
        except BadInputError:
            raise
        except TilelabError as problem:
            error = problem
        _write(recorded, look, _report(made, error, run), roots, show)
    if error is not None:
        complain_of(error)
    passed = made is not None and made.passed
    again = _again(recording, supposed, recorded, look) if passed and supposed else []
    if json:
        what_if = {"what_if": [asdict(one) for one in again]} if again else {}
        print_json(_document(recorded, made, passed) | what_if | _checked(run))
    else:
        _print(recorded, look, made)
        print_supposed(recorded.end, again)
    return 0 if passed else 1


def _again(
    recording: TrafficRecording | CallLog,
    supposed: list[WhatIf],
    before: ChipRecorded,
    look: Look,
) -> list[Supposed]:
    """What comes of the what-ifs, here or on a cluster, which reads the recording's file."""
    from tilelab.runs.cluster import connected  # noqa: PLC0415  who supposes nothing needs neither
    from tilelab.runs.supposing import suppose_all  # noqa: PLC0415

    with progress_line(stderr) as show, connected(look.cluster) as client:
        path = look.path if client is not None else None
        return suppose_all(path or recording, before, supposed, show, client)


def _checked(run: "Checked | None") -> dict[str, Any]:
    if run is None:
        return {}
    from tilelab.cli.check_chip import document  # noqa: PLC0415  who does not check needs no compiler

    return {"check": document(run)}


def _write(
    recorded: ChipRecorded, look: Look, report: dict[str, Any], roots: Iterable[Path], show: Any
) -> None:
    if look.view:
        with writing(look.view) as at:
            page = chip_page(recorded, report, roots, show)
            at.write_text(page, encoding="utf-8", errors="replace")
    if look.trace:
        show(f"{recorded.name}: writing {look.trace}")
        field = writer_of(look.trace)
        with writing(look.trace) as at:
            if field:
                with at.open("w", encoding="utf-8", newline="") as text:
                    field(recorded, text)
            else:
                with at.open("wb") as file:
                    write_chip_perfetto(recorded, file)


def _report(
    made: Replayed | None, error: TilelabError | None, run: "Checked | None"
) -> dict[str, Any]:
    """What the page says of the replay, and what the checker found."""
    found = [
        {**one.as_dict(), "at": one.at, "relation": one.relation}
        for one in (run.findings if run else ())
    ]
    if made is None:
        summary, detail = (error.summary, error.detail) if error else ("", "")
        said = {"verdict": "", "problem": summary, "notes": (detail or "").splitlines()}
    else:
        problem = "" if made.passed else f"not as recorded: {made.differences[0]}"
        said = {"verdict": f"{made.replies:,} replies equal", "problem": problem, "notes": []}
    return said | {"findings": found, "checked": run is not None}


def _print(recorded: ChipRecorded, look: Look, made: Replayed | None) -> None:
    chip = recorded.chip
    tiles = "1 tile" if len(chip.tiles) == 1 else f"{len(chip.tiles)} tiles"
    if made is not None:
        say(
            f"{'PASS' if made.passed else 'FAIL'} {recorded.name}: {chip.arch.name}, "
            f"{tiles}, {recorded.end:,} cycles, {made.requests:,} NoC requests"
            + (f", {made.replies:,} replies equal" if made.passed else f"; {made.differences[0]}")
        )
    if look.cycles:
        _print_cycles(recorded)
    for path in (look.view, look.trace):
        if path:
            stderr.print(f"{path}: {recorded.end:,} cycles", markup=False, highlight=False)


def _print_cycles(recorded: ChipRecorded) -> None:
    _print_programs(recorded, bounds(recorded))
    found = recorded.work
    for place, piece in found[:SHOWN]:
        bound = piece.report.bound if piece.report else ""
        say(
            f"  {piece.name.rpartition(', ')[2]}, cycle {piece.start:,}: {piece.end:,} cycles, "
            f"{piece.issued:,} Tensix instructions; {piece.label}"
            + (f"\n    bound by {bound}" if bound else "")
        )
        for one in waits(recorded, place, piece)[:WAITS]:
            if one.cycles >= LEAST * piece.end:
                say(f"    {sentence(one, piece.end)}")
    if len(found) > SHOWN:
        say(f"  and {len(found) - SHOWN} more")
    shares = [f"{one.name} {100 * one.share:.0f}%" for one in used(recorded.chip)[:WAITS]]
    if shares:
        say(f"  used most: {'; '.join(shares)}")
    say(f"  {MODELLED}")


def _print_programs(recorded: ChipRecorded, found: Bounds) -> None:
    """What ran, how far its cycles may be off, and what bounds it."""
    for program, bound in list(zip(programs(recorded), found.programs, strict=True))[:SHOWN]:
        say(f"  {program_sentence(program)}")
        weakest = f" (weakest: {bound.weakest})" if bound.weakest else ""
        say(f"    on a card {bound.low:,} to {bound.high:,} cycles{weakest}")
        for depth, line in enumerate(bound.path):
            say(f"    {'  ' * depth}{'because ' if depth else ''}{line}")


def _document(recorded: ChipRecorded, made: Replayed | None, passed: bool) -> dict[str, Any]:
    found = bounds(recorded)
    return {
        "name": recorded.name,
        "arch": recorded.chip.arch.name,
        "passed": passed,
        "cycles": recorded.end,
        "noc_requests": recorded.chip.requests,
        "replies": made.replies if made else 0,
        "pieces": [
            {
                "place": list(place),
                "start": piece.start,
                "cycles": piece.end,
                "kernels": piece.kernels,
                "tensix_instructions": piece.issued,
                "bound_by": piece.report.chain if piece.report else [],
                "waits": [asdict(one) for one in waits(recorded, place, piece)],
            }
            for place, pieces in recorded.pieces.items()
            for piece in pieces
        ],
        "low": found.low,
        "high": found.high,
        "programs": [
            asdict(one) | {"bound": asdict(bound)}
            for one, bound in zip(programs(recorded), found.programs, strict=True)
        ],
        "used": [asdict(one) for one in used(recorded.chip)],
    }
