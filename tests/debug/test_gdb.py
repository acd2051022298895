"""Debian's gdb on an example, unmodified; and packets that no gdb sends."""

import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from time import monotonic, sleep

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilelab.cli.debug import session_of
from tilelab.cli.main import main
from tilelab.cli.prepared import single
from tilelab.debug.gdb import serve
from tilelab.debug.gdb_link import MOST_WAITING, PATIENCE, listen

EXAMPLES = Path(__file__).parents[2] / "examples"
GDB = shutil.which("gdb-multiarch")


@contextmanager
def served(name: str = "matmul") -> Iterator[int]:
    """A stub for an example, in a thread; the port."""
    session = session_of(
        single([str(EXAMPLES / name)], "blackhole", "gdb"), "blackhole", "fast", "functional"
    )
    listener = listen(0)
    port = listener.getsockname()[1]
    thread = Thread(target=serve, args=(session, listener), daemon=True)
    thread.start()
    try:
        yield port
    finally:
        with socket.create_connection(("127.0.0.1", port)) as link:
            link.sendall(b"$k#6b")
        thread.join(60)
        listener.close()
    assert not thread.is_alive()


def gdb(port: int, *commands: str) -> str:
    assert GDB is not None
    asked = [f"-ex={command}" for command in (f"target remote :{port}", *commands, "detach")]
    done = subprocess.run(
        [GDB, "-batch", "-nx", "-ex=set pagination off", *asked, EXAMPLES / "matmul" / "math.elf"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.stdout + done.stderr  # what monitor prints goes there


@pytest.mark.skipif(GDB is None, reason="gdb-multiarch is not installed")
def test_gdb_breaks_steps_and_goes_back() -> None:
    with served() as port:
        text = gdb(
            port,
            "info threads",
            "break *0xa054",
            "continue",
            *("stepi", "stepi", "print/x $pc", "stepi", "reverse-stepi", "print/x $pc"),
            *("info registers sp", "x/2xw 0x21000", "reverse-continue", "print/x $pc"),
            "delete",
            "set {int}0x10 = 0x1234",
            "x/1xw 0x10",
            "monitor info cores",
            "thread 3",
            "print/x $pc",
        )
    assert "3    Thread 3 (TRISC2)" in text
    assert "hit Breakpoint 1" in text
    here = [line.split("=")[1].strip() for line in text.splitlines() if line.startswith("$")]
    assert here[0] == here[1] == "0xa05c"
    assert here[2] == "0xa054"
    assert "0x00001234" in text
    assert "* trisc1" in text


@pytest.mark.skipif(GDB is None, reason="gdb-multiarch is not installed")
def test_gdb_watches_and_is_told_the_end() -> None:
    with served() as port:
        text = gdb(
            port, "watch *(int*)0x1ffbc", "continue", "delete", "continue", "reverse-continue"
        )
    assert "Hardware watchpoint 1" in text
    assert "New value = 255" in text
    assert "the kernel is done" in text
    assert text.count("No more reverse-execution history") == 2


@pytest.mark.skipif(GDB is None, reason="gdb-multiarch is not installed")
def test_gdb_is_told_that_a_command_moved_the_cores() -> None:
    flush = "maintenance flush register-cache"
    with served() as port:
        moved = gdb(port, "monitor goto 600", flush, "print/x $pc", "stepi", "print/x $pc")
        looked = gdb(port, "monitor info threads", "monitor print $pc")
    assert moved.count(flush) == 1
    assert "$1 = 0xa23c" in moved
    assert "the kernel is done" not in moved
    assert flush not in looked


def packet(text: str) -> bytes:
    data = text.encode("latin-1")
    return b"$" + data + b"#%02x" % (sum(data) & 0xFF)


def test_packets_of_any_kind_do_no_harm() -> None:
    with served("datacopy") as port:

        @given(
            pieces=st.lists(
                st.one_of(
                    st.binary(max_size=20).filter(lambda data: b"k" not in data),
                    st.text("gGpPmMXZzHTcsbvqD?0123456789abcdef,:;=-Cont", max_size=12).map(packet),
                ),
                max_size=6,
            )
        )
        def send(pieces: list[bytes]) -> None:
            with socket.create_connection(("127.0.0.1", port)) as link:
                for piece in pieces:
                    try:
                        link.sendall(piece)
                    except OSError:
                        break

        send()
        with socket.create_connection(("127.0.0.1", port)) as link:
            link.settimeout(60)
            link.sendall(packet("qC"))
            with link.makefile("rb") as answer:
                assert answer.read(4) == b"+$QC"


def asked(port: int, packet: bytes) -> bytes:
    """What a client that speaks properly is told."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as link:
        link.sendall(b"$" + packet + b"#%02x" % (sum(packet) & 0xFF))
        said = b""
        while b"#" not in said[:-2]:
            more = link.recv(1000)
            assert more, said
            said += more
    return said


@pytest.mark.parametrize("half", [b"", b"+", b"$qSuppor", b"$g#", b"\x03", b"no packet at all"])
def test_a_half_open_client_blocks_nobody(half: bytes) -> None:
    with served() as port:
        silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(3)]
        for link in silent:
            link.sendall(half)
        begin = monotonic()
        assert asked(port, b"?").startswith(b"+$T05")
        assert monotonic() - begin < PATIENCE * len(silent)  # no client was waited for in turn
        for link in silent:
            link.close()


def test_a_client_that_stops_in_the_middle_of_a_packet_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tilelab.debug.gdb_link.PATIENCE", 0.2)
    with served() as port, socket.create_connection(("127.0.0.1", port), timeout=60) as first:
        first.sendall(b"$?#3f$g")
        assert first.recv(1000).startswith(b"+")
        assert asked(port, b"?").startswith(b"+$T05")
        while first.recv(1000):
            pass


def test_a_client_may_think_for_long_between_packets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilelab.debug.gdb_link.PATIENCE", 0.1)
    with served() as port, socket.create_connection(("127.0.0.1", port), timeout=60) as link:
        for _ in range(2):
            link.sendall(b"$?#3f")
            assert link.recv(1000)
            sleep(0.5)
        link.sendall(b"$?#3f")
        assert link.recv(1000)


def test_connections_that_say_nothing_are_bounded() -> None:
    with served() as port:
        silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(MOST_WAITING + 5)]
        assert asked(port, b"?").startswith(b"+$T05")
        silent[0].settimeout(60)
        assert silent[0].recv(1) == b""
        for link in silent:
            link.close()


def test_the_command_prints_its_port() -> None:
    command = [sys.executable, "-m", "tilelab", "gdb", str(EXAMPLES / "datacopy")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        with socket.create_connection(("127.0.0.1", port)) as link:
            link.sendall(packet("k"))
        assert process.wait(60) == 0


def test_a_port_that_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    with listen(0) as listener:
        port = listener.getsockname()[1]
        assert main(["gdb", str(EXAMPLES / "datacopy"), "--port", str(port)]) == 2
    assert f"port {port} cannot be had" in capsys.readouterr().err
