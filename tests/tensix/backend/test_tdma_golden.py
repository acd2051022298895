"""Recorded unpacks, packs and address-counter instructions, all bit-exact, nothing else changed."""

from collections import Counter
from functools import cache
from typing import Any

import numpy as np
import pytest

from reference_data import golden, ragged, report
from tilelab.sim.kernel import OK
from tilelab.sim.record import Record
from tilelab.tensix.arch import arch
from tilelab.tensix.run.engine import Engine
from tilelab.tensix.state import NOT_ARCHITECTURE, STATE, TensixState
from tilelab.tensix.tile.tile import ENGINES, make_engine

CHIPS = {"bh": "blackhole", "wh": "wormhole"}
AXES = ("x", "y", "z", "w")
WINDOW = 8192
INTERNAL = {name for name in STATE.names or () if name.startswith(NOT_ARCHITECTURE)}
"""Not architectural: what kernels leave there is nobody's business."""
PACK_STREAM = {"pack_active", "pack_position"}
"""The packers' place in the tile, which the recordings do not contain."""
SCALARS = {
    "a_ubank": "src_a_unpack_bank",
    "a_mbank": "src_a_matrix_bank",
    "b_ubank": "src_b_unpack_bank",
    "b_mbank": "src_b_matrix_bank",
}
FORMATS = {
    "fmtA0": ("src_a", 0),
    "fmtA1": ("src_a", 1),
    "fmtB0": ("src_b", 0),
    "fmtB1": ("src_b", 1),
}


@cache
def machine(chip: str, engine: str) -> tuple[Engine, Record]:
    """An engine with a tile's state, and a copy of that after reset."""
    if engine == "fast":
        pytest.importorskip("llvmlite")
    made = make_engine(engine, TensixState(arch(CHIPS[chip])), lambda core, pc: "")
    return made, made.state.record.copy()


def execute(engine: Engine, thread: int, word: int) -> tuple[str, int]:
    """Run one word; the instruction's name and the kernel's code."""
    row = engine.state.arch.instructions.find(word)
    assert row is not None
    return row.name, engine.execute(thread, word)


def put_adc(record: Record, thread: int, names: list[str], values: Any) -> None:
    for unit in range(3):
        for name, value in zip(names, values[unit], strict=True):
            channel, _, counter = name.partition("_")
            record["adc"][counter][thread, unit, int(channel[-1])] = value


def put_state(record: Record, names: list[str], values: Any) -> None:
    for name, value in zip(names, values.tolist(), strict=True):
        if name in SCALARS:
            record[SCALARS[name]] = value
        elif name in FORMATS:
            field, bank = FORMATS[name]
            record[f"{field}_format"][bank] = value
        else:
            record[f"src_{name[0]}_valid"] = (value & 1, value >> 1)


def changed(actual: Record, expected: Record, but: set[str]) -> list[str]:
    """Names of fields that differ."""
    names = [n for n in actual.dtype.names or () if n not in but]
    return [n for n in names if not np.array_equal(actual[n], expected[n])]


def configure(record: Record, data: dict[str, Any], case: int, thread: int) -> None:
    registers, values = ragged(data, "cfg", case, "reg", "val")
    record["config"][0][registers] = values
    registers, values = ragged(data, "thr", case, "reg", "val")
    record["thread_config"][thread][registers] = values


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("chip", CHIPS)
def test_unpack(chip: str, engine: str) -> None:
    data = golden(f"tdma_unpack_{chip}.npz")
    tile, blank = machine(chip, engine)
    state = tile.state
    adc_names, state_names = data["adc_names"].tolist(), data["state_names"].tolist()
    compared: Counter[str] = Counter()
    wrong = []
    for case, word in enumerate(data["word"].tolist()):
        state.record[...] = blank
        record = state.record
        configure(record, data, case, 0)
        put_adc(record, 0, adc_names, data["adc_b"][case])
        put_state(record, state_names, data["state_b"][case])
        record["dst_valid"] = 0
        start = int(data["l1_addr"][case])
        state.l1[:] = 0
        state.l1[start : start + WINDOW] = data["pool_l1"][data["l1"][case]]
        l1 = state.l1.copy()
        expected = record.copy()
        name, code = execute(tile, 0, word)
        put_adc(expected, 0, adc_names, data["adc_a"][case])
        put_state(expected, state_names, data["state_a"][case])
        rows, values = ragged(data, "dst", case, "row", "val")
        expected["dst"][rows] = values
        (rows,) = ragged(data, "dstvalid", case, "row")
        expected["dst_valid"][rows] = 1
        for bank, row, value in zip(*ragged(data, "src", case, "bank", "row", "val"), strict=True):
            expected["src_b" if bank >= 2 else "src_a"][bank & 1, row] = value
        difference = changed(record, expected, INTERNAL)
        key = f"{name} {data['fin'][case]}->{data['fout'][case]}"
        compared[key] += 1
        if code != OK or difference or not np.array_equal(l1, state.l1):
            wrong.append((case, key, code, difference))
    report(f"unpack {chip}, {engine}", compared)
    assert compared.total() == len(data["word"]) > 0
    assert not wrong, f"{len(wrong)} wrong, first {wrong[:5]}"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("chip", CHIPS)
def test_unpacr_nop(chip: str, engine: str) -> None:
    data = golden(f"tdma_unpacrnop_{chip}.npz")
    tile, blank = machine(chip, engine)
    state = tile.state
    names = data["state_names"].tolist()
    compared: Counter[str] = Counter()
    wrong = []
    for case, word in enumerate(data["word"].tolist()):
        state.record[...] = blank
        record = state.record
        put_state(record, names, data["state_b"][case])
        for unpacker in range(2):
            field = f"THCON_SEC{unpacker}_REG2_Out_data_format"
            state.set_config_field(field, int(data["fmt_cfg"][case][unpacker]))
        record["src_a"] = 0x12340000
        record["src_b"] = 0x43210000
        expected = record.copy()
        name, code = execute(tile, 0, word)
        put_state(expected, names, data["state_a"][case])
        for bank, effect in enumerate(data["bank_effect"][case]):
            if effect:
                field = "src_b" if bank >= 2 else "src_a"
                expected[field][bank & 1] = 0 if effect == 1 else 0xFFFFE000
        difference = changed(record, expected, INTERNAL)
        stalled = bool(data["stalled"][case])
        compared[f"{name} stalled" if stalled else name] += 1
        if (code < 0 if stalled else code == OK) is False or difference:
            wrong.append((case, code, difference))
    report(f"UNPACR_NOP {chip}, {engine}", compared)
    assert compared.total() == len(data["word"]) > 0
    assert not wrong, f"{len(wrong)} wrong, first {wrong[:5]}"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("chip", CHIPS)
def test_pack(chip: str, engine: str) -> None:
    data = golden(f"tdma_pack_{chip}.npz")
    tile, blank = machine(chip, engine)
    state = tile.state
    names = data["adc_names"].tolist()
    compared: Counter[str] = Counter()
    wrong = []
    for case, mode in enumerate(data["mode"].tolist()):
        state.record[...] = blank
        record = state.record
        configure(record, data, case, 2)
        put_adc(record, 2, names, data["adc_b"][case])
        record["dst"] = np.tile(data["pool_dst"][data["dpool"][case]], (8, 1))
        start = int(data["l1_addr"][case])
        window = data["pool_l1fill"][data["l1_fill"][case]].copy()
        state.l1[:] = 0
        state.l1[start : start + WINDOW] = window
        expected, l1 = record.copy(), state.l1.copy()
        (words,) = ragged(data, "words", case, "word")
        codes = [execute(tile, 2, word)[1] for word in words.tolist()]
        put_adc(expected, 2, names, data["adc_a"][case])
        at, values = ragged(data, "l1chg", case, "byte", "val")
        l1[start + at.astype(np.int64)] = values
        difference = changed(record, expected, INTERNAL | PACK_STREAM)
        bad = np.flatnonzero(l1 != state.l1) - start
        compared[f"PACR {mode:#x}"] += 1
        if any(codes) or difference or len(bad):
            wrong.append((case, hex(mode), set(codes), difference, len(bad), bad[:3].tolist()))
    report(f"pack {chip}, {engine}", compared)
    assert compared.total() == len(data["mode"]) > 0
    assert not wrong, f"{len(wrong)} wrong, first {wrong[:5]}"


ADC_OPCODES = {
    *("SETADC", "SETADCXX", "SETADCXY", "SETADCZW"),
    *("INCADCXY", "INCADCZW", "ADDRCRXY", "ADDRCRZW", "SETDVALID"),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("chip", CHIPS)
def test_address_counters(chip: str, engine: str) -> None:
    data = golden(f"tdma_thcon_{chip}.npz")
    tile, blank = machine(chip, engine)
    state = tile.state
    names, opcodes = data["adc_names"].tolist(), data["op_names"].tolist()
    compared: Counter[str] = Counter()
    wrong = []
    for case, word in enumerate(data["word"].tolist()):
        name = opcodes[data["op"][case]]
        if name not in ADC_OPCODES:
            continue
        thread = int(data["pipe"][case])
        state.record[...] = blank
        record = state.record
        record["thread_config"][thread, 0] = data["state_id"][case]
        for pipe in range(3):
            put_adc(record, pipe, names, data["pool_adc"][data["adcpool"][case], pipe])
        expected = record.copy()
        run_name, code = execute(tile, thread, word)
        for pipe, unit, index, value in zip(
            *ragged(data, "adcchg", case, "pipe", "unit", "idx", "val"), strict=True
        ):
            channel, _, counter = names[index].partition("_")
            expected["adc"][counter][pipe, unit, int(channel[-1])] = value
        difference = changed(record, expected, INTERNAL)
        compared[name] += 1
        if run_name != name or code != OK or difference:
            wrong.append((case, name, code, difference))
    report(f"address counters {chip}, {engine}", compared)
    assert compared.total() > 0
    assert not wrong, f"{len(wrong)} wrong, first {wrong[:5]}"
