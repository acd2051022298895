"""Running the vendor's low-level kernels (tt-llk) as their own test harness does.

:func:`backend` makes a tile that a polling host can drive: every read lets the tile run.
:func:`replay` boots one compiled kernel by the harness's protocol, over a recorded vector's inputs,
and compares the bytes it leaves. Addresses and protocol: tt-llk, tests/python_tests/helpers.
"""

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from tilelab.tensix.tables.tile_registers import (
    DEBUG_REGISTERS,
    SOFT_RESET_0,
    TRISC0_RESET_PC,
    TRISC_RESET_PC_OVERRIDE,
)
from tilelab.tensix.tile.tile import NOTHING, Tile
from tilelab.vendor.llk.recorded import (
    Code,
    Programs,
    Vector,
    read_inputs,
    read_programs,
    read_vector,
)

SOFT_RESET = DEBUG_REGISTERS + SOFT_RESET_0
TRISC_PC = DEBUG_REGISTERS + TRISC0_RESET_PC
TRISC_PC_OVERRIDE = DEBUG_REGISTERS + TRISC_RESET_PC_OVERRIDE
BRISC_RESET, TRISC_RESET = 1 << 11, 7 << 12
MAILBOXES, COMMAND0, COMMAND1, COUNTER = 0x1FFB8, 0x1FFC4, 0x1FFC8, 0x1FFCC
BOOTED, RESET_TRISCS, START_TRISCS, KERNEL_COMPLETE = 0xB001CAFE, 2, 1, 0xFF
UPDATE_AND_START_TRISCS = 3
"""Wormhole's first start, which also tells BRISC anew where the kernels begin."""
RUNTIME_PARAMETERS = 0x20000
"""From here on L1 is the test's: its parameters, inputs and results."""

ROUNDS_PER_READ = 200
"""Of a read that is no poll; more run past what the host does next."""
ROUNDS_AHEAD = 20_000
"""Rounds for a host that reads the same again, and sees the same: it waits for that to change."""
MOST_POLLED = 8
"""Words that such a read may have."""
IDLE_READS = 200
"""Reads of a tile that can no longer change, in a row, before that is called a deadlock."""


class Backend(Protocol):
    """One tile as the NoC sees it, which runs while a host reads."""

    def read(self, address: int, count: int) -> bytes:
        """Read L1."""

    def write(self, address: int, data: bytes) -> None:
        """Write L1."""

    def reg_read(self, address: int) -> int:
        """Read a tile register."""

    def reg_write(self, address: int, value: int) -> None:
        """Write a tile register."""


class TileBackend:
    """A tile that runs a little at every read, for a host that only ever polls.

    What the host writes, it writes at once. Cores that poll, or wait by the clock, are found and
    left alone (``run/polls/polling.py``). DeadlockError if the host keeps reading a tile that can
    no longer change.
    """

    def __init__(self, tile: Tile) -> None:
        self.tile = tile
        tile.state.s.engine.find_polls = 1
        self._idle_reads = 0
        self._seen_at, self._seen = 0, b""

    def read(self, address: int, count: int) -> bytes:
        """Let the tile run, then read bytes of L1.

        A host that reads again what it has read last, and that has not changed since, polls: the
        tile runs on until it changes.
        """
        if self._polls(address, count):
            self._run(ROUNDS_AHEAD, range(address, address + count, 4))
        else:
            self._run()
        self._seen_at, self._seen = address, self.tile.read(address, count)
        return self._seen

    def _polls(self, address: int, count: int) -> bool:
        if address != self._seen_at or count != len(self._seen):
            return False
        words = not (address | count) % 4 and 0 < count <= 4 * MOST_POLLED
        in_l1 = address + count <= self.tile.arch.l1_size
        return words and in_l1 and self.tile.read(address, count) == self._seen

    def write(self, address: int, data: bytes) -> None:
        """Write bytes to L1."""
        self._idle_reads = 0
        self.tile.write(address, data)

    def reg_read(self, address: int) -> int:
        """Let the tile run, then read a tile register."""
        self._run()
        return self.tile.reg_read(address)

    def reg_write(self, address: int, value: int) -> None:
        """Write a tile register."""
        self._idle_reads = 0
        self.tile.reg_write(address, value)

    def _run(self, rounds: int = ROUNDS_PER_READ, watch: range = NOTHING) -> None:
        if self.tile.settle(rounds, watch):
            self._idle_reads += 1
            if self._idle_reads > IDLE_READS and not self.tile.idle:
                raise self.tile.deadlock()
        else:
            self._idle_reads = 0


def backend(arch: str = "blackhole") -> TileBackend:
    """Make a fresh tile behind a polling host's interface."""
    return TileBackend(Tile(arch))


def _poll(device: Backend, address: int, expected: list[int], what: str, limit: int) -> None:
    want = struct.pack(f"<{len(expected)}I", *expected)
    for _ in range(limit):
        if device.read(address, len(want)) == want:
            return
    raise TimeoutError(f"no {what} after {limit} polls")


def _write(device: Backend, parts: tuple[tuple[int, bytes], ...]) -> None:
    for address, data in parts:
        device.write(address, data)


def load(device: Backend, program: Code) -> int:
    """Load a program through a backend; returns its entry address."""
    _write(device, program.segments)
    return program.entry


def start(device: Backend, elfs: Path | Programs, limit: int = 20_000) -> None:
    """Start BRISC, load the TRISCs, tell BRISC to start them; errors as :func:`boot`."""
    programs = read_programs(elfs)
    device.reg_write(SOFT_RESET, device.reg_read(SOFT_RESET) | BRISC_RESET | TRISC_RESET)
    load(device, programs["brisc"])
    device.write(COUNTER, bytes(4))
    device.reg_write(SOFT_RESET, device.reg_read(SOFT_RESET) & ~BRISC_RESET)
    _poll(device, COUNTER, [BOOTED], "BRISC boot", limit)
    device.write(COMMAND0, struct.pack("<I", RESET_TRISCS))
    _poll(device, COUNTER, [1], "answer to the reset command", limit)
    for core in range(3):
        device.reg_write(TRISC_PC + 4 * core, load(device, programs[f"trisc{core}"]))
        device.reg_write(TRISC_PC_OVERRIDE, device.reg_read(TRISC_PC_OVERRIDE) | 1 << core)
    device.write(COMMAND1, struct.pack("<I", START_TRISCS))


def boot(device: Backend, elfs: Path | Programs, limit: int = 20_000) -> None:
    """Start BRISC, let it start the TRISCs, wait until all three have finished.

    ``elfs``: a folder of brisc.elf and trisc0.elf to trisc2.elf, or what was read from one.
    TimeoutError after ``limit`` polls.
    """
    start(device, elfs, limit)
    _poll(device, COUNTER, [2], "answer to the start command", limit)
    _poll(device, MAILBOXES, [KERNEL_COMPLETE] * 3, "kernel completion", limit)


@dataclass(frozen=True)
class Comparison:
    """How a kernel's result compares: bytes that count, bytes that differ, where the first is."""

    compared: int
    differ: int
    first: int | None

    def __str__(self) -> str:
        if not self.differ:
            return f"{self.compared} bytes equal"
        return f"{self.differ} of {self.compared} bytes differ, the first at {self.first:#x}"


def write_inputs(device: Backend, vector: Path) -> None:
    """Write what the host wrote before the kernel of a recorded vector ran."""
    _write(device, read_inputs(vector))


def play(device: Backend, vector: Vector, programs: Programs, limit: int = 20_000) -> Comparison:
    """Run one recorded vector on a device and compare its memory with the recording.

    TimeoutError after ``limit`` polls.
    """
    _write(device, vector.inputs)
    boot(device, programs, limit)
    left = [device.read(base, len(want)) for base, want, _ in vector.results]
    compared = differ = 0
    first = None
    for (base, want, mask), data in zip(vector.results, left, strict=True):
        wrong = np.flatnonzero((np.frombuffer(data, np.uint8) != want) & mask.astype(bool))
        compared += int(mask.sum())
        differ += len(wrong)
        if first is None and len(wrong):
            first = base + int(wrong[0])
    return Comparison(compared, differ, first)


def replay(device: Backend, vector: Path, elfs: Path, limit: int = 20_000) -> Comparison:
    """:func:`play` what is in folders: ``vector`` as :func:`read_vector`, ``elfs`` as :func:`boot`
    reads them.
    """
    return play(device, read_vector(vector), read_programs(elfs), limit)
