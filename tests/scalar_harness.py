"""A tile's state and its scalar instructions by name, for tests."""

from typing import Any

from tilelab.sim.checks import CHECKS
from tilelab.tensix.arch import arch
from tilelab.tensix.run.execute import execute
from tilelab.tensix.state import TensixState

CHIPS = ("blackhole", "wormhole")
THREAD = 1


class Scalar:
    """Everything runs on thread 1; ``gpr`` and ``l1`` (32-bit words) are writable views."""

    def __init__(self, chip: str = "blackhole") -> None:
        self.state = TensixState(arch(chip))
        self.gpr: Any = self.state.record["gpr"][THREAD]
        self.l1: Any = self.state.l1.view("<u4")

    def code(self, name: str, **fields: int) -> int:
        """Execute; return the kernel's code."""
        row = self.state.arch.instructions[name]
        return execute(self.state.s, THREAD, row.encode(**fields))

    def run(self, name: str, **fields: int) -> None:
        """Execute an instruction that must succeed."""
        assert self.code(name, **fields) == 0

    def refused(self, name: str, **fields: int) -> str:
        """Execute an instruction that must fail and change nothing; return its check's name."""
        before, memory = self.state.snapshot(), self.state.l1.copy()
        code = self.code(name, **fields)
        assert not self.state.diff(before)
        assert (self.state.l1 == memory).all()
        return CHECKS[code].name
