"""``tilelab run RECORDING``: replay recorded traffic between a host and a chip."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from tilelab.cli.chip_look import Look
from tilelab.cli.chip_view import look_at
from tilelab.cli.console import progress_line, stderr, stdout
from tilelab.cli.streams import print_json
from tilelab.kernels.run import DEFAULT_MAX_CYCLES
from tilelab.runs.cluster import connected
from tilelab.sim.errors import BadInputError
from tilelab.traffic.calls import read_any, replay_any
from tilelab.traffic.recording import Replayed


def run_recordings(
    targets: list[str], engine: str, max_cycles: int, look: Look, cluster: str | None, json: bool
) -> int:
    """Replay recordings; 0 if every reply is the recorded one, otherwise 1."""
    recordings = [read_any(target) for target in targets]
    if look.wanted:
        if cluster is not None and not look.what_if:
            raise BadInputError("--cluster: no --page, --trace; --cycles with --what-if only")
        if len(recordings) != 1 or engine != "fast":
            raise BadInputError("what tiles did is recorded of one recording, by the fast engine")
        if max_cycles != DEFAULT_MAX_CYCLES:
            raise BadInputError("--page, --trace and --cycles of a recording know no --max-cycles")
        look = replace(look, path=Path(targets[0]).absolute(), cluster=cluster)
        return look_at(recordings[0], Path(targets[0]).name, look, json=json)
    done: list[Replayed] = []
    with _player(cluster) as play:
        for recording in recordings:
            with progress_line(stderr) as show:
                made = play(recording, engine, max_cycles, show)
            done.append(made)
            if not json:
                _print(made)
    if json:
        print_json({"recordings": [_document(made) for made in done]})
    return 0 if all(made.passed for made in done) else 1


@contextmanager
def _player(cluster: str | None) -> Iterator[Callable[..., Replayed]]:
    """What plays a recording: here, or on a cluster."""
    if cluster is None:
        yield replay_any
        return
    from tilelab.runs.spread import replay_spread  # noqa: PLC0415  only who asks needs Dask

    with connected(cluster) as client:
        yield partial(replay_spread, client)


def _print(made: Replayed) -> None:
    verdict = "PASS" if made.passed else "FAIL"
    tiles = "1 tile" if made.tiles == 1 else f"{made.tiles} tiles"
    stdout.print(
        f"{verdict} {made.name}: {made.arch}, {tiles}, {made.replies:,} replies equal, "
        f"{made.rounds:,} rounds, {made.requests:,} NoC requests"
        if made.passed
        else f"{verdict} {made.name}: {made.differences[0]}",
        markup=False,
    )


def _document(made: Replayed) -> dict[str, Any]:
    return {
        "name": made.name,
        "arch": made.arch,
        "passed": made.passed,
        "tiles": made.tiles,
        "rounds": made.rounds,
        "noc_requests": made.requests,
        "events": dict(made.events),
        "replies": made.replies,
        "differences": [
            {
                "line": difference.event.line,
                "kind": difference.event.kind,
                "address": f"{difference.event.address:#x}",
                "expected": difference.event.data.hex(),
                "reply": difference.reply.hex(),
                "note": difference.note,
            }
            for difference in made.differences
        ],
    }
