"""Simulators behind one small interface."""

import time
from collections.abc import Callable
from typing import Protocol

from tilelab.bench.program import DONE, GO, REPEATS
from tilelab.bench.work import CHIP, DATA, IN_A, IN_B, Work
from tilelab.sim.errors import TilelabError
from tilelab.tensix.backend.soft_reset import CORE_BITS
from tilelab.tensix.run.stop_reason import StopReason
from tilelab.tensix.state import ALL_CORES_IN_RESET
from tilelab.tensix.tables.cores import FIXED_RESET_PC
from tilelab.tensix.tables.tile_registers import DEBUG_REGISTERS, SOFT_RESET_0
from tilelab.tensix.tile.tile import Tile

READY = 0xFFFFFFFF
MAX_ROUNDS = 1_000_000_000


class UnableError(TilelabError):
    """A simulator that is not here, or cannot do a benchmark; says why."""

    exit_code = 2


class Backend(Protocol):
    """A simulator to measure, in the process that measures it."""

    def start(self, work: Work) -> None:
        """Make everything ready to run; UnableError if that cannot be."""

    def run(self, repeats: int) -> float:
        """Run the work's loop; the processor time in seconds. UnableError if that fails."""


class Host(Protocol):
    """A tile as a host reaches it: what a simulator must do to run a benchmark's programs."""

    def write(self, address: int, data: bytes) -> None:
        """Write bytes of L1."""

    def reg_write(self, address: int, value: int) -> None:
        """Write a tile register."""

    def run_until(self, words: dict[int, int]) -> None:
        """Run until these words of L1 have these values; UnableError if they never do."""


class Driver:
    """Runs a benchmark's programs on a tile, however that is reached."""

    def __init__(self, host: Host, work: Work) -> None:
        self.host = host
        self.cores = work.cores
        self.count = 0
        for address in (IN_A, IN_B):
            host.write(address, DATA)
        host.write(GO, bytes(64))
        reset = ALL_CORES_IN_RESET
        for core, code in work.programs().items():
            host.write(FIXED_RESET_PC[core], code)
            reset &= ~(1 << CORE_BITS[core])
        host.reg_write(DEBUG_REGISTERS + SOFT_RESET_0, reset)
        self._wait(READY)

    def _wait(self, value: int) -> None:
        self.host.run_until({DONE + 4 * core: value for core in self.cores})

    def run(self, repeats: int) -> float:
        """One run; its processor time."""
        self.count += 1
        start = time.process_time()
        self.host.write(REPEATS, repeats.to_bytes(4, "little"))
        self.host.write(GO, self.count.to_bytes(4, "little"))
        self._wait(self.count)
        return time.process_time() - start


class TileHost:
    """A tile of tilelab's."""

    def __init__(self, tile: Tile) -> None:
        self.tile = tile
        self.write = tile.write
        self.reg_write = tile.reg_write

    def run_until(self, words: dict[int, int]) -> None:
        """Run until words of L1 have their values."""
        reason = self.tile.run(MAX_ROUNDS, watch=words)
        if reason is not StopReason.CONDITION:
            raise UnableError(f"the benchmark's program stopped: {reason}")


class HostBackend:
    """A simulator of a tile, by a function that makes a new one."""

    def __init__(self, make: Callable[[], Host]) -> None:
        self._make = make
        self._driver: Driver | None = None

    def start(self, work: Work) -> None:
        """Make a tile and let its cores set it up."""
        self._driver = Driver(self._make(), work)

    def run(self, repeats: int) -> float:
        """Run the work's loop."""
        assert self._driver is not None
        return self._driver.run(repeats)


class EngineBackend(HostBackend):
    """One of tilelab's engines."""

    def __init__(self, engine: str) -> None:
        super().__init__(lambda: TileHost(Tile(CHIP, engine=engine)))
