"""Scores for an agent, by the Model Context Protocol (extra ``mcp``): one tool, ``score``."""

from typing import Any

from tilelab.score.service import Service
from tilelab.sim.errors import BadInputError

TOOL = """Score a Tensix kernel: is it right, how exact, how fast, what is wrong with it.

target: the folder of its kernel.toml. code: C++ to build instead of the kernel's own source.
schedules: how many interleavings of its threads to run. The answer is a JSON document: correct,
category and message (what is wrong, the worst first), ulp, cycles (value, low, high), findings.
"""


def server(service: Service) -> Any:
    """A server with the tool; BadInputError if the extra is not installed."""
    try:
        from mcp.server.mcpserver import MCPServer  # noqa: PLC0415  an extra
    except ImportError:
        raise BadInputError("--serve mcp needs the extra mcp: pip install 'mcp>=2'") from None
    made = MCPServer("tilelab")

    @made.tool(description=TOOL)
    def score(target: str, code: str | None = None, schedules: int = 0) -> dict[str, Any]:
        asked = {"target": target, "schedules": schedules}
        return service.answer(asked | ({} if code is None else {"code": code}))

    return made


def serve(service: Service) -> None:
    """Answer an agent on stdin and stdout until it goes."""
    server(service).run("stdio")
