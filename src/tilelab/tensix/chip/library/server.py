"""The process behind the drop-in library: it holds the chip and answers messages (``shim.ll``).

``python -m tilelab.tensix.chip.library.server CHIP``, with a connected socket as descriptor 3. It
ends with the socket's other end, whatever became of that. What the host does wrong, and what a
program on the chip does wrong, is one error message; the socket is closed then, and the host reads
ones as from a device that has fallen off the bus.
"""

import json
import os
import signal
import socket
import struct
import sys
from collections import deque
from pathlib import Path
from typing import Final

from tilelab.sim.errors import TilelabError
from tilelab.tensix.chip.chip import Chip
from tilelab.tensix.chip.pci import PciDevice

SOCKET: Final = 3
HEADER: Final = struct.Struct("<IIQ")
REPLY, READ_HOST, WRITE_HOST = 0, 1, 2
"""What this side sends; the names of what the host sends follow."""
READ, WRITE, CLOCK, EXIT, HOST_DATA, TILE_READ, TILE_WRITE = 2, 3, 4, 5, 6, 7, 8
CARRY_DATA: Final = (WRITE, HOST_DATA, TILE_WRITE)
REPORT: Final = "TILELAB_CHIP_REPORT"
"""Environment variable: a file in which to say at the end what ran."""
LARGEST: Final = 1 << 20
"""Bytes of one transfer to or from host memory."""

Message = tuple[int, int, int, bytes]


class ClosedError(Exception):
    """The host has gone, or has said that it is done."""


def chip_text(arch: str, tiles: list[tuple[int, int]] | None) -> str:
    """How the library names a chip to this process."""
    return json.dumps({"arch": arch, "tiles": tiles})


def parse_chip(text: str) -> Chip:
    """The chip that :func:`chip_text` named."""
    about = json.loads(text)
    tiles = about["tiles"]
    return Chip(about["arch"], None if tiles is None else [(x, y) for x, y in tiles])


class Server:
    """Answers one host."""

    def __init__(self, chip: Chip, connection: socket.socket) -> None:
        self.device = PciDevice(chip)
        chip.read_host = self._read_host
        chip.write_host = self._write_host
        self.connection = connection
        self._incoming = connection.makefile("rb", buffering=1 << 16)
        self._waiting: deque[Message] = deque()

    def _receive(self) -> Message:
        header = self._incoming.read(HEADER.size)
        if len(header) < HEADER.size:
            raise ClosedError
        operation, size, address = HEADER.unpack(header)
        data = self._incoming.read(size) if operation & 0xFF in CARRY_DATA else b""
        if operation & 0xFF in CARRY_DATA and len(data) < size:
            raise ClosedError
        return operation, size, address, data

    def _send(self, operation: int, size: int, address: int, data: bytes = b"") -> None:
        try:
            self.connection.sendall(HEADER.pack(operation, size, address) + data)
        except OSError:
            raise ClosedError from None

    def _read_host(self, address: int, count: int) -> bytes:
        self._send(READ_HOST, count, address)
        while True:
            message = self._receive()
            if message[0] == HOST_DATA:
                return message[3]
            if message[0] == EXIT:
                raise ClosedError
            self._waiting.append(message)

    def _write_host(self, address: int, data: bytes) -> None:
        for at in range(0, len(data), LARGEST):
            part = data[at : at + LARGEST]
            self._send(WRITE_HOST, len(part), address + at, part)

    def serve(self) -> None:
        """Answer until the host is done or gone."""
        while True:
            message = self._waiting.popleft() if self._waiting else self._receive()
            if message[0] == EXIT:
                return
            self._answer(*message)

    def _answer(self, operation: int, size: int, address: int, data: bytes) -> None:
        device, kind = self.device, operation & 0xFF
        place = operation >> 8 & 0xFFF, operation >> 20
        if kind == WRITE:
            device.write(address, data)
        elif kind == READ:
            device.clock(1)
            self._reply(device.read(address, size))
        elif kind == CLOCK:
            device.clock(address)
            self._reply(b"")
        elif kind == TILE_READ:
            device.clock(1)
            self._reply(device.chip.read(place, address, size))
        elif kind == TILE_WRITE:
            device.chip.write(place, address, data)

    def _reply(self, data: bytes) -> None:
        self._send(REPLY, len(data), int(self.device.chip.asleep), data)


def main(argv: list[str]) -> int:
    """Serve one host; the exit code is 1 after an error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the host decides what that means
    connection = socket.socket(fileno=SOCKET)
    os.set_inheritable(SOCKET, False)
    chip = parse_chip(argv[0])
    try:
        Server(chip, connection).serve()
    except ClosedError:
        pass
    except TilelabError as error:
        notes = "".join(f" ({note})" for note in getattr(error, "__notes__", []))
        print(f"tilelab: {error.summary}{notes}", file=sys.stderr)
        if error.detail:
            print(error.detail, file=sys.stderr)
        return 1
    if path := os.environ.get(REPORT):
        Path(path).write_text(json.dumps(chip.report()), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
