"""Random words on random states: every outcome is a result, a wait or a declared check."""

import numpy as np
import pytest

from matrix_harness import THREAD
from tilelab.sim.checks import CHECKS, Policy
from tilelab.tensix.arch import arch
from tilelab.tensix.run.execute import execute
from tilelab.tensix.state import TensixState
from tilelab.tensix.tables.units import Unit
from tilelab.tensix.words.waits import WAITS

WIDTHS = {"src_a": 64, "src_a_cr": 64, "src_b": 64, "src_b_cr": 64, "dst": 1024, "dst_cr": 1024,
          "fidelity": 4, "bias": 2}  # fmt: skip


def shuffle(state: TensixState, rng: np.random.Generator) -> None:
    """Fill everything that the matrix unit reads with anything it can hold."""
    record = state.record
    for name in ("src_a", "src_b"):
        record[name] = rng.integers(0, 1 << 32, record[name].shape, np.uint32) & 0xFFFFE000
        record[f"{name}_valid"] = rng.integers(0, 4, 2) > 0
        record[f"{name}_matrix_bank"] = rng.integers(0, 2)
        record[f"{name}_format"] = rng.integers(0, 16, 2)
    record["dst"] = rng.integers(0, 1 << 16, record["dst"].shape, np.uint16)
    record["dst_valid"] = rng.integers(0, 2, 1024)
    record["config"] = rng.integers(0, 1 << 32, record["config"].shape, np.uint32)
    record["thread_config"] = rng.integers(0, 1 << 16, record["thread_config"].shape, np.uint32)
    record["lane_config"] = rng.integers(0, 1 << 18)
    for name, width in WIDTHS.items():
        record["rwc"][THREAD][name] = rng.integers(0, width)


@pytest.mark.parametrize("chip", ["blackhole", "wormhole"])
@pytest.mark.parametrize("policy", [Policy.ERROR, Policy.OFF])
def test_random_words_have_an_outcome_and_failures_change_nothing(
    chip: str, policy: Policy
) -> None:
    rng = np.random.default_rng(20)
    state = TensixState(arch(chip))
    state.record["fault"]["policy"] = policy
    rows = [row for row in state.arch.instructions.values() if row.unit == Unit.MATRIX]
    done = 0
    for _ in range(3):
        for row in rows:
            shuffle(state, rng)
            before = state.snapshot()
            operands = int(rng.integers(0, 1 << 24)) & row.used_bits
            code = execute(state.s, THREAD, row.opcode << 24 | operands)
            assert code == 0 or code in WAITS or code in CHECKS
            if code:
                changed = [c[0] for c in state.diff(before) if not c[0].startswith("fault.")]
                assert not changed, f"{row.name}: {changed[:3]}"
            done += not code
            assert not np.any(state.record["src_a"] & 0x1FFF)
    assert done > 20
