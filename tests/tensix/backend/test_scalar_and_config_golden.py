"""Recorded scalar, configuration, semaphore and mutex instructions: state before, word, after."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from reference_data import golden, ragged, report
from tilelab.sim.checks import Policy
from tilelab.tensix.arch import arch
from tilelab.tensix.backend.scalar_unit import arithmetic as scalar_unit  # noqa: F401
from tilelab.tensix.backend.sync_unit import keeps_waiting
from tilelab.tensix.run.execute import execute
from tilelab.tensix.state import TensixState

CHIPS = {"bh": "blackhole", "wh": "wormhole"}
ADDRESS_COUNTER = "address counters: compared in test_tdma_golden.py"
ELSEWHERE = dict.fromkeys(
    ["SETADC", "SETADCXY", "SETADCZW", "SETADCXX", "INCADCXY", "INCADCZW", "ADDRCRXY", "ADDRCRZW"],
    ADDRESS_COUNTER,
)


def before(data: dict[str, Any], i: int, state: TensixState) -> None:
    record, t = state.record, int(data["pipe"][i])
    record["config"] = 0
    for column, (word, banked) in enumerate(
        zip(data["cfg_regs"], data["cfg_reg_banked"], strict=True)
    ):
        values = data["pool_cfg"][data["cfgpool"][i], :, column]
        record["config"][:, word] = values if banked else values[0]
    record["gpr"] = data["pool_gpr"][data["gprpool"][i]]
    record["thread_config"] = 0
    record["thread_config"][t, 0] = data["state_id"][i]
    record["semaphore"]["value"] = data["sem_b"][i]
    record["semaphore"]["max"] = data["semmax_b"][i]
    record["mutex"][0] = data["mutex0_b"][i]
    record["frontend"][t]["wait"]["kind"] = 0
    record["scratch_a"] = 0


def apply_changes(data: dict[str, Any], i: int, expected: np.ndarray[Any, Any]) -> None:
    t = int(data["pipe"][i])
    for bank, word, value in zip(*ragged(data, "cfgchg", i, "bank", "reg", "val"), strict=True):
        expected["config"][slice(None) if bank == 2 else bank, word] = value
    for pipe, index, value in zip(*ragged(data, "gprchg", i, "pipe", "idx", "val"), strict=True):
        expected["gpr"][pipe, index] = value
    for register, value in zip(*ragged(data, "thrchg", i, "reg", "val"), strict=True):
        expected["thread_config"][t, register] = value
    expected["semaphore"]["value"] = data["sem_a"][i]
    expected["semaphore"]["max"] = data["semmax_a"][i]
    expected["mutex"][0] = data["mutex0_a"][i]


@pytest.mark.parametrize("chip", CHIPS)
def test_recorded_cases(chip: str) -> None:
    data = golden(f"tdma_thcon_{chip}.npz")
    profile = arch(CHIPS[chip])
    state = TensixState(profile)
    state.record["fault"]["policy"] = Policy.OFF
    compared: Counter[str] = Counter()
    skipped: Counter[str] = Counter()
    for i, (op, word) in enumerate(zip(data["op"], data["word"], strict=True)):
        name = str(data["op_names"][op])
        if name in ELSEWHERE:
            skipped[ELSEWHERE[name]] += 1
            continue
        row = profile.instructions[name]
        t = int(data["pipe"][i])
        before(data, i, state)
        expected = state.record.copy()
        apply_changes(data, i, expected)
        code = execute(state.s, t, row.encode(**row.decode(int(word))))
        waits = code < 0 or (name == "SEMWAIT" and keeps_waiting(state.s, t))
        assert code <= 0, f"{name} case {i}: check {code}"
        assert waits == data["stalled"][i], f"{name} case {i}"
        # the oracle keeps no storage for configuration words outside cfg_regs: nothing to compare
        untracked = np.setdiff1d(np.arange(256), data["cfg_regs"])
        expected["config"][:, untracked] = state.record["config"][:, untracked]
        for part in ("config", "gpr", "thread_config", "semaphore", "mutex", "adc", "dst", "lreg"):
            np.testing.assert_array_equal(
                state.record[part], expected[part], f"{name} case {i}: {part}"
            )
        compared[name] += 1
    report(f"scalar and configuration, {profile.name}", compared, skipped)
    assert compared.total() + skipped.total() == len(data["word"])
