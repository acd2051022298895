"""A tile's state with operands in place, and a way to execute one matrix instruction."""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

import tilelab.tensix.backend  # noqa: F401  (binds kernels)
from tilelab.sim.checks import CHECKS
from tilelab.tensix.arch import arch
from tilelab.tensix.run.execute import execute
from tilelab.tensix.state import TensixState

THREAD = 1
BF16, FP16, TF32, INT8 = 5, 1, 4, 14


def to_src(values: npt.ArrayLike) -> npt.NDArray[np.uint32]:
    """Floats as datums with an 8-bit exponent (mantissas truncated to 10 bits)."""
    return np.asarray(values, np.float32).view(np.uint32) & np.uint32(0xFFFFE000)


def int8_to_src(values: npt.ArrayLike) -> npt.NDArray[np.uint32]:
    """Integers as int8 datums."""
    x = np.asarray(values, np.int64)
    words = (x < 0) << 31 | (x != 0) * (16 << 23) | np.abs(x) << 13
    return words.astype(np.uint32)


class Bench:
    """State in which both source banks belong to the matrix unit; everything runs on thread 1."""

    def __init__(
        self, chip: str = "blackhole", data_format: int = BF16, fp32: int = 1, movb2d_fp32: int = 0
    ) -> None:
        self.state = TensixState(replace(arch(chip), movb2d_fp32=movb2d_fp32))
        self.record: Any = self.state.record
        for name in ("src_a_valid", "src_b_valid"):
            self.record[name] = 1
        for name in ("src_a_format", "src_b_format"):
            self.record[name] = data_format
        self.config("ALU_FORMAT_SPEC_REG0_SrcA", data_format)
        self.config("ALU_FORMAT_SPEC_REG1_SrcB", data_format)
        self.config("ALU_ACC_CTRL_Fp32_enabled", fp32)
        self.config("ALU_ACC_CTRL_INT8_math_enabled", int(data_format == INT8))

    def config(self, name: str, value: int) -> None:
        """Set a Config field in both banks' place 0, a ThreadConfig field for the thread."""
        space = 0 if name.startswith(("ALU_", "DEST_ACCESS", "DEST_REGW")) else THREAD
        self.state.set_config_field(name, value, space)

    def code(self, name: str, **fields: int) -> int:
        """Execute an instruction and return its kernel's code; fields not named are 0."""
        row = self.state.arch.instructions[name]
        return execute(self.state.s, THREAD, row.encode(**fields))

    def run(self, name: str, **fields: int) -> None:
        """Execute an instruction that must succeed."""
        assert self.code(name, **fields) == 0

    def refusal(self, name: str, **fields: int) -> str:
        """Execute an instruction that must fail, changing nothing; the failed check's name."""
        before = self.state.snapshot()
        code = self.code(name, **fields)
        changed = [c for c in self.state.diff(before) if not c[0].startswith("fault.")]
        assert code > 0
        assert not changed
        return CHECKS[code].name

    def dst_floats(self, row: int, rows: int = 8) -> npt.NDArray[np.float32]:
        """Rows of ``Dst32b`` (as if never remapped) as floats, undefined rows as 0."""
        at = np.array([(r & 0x1F8) << 1 | r & 0x207 for r in range(row, row + rows)])
        high = self.record["dst"][at].astype(np.uint32)
        high = (high & 0x8000) | (high & 0xFF) << 7 | high >> 8 & 0x7F
        words = high << 16 | self.record["dst"][at + 8]
        floats: npt.NDArray[np.float32] = words.view(np.float32)
        floats[self.record["dst_valid"][at] == 0] = 0
        return floats

    def dst_integers(self, row: int, rows: int = 8) -> npt.NDArray[np.int64]:
        """Rows of ``Dst32b`` as sign-magnitude integers, undefined rows as 0."""
        words = self.dst_floats(row, rows).view(np.uint32).astype(np.int64)
        return np.where(words >> 31, -(words & 0x7FFFFFFF), words)

    def counters(self) -> tuple[int, int, int]:
        """SrcA, SrcB and Dst counters of the thread."""
        rwc = self.record["rwc"][THREAD]
        return int(rwc["src_a"]), int(rwc["src_b"]), int(rwc["dst"])

    def written_rows(self, before: Any) -> list[int]:
        """Storage rows of Dst whose contents differ from a snapshot."""
        return np.flatnonzero((before["dst"] != self.record["dst"]).any(axis=1)).tolist()
