"""Matrix products by MVMULs on a tile, straight at the matrix unit."""

import numpy as np
import numpy.typing as npt

from tilelab.formats.layout import FACE
from tilelab.numerics.operands import (
    Data,
    OperandFormat,
    dst_kind,
    schedule,
)
from tilelab.tensix.backend.dst import (
    bf16_from_dst,
    fp16_from_dst,
    fp32_from_dst,
    read_dst16,
    read_dst32,
)
from tilelab.tensix.backend.matrix_unit.numerics import DST_BF16, DST_FP32
from tilelab.tensix.backend.src_registers import src_from_fp16
from tilelab.tensix.tile.tile import Tile

THREAD = 1
ROWS = 8
"""Rows of an MVMUL's result; it has 16 columns."""


class MatrixUnit:
    """A tile whose banks of SrcA and SrcB hold data of one format."""

    def __init__(
        self, arch: str, data_format: OperandFormat, dst_bits: int, engine: str = "fast"
    ) -> None:
        self.tile = Tile(arch, engine=engine)
        self.kind = dst_kind(data_format, dst_bits)
        state = self.tile.state
        for name in ("ALU_FORMAT_SPEC_REG0_SrcA", "ALU_FORMAT_SPEC_REG1_SrcB"):
            state.set_config_field(name, int(data_format.code))
        state.set_config_field("ALU_ACC_CTRL_Fp32_enabled", int(self.kind == DST_FP32))
        record = state.record
        record["src_a_format"] = record["src_b_format"] = int(data_format.code)
        record["src_a_valid"] = record["src_b_valid"] = 1
        self.mvmul = self.tile.arch.instructions["MVMUL"].encode()

    def multiply(self, a: Data, b: Data, phases: int) -> npt.NDArray[np.uint32]:
        """``(8, 16)`` results in fp32's bit layout, of data ``(8, k)`` and ``(k, 16)``.

        k is a multiple of 16; Dst starts empty.
        """
        record = self.tile.state.record
        record["dst_valid"] = 0
        for phase, first in schedule(a.shape[1], phases):
            record["src_b"][0, :ROWS] = a[:, first : first + FACE]
            record["src_a"][0, :FACE] = b[first : first + FACE]
            record["rwc"][THREAD]["fidelity"] = phase
            self.tile.execute(self.mvmul, THREAD)
        return self._dst()

    def _dst(self) -> npt.NDArray[np.uint32]:
        bits = [[self._number(row, column) for column in range(FACE)] for row in range(ROWS)]
        return np.array(bits, np.uint32)

    def _number(self, row: int, column: int) -> int:
        s = self.tile.state.s
        if self.kind == DST_FP32:
            return fp32_from_dst(read_dst32(s, row, column))
        stored = read_dst16(s, row, column)
        if self.kind == DST_BF16:
            return bf16_from_dst(stored) << 16
        return src_from_fp16(fp16_from_dst(stored))
