"""SFPLOADMACRO against the same instructions written out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilelab.sim.checks import CHECKS
from tilelab.sim.errors import MachineError
from tilelab.sim.record import differences
from tilelab.tensix.backend.vector_unit.load_macro import elapse
from tilelab.tensix.tile.tile import Tile
from vector_machine import CHIPS, VectorMachine, fp32

SIMPLE, MAD, ROUND, STORE = range(4)
EXTRA, AS_VB = 0x40, 0x80
NOP, OWN_STORE = 2, 3
FP32 = 3


@pytest.fixture(params=CHIPS)
def machine(request: pytest.FixtureRequest) -> VectorMachine:
    return prepared(request.param)


def prepared(chip: str, seed: int = 0) -> VectorMachine:
    machine = VectorMachine(chip)
    rng = np.random.default_rng(seed)
    machine.record["dst"] = rng.integers(0, 2**16, (1024, 16))
    machine.lreg[:8] = fp32(rng.normal(size=(8, 32)))
    return machine


def byte(choice: int, delay: int = 0, bits: int = 0) -> int:
    return bits | delay << 3 | choice


def configure(machine: VectorMachine, sequence: dict[int, int], misc: int = FP32) -> None:
    machine.record["load_macro_sequence"][0] = sum(b << (8 * u) for u, b in sequence.items())
    machine.record["load_macro_misc"] = misc


def template(machine: VectorMachine, index: int, name: str, **fields: int) -> None:
    machine.record["load_macro_template"][index] = machine.encode(name, **fields)


def macro(machine: VectorMachine, vd: int, address: int, mode: int = FP32) -> None:
    machine.run("SFPLOADMACRO", lreg_ind=vd & 3, instr_mod0=mode, dest_reg_addr=address | vd >> 2)


def drain(machine: VectorMachine, cycles: int = 10) -> None:
    for _ in range(cycles):
        machine.run("SFPNOP")
    assert machine.record["load_macro_busy"] == 0


@settings(max_examples=40)
@given(
    chip=st.sampled_from(CHIPS),
    seed=st.integers(0, 1000),
    delays=st.lists(st.integers(0, 7), min_size=4, max_size=4, unique=True)
    .map(sorted)
    .filter(lambda delays: delays[ROUND] - delays[MAD] >= 2),
    gap=st.integers(0, 2),
    registers=st.lists(st.integers(0, 7), min_size=3, max_size=6),
)
def test_a_pipeline_of_macros_equals_the_instructions_one_by_one(
    chip: str, seed: int, delays: list[int], gap: int, registers: list[int]
) -> None:
    """|x| * 3 rounded, stored in place; rounding waits for the MAD's two cycles."""
    pipeline, plain = prepared(chip, seed), prepared(chip, seed)
    # a register may be loaded again in the cycle of its store, which reads it before
    spacing = max(gap, delays[STORE])
    for machine in (pipeline, plain):
        machine.lreg[11] = fp32(3.0)
    configure(
        pipeline,
        {
            SIMPLE: byte(4, delays[0]),
            MAD: byte(5, delays[1]),
            ROUND: byte(6, delays[2]),
            STORE: byte(OWN_STORE, delays[3]),
        },
    )
    template(pipeline, 0, "SFPABS", instr_mod1=1)
    template(pipeline, 1, "SFPMUL", lreg_src_a=11, lreg_src_b=2, lreg_src_c=9)
    # the macro's register must replace VB, since VC is the zero that is added
    pipeline.record["load_macro_sequence"][0] |= AS_VB << 8
    template(pipeline, 2, "SFP_STOCH_RND", instr_mod1=1)
    last_use: dict[int, int] = {}
    for i, vd in enumerate(registers):
        address = 4 * i
        for _ in range(gap if vd not in last_use else spacing):
            pipeline.run("SFPNOP")
        macro(pipeline, vd, address)
        last_use[vd] = i
        odd = vd >> 2  # the register's upper bit is the address's lowest one, which is unused
        plain.run("SFPLOAD", lreg_ind=vd, instr_mod0=FP32, dest_reg_addr=address | odd)
        plain.run("SFPABS", lreg_c=vd, lreg_dest=vd, instr_mod1=1)
        plain.run("SFPMUL", lreg_src_a=11, lreg_src_b=vd, lreg_src_c=9, lreg_dest=vd)
        plain.run("SFP_STOCH_RND", lreg_src_c=vd, lreg_dest=vd, instr_mod1=1)
        plain.run("SFPSTORE", lreg_ind=vd, instr_mod0=FP32, dest_reg_addr=address | odd)
    drain(pipeline)
    np.testing.assert_array_equal(pipeline.record["dst"], plain.record["dst"])
    np.testing.assert_array_equal(pipeline.lreg[:16], plain.lreg[:16])


def test_templates_recorded_by_destination_execute(machine: VectorMachine) -> None:
    machine.run("SFPIADD", imm12_math=5, lreg_c=0, lreg_dest=14, instr_mod1=5)
    configure(machine, {SIMPLE: byte(6)})
    macro(machine, 1, 0)
    machine.lreg[1] = 100
    drain(machine)
    assert set(machine.lreg[1].tolist()) == {105}


def test_the_extra_register_carries_a_result_to_the_store(machine: VectorMachine) -> None:
    template(machine, 0, "SFPADD", lreg_src_a=10, lreg_src_b=10, lreg_dest=0)
    configure(machine, {MAD: byte(4, 0, EXTRA), STORE: byte(OWN_STORE, 2, EXTRA)})
    macro(machine, 2, 8)
    loaded = machine.lreg[2].copy()
    drain(machine)
    np.testing.assert_array_equal(machine.lreg[2], loaded)
    result = machine.lreg[16].copy()
    machine.run("SFPADD", lreg_src_a=10, lreg_src_b=10, lreg_src_c=2, lreg_dest=3)
    np.testing.assert_array_equal(machine.lreg[3], result)
    machine.run("SFPLOAD", lreg_ind=4, instr_mod0=FP32, dest_reg_addr=8)
    normal = (result & 0x7F800000) != 0
    np.testing.assert_array_equal(machine.lreg[4][normal], result[normal])


@pytest.mark.parametrize("delay", range(8))
def test_a_delay_counts_instructions(machine: VectorMachine, delay: int) -> None:
    template(machine, 0, "SFPNOT")
    configure(machine, {SIMPLE: byte(4, delay, EXTRA)}, misc=1 << 8)
    macro(machine, 0, 0)
    for _ in range(delay):
        machine.run("SFPNOP")
        assert not machine.lreg[16].any()
    for _ in range(3):
        assert elapse(machine.s, 0) == 0  # a cycle without a vector instruction
    assert machine.lreg[16].any(), "what has counted down executes in the next cycle"


def test_only_cycle_delays_pass_without_instructions(machine: VectorMachine) -> None:
    template(machine, 0, "SFPNOT")
    configure(machine, {SIMPLE: byte(4, 3, EXTRA)}, misc=0)
    macro(machine, 0, 0)
    for _ in range(4):
        elapse(machine.s, 0)
        assert not machine.lreg[16].any()
    elapse(machine.s, 0)
    assert machine.lreg[16].any(), "the result appears in the next cycle"
    machine.lreg[16] = 0
    configure(machine, {SIMPLE: byte(4, 3, EXTRA), STORE: byte(OWN_STORE, 5)}, misc=8 << 8)
    macro(machine, 0, 0)
    for _ in range(20):
        elapse(machine.s, 0)
    assert not machine.lreg[16].any(), "one that counts instructions holds up all"
    drain(machine)
    assert machine.lreg[16].any()


def test_a_later_macro_replaces_what_would_execute_at_the_same_time(
    machine: VectorMachine,
) -> None:
    template(machine, 0, "SFPNOT")
    template(machine, 1, "SFPMOV")
    configure(machine, {SIMPLE: byte(4, 1, EXTRA)})
    macro(machine, 0, 0)
    configure(machine, {SIMPLE: byte(5, 0, EXTRA)})
    macro(machine, 0, 0)
    drain(machine)
    np.testing.assert_array_equal(machine.lreg[16], machine.lreg[0])


def test_a_store_goes_where_the_macro_loaded_from(machine: VectorMachine) -> None:
    machine.state.set_config_field("ADDR_MOD_DST_SEC0_DestIncr", 16, bank=1)
    configure(machine, {STORE: byte(7, 1, AS_VB)}, misc=FP32)
    template(machine, 3, "SFPSTORE", lreg_ind=9, instr_mod0=6, dest_reg_addr=400)
    before = machine.record["dst"].copy()
    macro(machine, 0, 32)
    assert machine.record["rwc"]["dst"][1] == 16
    drain(machine)
    assert machine.record["rwc"]["dst"][1] == 16, "the store does not step the counters"
    changed = np.flatnonzero((machine.record["dst"] != before).any(axis=1))
    assert set(changed.tolist()) == {*range(64, 68), *range(72, 76)}
    assert not machine.record["dst"][64:68, ::2].any(), "LReg[9] is zero"


def test_a_store_may_use_the_load_s_format(machine: VectorMachine) -> None:
    configure(machine, {STORE: byte(OWN_STORE)}, misc=1 << 4 | 3)
    before = machine.record["dst"].copy()
    macro(machine, 0, 32, mode=6)
    machine.lreg[0] = 0x1234
    drain(machine)
    changed = np.flatnonzero((machine.record["dst"] != before).any(axis=1))
    assert changed.tolist() == [32, 33, 34, 35]
    assert (machine.record["dst"][32:36, ::2] == 0x1234).all()


def test_instructions_must_not_meet_in_a_sub_unit(machine: VectorMachine) -> None:
    template(machine, 0, "SFPNOT")
    configure(machine, {SIMPLE: byte(4, 0, EXTRA)})
    macro(machine, 0, 0)
    fields = {"lreg_c": 10, "lreg_dest": 5}
    assert machine.attempt("SFPMOV", **fields) == "vector-macro-clash"
    machine.allow("vector-macro-clash")
    before = machine.lreg[5].copy()
    machine.run("SFPMOV", **fields)
    np.testing.assert_array_equal(machine.lreg[5], before)
    machine.run("SFPMOV", **fields)
    assert machine.lreg[16].any(), "the scheduled instruction took the place"
    assert machine.lreg[5, 0] == machine.lreg[10, 0]


@pytest.mark.parametrize(
    "sequence", [{SIMPLE: byte(1)}, {STORE: byte(NOP)}, {STORE: byte(4)}], ids=repr
)
def test_senseless_sequences_are_refused(machine: VectorMachine, sequence: dict[int, int]) -> None:
    configure(machine, sequence)
    before = machine.record["lreg"].copy()
    assert machine.attempt("SFPLOADMACRO", lreg_ind=0) == "vector-macro-sequence"
    np.testing.assert_array_equal(machine.record["lreg"], before)


def test_an_unsuitable_template_is_a_nop(machine: VectorMachine) -> None:
    template(machine, 0, "SFPMAD", lreg_src_a=10, lreg_src_b=10)
    configure(machine, {SIMPLE: byte(4), ROUND: byte(4)})
    macro(machine, 0, 0)
    before = machine.lreg.copy()
    drain(machine)
    np.testing.assert_array_equal(machine.lreg, before)


def test_a_failed_check_of_a_scheduled_instruction_is_reported(machine: VectorMachine) -> None:
    template(machine, 0, "SFPPOPC")
    configure(machine, {SIMPLE: byte(4)})
    macro(machine, 0, 0)
    assert machine.attempt("SFPNOP") == "vector-flag-stack-empty"
    assert CHECKS[int(machine.record["fault"]["code"])].name == "vector-flag-stack-empty"


EVERY_SUB_UNIT = {
    SIMPLE: [
        *("SFPDIVP2", "SFPEXEXP", "SFPEXMAN", "SFPIADD", "SFPSHFT", "SFPSETCC", "SFPMOV"),
        *("SFPABS", "SFPAND", "SFPOR", "SFPNOT", "SFPLZ", "SFPSETEXP", "SFPSETMAN", "SFPPUSHC"),
        *("SFPSETSGN", "SFPENCC", "SFPCOMPC", "SFPTRANSP", "SFPXOR", "SFPCAST", "SFPCONFIG"),
        *("SFPSWAP", "SFPLE", "SFPGT", "SFPARECIP", "SFPNOP"),
    ],
    MAD: ["SFPLUT", "SFPMULI", "SFPADDI", "SFPMAD", "SFPLUTFP32", "SFPMUL24", "SFPNOP"],
    ROUND: ["SFP_STOCH_RND", "SFPSHFT2", "SFPNOP"],
}
CASES = [(unit, name) for unit, names in EVERY_SUB_UNIT.items() for name in names]


@pytest.mark.parametrize(("unit", "name"), CASES)
def test_every_instruction_can_be_scheduled(machine: VectorMachine, unit: int, name: str) -> None:
    """All of its registers the macro's, it does what it does when it is issued with them."""
    if name not in machine.state.arch.instructions:
        pytest.skip("Blackhole's instruction")
    names = {field.name for field in machine.state.arch.instructions[name].fields}
    fields = {"lreg_src_a": 1, "lreg_src_b": 3, "imm16_math": 0x4080, "lreg_dest": 3}
    fields |= {"lreg_c": 3, "lreg_src_c": 9 if name == "SFPMUL24" else 3, "lreg_ind": 3}
    fields = {key: value for key, value in fields.items() if key in names}
    if name == "SFPCONFIG":
        fields["config_dest"] = 3
    alone = prepared(machine.chip)
    for each in (machine, alone):
        each.lreg[0] = 77
        template(each, 2, name, **fields)
        configure(each, {unit: byte(6, 0, AS_VB if name == "SFPMUL24" else 0)})
    macro(machine, 3, 0)
    drain(machine)
    alone.run("SFPLOAD", lreg_ind=3, instr_mod0=FP32)
    alone.run(name, **fields)
    for pending in ("load_macro_word", "load_macro_operands", "late_value", "late_flags"):
        alone.record[pending] = machine.record[pending]
    alone.record["late_use_flags"] = machine.record["late_use_flags"]
    scratches = [name for name in machine.record.dtype.names if name.startswith("scratch")]
    for scratch in (*scratches, "vector_rotated"):
        alone.record[scratch] = machine.record[scratch]
    assert not differences(alone.record, machine.record)


def test_the_macro_s_register_replaces_vc_or_vb(machine: VectorMachine) -> None:
    template(machine, 0, "SFPIADD", lreg_c=6, lreg_dest=5, instr_mod1=6)  # VC - VB
    configure(machine, {SIMPLE: byte(4, 0, EXTRA)})
    macro(machine, 1, 0)
    drain(machine)
    np.testing.assert_array_equal(machine.lreg[16], machine.lreg[1] - machine.lreg[5])
    configure(machine, {SIMPLE: byte(4, 0, EXTRA | AS_VB)})
    macro(machine, 1, 0)
    drain(machine)
    np.testing.assert_array_equal(machine.lreg[16], machine.lreg[6] - machine.lreg[1])


def test_an_immediate_multiply_takes_its_own_destination_for_vc(machine: VectorMachine) -> None:
    template(machine, 0, "SFPMULI", imm16_math=0x3F80, lreg_dest=5)
    configure(machine, {MAD: byte(4, 0, EXTRA | AS_VB)})
    macro(machine, 1, 0)
    drain(machine)
    np.testing.assert_array_equal(machine.lreg[16], machine.lreg[5])


def test_one_multiplication_a_cycle() -> None:
    """A vendor kernel's schedule: a load, a MAD and a store in every cycle, one register each."""
    machine, plain = prepared("blackhole"), prepared("blackhole")
    template(machine, 0, "SFPMUL24", lreg_src_a=0, lreg_src_c=9)
    configure(machine, {MAD: byte(4, 0, AS_VB | EXTRA), STORE: byte(OWN_STORE, 2, EXTRA)}, misc=6)
    for row in range(0, 64, 2):
        macro(machine, 0, row, mode=6)
        plain.run("SFPLOAD", lreg_ind=0, instr_mod0=6, dest_reg_addr=row)
        plain.run("SFPMUL24", lreg_src_c=9)
        plain.run("SFPSTORE", lreg_ind=0, instr_mod0=6, dest_reg_addr=row)
    drain(machine)
    np.testing.assert_array_equal(machine.record["dst"], plain.record["dst"])


def test_flags_set_in_a_cycle_predicate_the_next(machine: VectorMachine) -> None:
    """A vendor kernel's where(condition, a, b), three cycles a row: flags change under loads."""
    machine.run("SFPENCC", imm12_math=3, instr_mod1=10)
    machine.record["dst"][0:64, ::4] = 0  # some conditions are false
    template(machine, 0, "SFPSETCC", instr_mod1=6)
    template(machine, 1, "SFPENCC")
    machine.record["load_macro_sequence"][0] = byte(4) | byte(OWN_STORE, 2) << 24
    machine.record["load_macro_sequence"][2] = byte(5)
    machine.record["load_macro_misc"] = 6
    dst = machine.record["dst"].copy()
    for row in range(0, 64, 2):
        machine.run("SFPLOADMACRO", lreg_ind=0 << 2, instr_mod0=6, dest_reg_addr=row)
        machine.run("SFPLOADMACRO", lreg_ind=2 << 2, instr_mod0=6, dest_reg_addr=64 + row)
        machine.run("SFPLOAD", lreg_ind=0, instr_mod0=6, dest_reg_addr=128 + row)
    drain(machine)
    expected = np.where(dst[0:64] != 0, dst[64:128], dst[128:192])
    np.testing.assert_array_equal(machine.record["dst"][0:64], expected)
    np.testing.assert_array_equal(machine.record["dst"][64:], dst[64:])


def test_a_schedule_interleaved_with_issued_instructions(machine: VectorMachine) -> None:
    """A vendor kernel's int32 to BF16: issued and scheduled instructions share the sub-units."""
    plain = prepared(machine.chip)
    temporary = 4
    for each in (machine, plain):
        each.run("SFPENCC", imm12_math=3, instr_mod1=10)
        each.lreg[12] = 0xFFFFFFE1  # -31
        each.record["dst"][::7] = 0
        each.record["dst"][5::16, 3] = 0x8000
    template(machine, 0, "SFPSETSGN", lreg_c=temporary)
    template(machine, 1, "SFPMAD", lreg_src_b=10, instr_mod1=4)
    template(machine, 2, "SFP_STOCH_RND", instr_mod1=1)
    configure(
        machine,
        {
            SIMPLE: byte(4, 3, AS_VB),
            MAD: byte(5, 4),
            ROUND: byte(6, 6, EXTRA),
            STORE: byte(OWN_STORE, 7, EXTRA),
        },
        misc=0x700 | 2,
    )
    machine.run("SFPLOADI", lreg_ind=0, instr_mod0=2)
    machine.run("SFPLOADI", lreg_ind=1, imm16=0xCF00)
    for row in range(0, 64, 2):
        value = 2 + (row >> 1 & 1)
        macro(machine, value, row, mode=4)
        machine.run("SFPABS", lreg_c=value, lreg_dest=temporary)
        machine.run("SFPSHFT2", imm12_math=temporary, lreg_src_c=12, lreg_dest=7, instr_mod1=5)
        machine.run("SFPCAST", lreg_src_c=temporary, lreg_dest=temporary)

        plain.run("SFPLOAD", lreg_ind=0, instr_mod0=4, dest_reg_addr=row)
        plain.run("SFPABS", lreg_c=0, lreg_dest=1)
        plain.run("SFPCAST", lreg_src_c=1, lreg_dest=2)
        plain.run("SFPSETSGN", lreg_c=2, lreg_dest=0)
        plain.run("SFPSETCC", lreg_c=1)
        plain.run("SFPADDI", imm16_math=0xCF00, lreg_dest=0)
        plain.run("SFPENCC")
        plain.run("SFP_STOCH_RND", lreg_src_c=0, lreg_dest=0, instr_mod1=1)
        plain.run("SFPSTORE", lreg_ind=0, instr_mod0=2, dest_reg_addr=row)
    drain(machine)
    np.testing.assert_array_equal(machine.record["dst"], plain.record["dst"])


@pytest.mark.parametrize("engine", ["reference", "fast"])
@pytest.mark.parametrize("chip", ["blackhole", "wormhole"])
def test_a_refused_word_does_not_advance_what_is_scheduled(chip: str, engine: str) -> None:
    tile = Tile(chip, engine)
    rows = tile.arch.instructions
    tile.state.lreg[0] = 0x40000000
    tile.state.load_macro_template[0] = rows["SFPMUL"].opcode << 24 | 9 << 8 | 1 << 4
    tile.state.load_macro_sequence[0] = (4 | 3 << 3) << 8  # the MAD unit, three later
    tile.execute(rows["SFPLOADMACRO"].opcode << 24 | 3 << 16)
    assert tile.state.load_macro_pending
    before = tile.state.snapshot()
    for _ in range(4):
        with pytest.raises(MachineError):
            tile.execute(0x77000036)  # SFPEXEXP with a reserved Mod1
        assert tile.state.diff(before) == []
