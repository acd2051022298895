"""Every recorded vector-unit case of both chips, bit by bit, and nothing else changed."""

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from reference_data import golden, ragged, report
from tilelab.sim.kernel import OK
from tilelab.sim.record import differences
from tilelab.tensix.arch import arch
from tilelab.tensix.backend import vector_unit  # noqa: F401  binds the kernels
from tilelab.tensix.backend.semantics import SEMANTICS
from tilelab.tensix.state import TensixState

THREAD = 1
RWC = ("src_a", "src_a_cr", "src_b", "src_b_cr", "dst", "dst_cr", "bias", "fidelity")
CHIPS = {"blackhole": "sfpu_bh.npz", "wormhole": "sfpu_wh.npz"}


class Bench:
    """One machine whose state is set from the recorded pools."""

    def __init__(self, chip: str) -> None:
        self.chip = chip
        self.data = golden(CHIPS[chip])
        self.state = TensixState(arch(chip))
        self.expected = np.zeros_like(self.state.record)
        self.reset = raw(self.state.record).copy()
        self.dst = [np.tile(part, (8, 1)) for part in self.data["pool_dst"]]
        self.names: list[str] = self.data["op_names"].tolist()

    def profile(self, record: Any, index: int) -> None:
        for register, value in zip(
            *ragged(self.data, "prof_cfg", index, "reg", "val"), strict=True
        ):
            record["config"][0, register] = value
        for register, value in zip(
            *ragged(self.data, "prof_thr", index, "reg", "val"), strict=True
        ):
            record["thread_config"][THREAD, register] = value

    def before(self, case: int) -> None:
        data, record = self.data, self.state.record
        raw(record)[:] = self.reset
        self.profile(record, int(data["prof"][case]))
        record["lreg"][:16] = data["pool_lreg"][data["pool"][case]]
        record["dst"] = self.dst[data["dpool"][case]]
        record["dst_valid"] = data["pool_dstvalid"][data["vpool"][case]]
        record["use_flag_stack"] = data["pool_stack_en"][data["stk"][case]]
        record["flag_stack"] = data["pool_stack_cc"][data["stk"][case]]
        record["use_lane_flags"] = data["cc_en_b"][case]
        record["lane_flags"] = data["cc_b"][case]
        record["flag_stack_depth"] = data["sp_b"][case]
        record["lane_config"] = data["lc_b"][case]
        set_rwc(record, data["rwc_b"][case])

        raw(self.expected)[:] = raw(record)

    def after(self, case: int) -> None:
        data, expected = self.data, self.expected
        expected["use_lane_flags"] = data["cc_en_a"][case]
        expected["lane_flags"] = data["cc_a"][case]
        expected["flag_stack_depth"] = data["sp_a"][case]
        expected["lane_config"] = data["lc_a"][case]
        set_rwc(expected, data["rwc_a"][case])
        put(expected["lreg"], *ragged(data, "lreg", case, "idx", "val"))
        put(expected["dst"], *ragged(data, "dst", case, "row", "val"))
        put(expected["dst_valid"], *ragged(data, "dstvalid", case, "row", "val"))
        index, enable, flags = ragged(data, "stack", case, "idx", "en", "cc")
        put(expected["use_flag_stack"], index, enable)
        put(expected["flag_stack"], index, flags)
        for index, value in zip(*ragged(data, "macro", case, "idx", "val"), strict=True):
            if index < 4:
                expected["load_macro_template"][index] = value
            elif index < 8:
                expected["load_macro_sequence"][index - 4] = value
            else:
                expected["load_macro_misc"] = value

    def execute(self, word: int) -> str:
        row = self.state.arch.instructions.find(word)
        assert row is not None
        assert not word & row.unused_bits
        code = SEMANTICS[self.chip][row.name](self.state.s, THREAD, **row.decode(word))
        assert code == OK, f"{row.name} {word:#010x} returned {code}"
        return row.name


def raw(record: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """The record's memory, padding included."""
    return record.reshape(1).view(np.uint8)


def set_rwc(record: Any, values: Any) -> None:
    for name, value in zip(RWC, values, strict=True):
        record["rwc"][name][THREAD] = value


def put(array: npt.NDArray[Any], index: Any, values: Any) -> None:
    if len(index):
        array[index] = values


def assert_same(expected: Any, actual: Any, about: str) -> None:
    for name in ("scratch_a", "scratch_b", "scratch_c", "scratch_d"):
        expected[name] = actual[name]
    if not np.array_equal(raw(expected), raw(actual)):
        pytest.fail(f"{about}: {differences(expected, actual)[:8]}")


@pytest.fixture(scope="module", params=CHIPS)
def bench(request: pytest.FixtureRequest) -> Bench:
    return Bench(request.param)


def test_every_case(bench: Bench) -> None:
    compared: Counter[str] = Counter()
    for case, word in enumerate(bench.data["word"].tolist()):
        name = bench.names[bench.data["op"][case]]
        if name not in SEMANTICS[bench.chip]:
            continue
        bench.before(case)
        bench.after(case)
        assert bench.execute(word) == name
        assert_same(
            bench.expected, bench.state.record, f"{bench.chip} case {case} {name} {word:#010x}"
        )
        compared[name] += 1
    report(f"vector unit, {bench.chip}", compared)
