"""An editor's side of the protocol, by a client library, and streams that no editor sends."""

import io
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilelab.cli.dap import launched
from tilelab.debug.dap import Adapter
from tilelab.debug.dap_stream import messages

EXAMPLES = Path(__file__).parents[2] / "examples"
KERNEL = EXAMPLES / "matmul" / "kernel.cpp"

dap = pytest.importorskip("dap", reason="dap-python is not installed")


class Editor:
    """The client library over a server process's pipes."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tilelab", "dap"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.client = dap.Client("tilelab")
        self.seen = self._messages()

    def _messages(self) -> Iterator[Any]:
        assert self.process.stdout is not None
        yield from messages(self.process.stdout)

    def ask(self, name: str, *arguments: Any, **named: Any) -> dict[str, Any]:
        """Send a request by the library's method; its answer."""
        assert self.process.stdin is not None
        number = getattr(self.client, name)(*arguments, **named)
        self.process.stdin.write(self.client.send())
        self.process.stdin.flush()
        answers = (m for m in self.seen if m.get("request_seq") == number)
        answer: dict[str, Any] = next(answers)
        return answer

    def event(self, name: str) -> dict[str, Any]:
        body: dict[str, Any] = next(m for m in self.seen if m.get("event") == name)["body"]
        return body

    def top(self, thread: int) -> dict[str, Any]:
        frame: dict[str, Any] = self.ask("stack_trace", thread)["body"]["stackFrames"][0]
        return frame


@pytest.fixture
def editor() -> Iterator[Editor]:
    made = Editor()  # the library's client begins with initialize by itself
    yield made
    made.process.stdin.close()  # type: ignore[union-attr]
    assert made.process.wait(60) == 0
    made.process.stdout.close()  # type: ignore[union-attr]


def start(editor: Editor, line: int) -> dict[str, Any]:
    assert editor.process.stdin is not None
    raw = json.dumps(
        {
            "seq": 1000,
            "type": "request",
            "command": "launch",
            "arguments": {"target": str(EXAMPLES / "matmul"), "stopOnEntry": False},
        }
    ).encode()
    editor.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(raw) + raw)
    editor.process.stdin.flush()
    editor.event("initialized")
    source = {"path": str(KERNEL)}
    asked = [{"line": line}]
    return editor.ask("set_breakpoints", source, breakpoints=asked)["body"]["breakpoints"][0]


def test_a_breakpoint_by_line_steps_and_back(editor: Editor) -> None:
    assert start(editor, 31)["verified"]
    editor.ask("configuration_done")
    stopped = editor.event("stopped")
    assert stopped["reason"] == "breakpoint"
    core = stopped["threadId"]
    stack = editor.ask("stack_trace", core)["body"]["stackFrames"]
    mine = [frame for frame in stack if frame.get("source", {}).get("name") == "kernel.cpp"]
    assert mine[0]["line"] == 31
    assert mine[0]["source"]["path"] == str(KERNEL)
    places = [editor.top(core)["instructionPointerReference"]]
    for _ in range(3):
        editor.ask("next", core, granularity="instruction")
        editor.event("stopped")
        places.append(editor.top(core)["instructionPointerReference"])
    for place in places[-2::-1]:
        editor.ask("step_back", core, granularity="instruction")
        editor.event("stopped")
        assert editor.top(core)["instructionPointerReference"] == place
    editor.ask("disconnect")


def test_threads_variables_and_values(editor: Editor) -> None:
    start(editor, 31)
    editor.ask("configuration_done")
    core = editor.event("stopped")["threadId"]
    threads = editor.ask("threads")["body"]["threads"]
    assert [thread["name"] for thread in threads] == [
        "trisc0",
        "trisc1",
        "trisc2",
        "brisc",
        "ncrisc",
    ]
    scopes = editor.ask("scopes", editor.top(core)["id"])["body"]["scopes"]
    registers = editor.ask("variables", scopes[1]["variablesReference"])["body"]["variables"]
    assert (
        registers[0]["value"] == f"{int(editor.top(core)['instructionPointerReference'], 16):#010x}"
    )
    parts = editor.ask("variables", scopes[2]["variablesReference"])["body"]["variables"]
    dst = next(part for part in parts if part["name"] == "dst")
    rows = editor.ask("variables", dst["variablesReference"])["body"]["variables"]
    assert len(rows) == 1024
    assert len(editor.ask("variables", rows[0]["variablesReference"])["body"]["variables"]) == 16
    console = editor.ask("evaluate", "info cores", context="repl")["body"]["result"]
    assert "trisc2" in console
    assert editor.ask("evaluate", "nothing here")["success"] is False
    editor.ask("disconnect")


def test_a_command_of_the_console_that_moves_the_tile_is_a_stop(editor: Editor) -> None:
    start(editor, 31)
    editor.ask("configuration_done")
    editor.event("stopped")
    editor.ask("evaluate", "info cores", context="repl")
    for command, reason in (("goto 600", "goto"), ("set dst[0][0] = 1", "goto")):
        assert editor.ask("evaluate", command, context="repl")["success"], command
        assert editor.event("stopped")["reason"] == reason
    frames = editor.ask("stack_trace", 2)["body"]["stackFrames"]
    sources = {frame["name"]: frame["source"] for frame in frames}
    assert sources["math_main"]["path"] == str(KERNEL)
    assert sources["issue"] == {"name": "issue.h", "presentationHint": "deemphasize"}
    editor.ask("disconnect")


def test_the_end_can_be_left_again(editor: Editor) -> None:
    start(editor, 13)
    editor.ask("configuration_done")
    core = editor.event("stopped")["threadId"]
    editor.ask("set_breakpoints", {"path": str(KERNEL)}, breakpoints=[])
    editor.ask("continue_", core)
    assert editor.event("stopped")["text"] == "the kernel is done"
    editor.ask("reverse_continue", core)
    assert editor.event("stopped")["text"] == "the beginning of what was recorded"
    editor.ask("disconnect")


@given(
    pieces=st.lists(
        st.one_of(
            st.binary(max_size=30),
            st.fixed_dictionaries(
                {
                    "command": st.sampled_from(
                        ["launch", "threads", "scopes", "next", "variables", "stackTrace", "x"]
                    ),
                    "arguments": st.one_of(
                        st.none(),
                        st.integers(),
                        st.dictionaries(st.text(max_size=5), st.integers()),
                    ),
                }
            ).map(lambda made: json.dumps(made).encode()),
        ).map(lambda data: b"Content-Length: %d\r\n\r\n" % len(data) + data),
        max_size=5,
    )
)
def test_any_stream_ends_in_peace(pieces: list[bytes]) -> None:
    Adapter(io.BytesIO(b"".join(pieces)), io.BytesIO(), launched).run()


def replies(stream: bytes) -> list[dict[str, Any]]:
    """What an adapter answers to a stream."""
    sink = io.BytesIO()
    Adapter(io.BytesIO(stream), sink, launched).run()
    sink.seek(0)
    return [made for made in messages(sink) if isinstance(made, dict)]


def message(data: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n" % len(data) + data


ASKED = message(b'{"seq": 7, "type": "request", "command": "initialize"}')


@pytest.mark.parametrize(
    ("damaged", "problem"),
    [
        (message(b"{"), "a message that is no JSON: "),
        (message(b"\xff\xfe"), "a message that is no JSON: "),
        (message(b"[" * 100_000), "a message that is no JSON: "),
        (message(b"[1, 2]"), "a message that is no JSON object"),
        (b"Content-Lenth: 5\r\n\r\n", "a header without a Content-Length of its message"),
        (b"Content-Length: x\r\n\r\n", "a header without a Content-Length of its message"),
        (message(b""), "a header without a Content-Length of its message"),
    ],
)
def test_a_damaged_message_is_answered_and_the_session_goes_on(
    damaged: bytes, problem: str
) -> None:
    refused, told, answered = replies(damaged + ASKED)
    assert (refused["type"], refused["success"], refused["request_seq"]) == ("response", False, 0)
    assert refused["message"].startswith(f"not understood: {problem}")
    assert told["body"]["category"] == "stderr"
    assert (answered["request_seq"], answered["success"]) == (7, True)


@pytest.mark.parametrize(
    ("damaged", "problem"),
    [
        (b"Content-Length: 20000000\r\n\r\n", "a message of 20000000 bytes: 16777216 at most"),
        (b"Content-Length: 90\r\n\r\n{", "1 of 90 bytes of a message"),
    ],
)
def test_a_stream_that_cannot_be_followed_ends_with_a_word(damaged: bytes, problem: str) -> None:
    answered, refused, _ = replies(ASKED + damaged)
    assert answered["success"]
    assert refused["message"] == f"not understood: {problem}; the session ends"


def test_a_port() -> None:
    command = [sys.executable, "-m", "tilelab", "dap", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        with socket.create_connection(("127.0.0.1", int(process.stdout.readline()))) as link:
            data = json.dumps({"seq": 1, "type": "request", "command": "initialize"}).encode()
            link.sendall(b"Content-Length: %d\r\n\r\n" % len(data) + data)
            assert b"supportsStepBack" in link.recv(1000)
        assert process.wait(60) == 0
