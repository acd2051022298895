"""The service: requests in, scores out, and nothing ends it."""

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from tilelab.runs.processes import Limits
from tilelab.score.mcp import server
from tilelab.score.service import LARGEST_CODE, Service

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
LIMITS = Limits(60.0, 4 << 30)


@pytest.fixture
def service() -> Service:
    return Service(LIMITS, 1_000_000)


def test_what_was_scored_before_is_not_scored_again(service: Service, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(EXAMPLES / "datacopy", tmp_path / "k"))
    request = json.dumps({"id": 7, "target": str(folder)})
    first, second = service.answers([request, request])
    assert first == second
    assert json.loads(first)["id"] == 7
    assert json.loads(first)["score"]["correct"]
    assert service.again == 1
    text = (folder / "kernel.toml").read_text()
    (folder / "kernel.toml").write_text(text.replace('expect = "a"', 'expect = "-a"'))
    [third] = service.answers([request])
    assert not json.loads(third)["score"]["correct"]
    assert service.again == 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "one line of JSON"),
        ("[" * 100_000, "one line of JSON"),
        ("[]", "is a JSON object"),
        ("{}", "names its target"),
        ('{"target": 3}', "target is a text"),
        ('{"target": ""}', "target is a text"),
        ('{"target": "a\\u0000"}', "target is a text"),
        ('{"target": "nosuch"}', "nosuch: no such folder"),
        ('{"target": "nosuch", "tarjet": 1}', "has no 'tarjet'"),
        ('{"target": "x", "code": "a", "source": "b"}', "exclude each other"),
        ('{"target": "x", "schedules": "all"}', "schedules is a number"),
        (json.dumps({"target": "x", "code": "a" * (LARGEST_CODE + 1)}), "code of more than"),
    ],
)
def test_what_is_no_request_is_answered_and_forgotten(
    service: Service, line: str, message: str
) -> None:
    [answer] = service.answers([line])
    assert message in json.loads(answer)["error"]


def test_an_agent_calls_the_tool(service: Service) -> None:
    client_of = pytest.importorskip("mcp", reason="needs the extra mcp").Client

    async def ask() -> object:
        async with client_of(server(service)) as client:
            tools = await client.list_tools()
            assert [tool.name for tool in tools.tools] == ["score"]
            return await client.call_tool("score", {"target": str(EXAMPLES / "datacopy")})

    result = asyncio.run(ask())
    answer = json.loads(result.content[0].text)
    assert answer["score"]["correct"]
