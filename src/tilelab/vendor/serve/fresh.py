"""A server for test suites: the same socket, a fresh tile whenever the suite asks for one.

``python -m tilelab.vendor.serve.fresh ARCH``. It is a process of its own, because the vendor's
driver waits for answers without giving up Python's lock. A line of JSON comes in on stdin, a line
of JSON goes out; the first says where the socket is (``folder``).

- ``{"renew": {"arch", "engine", "clock", "options", "warn"}}`` makes a fresh tile; with ``"start":
  {"addresses", "values"}`` too, the tile is remembered as it is whenever one of these words of L1
  is given one of these values (the command that starts a kernel).
- ``{"keep": {"folder", "name", "elfs", "done", "result"}}`` writes what was remembered as files
  (:mod:`tilelab.kernels.moment`) and says which: ``kept``.
- ``{"report": true}`` tells of the present tile ``problem`` (text, or null), its ``kind``, the
  tile's ``warnings`` and ``retired``, the instructions of each core.

The end of stdin, which is that of the suite too, however that comes, is the end of the server;
nothing stays.

A program that has failed a check, or hangs, fails every later read, so that a suite which waits
for its result hears of it at once.
"""

import json
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from threading import Thread
from typing import Any, Final

from tilelab.kernelpy.tiers import PATIENCE
from tilelab.kernels.moment import SUFFIX, write_moment
from tilelab.sim.errors import BadInputError, MachineError
from tilelab.sim.files import folder_meanwhile
from tilelab.tensix.tile.tile import Tile
from tilelab.vendor.serve.device import TileDevice
from tilelab.vendor.serve.server import Server

FOLDER: Final = "tilelab.so"
"""The vendor's tests take a path that ends in .so for a simulator that is there already."""
IDLE_READS: Final = 200
"""Reads in a row of a tile that can no longer change, before that is called a deadlock."""
MOST_STARTS: Final = 16
"""So many starts are remembered, the last ones."""


class WatchedDevice(TileDevice):
    """A tile whose host is told, by a read that fails, that its program never will finish."""

    def __init__(self, tile: Tile, start: Mapping[str, list[int]] | None = None) -> None:
        super().__init__(tile)
        self._idle_reads = 0
        self._start = start or {"addresses": [], "values": []}
        self.started: list[dict[str, Any]] = []
        """The tile as it was at each start, as :meth:`Tile.__getstate__` gives it."""

    def read(self, x: int, y: int, address: int, size: int) -> bytes:
        """Read as the NoC does; the program's own error once it has failed or hangs."""
        self._idle_reads = 0 if self.busy else self._idle_reads + 1
        if self._idle_reads > IDLE_READS and not self.tile.idle and self.problem is None:
            deadlock = self.tile.deadlock()
            assert isinstance(deadlock, MachineError)
            self.problem = deadlock
        if self.problem is not None:
            raise self.problem
        return super().read(x, y, address, size)

    def write(self, x: int, y: int, address: int, data: bytes) -> None:
        """Write as the NoC does; what has failed stays failed."""
        self._idle_reads = 0
        problem = self.problem
        super().write(x, y, address, data)
        self.problem = problem
        if address in self._start["addresses"] and (
            int.from_bytes(data, "little") in self._start["values"]
        ):
            self.started = [*self.started, self.tile.__getstate__()][-MOST_STARTS:]


def made(
    arch: str,
    engine: str,
    clock: str,
    options: dict[str, Any],
    warn: list[str],
    start: Mapping[str, list[int]] | None = None,
) -> WatchedDevice:
    """A fresh tile; BadInputError for an option or a check that there is not."""
    tile = Tile(arch, engine, clock, **options)
    for check in warn:
        tile.set_policy(check, "warn")
    return WatchedDevice(tile, start)


def report(device: TileDevice) -> dict[str, Any]:
    """What a suite wants to know of its tile."""
    problem = device.problem
    return {
        "kind": type(problem).__name__ if problem is not None else "",
        "problem": None if problem is None else str(problem),
        "warnings": device.tile.warnings,
        "retired": device.tile.state.record["riscv"]["retired"].tolist(),
    }


def keep(device: WatchedDevice, wanted: dict[str, Any]) -> dict[str, Any]:
    """Write the tile as it was at each start; says which files."""
    folder = Path(wanted["folder"])
    elfs = {core: Path(path) for core, path in wanted["elfs"].items()}
    done = {int(address): int(value) for address, value in wanted["done"].items()}
    first, end = wanted["result"]
    kept = []
    for number, tile in enumerate(device.started):
        path = folder / f"{wanted['name']}.{number}{SUFFIX}"
        write_moment(path, tile, elfs, done, (first, end or len(tile["l1"])))
        kept.append(str(path))
    device.started.clear()
    return {"kept": kept}


def answer(server: Server, line: str) -> dict[str, Any]:
    """Do what a line of JSON asks for."""
    asked = json.loads(line)
    if "renew" in asked:
        try:
            device = made(**asked["renew"])
        except BadInputError as error:
            return {"error": str(error)}
        server.between(lambda: setattr(server, "device", device))
        return {}
    found: dict[str, Any] = {}
    present = server.device
    assert isinstance(present, WatchedDevice)
    if "keep" in asked:
        try:
            return keep(present, asked["keep"])
        except BadInputError as error:
            return {"error": str(error)}
    server.between(lambda: found.update(report(present)))
    return found


def main(arch: str) -> None:
    """Serve until stdin ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's goes to the suite as well
    # code that were compiled anew in the midst of a test could outlast the driver's 30 seconds for
    # an answer, after which every answer is taken for another read's
    os.environ.setdefault(PATIENCE, "0")
    with folder_meanwhile("tilelab-") as base:
        folder = base / FOLDER
        with Server(made(arch, "fast", "functional", {}, []), folder) as server:
            thread = Thread(target=server.run, name="tilelab.vendor.serve", daemon=True)
            thread.start()
            print(json.dumps({"folder": str(folder)}), flush=True)
            for line in sys.stdin:
                print(json.dumps(answer(server, line)), flush=True)
            server.stop()
            thread.join()


if __name__ == "__main__":
    main(sys.argv[1])
