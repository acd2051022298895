"""A simulation server: a Unix socket in the temporary folder, to which the vendor's tools attach.

One thread does everything: it answers what clients have asked, then lets the tile run for a few
milliseconds, then looks again, so nothing is ever half changed. A client that sends what is no
request, or goes away in the middle of one, loses its connection and disturbs nobody else.

Source: tt-umd, device/simulation/simulation_server_socket.cpp (names of folder and socket).
"""

import os
import selectors
import socket
import stat
import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Final, Protocol

from tilelab.sim.errors import BadInputError, MachineError, TilelabError
from tilelab.sim.files import make_folder
from tilelab.vendor.serve.flat_tables import DamagedFrameError
from tilelab.vendor.serve.flood import Flood
from tilelab.vendor.serve.protocol import (
    LENGTH,
    MAX_FRAME,
    MAX_READ,
    STATUS_FAILED,
    Command,
    Request,
    cluster_descriptor,
    device_info,
    frame,
    parse_request,
    response,
)

FOLDER: Final = "tt-umd-sim-server-"
SOCKET: Final = "tt-umd-sim-0.sock"
CHUNK: Final = 1 << 16
MOST_REFUSALS: Final = 10
"""Refused requests of one kind that are told one by one before a flood of them is only counted."""
BACKLOG: Final = 128
LONGEST_PATH: Final = 107
"""Bytes of a Unix socket's path, on Linux; other systems allow 103."""


class Device(Protocol):
    """What a server serves."""

    @property
    def arch(self) -> str:
        """The chip's name."""

    @property
    def soc_descriptor(self) -> str:
        """The chip as the driver wants it described (YAML)."""

    @property
    def problem(self) -> MachineError | None:
        """What ended the program, if anything did."""

    def read(self, x: int, y: int, address: int, size: int) -> bytes:
        """Read as the NoC does; BadInputError for what is not there."""

    def write(self, x: int, y: int, address: int, data: bytes) -> None:
        """Write as the NoC does; BadInputError for what is not there."""

    @property
    def busy(self) -> bool:
        """Whether running would change anything."""

    def run_slice(self) -> None:
        """Run for a few milliseconds."""


class _Client:
    """A connection: what has come in and is no whole frame yet, what waits to go out."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.received = bytearray()
        self.to_send = bytearray()

    def frames(self) -> Iterator[bytes]:
        """Take the whole frames that have come in; DamagedFrameError if one is too long."""
        while len(self.received) >= LENGTH.size:
            (length,) = LENGTH.unpack_from(self.received)
            if length > MAX_FRAME:
                raise DamagedFrameError(f"a frame of {length} bytes")
            if len(self.received) < LENGTH.size + length:
                return
            payload = bytes(self.received[LENGTH.size : LENGTH.size + length])
            del self.received[: LENGTH.size + length]
            yield payload


def own_folder(base: Path) -> Path:
    """Make the next free ``tt-umd-sim-server-N`` in a folder, or take one that was left dead."""
    for number in count():
        folder = base / f"{FOLDER}{number}"
        try:
            folder.mkdir()
        except FileExistsError:
            if not _left_behind(folder):
                continue
            with suppress(OSError):
                (folder / SOCKET).unlink()
        return folder
    raise AssertionError("count() does not end")


def _left_behind(folder: Path) -> bool:
    """Whether a folder holds the socket of a server that is gone, and that alone."""
    path = folder / SOCKET
    try:
        if folder.is_symlink() or [entry.name for entry in folder.iterdir()] != [SOCKET]:
            return False
        if not stat.S_ISSOCK(path.lstat().st_mode):
            return False
        with socket.socket(socket.AF_UNIX) as probe:
            probe.connect(str(path))
    except ConnectionRefusedError:
        return os.access(folder, os.W_OK)
    except OSError:
        return False
    return False


class Server:
    """Serves a device until it is closed, or until a client asks it to shut down.

    Use it as a context manager: leaving it removes the socket and its folder. ``log`` is given
    one line for each thing that a person may want to know. BadInputError if no socket can be
    made.
    """

    def __init__(
        self,
        device: Device,
        folder: Path | None = None,
        log: Callable[[str], None] = lambda line: None,
    ) -> None:
        if not hasattr(socket, "AF_UNIX"):
            raise BadInputError("this system has no Unix sockets, which the vendor's driver uses")
        self.device = device
        self.log = log
        self._complain = Flood(log)
        self._told: MachineError | None = None
        self.ended = False
        """Whether it has been stopped."""
        self._selector = selectors.DefaultSelector()
        self._wake, self._woken = socket.socketpair()
        self._calls: deque[Callable[[], object]] = deque()
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listening = False
        self.folder = folder
        try:
            self._listen(folder)
        except OSError as error:
            self.close()
            raise BadInputError(f"no socket can be made: {error.strerror or error}") from error
        except BadInputError:
            self.close()
            raise

    def _listen(self, folder: Path | None) -> None:
        if folder is None:
            self.folder = own_folder(Path(tempfile.gettempdir()))
        else:
            make_folder(folder)
        path = self.path
        if len(os.fsencode(path)) > LONGEST_PATH:
            raise BadInputError(f"{path}: too long a path for a socket")
        self._listener.bind(str(path))
        self._listening = True
        path.chmod(0o600)  # the tile is its owner's; the driver asks for no more
        self._listener.listen(BACKLOG)
        self._listener.setblocking(False)
        self._selector.register(self._listener, selectors.EVENT_READ)

    @property
    def path(self) -> Path:
        """The socket."""
        assert self.folder is not None
        return self.folder / SOCKET

    def __enter__(self) -> "Server":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    # ------------------------------------------------------------------ running

    def run(self) -> None:
        """Serve until :meth:`stop` or a client's SHUTDOWN."""
        while not self.ended:
            self._serve_once(None)

    def _serve_once(self, longest: float | None) -> None:
        """Answer what has been asked, then run the device a little."""
        busy = self.device.busy
        for key, events in self._selector.select(0 if busy else longest):
            if key.fileobj is self._listener:
                self._accept()
            elif key.fileobj is self._woken:
                self._woken.recv(CHUNK)
                while self._calls:
                    self._calls.popleft()()
            else:
                self._look_after(key.data, events)
        if self.device.busy and not self.ended:
            self.device.run_slice()
        problem = self.device.problem
        if problem is not None and problem is not self._told:
            self.log(f"the program stopped: {problem}")
        self._told = problem

    def stop(self) -> None:
        """Let :meth:`run` return; may be called from another thread or a signal handler."""
        self.ended = True
        with suppress(OSError):
            self._wake.send(b"\0")

    def between(self, call: Callable[[], object]) -> None:
        """Call something between two requests and return after it; from another thread than run's.

        It must not raise. Once the server has ended, it is not called.
        """
        done = Event()
        self._calls += (call, done.set)
        with suppress(OSError):
            self._wake.send(b"\0")
        while not done.wait(0.1) and not self.ended:
            pass

    def close(self) -> None:
        """Close all connections; remove the socket and its folder, if that is empty."""
        self.ended = True
        self._complain.close()
        for key in list(self._selector.get_map().values() if self._selector.get_map() else ()):
            if isinstance(key.data, _Client):
                self._drop(key.data)
        self._selector.close()
        for own in (self._listener, self._wake, self._woken):
            own.close()
        if self._listening:
            self._listening = False
            with suppress(OSError):
                self.path.unlink()
        if self.folder is not None:
            with suppress(OSError):
                self.folder.rmdir()

    # ------------------------------------------------------------------ clients

    def _accept(self) -> None:
        for _ in range(BACKLOG):
            try:
                connection, _address = self._listener.accept()
            except OSError:
                return  # there is none, it went away again, or there are too many
            connection.setblocking(False)
            self._selector.register(connection, selectors.EVENT_READ, _Client(connection))

    def _look_after(self, client: _Client, events: int) -> None:
        """Read, answer, send what can be; drop a client that is gone or speaks nonsense."""
        try:
            if events & selectors.EVENT_READ:
                received = client.connection.recv(CHUNK)
                if not received:
                    self._drop(client)
                    return
                client.received += received
                for payload in client.frames():
                    client.to_send += frame(self._answer(parse_request(payload)))
            if client.to_send:
                del client.to_send[: client.connection.send(client.to_send)]
        except BlockingIOError:
            pass
        except DamagedFrameError as error:
            text = f"a client sent what is no request and was disconnected: {error}"
            self._complain("no request", text)
            self._drop(client)
            return
        except OSError:
            self._drop(client)
            return
        # while answers wait to be taken, no more questions are
        wanted = selectors.EVENT_WRITE if client.to_send else selectors.EVENT_READ
        self._selector.modify(client.connection, wanted, client)

    def _drop(self, client: _Client) -> None:
        self._selector.unregister(client.connection)
        client.connection.close()

    def _answer(self, request: Request) -> bytes:
        if request.command is Command.GET_DEVICE_INFO:
            return device_info(self.device.arch, self.device.soc_descriptor)
        if request.command is Command.GET_CLUSTER_DESCRIPTOR:
            return cluster_descriptor()
        if request.command is Command.SHUTDOWN:
            self.stop()
            return response()
        try:
            return response(self._access(request))
        except TilelabError as error:
            what = request.command.name.lower()
            place = f"{request.x}-{request.y} at {request.address:#x}"
            text = f"{what} of {request.size} bytes of {place} refused: {error.summary}"
            self._complain(f"{what} refused", text, MOST_REFUSALS)
            return response(status=STATUS_FAILED)

    def _access(self, request: Request) -> bytes:
        where = (request.x, request.y, request.address)
        if request.command is Command.WRITE:
            self.device.write(*where, request.data)
            return b""
        if request.size > MAX_READ:
            raise BadInputError(f"more than {MAX_READ} bytes")
        return self.device.read(*where, request.size)


@contextmanager
def serving(device: Device, folder: Path | None = None) -> Iterator[Server]:
    """Serve a device from a thread of its own while the block runs.

    Nobody else may touch the device meanwhile.
    """
    with Server(device, folder) as server:
        thread = Thread(target=server.run, name="tilelab.vendor.serve", daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.stop()
            thread.join()
