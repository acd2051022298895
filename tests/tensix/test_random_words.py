"""Any word on any state is executed, waits or fails a declared check: nothing else ever happens."""

import random
from typing import Any

import numpy as np
import pytest

from tilelab.riscv.disassembly import disassemble
from tilelab.riscv.table import RV32
from tilelab.sim.checks import CHECKS, Policy
from tilelab.sim.kernel import OK
from tilelab.tensix.arch import arch
from tilelab.tensix.frontend.wait_gate import UNKNOWN_OPCODE
from tilelab.tensix.riscv.core import step
from tilelab.tensix.run.execute import execute
from tilelab.tensix.state import STATE, TensixState
from tilelab.tensix.words.waits import WAITS

CHIPS = ("blackhole", "wormhole")
WIDTHS = {"src_a": 6, "src_a_cr": 6, "src_b": 6, "src_b_cr": 6, "dst": 10, "dst_cr": 10}
WIDTHS |= {"fidelity": 2, "bias": 1}
ADC_WIDTHS = {"x": 18, "y": 13, "z": 8, "w": 8}
NOT_ARCHITECTURE = ("scratch", "engine", "fault", "pack_position", "clock", "effects")


def scramble(state: TensixState, rng: np.random.Generator) -> None:
    """Fill all that instructions read with values that it can hold, small ones more often."""

    def fill(part: Any, bits: int) -> None:
        values = rng.integers(0, 1 << bits, part.shape, np.int64)
        for _ in range(rng.integers(0, 4)):
            values &= rng.integers(0, 1 << bits, part.shape, np.int64)
        part[...] = values

    record = state.record
    fill(record["config"], 32)
    record["config"] &= np.array(state.s.config_mask, np.uint32)
    fill(record["thread_config"], 16)
    for name, bits in WIDTHS.items():
        fill(record["rwc"][name], bits)
    for name, bits in ADC_WIDTHS.items():
        fill(record["adc"][name], bits)
        fill(record["adc"][f"{name}_cr"], bits)
    for name in ("src_a", "src_b"):
        fill(record[name], 19)
        record[name] <<= 13
        fill(record[f"{name}_valid"], 1)
        fill(record[f"{name}_format"], 4)
        record[f"{name}_unpack_bank"], record[f"{name}_matrix_bank"] = rng.integers(0, 2, 2)
    for name, bits in (("gpr", 32), ("dst", 16), ("dst_valid", 1), ("lreg", 32), ("prng", 32)):
        fill(record[name], bits)
    for name, bits in (("flag_stack", 32), ("use_flag_stack", 1), ("unpack_context", 1)):
        fill(record[name], bits)
    record["lane_flags"] = rng.integers(0, 1 << 32)
    record["flag_stack_depth"] = rng.integers(0, 9)
    record["lane_config"] = rng.integers(0, 1 << 18) & rng.integers(0, 1 << 18)
    record["unpack_src_row"] = rng.integers(0, 4, (2, 3)) * 16
    fill(record["semaphore"]["value"], 4)
    fill(record["semaphore"]["max"], 4)
    record["mutex"] = rng.integers(0, 4, 8)
    state.l1[: 1 << 16] = rng.integers(0, 256, 1 << 16)


def architecture(state: TensixState) -> list[bytes]:
    names = [n for n in STATE.names or () if not n.startswith(NOT_ARCHITECTURE)]
    return [state.record[name].tobytes() for name in names] + [state.l1[: 1 << 17].tobytes()]


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("policy", [Policy.ERROR, Policy.OFF])
def test_random_tensix_words(chip: str, policy: Policy) -> None:
    rng, choose = np.random.default_rng(11), random.Random(11)
    state = TensixState(arch(chip))
    s = state.s
    state.record["fault"]["policy"] = policy
    executed = set()
    for _ in range(5):
        for row in state.arch.instructions.values():
            if row.opcode % 8 == 0:
                scramble(state, rng)
            state.record["load_macro_pending"] = 0  # what a macro left is another word's business
            word = row.opcode << 24 | choose.getrandbits(24)
            if choose.random() < 0.9:
                word &= ~row.unused_bits
            before = architecture(state)
            code = execute(s, choose.randrange(3), word)
            assert code == OK or code in WAITS or code in CHECKS, row.name
            if code in CHECKS and policy == Policy.OFF:
                assert CHECKS[code].policy is None, CHECKS[code].name
            if code == OK:
                executed.add(row.name)
            else:
                assert architecture(state) == before, f"{word:#010x} {row.name} half done"
    assert len(executed) > 60


@pytest.mark.parametrize("chip", CHIPS)
def test_words_of_no_instruction(chip: str) -> None:
    state = TensixState(arch(chip))
    known = {row.opcode for row in state.arch.instructions.values()}
    for opcode in set(range(256)) - known:
        assert execute(state.s, 0, opcode << 24) == UNKNOWN_OPCODE
        assert state.s.fault.value == opcode << 24


PLACES = (0, 0x1000, 0x16DFF0, 0x16E000, 0x17FFF0, 0x180000, 0xFFB00000, 0xFFB00800, 0xFFB01000,
          0xFFB02000, 0xFFB11000, 0xFFB12000, 0xFFB121B0, 0xFFB13138, 0xFFB14000, 0xFFB1DFF0,
          0xFFB80000, 0xFFB80020, 0xFFBD8000, 0xFFBDFFF0, 0xFFE00000, 0xFFE002F0, 0xFFE40000,
          0xFFE50000, 0xFFE6FFF0, 0xFFE80000, 0xFFE80020, 0xFFE90000, 0xFFEC0000, 0xFFEC3FFC,
          0xFFEF0000, 0xFFEF0370, 0xFFEF0700, 0xFFEF0D00, 0xFFFFFFF0)  # fmt: skip


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("policy", [Policy.ERROR, Policy.OFF])
def test_random_riscv_words(chip: str, policy: Policy) -> None:
    choose = random.Random(12)
    rows = list(RV32.rows.values())
    outcomes = set()
    for number in range(6000):
        if number % 500 == 0:
            state = TensixState(arch(chip))
            state.record["fault"]["policy"] = policy
            s = state.s
        core = choose.randrange(4)
        hart = s.riscv[core]
        for i in range(1, 32):
            near = choose.choice(PLACES) + choose.choice((0, 0, 4, 8, 1, 2, choose.randrange(4096)))
            hart.x[i] = near & 0xFFFFFFFF if choose.random() < 0.8 else choose.getrandbits(32)
        word = choose.getrandbits(32)
        if choose.random() < 0.8:
            row = choose.choice(rows)
            word = word & ~row.mask | row.match
            if "(" in row.format.value.syntax and choose.random() < 0.7:
                word &= 0x000FFFFF if row.name.startswith("l") else 0x01FFF07F  # offset 0
        hart.pc = pc = choose.choice((0, 4, 0x1000, state.arch.l1_size - 4))
        s.l1_32[pc >> 2] = word
        code = step(s, core)
        assert code == OK or code in WAITS or code in CHECKS, disassemble(word)
        if code in CHECKS and policy == Policy.OFF:
            assert CHECKS[code].policy is None, CHECKS[code].name
        assert hart.x[0] == 0
        if code != OK:
            assert hart.pc == pc
        outcomes.add(code)
    assert len(outcomes) > 10
