"""Throttled matmuls: tt-llk's levels as MOPs, what they issue, how fast."""

import pytest

from cycle_harness import MOP1, CycleTile
from tilelab.kernels import throttle
from tilelab.sim.errors import BadInputError
from tilelab.tensix import Tile
from tilelab.tensix.cycle.events import MOP_OUT

ADDRESS_MODES = [0, 1, 0, 2, 0, 1, 0, 4, 0, 1, 0, 2, 0, 1, 0, 5]
INCREMENTS = {
    0: (0x0800, 8),
    1: (0x4010, 8),
    2: (0x6040, 8),
    4: (0x7060, 0x400),
    5: (0xC0C0, 0xC00),
}
"""ThreadConfig values of address modes: SrcA and SrcB, Dst."""
SHARES = (1.0, 16 / 22, 16 / 24, 16 / 32, 16 / 40, 16 / 48)


def run_level(level: int, phases: int = 1) -> CycleTile:
    made = CycleTile()
    made.operands()
    built = throttle.program(level, phases)
    for slot, word in enumerate(built.recording):
        made.s.frontend[1].replay_buffer[(throttle.REPLAY_START + slot) % 32] = word
    made.mop_cfg(*built.template.registers())
    # the address modes of tt-llk's LoFi matmul, so that MVMULs walk over eight blocks
    record = made.tile.state.record
    for mode, (ab, dst) in INCREMENTS.items():
        record["thread_config"][1, 12 + mode] = ab
        record["thread_config"][1, 28 + mode] = dst
    made.feed(*[MOP1] * built.runs)
    made.run()
    return made


@pytest.mark.parametrize("level", range(6))
def test_level_issues_16_mvmuls_and_its_nops_at_its_share(level: int) -> None:
    made = run_level(level)
    opcodes = [word >> 24 for word in made.words()]
    assert opcodes.count(0x26) == 16
    assert opcodes.count(0x02) == throttle.NOPS[level]
    assert sum(event[1] == MOP_OUT for event in made.events) == (1, 4, 4, 4, 8, 8)[level]
    modes = [word >> 14 & 7 for word in made.words() if word >> 24 == 0x26]
    assert modes == ADDRESS_MODES
    cycles = made.issued()[-1] + 1
    assert 16 / cycles == SHARES[level] == float(throttle.efficiency(level))


@pytest.mark.parametrize("phases", [2, 3, 4])
@pytest.mark.parametrize("level", range(1, 6))
def test_levels_hold_for_more_fidelity_phases(level: int, phases: int) -> None:
    opcodes = [word >> 24 for word in run_level(level, phases).words()]
    assert opcodes.count(0x26) == 16 * phases
    assert opcodes.count(0x02) == throttle.NOPS[level] * phases


def test_recognises_levels_and_nothing_else() -> None:
    for level in range(1, 6):
        assert throttle.recognise({"MVMUL": 64, "NOP": 4 * throttle.NOPS[level]}) == level
    assert throttle.recognise({"MVMUL": 64}) is None
    assert throttle.recognise({"MVMUL": 16, "NOP": 5}) is None
    assert throttle.recognise({"ELWADD": 16, "NOP": 16}) is None


def test_explains_level() -> None:
    text = throttle.explain(3)
    assert "level 3" in text
    assert "50.0%" in text
    assert "0x10" in text


@pytest.mark.parametrize(
    ("level", "firmware", "cause"),
    [
        (3, False, "by THROTTLE_LEVEL at compile time: firmware's flag, L1 0x10, is clear"),
        (5, False, "by THROTTLE_LEVEL at compile time: firmware's flag, L1 0x10, is clear"),
        (3, True, "by THROTTLE_LEVEL at compile time: firmware's flag, L1 0x10, is set, but makes"),
        (5, True, "by firmware: firmware's flag, L1 0x10, is set;"),
    ],
)
def test_says_who_throttled(level: int, firmware: bool, cause: str) -> None:
    assert f"({cause}" in throttle.explain(level, firmware=firmware)


def test_firmwares_flag_is_a_word_of_l1_and_the_change_is_named() -> None:
    tile = Tile()
    assert throttle.set_flag(tile, 1).startswith("L1 0x10 (MEM_L1_ARC_FW_SCRATCH): 0x0 -> 0x1;")
    assert tile.read(0x10, 4) == b"\1\0\0\0"
    assert "0x1 -> 0x0" in throttle.set_flag(tile, 0)


@pytest.mark.parametrize(("level", "phases"), [(-1, 1), (6, 1), (0, 0), (0, 5)])
def test_refuses_what_does_not_exist(level: int, phases: int) -> None:
    with pytest.raises(BadInputError):
        throttle.program(level, phases)
