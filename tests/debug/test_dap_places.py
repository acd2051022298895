"""An editor's views of memory, of code, and of what changes: parts of the tile by the protocol."""

import io
import json
from base64 import b64decode, b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tilelab.cli.dap import launched
from tilelab.debug.dap import Adapter
from tilelab.debug.dap_places import OF_PLACES
from tilelab.debug.dap_stream import messages

KERNEL = Path(__file__).parents[2] / "examples" / "matmul"
A = 0x21000
Ask = tuple[str, dict[str, Any]]
BEGIN: tuple[Ask, ...] = (
    ("initialize", {}),
    ("launch", {"target": str(KERNEL)}),
    ("configurationDone", {}),
)


def session(*asked: Ask) -> Iterator[dict[str, Any]]:
    """The answers to requests after the beginning, and the events between them."""
    stream = b""
    for command, arguments in (*BEGIN, *asked):
        data = json.dumps({"seq": 1, "command": command, "arguments": arguments}).encode()
        stream += b"Content-Length: %d\r\n\r\n" % len(data) + data
    sink = io.BytesIO()
    Adapter(io.BytesIO(stream), sink, launched).run()
    sink.seek(0)
    for made in messages(sink):
        assert isinstance(made, dict)
        if made.get("command") not in {command for command, _ in BEGIN}:
            yield made


def bodies(*asked: Ask) -> list[dict[str, Any]]:
    found = [made for made in session(*asked) if made["type"] == "response"]
    assert [made["success"] for made in found] == [True] * len(asked), found
    return [made["body"] for made in found]


TOP: tuple[Ask, ...] = (
    ("stackTrace", {"threadId": 1}),
    ("scopes", {"frameId": 1}),
)
"""Then the references are 1 for the variables, 2 for the registers, 3 for the tile."""
PARTS: Ask = ("variables", {"variablesReference": 3})


def test_an_editor_is_told_of_these_requests() -> None:
    stream = b'Content-Length: 40\r\n\r\n{"seq": 1, "command": "initialize"}     '
    sink = io.BytesIO()
    Adapter(io.BytesIO(stream), sink, launched).run()
    sink.seek(0)
    answer = next(iter(messages(sink)))
    assert isinstance(answer, dict)
    assert set(OF_PLACES) <= set(answer["body"])


def test_memory_is_read_and_written() -> None:
    at = {"memoryReference": hex(A - 16), "offset": 16}
    data = b64encode(b"\x01\x02\x03\x04").decode()
    before, wrote, after = bodies(
        ("readMemory", at | {"count": 8}),
        ("writeMemory", at | {"data": data}),
        ("readMemory", at | {"count": 8}),
    )
    assert before["address"] == hex(A)
    assert wrote == {"bytesWritten": 4}
    assert b64decode(after["data"]) == b"\1\2\3\4" + b64decode(before["data"])[4:]


def test_what_is_behind_a_memorys_end_is_unreadable() -> None:
    end = 0x180000
    (found,) = bodies(("readMemory", {"memoryReference": hex(end - 4), "count": 8}))
    assert (len(b64decode(found["data"])), found["unreadableBytes"]) == (4, 4)
    (found,) = bodies(("readMemory", {"memoryReference": "0", "offset": -8, "count": 8}))
    assert (found["data"], found["unreadableBytes"]) == ("", 8)


def test_code_is_disassembled_around_an_address_with_its_lines() -> None:
    stack, *_ = bodies(TOP[0])
    pc = stack["stackFrames"][0]["instructionPointerReference"]
    asked = {"memoryReference": pc, "instructionOffset": -2, "instructionCount": 100}
    (found,) = bodies(("disassemble", asked))
    code = found["instructions"]
    assert [int(one["address"], 0) for one in code] == [
        int(pc, 0) + 4 * (i - 2) for i in range(100)
    ]
    assert code[2]["instruction"].split()[0] in ("auipc", "lui", "la")
    assert len(code[2]["instructionBytes"].split()) == 4
    assert {"kernel.cpp", "trisc.cpp"} & {one["location"]["name"] for one in code if "line" in one}
    (found,) = bodies(("disassemble", {"memoryReference": "4", "instructionOffset": -2} | COUNT))
    assert [one.get("presentationHint") for one in found["instructions"][:1]] == ["invalid"]


COUNT = {"instructionCount": 3}


def test_every_part_of_the_state_has_the_name_by_which_it_is_asked_for() -> None:
    *_, parts = bodies(*TOP, PARTS)
    named = {part["name"]: part for part in parts["variables"]}
    assert named["dst"]["evaluateName"] == "dst"
    *_, semaphores = bodies(
        *TOP, PARTS, ("variables", {"variablesReference": named["semaphore"]["variablesReference"]})
    )
    names = [part["evaluateName"] for part in semaphores["variables"]]
    assert names == [f"semaphore[{i}]" for i in range(8)]


def test_a_register_and_a_part_of_the_state_are_set() -> None:
    *_, registers, wrote, value, high, again = bodies(
        *TOP,
        ("variables", {"variablesReference": 2}),
        ("setVariable", {"variablesReference": 2, "name": "a0", "value": "0x12"}),
        ("evaluate", {"expression": "$a0"}),
        ("setVariable", {"variablesReference": 0, "name": "dst[0][1]", "value": "7"}),
        ("evaluate", {"expression": "dst[0][1]"}),
    )
    assert registers["variables"][0]["evaluateName"] == "riscv[0].pc"
    assert (wrote["value"], value["result"]) == ("18 (0x12)", "18 (0x12)")
    assert (high["value"], again["result"]) == ("7 (0x7)", "7 (0x7)")


def test_an_editor_stops_where_a_part_changes() -> None:
    found = list(
        session(
            *TOP,
            ("dataBreakpointInfo", {"variablesReference": 2, "name": "a0"}),
            ("dataBreakpointInfo", {"name": "semaphore[1].value"}),
            ("setDataBreakpoints", {"breakpoints": [{"dataId": "semaphore[1].value"}]}),
            ("continue", {"threadId": 1}),
            ("evaluate", {"expression": "semaphore[1].value"}),
            ("setDataBreakpoints", {"breakpoints": [{"dataId": "nothing"}]}),
        )
    )
    answers = [made["body"] for made in found if made["type"] == "response"]
    assert answers[2]["dataId"] == "riscv[0].x[10]"
    assert answers[3]["dataId"] == "semaphore[1].value"
    (point,) = answers[4]["breakpoints"]
    assert point["verified"]
    stops = [made["body"] for made in found if made.get("event") == "stopped"]
    assert stops[-1]["hitBreakpointIds"] == [point["id"]]
    assert answers[6]["result"] == "1 (0x1)"
    assert answers[7]["breakpoints"][0]["verified"] is False


@pytest.mark.parametrize(
    ("command", "arguments", "said"),
    [
        ("readMemory", {"memoryReference": "0", "count": 1 << 30}, "from 0 to 1,048,576 at once"),
        ("disassemble", {"memoryReference": "0", "instructionCount": -1}, "at once"),
        ("writeMemory", {"memoryReference": "0", "data": "?"}, "not base64"),
        ("writeMemory", {"memoryReference": "-4", "data": "AAAA"}, "there is no memory at -0x4"),
        ("writeMemory", {"memoryReference": "0x17ffff", "data": "AAAA"}, "there is no memory at"),
        ("setVariable", {"variablesReference": 3, "name": "x", "value": "1"}, "no part of the"),
        ("setVariable", {"name": "dst[0][0]", "value": "-1"}, "does not fit"),
        ("setVariable", {"name": "dst[0]", "value": "1"}, "does not fit"),
        ("readMemory", {"memoryReference": "here", "count": 1}, "not understood"),
        ("dataBreakpointInfo", {}, "not understood"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    command: str, arguments: dict[str, Any], said: str
) -> None:
    (answer,) = (made for made in session((command, arguments)) if made["type"] == "response")
    assert answer["success"] is False
    assert said in answer["message"]
