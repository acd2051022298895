"""What the manual defines and the recorded data do not reach."""

import operator
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilelab.sim.checks import CHECKS
from tilelab.sim.record import differences
from vector_machine import CHIPS, LANES, VectorMachine, fp32

ALL = 0xFFFFFFFF
words = st.integers(0, ALL)


@pytest.fixture(params=CHIPS)
def machine(request: pytest.FixtureRequest) -> VectorMachine:
    return VectorMachine(request.param)


# loads and stores


def test_lanes_map_to_rows_and_columns(machine: VectorMachine) -> None:
    machine.record["dst"] = np.arange(1024 * 16).reshape(1024, 16)
    machine.run("SFPLOAD", lreg_ind=0, instr_mod0=6, dest_reg_addr=6)
    places = {lane: divmod(int(machine.lreg[0, lane]), 16) for lane in (0, 7, 8, 31)}
    assert places == {0: (4, 1), 7: (4, 15), 8: (5, 1), 31: (7, 15)}
    seen = []
    for address in range(0, 64, 2):
        machine.run("SFPLOAD", lreg_ind=0, instr_mod0=6, dest_reg_addr=address)
        seen += machine.lreg[0].tolist()
    assert sorted(seen) == list(range(64 * 16))


@pytest.mark.parametrize("mode", [1, 2, 3, 4, 5, 6, 8, 10, 12, 13, 14, 15])
def test_a_load_returns_what_a_store_of_the_same_mode_kept(
    machine: VectorMachine, mode: int
) -> None:
    integers = np.where(LANES & 1, 0x80000000, 0) | LANES + 1
    floats = fp32((LANES + 1) * np.where(LANES & 1, -0.5, 0.5))
    twos = (np.where(LANES & 1, -1, 1) * (LANES + 1)).astype(np.int64) & ALL
    values = floats if mode in (1, 2, 3, 4, 10) else integers
    if mode in (12, 13) and machine.chip == "wormhole":
        values = twos
    if mode in (6, 14):
        values = LANES * 2049
    if mode == 15:
        values = LANES << 16
    machine.lreg[1] = values
    machine.run("SFPSTORE", lreg_ind=1, instr_mod0=mode, dest_reg_addr=64)
    machine.run("SFPLOAD", lreg_ind=2, instr_mod0=mode, dest_reg_addr=64)
    np.testing.assert_array_equal(machine.lreg[2], machine.lreg[1])


def test_integer_8_has_one_more_bit_on_blackhole(machine: VectorMachine) -> None:
    machine.lreg[1] = 0xC8
    machine.run("SFPSTORE", lreg_ind=1, instr_mod0=5)
    machine.run("SFPLOAD", lreg_ind=2, instr_mod0=5)
    assert machine.lreg[2, 0] == (0xC8 if machine.chip == "blackhole" else 0x48)


def test_lane_config_blocks_and_redirects_dst_accesses(machine: VectorMachine) -> None:
    machine.record["dst"] = np.arange(1024 * 16).reshape(1024, 16)
    machine.record["lane_config"] = 1 << 5
    machine.run("SFPLOAD", lreg_ind=0, instr_mod0=6)
    assert not machine.lreg[0].any()
    machine.record["lane_config"] = 1 << 6 | 0b1100
    machine.run("SFPLOAD", lreg_ind=0, instr_mod0=6)
    assert machine.lreg[0, :8].tolist() == list(range(1, 16, 2))
    np.testing.assert_array_equal(machine.lreg[4], machine.lreg[0])  # row * 16 + column
    machine.record["lane_config"] = 1 << 4
    before = machine.record["dst"].copy()
    machine.run("SFPSTORE", lreg_ind=9, instr_mod0=6)
    np.testing.assert_array_equal(machine.record["dst"], before)


def test_stack_addressing_is_refused_on_blackhole_only(machine: VectorMachine) -> None:
    if machine.chip == "wormhole":
        assert machine.attempt("SFPLOAD", instr_mod0=10) == ""
    else:
        machine.state.set_config_field("SFPU_STACK_Incr", 2, bank=1)
        assert machine.attempt("SFPLOAD", instr_mod0=10) == "vector-stack-addressing"


def test_mode_int32_all_ignores_lane_flags_and_keeps_only_two_counter_bits(
    machine: VectorMachine,
) -> None:
    machine.predicate(0)
    machine.record["rwc"]["dst"][1] = 0x42
    machine.record["dst"] = np.arange(1024 * 16).reshape(1024, 16)
    machine.run("SFPLOAD", lreg_ind=0, instr_mod0=10)
    machine.record["lane_flags"] = ALL
    machine.record["rwc"]["dst"][1] = 2
    machine.run("SFPLOAD", lreg_ind=1, instr_mod0=4)
    np.testing.assert_array_equal(machine.lreg[0], machine.lreg[1])
    assert machine.lreg[0].any()


# flags


BOOLEAN: dict[int, Callable[[int, int], int]] = {
    1: lambda a, b: b,
    2: lambda a, b: ~b,
    3: operator.and_,
    4: operator.or_,
    5: lambda a, b: a & ~b,
    6: lambda a, b: a | ~b,
    7: lambda a, b: ~a & b,
    8: lambda a, b: ~a | b,
    9: lambda a, b: ~(a | b),
    10: lambda a, b: ~(a & b),
    11: operator.xor,
    12: lambda a, b: ~(a ^ b),
}


@pytest.mark.parametrize("mode", BOOLEAN)
@given(a=words, b=words)
def test_pop_and_push_combine_flags(mode: int, a: int, b: int) -> None:
    machine = VectorMachine("blackhole")
    machine.predicate(b)
    machine.run("SFPPUSHC")
    machine.record["lane_flags"] = a
    machine.run("SFPPOPC", instr_mod1=mode)
    assert machine.flags() == BOOLEAN[mode](a, b) & ALL
    machine.record["lane_flags"] = a
    machine.run("SFPPUSHC", instr_mod1=mode)
    assert machine.record["flag_stack"][0] == BOOLEAN[mode](b, a) & ALL
    assert machine.record["flag_stack_depth"] == 1


def test_the_flag_stack_has_eight_entries(machine: VectorMachine) -> None:
    assert machine.attempt("SFPPOPC") == "vector-flag-stack-empty"
    for depth in range(8):
        machine.predicate(depth)
        machine.run("SFPPUSHC")
    assert machine.attempt("SFPPUSHC") == "vector-flag-stack-full"
    machine.run("SFPPOPC", instr_mod1=1)
    bottom = int(machine.record["flag_stack"][0])
    assert bottom == (7 if machine.chip == "wormhole" else 0), "Wormhole's bug at a full stack"
    for depth in reversed(range(1, 8)):
        machine.run("SFPPOPC")
        assert machine.flags() == depth


def test_only_blackhole_has_modes_of_push(machine: VectorMachine) -> None:
    machine.run("SFPPUSHC")
    refused = machine.attempt("SFPPUSHC", instr_mod1=14)
    assert refused == ("" if machine.chip == "blackhole" else "vector-reserved-modifier")


def test_else_flips_within_the_enclosing_condition(machine: VectorMachine) -> None:
    machine.predicate(0x00FFFFFF)
    machine.run("SFPPUSHC")
    machine.record["lane_flags"] = 0xFF
    machine.run("SFPCOMPC")
    assert machine.flags() == 0x00FFFF00
    machine.record["use_lane_flags"] = 0
    machine.run("SFPCOMPC")
    assert machine.flags() == 0


def test_setting_flags_without_their_enable_clears_them(machine: VectorMachine) -> None:
    machine.record["lane_flags"] = 0xF0F0
    machine.run("SFPSETCC", lreg_c=9, instr_mod1=6)
    assert machine.flags() == 0
    machine.predicate(0xF0F0)
    machine.run("SFPSETCC", imm12_math=1, instr_mod1=1)
    assert machine.flags() == 0xF0F0
    machine.run("SFPSETCC", imm12_math=1, instr_mod1=8)
    assert machine.flags() == 0


def test_enable_bits_can_be_inverted(machine: VectorMachine) -> None:
    machine.run("SFPENCC", instr_mod1=1)
    assert machine.record["use_lane_flags"] == 1
    machine.run("SFPENCC", instr_mod1=9)
    assert machine.record["use_lane_flags"] == 0
    assert machine.flags() == 0


def test_row_mask_disables_rows_of_lanes(machine: VectorMachine) -> None:
    machine.record["lane_config"] = 0b0101 << 12
    machine.run("SFPLOADI", lreg_ind=0, instr_mod0=2, imm16=7)
    assert machine.lreg[0].tolist() == [7 * (lane // 8 % 2) for lane in range(32)]


def test_integer_adds_can_flip_flags_without_setting_them(machine: VectorMachine) -> None:
    machine.record["lane_flags"] = 0xF
    machine.run("SFPIADD", lreg_c=9, lreg_dest=0, instr_mod1=12)
    assert machine.flags() == ALL ^ 0xF


def test_comparisons_change_the_top_of_the_stack_in_every_lane() -> None:
    machine = VectorMachine("blackhole")
    machine.predicate(0x0000FFFF)
    machine.run("SFPPUSHC")
    machine.lreg[0] = LANES
    machine.lreg[1] = 23
    machine.run("SFPLE", lreg_c=1, lreg_dest=0, instr_mod1=2 | 4)  # lanes 0..23 ORed in
    assert machine.record["flag_stack"][0] == 0x00FFFFFF
    machine.lreg[1] = 7
    machine.run("SFPGT", lreg_c=1, lreg_dest=0, instr_mod1=2 | 8)  # lanes 8..31 kept
    assert machine.record["flag_stack"][0] == 0x00FFFF00
    assert machine.lreg[0].tolist() == [0] * 8 + [ALL] * 8 + list(range(16, 32))


# templates and configuration


def test_a_high_destination_records_a_template(machine: VectorMachine) -> None:
    fields = {"lreg_c": 3, "lreg_dest": 13, "instr_mod1": 1}
    before = machine.lreg.copy()
    machine.run("SFPABS", **fields)
    assert machine.record["load_macro_template"][1] == machine.encode("SFPABS", **fields)
    np.testing.assert_array_equal(machine.lreg, before)
    machine.predicate(1)
    assert machine.attempt("SFPABS", **fields) == "vector-template-lanes"


def test_templates_keep_the_whole_word(machine: VectorMachine) -> None:
    rows = machine.state.arch.instructions
    exempt = {"SFPCONFIG", "SFPLOADMACRO", "SFPNOP"}
    for name in sorted(n for n in rows if n.startswith("SFP") and n not in exempt):
        fields = {field.name: field.max for field in rows[name].fields}
        machine.run(name, **fields)
        assert machine.record["load_macro_template"][3] == rows[name].encode(**fields), name


def test_without_the_back_door_a_high_destination_is_dropped(machine: VectorMachine) -> None:
    machine.record["lane_config"] = 2
    before = machine.record["lreg"].copy()
    machine.lreg[1] = before[1] = 5
    machine.run("SFPMOV", lreg_c=1, lreg_dest=13)
    np.testing.assert_array_equal(machine.lreg, before)
    assert not machine.record["load_macro_template"].any()


def test_constants_are_written_by_column(machine: VectorMachine) -> None:
    machine.lreg[0] = LANES + 100
    machine.predicate(0xFFFFFF0F)
    machine.run("SFPCONFIG", imm16_math=0b0101010101010101, config_dest=12, instr_mod1=8)
    assert machine.lreg[12].tolist() == [100, 101, 102, 103, *[0x3B000000] * 4] * 4
    machine.record["use_lane_flags"] = 0
    machine.run("SFPCONFIG", config_dest=12, instr_mod1=1)
    assert set(machine.lreg[12].tolist()) == {int(fp32(1 / 65536))}


def test_bits_of_lane_config_are_combined(machine: VectorMachine) -> None:
    machine.run("SFPCONFIG", imm16_math=0x0F00, config_dest=15, instr_mod1=1)
    machine.run("SFPCONFIG", imm16_math=0x00FF, config_dest=15, instr_mod1=1 | 2)
    machine.run("SFPCONFIG", imm16_math=0x03F0, config_dest=15, instr_mod1=1 | 4)
    machine.run("SFPCONFIG", imm16_math=0x0101, config_dest=15, instr_mod1=1 | 6)
    assert machine.record["lane_config"] == 0x03F0 ^ 0x0101


def test_columns_that_would_differ_are_refused(machine: VectorMachine) -> None:
    machine.lreg[0] = LANES
    assert machine.attempt("SFPCONFIG", config_dest=4) == "vector-config-columns-differ"
    machine.predicate(0xFFFFFFFE)
    refused = machine.attempt("SFPCONFIG", config_dest=15, imm16_math=1, instr_mod1=1)
    assert refused == "vector-config-columns-differ"
    assert machine.record["lane_config"] == 0


def test_the_order_of_a_swap_may_differ_between_columns(machine: VectorMachine) -> None:
    """A vendor kernel's configuration: odd columns swap the other way round."""
    exchange, dest_index = 0x100, 4
    machine.record["lane_config"] = dest_index
    machine.lreg[0] = exchange | dest_index
    machine.run("SFPCONFIG", imm16_math=0x4444, config_dest=15, instr_mod1=8)
    machine.run("SFPMOV", lreg_c=15, lreg_dest=2, instr_mod1=8)
    assert machine.lreg[2].tolist() == [dest_index, exchange | dest_index] * 16
    machine.lreg[0] = np.where(LANES < 16, 1, 2)
    machine.lreg[1] = np.where(LANES < 16, 2, 1)
    machine.run("SFPSWAP", lreg_src_c=1, lreg_dest=0, instr_mod1=1)
    smaller, larger = machine.lreg[0].tolist(), machine.lreg[1].tolist()
    assert smaller == [1, 2] * 16
    assert larger == [2, 1] * 16
    machine.run("SFPCONFIG", imm16_math=exchange, config_dest=15, instr_mod1=1 | 6)
    assert machine.record["lane_config"] == exchange | dest_index
    machine.run("SFPCONFIG", imm16_math=0, config_dest=15, instr_mod1=1)
    assert machine.record["exchange_columns"] == 0


def test_results_corrupted_by_the_index_mode_are_refused(machine: VectorMachine) -> None:
    machine.record["lane_config"] = 4
    assert machine.attempt("SFPMOV", lreg_dest=5) == "vector-dest-index-result"
    assert machine.attempt("SFPLUT", lreg_ind=5) == "vector-dest-index-result"
    assert machine.attempt("SFPSWAP", lreg_dest=5) == ""
    assert machine.attempt("SFPLOADI", lreg_ind=5) == ""


RESERVED = {
    "SFPDIVP2": 2,
    "SFPEXEXP": 4,
    "SFPEXMAN": 2,
    "SFPMOV": 4,
    "SFPABS": 2,
    "SFPLZ": 1,
    "SFPSETEXP": 4,
    "SFPSETMAN": 2,
    "SFPSETSGN": 2,
    "SFPCAST": 4,
    "SFPSHFT": 8,
    "SFPADDI": 1,
}


@pytest.mark.parametrize("name", RESERVED)
def test_reserved_modifiers_stop_the_program_by_default(machine: VectorMachine, name: str) -> None:
    before = machine.record.copy()
    assert machine.attempt(name, instr_mod1=RESERVED[name]) == "vector-reserved-modifier"
    assert all(path.startswith("fault") for path, *_ in differences(before, machine.record))
    machine.allow("vector-reserved-modifier")
    machine.run(name, instr_mod1=RESERVED[name])


@pytest.mark.parametrize(
    ("name", "fields", "check"),
    [
        ("SFPMUL", {"lreg_src_c": 1}, "vector-multiply-addend"),
        ("SFPLOADI", {"instr_mod0": 3}, "vector-immediate-mode"),
        ("SFPSHFT2", {"instr_mod1": 7}, "vector-shuffle-mode"),
        ("SFPCONFIG", {"config_dest": 9}, "vector-config-no-target"),
    ],
)
def test_misuse_is_refused(
    machine: VectorMachine, name: str, fields: dict[str, int], check: str
) -> None:
    assert machine.attempt(name, **fields) == check


def test_an_addition_that_multiplies_is_warned_of(machine: VectorMachine) -> None:
    """As a published listing adds: LReg[0] * 0 + LReg[0]."""
    machine.lreg[0] = np.float32(1.5).view(np.uint32)
    machine.run("SFPADD", lreg_src_a=0, lreg_src_b=9, lreg_src_c=0, lreg_dest=1)
    assert (machine.lreg[1] == machine.lreg[0]).all()
    fault = machine.record["fault"]
    assert [CHECKS[code].name for code in fault["warning_code"][:1]] == ["vector-add-factor"]
    assert fault["warnings"] == 1


def test_special_values_can_be_read(machine: VectorMachine) -> None:
    machine.record["load_macro_template"] = (1, 2, 3, 4)
    machine.record["load_macro_sequence"] = (5, 6, 7, 8)
    machine.record["load_macro_misc"] = 9
    machine.record["lane_config"] = 0x100
    read = []
    for source in (*range(9), 10, 15):
        machine.run("SFPMOV", lreg_c=source, lreg_dest=0, instr_mod1=8)
        read.append(int(machine.lreg[0, 3]))
    assert read == [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0x100]
