"""Replays recorded traffic between a host and a chip with every tile under the checker."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from tilelab.check.chip.claims import Requests
from tilelab.check.chip.engine import CheckedChip
from tilelab.check.chip.found import Gathered
from tilelab.check.engine import CheckedTile
from tilelab.check.findings import Finding, machine_finding
from tilelab.check.run import JUNK_SEEDS, Checked, set_policies, without_unwritten
from tilelab.chip.chip import Chip
from tilelab.chip.problems import failed as failed_check
from tilelab.chip.waiting import who_waits
from tilelab.sim.checks import CHECKS
from tilelab.sim.errors import DeadlockError, MachineError
from tilelab.traffic.ahead import Show, replay_ahead
from tilelab.traffic.calls import CallLog
from tilelab.traffic.recording import POLL, Replayed, TrafficRecording

Recording = TrafficRecording | CallLog


@dataclass(frozen=True)
class Ended:
    """How a replay ended, as :class:`Checked` asks."""

    replayed: Replayed
    cycles: int
    """Rounds of the tile whose clock is furthest."""
    warnings: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether every reply is the recorded one."""
        return self.replayed.passed


def policies_of(chip: CheckedChip, policies: Iterable[tuple[str, str]]) -> set[str]:
    """Set policies on every tile, as ``set_policies``; the names of checks that only warn."""
    chosen, warned = tuple(policies), set()
    for tile in chip.checked.values():
        warned = set_policies(tile, chosen)
    return warned


def checked_recording(
    recording: Recording,
    policies: Iterable[tuple[str, str]] = (),
    show: Show = lambda text: None,
    late: bool = False,
    requests: Requests | None = None,
) -> tuple[Checked, set[str]]:
    """Replay a recording under the checker; also the names of checks that only warn.

    What its programs do wrong is a finding. ``late``: replay it once more to a chip on which what
    tiles ask of the NoC comes as late as it may. ``requests`` notes what lines ask of the NoC.
    BadInputError if it cannot be replayed.
    """
    chip = CheckedChip(recording.arch, recording.tiles)
    warned = policies_of(chip, policies)
    gathered = Gathered(chip)
    if requests is not None:
        requests.follow(gathered)
    ended: Ended | None = None
    failed: list[Finding] = []
    try:
        made = replay_ahead(recording, chip, show)
        ended = Ended(made, _clock(chip), tuple(_warnings(chip)))
        if made.passed:
            gathered.gather_left()
    except MachineError as error:
        failed.append(_failed(chip, gathered, error))
    found = gathered.findings
    notes = ended.warnings if ended else tuple(_warnings(chip))
    if gathered.lost:
        notes += (f"{gathered.lost} more findings were not kept",)
    if ended is not None and ended.passed:
        found, said = without_unwritten(found, "reply", lambda: depends(recording, show))
        notes += said
    if ended is not None and not ended.passed:
        failed += _stuck(chip, ended.replayed)
    if late:
        wrong, said = delivered_late(recording, show)
        failed += wrong
        notes += said
    return Checked(recording.name, (*found, *failed), ended, notes), warned


def delivered_late(recording: Recording, show: Show) -> tuple[list[Finding], tuple[str, ...]]:
    """What goes wrong if all that tiles ask of the NoC comes late: a finding, or a note."""
    chip = Chip(recording.arch, recording.tiles, delivery="late")
    try:
        made = replay_ahead(recording, chip, show)
    except MachineError as error:
        place = list(chip.tiles)[chip.c.turn]
        found = machine_finding(CheckedTile(recording.arch), error, None)
        check = failed_check(chip.c).name
        return [replace(found, check=check, cycle=int(chip.c.time), tiles=(place,))], ()
    if made.passed:
        return [], ("delivered late: every reply is as recorded",)
    return [], (f"delivered late, not as recorded: {made.differences[0]}",)


def depends(recording: Recording, show: Show) -> bool:
    """Whether replies depend on what nothing has written: those of tiles that begin with junk."""
    for seed in JUNK_SEEDS:
        chip = Chip(recording.arch, recording.tiles, junk=seed)
        try:
            if not replay_ahead(recording, chip, show).passed:
                return True
        except MachineError:
            return True
    return False


def _warnings(chip: CheckedChip) -> list[str]:
    """What checks with policy ``warn`` have found on any tile, each once."""
    return list(dict.fromkeys(text for tile in chip.checked.values() for text in tile.warnings))


def _failed(chip: CheckedChip, gathered: Gathered, error: MachineError) -> Finding:
    """The error that ended a replay, as a finding about the tile in turn."""
    place = list(chip.checked)[chip.c.turn]
    tile = chip.checked[place]
    if not getattr(error, "__notes__", ()):  # it is the network's, which names tile and core
        return replace(
            machine_finding(tile, error, None), check=failed_check(chip.c).name, cycle=_clock(chip)
        )
    origin = int(tile.state.s.engine.fault_origin)
    gathered.name_origins(tile, {origin})
    check = CHECKS.get(int(tile.state.s.fault.code))
    return replace(machine_finding(tile, error, check), tiles=(place,))


def _clock(chip: CheckedChip) -> int:
    """The clock of the tile that has run longest."""
    return max(int(tile.state.s.clock) for tile in chip.checked.values())


def _stuck(chip: CheckedChip, made: Replayed) -> Iterable[Finding]:
    """A finding if nothing can change any more and the host has not had its reply."""
    if not chip.asleep or made.differences[0].event.kind != POLL:
        return
    lines = who_waits(chip.running)
    if lines:
        yield Finding(
            check="deadlock",
            category=DeadlockError.category,
            message=f"nothing on the chip can change any more; {made.differences[0]}".split(";")[0],
            where="",
            cycle=_clock(chip),
            detail=tuple(lines),
        )
