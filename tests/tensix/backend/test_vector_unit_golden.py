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
from tilelab.tensix.backend.vector_unit.lreg import seed_prng
from tilelab.tensix.state import STATE, TensixState
from tilelab.tensix.tile.tile import ENGINES, make_engine

THREAD = 1
RWC = ("src_a", "src_a_cr", "src_b", "src_b_cr", "dst", "dst_cr", "bias", "fidelity")
SCRATCH = tuple(name for name in STATE.names or () if name.startswith("scratch"))
NOT_RECORDED = (*SCRATCH, "prng", "vector_rotated")
FLAGS = ("use_lane_flags", "lane_flags", "flag_stack_depth")
CHIPS = {"blackhole": "sfpu_bh.npz", "wormhole": "sfpu_wh.npz"}


class Bench:
    """One machine whose state is set from the recorded pools."""

    def __init__(self, chip: str, engine: str) -> None:
        self.chip = chip
        self.title = f"{chip}, {engine} engine"
        self.data = golden(CHIPS[chip])
        self.state = TensixState(arch(chip))
        self.engine = make_engine(engine, self.state, lambda core, pc: "")
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
        code = self.engine.execute(THREAD, word)
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
    for name in NOT_RECORDED:
        expected[name] = actual[name]
    if not np.array_equal(raw(expected), raw(actual)):
        pytest.fail(f"{about}: {differences(expected, actual)[:8]}")


@pytest.fixture(scope="module", params=[(c, e) for c in CHIPS for e in ENGINES], ids="-".join)
def bench(request: pytest.FixtureRequest) -> Bench:
    chip, engine = request.param
    if engine == "fast":
        pytest.importorskip("llvmlite")
    return Bench(chip, engine)


def steps_prng(bench: Bench, case: int, name: str) -> bool:
    """Whether the case records or executes an instruction that steps the random generators."""
    word = int(bench.data["word"][case])
    return name == "SFP_STOCH_RND" and (word >> 4) & 15 < 12


def test_every_case(bench: Bench) -> None:
    compared: Counter[str] = Counter()
    for case, word in enumerate(bench.data["word"].tolist()):
        name = bench.names[bench.data["op"][case]]
        bench.before(case)
        bench.after(case)
        assert bench.execute(word) == name
        about = f"{bench.chip} case {case} {name} {word:#010x}"
        assert_same(bench.expected, bench.state.record, about)
        used = int(bench.data["cc_b"][case]) if bench.data["cc_en_b"][case] else 0xFFFFFFFF
        stepped = sum(1 << lane for lane in range(32) if bench.state.record["prng"][lane])
        assert stepped == (used if steps_prng(bench, case, name) else 0), about
        compared[name] += 1
    report(f"vector unit, {bench.title}", compared)
    rows = bench.state.arch.instructions
    missing = {n for n in rows if n.startswith("SFP")} - set(compared)
    assert missing == {"SFPLOADMACRO"}, "only what the vendor's simulator lacks has no case"


def test_every_sequence(bench: Bench) -> None:
    data, record = bench.data, bench.state.record
    compared: Counter[str] = Counter()
    for case, words in enumerate(data["seq_words"].tolist()):
        raw(record)[:] = bench.reset
        bench.profile(record, int(data["seq_prof"][case]))
        record["lreg"][:16] = data["pool_lreg"][data["seq_pool"][case]]
        record["dst"] = bench.dst[data["seq_dpool"][case]]
        record["use_lane_flags"] = 0
        set_rwc(record, data["seq_rwc_b"][case])
        for step, word in enumerate(words):
            about = f"{bench.chip} sequence {case} step {step} {word:#010x}"
            compared[bench.execute(word)] += 1
            flags = [int(record[name]) for name in FLAGS]
            assert flags == data["seq_cc"][case, step].tolist(), about
        np.testing.assert_array_equal(record["lreg"][:16], data["seq_lreg"][case])
        dst = bench.dst[data["seq_dpool"][case]].copy()
        put(dst, *ragged(data, "seqdst", case, "row", "val"))
        np.testing.assert_array_equal(record["dst"], dst)
        counters = [int(record["rwc"][name][THREAD]) for name in RWC]
        assert counters == data["seq_rwc_a"][case].tolist()
    report(f"vector unit sequences, {bench.title}", compared)


def test_random_numbers(bench: Bench) -> None:
    data, record = bench.data, bench.state.record
    (word,) = data["prng_word"].tolist()
    raw(record)[:] = bench.reset
    for seed, seeded, reads in zip(
        data["prng_seed"].tolist(), data["prng_state"], data["prng_reads"], strict=True
    ):
        seed_prng(bench.state.s, seed)
        np.testing.assert_array_equal(record["prng"], seeded)
        for read in reads:
            bench.execute(word)
            np.testing.assert_array_equal(record["lreg"][word >> 4 & 15], read)
    report(f"random numbers, {bench.title}", Counter(SFPMOV=data["prng_reads"].size // 32))
