"""gdb's connections: who speaks first, and packets that are whole and undamaged."""

import re
import select
import socket
from collections.abc import Iterator
from typing import Final

from tilelab.sim.errors import BadInputError

PACKET_BYTES: Final = 0x4000
PATIENCE: Final = 5.0
"""Seconds for the rest of a packet that has begun, and for an answer to be taken."""
PACKET: Final = re.compile(rb"\$([^#]*)#([0-9a-fA-F]{2})", re.DOTALL)
MOST_WAITING: Final = 100
"""Connections that may wait for the one that is served; the oldest is dropped beyond that."""
INTERRUPT: Final = b"\x03"


class Gone(Exception):  # noqa: N818 (an event, not an error)
    """gdb has left."""


class Connection:
    """Packets to and from gdb, with acknowledgements until both sides agree to do without.

    A packet that has begun must be whole within PATIENCE seconds, and what is sent be taken; how
    long gdb thinks between packets is its own affair.
    """

    def __init__(self, link: socket.socket) -> None:
        self.link = link
        self.link.settimeout(PATIENCE)
        self.buffer = b""
        self.acknowledged = True

    def receive(self) -> None:
        """Take in what has come; Gone if the other side has left, or sends no end of a packet."""
        data = self.link.recv(PACKET_BYTES)
        if not data or len(self.buffer) > 4 * PACKET_BYTES:
            raise Gone
        self.buffer += data

    def _more(self) -> None:
        wait = PATIENCE if self.buffer else None
        if not select.select([self.link], [], [], wait)[0]:
            raise Gone
        self.receive()

    def whole(self) -> re.Match[bytes] | None:
        """The packet that the buffer begins with, once what is none has been dropped from it."""
        while True:
            self.buffer = self.buffer.lstrip(b"+-\x03")
            match = PACKET.match(self.buffer)
            if match is not None or not self.buffer:
                return match
            if self.buffer.startswith(b"$") and b"#" not in self.buffer[:-2]:
                return None  # it may still become one
            at = self.buffer.find(b"$", 1)
            self.buffer = self.buffer[at:] if at > 0 else b""

    def packets(self) -> Iterator[str]:
        """Return whole packets as they come; damaged ones are asked for again."""
        while True:
            match = self.whole()
            if match is None:
                self._more()
                continue
            self.buffer = self.buffer[match.end() :]
            good = sum(match[1]) & 0xFF == int(match[2], 16)
            if self.acknowledged:
                self.link.sendall(b"+" if good else b"-")
            if good:
                yield re.sub(
                    rb"\}(.)", lambda m: bytes([m[1][0] ^ 0x20]), match[1], flags=re.DOTALL
                ).decode("latin-1")

    def send(self, text: str) -> None:
        """Send a packet."""
        data = re.sub(rb"[#$}*]", lambda m: b"}" + bytes([m[0][0] ^ 0x20]), text.encode("latin-1"))
        self.link.sendall(b"$" + data + b"#%02x" % (sum(data) & 0xFF))

    def interrupted(self) -> bool:
        """Whether gdb has sent an interrupt, or left."""
        while select.select([self.link], [], [], 0)[0]:
            try:
                self.receive()
            except (Gone, OSError):
                return True
        found = INTERRUPT in self.buffer
        self.buffer = self.buffer.replace(INTERRUPT, b"")
        return found


def listen(port: int) -> socket.socket:
    """Listen for gdb on this machine alone; BadInputError if the port cannot be had."""
    try:
        return socket.create_server(("127.0.0.1", port))
    except (OSError, OverflowError) as error:
        raise BadInputError(f"port {port} cannot be had: {error}") from error


def first_to_speak(listener: socket.socket, waiting: list[Connection]) -> Connection:
    """The first connection, of those that wait and those that come, to have sent a whole packet."""
    while True:
        for connection in waiting:
            if connection.whole() is not None:
                waiting.remove(connection)
                return connection
        links = {connection.link: connection for connection in waiting}
        for ready in select.select([listener, *links], [], [])[0]:
            if ready is listener:
                waiting.append(Connection(listener.accept()[0]))
                continue
            try:
                links[ready].receive()
            except (Gone, OSError):
                waiting.remove(links[ready])
                ready.close()
        while len(waiting) > MOST_WAITING:
            waiting.pop(0).link.close()
