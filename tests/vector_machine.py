"""A tile's state with the vector unit's instructions by name, for tests."""

from typing import Any

import numpy as np
import numpy.typing as npt

from tilelab.sim.checks import CHECKS, CHECKS_BY_NAME, Policy
from tilelab.sim.kernel import OK
from tilelab.tensix.arch import arch
from tilelab.tensix.run.execute import execute
from tilelab.tensix.state import TensixState

CHIPS = ("blackhole", "wormhole")
LANES = np.arange(32)


def fp32(values: Any) -> npt.NDArray[np.uint32]:
    return np.asarray(values, np.float32).view(np.uint32)


class VectorMachine:
    """Lanes enabled, flags off, registers and Dst zero."""

    def __init__(self, chip: str = "blackhole") -> None:
        self.state = TensixState(arch(chip))
        self.record = self.state.record
        self.s = self.state.s
        self.chip = chip
        self.lreg: npt.NDArray[np.uint32] = self.record["lreg"]
        self.record["use_lane_flags"] = 0

    def encode(self, name: str, **fields: int) -> int:
        return self.state.arch.instructions[name].encode(**fields)

    def attempt(self, name: str, thread: int = 1, **fields: int) -> str:
        """Execute; return "" or the name of the check that failed."""
        row = self.state.arch.instructions[name]
        operands = {field.name: fields.pop(field.name, 0) for field in row.fields}
        assert not fields, fields
        return self.attempt_word(row.encode(**operands), thread)

    def attempt_word(self, word: int, thread: int = 1) -> str:
        """As :meth:`attempt`, a whole word."""
        code = execute(self.s, thread, word)
        return CHECKS[code].name if code != OK else ""

    def run(self, name: str, **fields: int) -> None:
        assert self.attempt(name, **fields) == ""

    def allow(self, check: str) -> None:
        self.record["fault"]["policy"][CHECKS_BY_NAME[check].code] = Policy.OFF

    def flags(self) -> int:
        return int(self.record["lane_flags"])

    def predicate(self, flags: int) -> None:
        self.record["use_lane_flags"] = 1
        self.record["lane_flags"] = flags
