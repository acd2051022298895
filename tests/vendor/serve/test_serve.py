"""A server as its clients see it, and what damaged, killed and many clients do to it."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from client import request_frame
from hypothesis import given
from hypothesis import strategies as st

from tilelab.cli.main import main
from tilelab.sim.errors import BadInputError
from tilelab.tensix import Chip, Tile
from tilelab.vendor.serve import (
    ChipDevice,
    Server,
    TileDevice,
    own_folder,
    serving,
)
from tilelab.vendor.serve.flat_tables import DamagedFrameError, decode, encode
from tilelab.vendor.serve.protocol import (
    CLUSTER_DESCRIPTOR,
    DEVICE_INFO,
    LENGTH,
    MAX_FRAME,
    REQUEST,
    RESPONSE,
    Command,
    Request,
    frame,
    parse_request,
)

AT = (1, 1)
SOFT_RESET = 0xFFB121B0
EXAMPLES = Path(__file__).parents[3] / "examples"


class Client:
    """What the vendor's driver does, in a few lines."""

    def __init__(self, server: Server) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(str(server.path))

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def receive(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    def answer(self) -> bytes:
        (length,) = LENGTH.unpack(self.receive(4))
        return self.receive(length)

    def ask(self, request: Request) -> bytes:
        self.socket.sendall(request_frame(request))
        return self.answer()

    def read(self, address: int, size: int) -> bytes:
        found = decode(RESPONSE, self.ask(Request(Command.READ, *AT, address, size)))
        assert found["status"] == 0
        assert isinstance(found["data"], bytes)
        return found["data"]

    def write(self, address: int, data: bytes) -> None:
        asked = Request(Command.WRITE, *AT, address, len(data), data)
        assert decode(RESPONSE, self.ask(asked))["status"] == 0


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    # sockets want short paths
    with tempfile.TemporaryDirectory(prefix="tl") as folder:
        with serving(TileDevice(Tile("blackhole")), Path(folder) / "s") as running:
            yield running
        assert not list(Path(folder).iterdir())  # neither socket nor folder stay


@given(
    values=st.fixed_dictionaries(
        {
            "command": st.integers(0, 4),
            "x": st.integers(0, 2**32 - 1),
            "address": st.integers(0, 2**64 - 1),
            "data": st.binary(max_size=40),
        },
    )
)
def test_what_is_encoded_is_decoded(values: dict[str, int | bytes]) -> None:
    assert decode(REQUEST, encode(REQUEST, values)) == {"y": 0, "size": 0} | values


@given(data=st.binary(max_size=200))
def test_any_bytes_are_a_request_or_damage(data: bytes) -> None:
    try:
        parse_request(data)
    except DamagedFrameError:
        return


@given(
    place=st.integers(0, 80),
    value=st.integers(0, 255),
    data=st.binary(max_size=20),
    cut=st.booleans(),
)
def test_a_damaged_request_is_a_request_or_damage(
    place: int, value: int, data: bytes, cut: bool
) -> None:
    payload = bytearray(request_frame(Request(Command.WRITE, *AT, 8, len(data), data))[4:])
    place %= len(payload)
    payload[place] = value
    try:
        parse_request(bytes(payload[:place] if cut else payload))
    except DamagedFrameError:
        return


def test_memory_registers_and_what_is_not_there(server: Server) -> None:
    with Client(server) as client:
        client.write(0x100, b"hello world!")
        assert client.read(0x100, 12) == b"hello world!"
        assert client.read(SOFT_RESET, 4) == (0x47800).to_bytes(4, "little")
        for wrong in (
            Request(Command.READ, 0, 0, 0, 4),
            Request(Command.READ, *AT, 0xFFB12FF0, 4),
            Request(Command.READ, *AT, 1 << 40, 4),
            Request(Command.READ, *AT, 0, 0xFFFFFFFF),
        ):
            assert decode(RESPONSE, client.ask(wrong))["status"] == 1
        assert client.read(0x100, 5) == b"hello"


def test_the_chip_is_described(server: Server) -> None:
    with Client(server) as client:
        info = decode(DEVICE_INFO, client.ask(Request(Command.GET_DEVICE_INFO)))
        assert info["arch"] == 3
        assert "functional_workers: [1-1]" in str(info["soc_descriptor_yaml"])
        described = decode(CLUSTER_DESCRIPTOR, client.ask(Request(Command.GET_CLUSTER_DESCRIPTOR)))
        assert described == {"status": 0, "yaml": ""}


def test_the_tile_runs_between_requests(server: Server) -> None:
    program = (0x00150513, 0x40A02023, 0xFF9FF06F)  # addi a0, a0, 1; sw a0, 0x400(x0); j back
    with Client(server) as one, Client(server) as other:
        one.write(0, b"".join(word.to_bytes(4, "little") for word in program))
        one.write(SOFT_RESET, (0x47000).to_bytes(4, "little"))
        seen = other.read(0x400, 4)
        while other.read(0x400, 4) == seen:
            pass
        assert int.from_bytes(one.read(0x400, 4), "little") > int.from_bytes(seen, "little")


def test_a_failed_program_stays_to_be_looked_at(server: Server) -> None:
    with Client(server) as client:
        client.write(0, bytes(4))  # Tensix word 0, pushed by ttinsn
        client.write(SOFT_RESET, (0x47000).to_bytes(4, "little"))
        while server.device.problem is None:
            client.read(0, 4)
        assert "has an opcode that no instruction has" in str(server.device.problem)
        assert client.read(SOFT_RESET, 4) == (0x47000).to_bytes(4, "little")


FRAMES = st.one_of(
    st.binary(max_size=60),
    st.binary(max_size=60).map(frame),
    st.just(LENGTH.pack(MAX_FRAME + 1)),
    st.just(request_frame(Request(Command.READ, *AT, 0, 4))[:-3]),
)


def test_damaged_frames_and_lost_clients_disturb_nobody(server: Server) -> None:
    with Client(server) as good:
        good.write(0x200, b"good")

        @given(sent=st.lists(FRAMES, max_size=4))
        def disturb(sent: list[bytes]) -> None:
            with Client(server) as bad:
                try:
                    for piece in sent:
                        bad.socket.sendall(piece)
                except OSError:  # disconnected already
                    pass
            assert good.read(0x200, 4) == b"good"

        disturb()


def test_a_chip_of_tiles() -> None:
    chip = Chip("blackhole", [(1, 2), (2, 2)], "reference")
    device = ChipDevice(chip)
    assert "functional_workers: [1-2, 2-2]" in device.soc_descriptor
    device.write(2, 2, 0x100, b"here")
    assert device.read(2, 2, 0x100, 4) == b"here"
    assert device.read(1, 2, 0x100, 4) == bytes(4)
    with pytest.raises(BadInputError, match="no tile at 3-2"):
        device.read(3, 2, 0x100, 4)
    # NCRISC counts, and its place on the debug bus is sampled while it does
    program = (0x00150513, 0xFFDFF06F)  # addi a0, a0, 1; j back
    device.write(1, 2, 0x12000, b"".join(word.to_bytes(4, "little") for word in program))
    for register, value in ((0x238, 0x12000), (0x23C, 1), (0x54, 1 << 29 | 7 << 16 | 25)):
        device.write(1, 2, 0xFFB12000 + register, value.to_bytes(4, "little"))
    device.write(1, 2, SOFT_RESET, (0x7800).to_bytes(4, "little"))
    sampling = ((0x50, 0xF), (0x48, 0x1000), (0x4C, 0x1004), (0x50, 1 << 12 | 4 << 4 | 4))
    for register, value in sampling:
        device.write(1, 2, 0xFFB12000 + register, value.to_bytes(4, "little"))
    samples = [device.read(1, 2, 0x10000 + 16 * i + 4, 4) for i in range(4)]
    assert {int.from_bytes(sample, "little") for sample in samples} <= {0x12000, 0x12004}
    device.write(1, 2, 0xFFB12054, (1 << 29 | 8 << 16).to_bytes(4, "little"))
    with pytest.raises(BadInputError, match="selects are not modelled"):
        device.read(1, 2, 0xFFB1205C, 4)


@pytest.mark.parametrize("grid", ["3", "0x1", "3x99", "axb", "3x3x3"])
def test_a_grid_that_is_none(grid: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--grid", grid]) == 2
    assert f"--grid {grid}: columns and rows, from 1x1 to 14x10" in capsys.readouterr().err


def test_shutdown_ends_the_server(server: Server) -> None:
    with Client(server) as client:
        client.ask(Request(Command.SHUTDOWN))
        assert server.ended


def test_a_dead_servers_folder_is_taken_over() -> None:
    with tempfile.TemporaryDirectory(prefix="tl") as name:
        base = Path(name)
        first = own_folder(base)
        left = socket.socket(socket.AF_UNIX)
        left.bind(str(first / "tt-umd-sim-0.sock"))
        left.listen()
        assert own_folder(base) != first
        left.close()
        assert own_folder(base) == first
        (base / "tt-umd-sim-server-2").mkdir()
        (base / "tt-umd-sim-server-2" / "other").touch()
        assert own_folder(base).name == "tt-umd-sim-server-3"


def test_a_path_that_no_socket_can_have(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 120)
    with pytest.raises(BadInputError, match="too long a path"):
        Server(TileDevice(Tile("blackhole")), folder)
    assert not folder.exists()


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_the_command_serves_a_kernel_and_leaves_nothing(ending: signal.Signals) -> None:
    with tempfile.TemporaryDirectory(prefix="tl") as folder:
        command = [sys.executable, "-m", "tilelab", "serve", str(EXAMPLES / "datacopy")]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env=os.environ | {"TMPDIR": folder}
        ) as process:
            assert process.stdout is not None
            path = Path(process.stdout.readline().strip())
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(str(path))
            connection.sendall(request_frame(Request(Command.READ, *AT, 0x1FFB8, 4)))
            assert len(connection.recv(100)) > 20
            process.send_signal(ending)
            assert process.wait(60) == 0
            connection.close()
        assert not list(Path(folder).iterdir())


def test_assembly_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.s"
    path.write_text("ttnop\n")
    assert main(["serve", str(path)]) == 2
    assert "no cores to serve" in capsys.readouterr().err
