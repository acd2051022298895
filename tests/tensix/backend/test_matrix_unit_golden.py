"""The matrix unit against recorded cases of the vendor's simulator, bit for bit, both engines."""

from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest

from reference_data import golden, ragged, report
from tilelab.sim.record import differences
from tilelab.tensix.arch import arch
from tilelab.tensix.run.engine import Engine
from tilelab.tensix.state import TensixState, state_type
from tilelab.tensix.tile.tile import ENGINES, make_engine

THREAD = 1
CHIPS = {"blackhole": "fpu_bh.npz", "wormhole": "fpu_wh.npz"}
COUNTERS = {
    "srca_rwc": "src_a",
    "srca_cr": "src_a_cr",
    "srcb_rwc": "src_b",
    "srcb_cr": "src_b_cr",
    "dst_rwc": "dst",
    "dst_cr": "dst_cr",
    "bias": "bias",
    "fidelity": "fidelity",
}
BANKS = {
    "a_ubank": "src_a_unpack_bank",
    "a_mbank": "src_a_matrix_bank",
    "b_ubank": "src_b_unpack_bank",
    "b_mbank": "src_b_matrix_bank",
}
PER_BANK = {"a_valid": "src_a_valid", "b_valid": "src_b_valid"}
FORMATS = {"fmtA": "src_a_format", "fmtB": "src_b_format"}


def put_scalars(record: Any, names: list[str], values: Any) -> None:
    """Set the counters, banks and flags that a case lists."""
    for name, value in zip(names, map(int, values), strict=True):
        if name in COUNTERS:
            record["rwc"][COUNTERS[name]][THREAD] = value
        elif name in BANKS:
            record[BANKS[name]] = value
        elif name in PER_BANK:
            record[PER_BANK[name]] = value & 1, value >> 1
        else:
            record[FORMATS[name[:-1]]][int(name[-1])] = value


def put_changes(record: Any, data: dict[str, Any], prefix: str, i: int) -> None:
    """Apply the changes of Dst, its flags and the source registers that a case lists."""
    rows, values = ragged(data, f"{prefix}dst", i, "row", "val")
    record["dst"][rows] = values
    rows, values = ragged(data, f"{prefix}dstvalid", i, "row", "val")
    record["dst_valid"][rows] = values
    for bank, row, value in zip(
        *ragged(data, f"{prefix}src", i, "bank", "row", "val"), strict=True
    ):
        record["src_a" if bank < 2 else "src_b"][bank & 1, row] = value


def put_profile(record: Any, data: dict[str, Any], profile: int) -> None:
    """Set the configuration of a case; all else is 0."""
    record["config"] = 0
    record["thread_config"] = 0
    words, values = ragged(data, "prof_cfg", profile, "reg", "val")
    record["config"][0, words] = values
    words, values = ragged(data, "prof_thr", profile, "reg", "val")
    record["thread_config"][THREAD, words] = values


def bench(chip: str, engine: str) -> Engine:
    """A state and the engine that executes on it."""
    if engine == "fast":
        pytest.importorskip("llvmlite")
    return make_engine(engine, TensixState(arch(chip)), lambda core, pc: "")


def run(engine: Engine, word: int) -> tuple[str, int]:
    """Execute a word; return its name and the kernel's code."""
    row = engine.state.arch.instructions.find(word)
    assert row is not None
    return row.name, engine.execute(THREAD, word)


@cache
def architectural(layout: np.dtype[Any]) -> int:
    """Bytes of the state before the kernels' working memory, which comes last."""
    return min(offset for name, (_, offset) in layout.fields.items() if "scratch" in name)  # type: ignore[union-attr]


def in_bytes(record: Any) -> Any:
    """The state as bytes, padding included; shares the record's memory."""
    return record.reshape(1).view(np.uint8)[: architectural(record.dtype)]


def assert_same(record: Any, expected: Any, where: str) -> None:
    """Compare the whole state, kernels' working memory apart."""
    if not np.array_equal(in_bytes(record), in_bytes(expected)):
        found = [d for d in differences(expected, record) if not d[0].startswith("scratch")]
        pytest.fail(f"{where}: expected and got differ: {found[:6]}")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("chip", CHIPS)
def test_every_case_leaves_the_recorded_state(chip: str, engine: str) -> None:
    data = golden(CHIPS[chip])
    machine = bench(chip, engine)
    record = machine.state.record
    expected = np.zeros((), state_type(arch(chip)))
    names = data["state_names"].tolist()
    compared: Counter[str] = Counter()
    for i, word in enumerate(map(int, data["word"])):
        put_profile(record, data, data["prof"][i])
        record["src_a"] = data["pool_srca"][data["srca"][i]]
        record["src_b"] = data["pool_srcb"][data["srcb"][i]]
        record["dst"] = np.tile(data["pool_dst"][data["dpool"][i]], (8, 1))
        record["dst_valid"] = data["pool_dstvalid"][data["vpool"][i]]
        rows, values = ragged(data, "patch", i, "row", "val")
        record["dst"][rows] = values
        put_scalars(record, names, data["state_b"][i])
        in_bytes(expected)[:] = in_bytes(record)
        put_scalars(expected, names, data["state_a"][i])
        put_changes(expected, data, "", i)

        name, code = run(machine, word)
        assert name == data["op_names"][data["op"][i]]
        assert code == 0, f"{chip} case {i} {name} {word:#010x}: code {code}"
        assert_same(record, expected, f"{chip} case {i} {name} {word:#010x}")
        compared[name] += 1
    report(f"{chip} matrix unit, {engine} engine, single instructions", compared)
    assert compared.total() == len(data["word"])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("chip", CHIPS)
def test_every_sequence_leaves_the_recorded_trace(chip: str, engine: str) -> None:
    data = golden(CHIPS[chip])
    machine = bench(chip, engine)
    record = machine.state.record
    expected = np.zeros((), state_type(arch(chip)))
    names = data["state_names"].tolist()
    compared: Counter[str] = Counter()
    for i, words in enumerate(data["seq_words"]):
        put_profile(record, data, data["seq_prof"][i])
        record["src_a"] = data["pool_srca"][data["seq_srca"][i]]
        record["src_b"] = data["pool_srcb"][data["seq_srcb"][i]]
        record["dst"] = np.tile(data["pool_dst"][data["seq_dpool"][i]], (8, 1))
        record["dst_valid"] = 1
        put_scalars(record, names, data["seq_state_b"][i])
        in_bytes(expected)[:] = in_bytes(record)
        for step, word in enumerate(map(int, words)):
            name, code = run(machine, word)
            where = f"{chip} sequence {i} step {step} {name} {word:#010x}"
            assert code == 0, f"{where}: code {code}"
            put_scalars(expected, names, data["seq_trace"][i, step])
            for field in ("rwc", *BANKS.values(), *PER_BANK.values()):
                assert record[field].tobytes() == expected[field].tobytes(), f"{where}: {field}"
            compared[name] += 1
        put_changes(expected, data, "seq", i)
        assert_same(record, expected, f"{chip} sequence {i}")
    report(f"{chip} matrix unit, {engine} engine, sequences", compared)
    assert compared.total() == data["seq_words"].size
