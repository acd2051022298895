"""A recording replayed to chips that are faster, or whose tiles are elsewhere."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tilelab.chip.chip import Chip
from tilelab.chip.faster import suppose_chip
from tilelab.report.what_if import BETTER, Supposed, WhatIf
from tilelab.runs.cluster import on_cluster
from tilelab.runs.job import Ran
from tilelab.sim.errors import TilelabError
from tilelab.trace.chip.bounds import bounds
from tilelab.trace.chip.placing import advice, better_places, move, shuffled_places
from tilelab.trace.chip.recorded import ChipRecorded
from tilelab.traffic.ahead import replay_ahead
from tilelab.traffic.calls import CallLog, read_any
from tilelab.traffic.recording import TrafficRecording

Show = Callable[[str], None]


@dataclass(frozen=True)
class Again:
    """One replay: of a file, or of what was read from it already."""

    recording: Path | TrafficRecording | CallLog
    supposed: WhatIf
    places: dict[int, int]
    """Physical places of tiles that are elsewhere."""
    advice: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What progress calls it."""
        return self.supposed.text


def again(job: Again, show: Show = lambda text: None) -> Supposed:
    """What comes of a replay."""
    text = job.supposed.text
    try:
        path = job.recording
        recording = read_any(path) if isinstance(path, Path) else path
        chip = Chip(recording.arch, recording.tiles, clock="cycle")
        suppose_chip(chip, job.supposed)
        move(chip, job.places)
        recorded = ChipRecorded(chip, whole=False)
        made = replay_ahead(recording, chip, show)
    except TilelabError as error:
        return Supposed(text, None, error.summary)
    if not made.passed:
        return Supposed(text, None, f"not as recorded: {made.differences[0]}")
    found = bounds(recorded)
    return Supposed(text, recorded.end, "", found.low, found.high, job.advice)


def suppose_all(
    recording: Path | TrafficRecording | CallLog,
    before: ChipRecorded,
    supposed: Sequence[WhatIf],
    show: Show,
    client: Any = None,
) -> list[Supposed]:
    """What comes of each, in their order; ``client``: of a Dask cluster, which gets a file."""
    made: dict[int, Supposed] = {}
    jobs: dict[int, Again] = {}
    for k, one in enumerate(supposed):
        try:
            jobs[k] = _job(recording, before, one)
        except TilelabError as error:
            made[k] = Supposed(one.text, None, error.summary)
    if client is None:
        made |= {k: again(job, show) for k, job in jobs.items()}
    else:
        numbers = list(jobs)
        tick = _ticker(show, len(jobs))
        for at, found in on_cluster(client, list(jobs.values()), tick, again):
            k = numbers[at]
            if isinstance(found, Ran):  # its worker was lost
                found = Supposed(supposed[k].text, None, str(found.outcome))
            made[k] = found
    return [made[k] for k in range(len(supposed))]


def _job(recording: Path | TrafficRecording | CallLog, before: ChipRecorded, one: WhatIf) -> Again:
    if not one.placed:
        return Again(recording, one, {})
    if one.placed != BETTER:
        return Again(recording, one, shuffled_places(before, int(one.placed)))
    places = better_places(before)
    return Again(recording, one, places, tuple(advice(before, places)))


def _ticker(show: Show, count: int) -> Callable[[list[str]], None]:
    return lambda names: show(f"{count} replays on the cluster: {', '.join(names)}")
