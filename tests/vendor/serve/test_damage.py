"""Damaged frames, killed clients, killed servers: nobody else is disturbed, and nothing stays.

``TILELAB_DAMAGED_FRAMES`` says how many frames are sent; a million take minutes.
"""

import os
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

from client import request_frame

from tilelab.tensix import Tile
from tilelab.vendor.serve import Server, TileDevice, serving
from tilelab.vendor.serve.flat_tables import DamagedFrameError, decode
from tilelab.vendor.serve.protocol import (
    LENGTH,
    MAX_FRAME,
    RESPONSE,
    Command,
    Request,
    frame,
    parse_request,
)

FRAMES = int(os.environ.get("TILELAB_DAMAGED_FRAMES", "4000"))
AT = (1, 1)
KEPT, AT_KEPT = b"what the good client wrote", 0x40000
RESET = struct.pack("ii", 1, 0)
"""SO_LINGER: closing sends a reset, as the system does for a process that was killed."""
EVERY = 250


def read(connection: socket.socket, address: int, size: int) -> bytes:
    """What a well-behaved client reads."""
    connection.sendall(request_frame(Request(Command.READ, *AT, address, size)))
    data = b""
    while len(data) < 4 or len(data) < 4 + LENGTH.unpack(data[:4])[0]:
        more = connection.recv(1 << 16)
        assert more, "the good client was disconnected"
        data += more
    found = decode(RESPONSE, data[4:])
    assert found["status"] == 0
    assert isinstance(found["data"], bytes)
    return found["data"]


def connected(server: Server) -> socket.socket:
    made = socket.socket(socket.AF_UNIX)
    made.connect(str(server.path))  # waits while too many others do
    made.settimeout(60)
    return made


def asked(stream: bytes) -> list[Command]:
    """What a server makes of all that a client sends, up to the first damage."""
    found, at = [], 0
    while at + LENGTH.size <= len(stream):
        end = at + LENGTH.size + LENGTH.unpack_from(stream, at)[0]
        if end > len(stream):
            break
        try:
            found.append(parse_request(stream[at + LENGTH.size : end]).command)
        except DamagedFrameError:
            break
        at = end
    return found


def damaged(rng: random.Random) -> bytes:
    """A frame with something wrong: its bytes, its length, its end, or all of it."""
    kind = rng.randrange(5)
    if kind == 0:
        return frame(rng.randbytes(rng.randrange(60)))
    read_some = Request(Command.READ, *AT, rng.randrange(1 << 20), rng.randrange(64))
    whole = bytearray(request_frame(read_some))
    if kind == 1:
        return bytes(whole[: rng.randrange(len(whole))])
    if kind == 2:
        return LENGTH.pack(rng.choice((MAX_FRAME + 1, 0xFFFFFFFF, 0, 3, 1 << 25))) + whole[4:]
    if kind == 3:
        return rng.randbytes(rng.randrange(1, 60))
    for _ in range(rng.randrange(1, 4)):
        whole[rng.randrange(4, len(whole))] = rng.randrange(256)
    return bytes(whole)


def disturb(server: Server, rng: random.Random) -> int:
    """A client that sends some damaged frames and goes, politely or not; how many it sent."""
    pieces = [damaged(rng) for _ in range(rng.randrange(1, 9))]
    if {Command.WRITE, Command.SHUTDOWN} & set(asked(b"".join(pieces))):
        return 0  # by chance a valid request to write, or to end: a server is right to obey
    with connected(server) as bad, suppress(OSError):
        if rng.random() < 0.5:
            bad.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        bad.sendall(b"".join(pieces))
        if rng.random() < 0.1:
            bad.shutdown(socket.SHUT_WR)
            while bad.recv(1 << 16):
                pass
    return len(pieces)


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def settled(before: int) -> bool:
    """Whether the server closes all connections of clients that are gone, however busy it is."""
    end = monotonic() + 60
    while descriptors() > before and monotonic() < end:
        sleep(0.01)
    return descriptors() <= before


def test_damaged_frames_and_killed_clients() -> None:
    rng = random.Random(14)
    sent = clients = 0
    with tempfile.TemporaryDirectory(prefix="tl") as base:
        folder = Path(base) / "s"
        with serving(TileDevice(Tile("blackhole")), folder) as server:
            with connected(server) as good:
                good.sendall(request_frame(Request(Command.WRITE, *AT, AT_KEPT, len(KEPT), KEPT)))
                assert len(good.recv(1 << 16)) > 4
                before = descriptors()
                while sent < FRAMES:
                    sent += disturb(server, rng)
                    clients += 1
                    if clients % EVERY == 0:
                        assert read(good, AT_KEPT, len(KEPT)) == KEPT
                assert read(good, AT_KEPT, len(KEPT)) == KEPT
                assert settled(before)
            assert [path.name for path in folder.iterdir()] == ["tt-umd-sim-0.sock"]
        assert not list(Path(base).iterdir())
    print(f"{sent} damaged frames from {clients} clients")


def started(folder: str) -> tuple[subprocess.Popen[str], Path]:
    """A server as a person starts it, and its socket."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tilelab", "serve"],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": folder},
    )
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_a_killed_server_is_noticed_and_taken_over() -> None:
    with tempfile.TemporaryDirectory(prefix="tl") as folder:
        first, path = started(folder)
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(60)
        client.connect(str(path))
        assert read(client, 0, 4) == bytes(4)
        first.send_signal(signal.SIGKILL)
        first.communicate()
        assert client.recv(1) == b""
        client.close()
        second, again = started(folder)
        assert again == path
        second.terminate()
        second.communicate(timeout=60)
        assert second.returncode == 0
        assert not list(Path(folder).iterdir())
