"""Plays a recording of any form to a chip that runs ahead of its host, or counts cycles.

Such a chip answers polls sooner than the recorded one, so of reads of the same between two writes
only the last is compared; and it may read host memory in another order, so what it reads there is
found by address.
"""

from collections import defaultdict, deque
from collections.abc import Callable
from typing import Final

from tilelab.chip.chip import Chip
from tilelab.chip.pci import PciBus, PciDevice
from tilelab.chip.several import Chips
from tilelab.chip.state import PROBLEM, WANT_RUN
from tilelab.sim.errors import BadInputError
from tilelab.tensix.arch import ARCHES
from tilelab.traffic.calls import (
    CLOCK,
    DMA_READ,
    INIT,
    NAMES,
    READ,
    WRITE,
    Call,
    CallDifference,
    CallLog,
    Windows,
)
from tilelab.traffic.recording import (
    Event,
    Replayed,
    TrafficRecording,
    play,
)

Show = Callable[[str], None]
SEVERAL: Final = (
    "recordings of several chips are replayed as they are: no page, cycles or check of them yet"
)
MOST_CLOCKS: Final = 100_000_000
"""Rounds or cycles that one clock of the host, or a poll, may take."""


def watch_ahead(
    recording: CallLog, chip: Chip, rounds: int, look: Callable[[], None], show: Show
) -> Replayed:
    """As replay_ahead, for a log; ``look`` is called after every so many rounds."""
    return _Host(recording, chip, rounds, look).play(show)


def replay_ahead(recording: TrafficRecording | CallLog, chip: Chip, show: Show) -> Replayed:
    """Play a recording to a fresh chip; the first difference is noted, and it goes on.

    Errors of the program raise. BadInputError if the chip reads host memory that is not recorded.
    """
    if recording.chips > 1:
        raise BadInputError(f"{recording.name}: {SEVERAL}")
    if isinstance(recording, TrafficRecording):
        return play(recording, PciBus(Chips.alone(chip)), MOST_CLOCKS, show)
    return _Host(recording, chip).play(show)


def compared(log: CallLog) -> set[int]:
    """The numbers of the reads whose replies are to be the recorded ones."""
    windows = Windows(ARCHES[log.arch].layout.host)
    last: dict[object, int] = {}
    kept: set[int] = set()
    for number, call in enumerate(log.calls):
        if call.kind == WRITE and not windows.wrote(call):
            kept.update(last.values())
            last = {}
        elif call.kind == READ:
            last[windows.target(call.address) or call.address, call.size] = number
    return kept | set(last.values())


class _Host:
    """The host of a log."""

    def __init__(
        self,
        log: CallLog,
        chip: Chip,
        rounds: int = MOST_CLOCKS,
        look: Callable[[], None] = lambda: None,
    ) -> None:
        self.log, self.chip = log, chip
        self.rounds, self.look = rounds, look
        self.device = PciDevice(chip)
        self.made = Replayed(log.name, log.arch, len(chip.tiles))
        self.memory: dict[tuple[int, int], deque[bytes]] = defaultdict(deque)
        for call in log.calls:
            if call.kind == DMA_READ:
                self.memory[call.address, call.size].append(call.data)
        chip.read_host, chip.write_host = self._read_memory, self._write_memory

    def play(self, show: Show) -> Replayed:
        """Make all calls."""
        wanted = compared(self.log)
        started = False
        for number, call in enumerate(self.log.calls):
            if call.kind == INIT and started:
                break  # a second chip
            self.made.events[NAMES[call.kind]] += 1
            started |= call.kind == WRITE
            if call.kind == WRITE:
                self.device.write(call.address, call.data)
            elif call.kind == CLOCK:
                self.chip.c.due = 1
            elif call.kind == READ:
                show(f"{self.log.name}: call {number:,}, {self.chip.time:,} cycles")
                self._read(number, call, number in wanted)
        self._run()
        self.made.rounds, self.made.requests = self.chip.time, self.chip.requests
        return self.made

    def _run(self) -> None:
        """Let the chip run until nothing can change without the host."""
        for _ in range(0, MOST_CLOCKS, self.rounds):
            asleep = self.chip.run(self.rounds)
            self.look()
            if asleep:
                break

    def _read(self, number: int, call: Call, compare: bool) -> None:
        code = self.chip.call("pci_read", call.address, call.size)
        if code == WANT_RUN:
            self._run()
            self.chip.c.due = 0
            code = self.chip.call("pci_read", call.address, call.size)
        if code == PROBLEM:
            self.device.read(call.address, call.size)  # says what is wrong
        reply = self.chip.memory.stage[: call.size].tobytes()
        if compare:
            self.made.replies += 1
            if reply != call.data and not self.made.differences:
                event = Event(number, NAMES[READ], (), call.address, call.data)
                self.made.differences.append(CallDifference(event, reply))

    def _read_memory(self, address: int, count: int) -> bytes:
        found = self.memory.get((address, count))
        if not found:
            where = f"{count} bytes of host memory at {address:#x}"
            raise BadInputError(f"{self.log.name}: the chip reads {where}, which is not recorded")
        return found.popleft() if len(found) > 1 else found[0]

    def _write_memory(self, address: int, data: bytes) -> None:
        """What the host then does is in the log."""
