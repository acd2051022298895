"""What users state where the document is silent: overlays' fields and the tables of operations."""

import numpy as np
import pytest

from tilelab.sim.errors import BadInputError, ProgramError
from tilelab.tilext import MissingSpecification, assemble_text, load_profile, run
from tilelab.tilext.disassembler import Disassembler
from tilelab.tilext.errors import NotEncodable
from tilelab.tilext.memory import Span
from tilelab.tilext.operations import (
    AtomicOperation,
    Copy,
    Described,
    MmaOperation,
    Move,
)
from tilext_core import TILE, core

A0, A1, A2 = 10, 11, 12
ATOMIC_RD = {
    "instructions": {"tgatom.rd": {"like": "tsatom.rd", "space": "global", "title": "twin"}},
    "rows": {
        "tgatom.rd": {
            "1": "rs1_en=31=1 rd=27:23 vec_size=22:21 rtn=20=0 rs1=19:15 tuop=14:12=000"
            " rs2_en=8=1 rd_en=7",
            "0": "cas_en=31 memuop=30:25=1xxxxx compare(cas_en:rs3|0)=24:20 rs2=19:15"
            " tuop=14:12=110 tmask=9 lsuop=8:7=01",
        }
    },
}
NEG3 = {"fields": {"talu.3op": {"0": "neg3=31", "1": "format=7 reuse3=31"}}}
ASP_MMA = {
    "rows": {
        "mma.tv": {
            "2": "_=31=0 _=30=1 mode=29:28=10 addrCtl=26 func6=25:20 tuop=14:12=111 vs2=11:7"
        }
    }
}
WAITS = {
    "instructions": {"dte.wait": {"verb": "group_wait"}, "mbar.wait": {"verb": "mbarrier_wait"}},
    "rows": {
        "dte.wait": {"1": "_=31:28=1111 tma_group_id=19:15 tuop=14:12=101 ctrluop=9:7=010"},
        "mbar.wait": {"1": "_=31:28=1110 rs1=19:15 tuop=14:12=101 ctrluop=9:7=010"},
    },
}


def add_u32(inputs):
    old = inputs.old.view("<u4")
    operand = inputs.operand
    if not isinstance(operand, int):
        return old + operand.view("<u4"), None
    return old + np.uint32(operand & 0xFFFFFFFF), int(old[0])


def test_an_added_instruction_encodes_decodes_and_runs():
    machine = core(ATOMIC_RD)
    machine.operations.atomic[33] = AtomicOperation(lambda values: 4, add_u32)
    machine.x[A1], machine.x[A2] = 64, 5
    before = int(machine.memory["global"][64:68].view("<u4")[0])
    text = "tgatom.rd a0, (a1), a2, vec_size=0, rd_en, memuop=33"
    run(machine, text)
    assert machine.x[A0] == before
    assert int(machine.memory["global"][64:68].view("<u4")[0]) == (before + 5) % 2**32
    words = assemble_text(text, machine.profile)
    (item,) = Disassembler(machine.profile).decode(words)
    assert item.candidates[0].name == "tgatom.rd"


def test_atomics_without_rd_en_return_nothing_and_cas_hands_over_rs3():
    machine, seen = core(), []

    def swap(inputs):
        seen.append(inputs.compare)
        return inputs.old, 7

    machine.operations.atomic[40] = AtomicOperation(lambda values: 8, swap)
    machine.x[A0], machine.x[13] = 1, 99
    run(machine, "tsatom.rd a0, (zero), a2, vec_size=0, memuop=40, compare=a3")
    assert (machine.x[A0], seen) == (1, [99])
    run(machine, "tsatom.rd a0, (zero), a2, vec_size=0, memuop=40, rd_en")
    assert (machine.x[A0], seen) == (7, [99, None])
    with pytest.raises(ProgramError, match="there is no rd"):
        run(machine, "tsatom.nord (zero), a2, vec_size=0, memuop=40")


def test_tile_atomics_add_grain_by_grain_under_tmask_at_an_offset():
    machine = core(mask=lambda core, grains: [k % 2 == 0 for k in range(grains)])
    machine.operations.atomic[32] = AtomicOperation(lambda values: TILE, add_u32)
    machine.x[A0], machine.x[A1] = 64, 32
    old, tile = machine.memory["global"][96 : 96 + TILE].copy(), machine.tiles[3].copy()
    run(machine, "tgatom.tile tr3, (a0), vec_size=0, memuop=32, offset=a1, tmask")
    new = machine.memory["global"][96 : 96 + TILE]
    total = (old.view("<u4") + tile.view("<u4")).view(np.uint8)
    chosen = np.repeat([True, False, True, False], 32)
    assert np.array_equal(new, np.where(chosen, total, old))
    machine.x[A0] = 8192 - 64
    with pytest.raises(ProgramError, match="memory has 0x2000 bytes"):
        run(machine, "tgatom.tile tr3, (a0), vec_size=0, memuop=32")


def test_an_atomic_leaves_the_array_that_its_operation_returns_as_it_is():
    kept = np.full(TILE // 4, 7, np.uint32)
    machine = core(mask=lambda core, grains: [k == 0 for k in range(grains)])
    machine.operations.atomic[32] = AtomicOperation(lambda values: TILE, lambda i: (kept, None))
    run(machine, "tgatom.tile tr3, (zero), vec_size=0, memuop=32, tmask")
    assert (kept == 7).all()
    kept.flags.writeable = False
    run(machine, "tgatom.tile tr3, (zero), vec_size=0, memuop=32, tmask")
    assert (machine.memory["global"][:32].view("<u4") == 7).all()


def test_an_atomic_on_what_is_outstanding_is_reported():
    machine = core()
    machine.operations.atomic[32] = AtomicOperation(lambda values: 4, add_u32)
    with pytest.raises(MissingSpecification, match="interlock"):
        run(
            machine,
            "tsst.unit tr0, (zero), tilesize=1\ntsatom.nord (zero), a2, vec_size=0, memuop=32",
        )


def copying(inputs_seen, **where):
    def copy(machine, inputs):
        inputs_seen.append(inputs)
        move = Move(("global", inputs.src), ("share", inputs.dst), int(inputs.vector[0]))
        return Copy((move,), **where)

    return copy


TMA = (
    "tma.copy a0, a1, v1, func6=e32, tmauop=0, dim=1, dstloc=1, completeobj=3, completion=0,"
    " multicastl2"
)


@pytest.mark.parametrize(
    ("where", "wait"),
    [
        ({"group": 2}, "t_wait.tma tma_group_id=2"),
        ({"group": 2}, "dte.wait tma_group_id=2"),
        ({"barrier": 3}, "mbar.wait a3"),
        ({}, "t_wait.all"),
    ],
)
def test_a_copy_is_outstanding_until_its_own_wait(where, wait):
    machine, seen = core(WAITS), []
    machine.operations.copy = copying(seen, **where)
    machine.x[A0], machine.x[A1], machine.x[13] = 256, 512, 3
    machine.v[1].view("<u4")[0] = 100
    run(machine, TMA)
    assert np.array_equal(machine.memory["share"][256:356], machine.memory["global"][512:612])
    assert (seen[0].values["multicastl2"], seen[0].values["completeobj"]) == (1, 3)
    for other in (
        "t_wait.tma tma_group_id=1",
        "t_wait.mma",
        "mbar.wait zero",
        "dte.wait tma_group_id=9",
    ):
        run(machine, other)
        with pytest.raises(MissingSpecification, match=r"share memory at 0x100, which tma\.copy"):
            run(machine, "tsld.unit tr0, (a0), tilesize=1")
    run(machine, f"{wait}\ntsld.unit tr0, (a0), tilesize=1")
    assert machine.counters() == {"tsld": 1}


def test_a_copy_outside_memory_changes_nothing():
    machine = core()
    machine.operations.copy = copying([])
    machine.v[1].view("<u4")[0] = 9000
    with pytest.raises(ProgramError, match="global memory has 0x2000 bytes"):
        run(machine, TMA)
    assert not machine.outstanding


@pytest.mark.parametrize("overlay", [{}, ASP_MMA])
def test_a_descriptor_names_a_matrix_in_memory(overlay):
    machine = core(overlay)
    machine.operations.mma[1] = MmaOperation(lambda i: i.a + i.b.reshape(i.a.shape))

    def describe(machine, vector, values):
        at = int(vector.view("<u4")[0])
        data = machine.memory["share"][at : at + TILE]
        return Described(data, (Span("share", (at,), False, TILE),))

    machine.operations.describe = describe
    machine.v[2].view("<u4")[0] = 320
    expected = machine.tiles[1] + machine.memory["share"][320 : 320 + TILE]
    asp = "func6=e32, " if overlay else ""
    run(machine, f"mma.tv tr0, tr1, v2, {asp}mmauop=1, tilesize=1")
    assert np.array_equal(machine.tiles[0], expected)
    machine.x[A0] = 320
    with pytest.raises(MissingSpecification, match=r"share memory at 0x140, which mma\.tv"):
        run(machine, "tsst.unit tr9, (a0), tilesize=1")


def test_operands_that_an_overlay_adds_reach_the_operation():
    machine, seen = core(NEG3), []
    machine.operations.talu["talu.3op", 0, 2] = lambda i: (seen.append(i), i.sources[0])[1]
    run(machine, "talu.3op tr0, tr1, tr2, tr3, vecuop2=2, vecuop1=0, neg3, reuse3, format")
    assert seen[0].flags == {"neg3", "reuse3", "format"}
    overlay = {"fields": {"talu.1op": {"0": "format=28:25"}}}
    machine = core(overlay | {"codes": {"format": {"fp16": 2, "bf16": 3}}})
    machine.operations.talu["talu.1op", 0, 2] = lambda i: (seen.append(i), i.sources[0])[1]
    run(machine, "talu.1op tr0, tr1, vecuop2=2, vecuop1=0, format=bf16")
    assert seen[1].fields == {"format": 3}
    overlay = {"fields": {"mma.tt": {"1": "sparse=31"}}}
    machine = core(overlay)
    machine.operations.mma[1] = MmaOperation(lambda i: (seen.append(i), i.d)[1])
    run(machine, "mma.tt tr0, tr1, tr2, mmauop=1, tilesize=1, sparse")
    assert seen[2].fields == {"sparse": 1}


@pytest.mark.parametrize(
    ("name", "cell", "text"),
    [
        ("tgld.unit", "cached=10", "tgld.unit tr0, (zero), tilesize=1, cached"),
        ("tmv.t.x", "half=8", "tmv.t.x tr0, a0, func6=u8, half"),
        ("t_wait.all", "late=28:26=1x1", "t_wait.all late=7"),
        ("tcsr", "side=27", "tcsr a0, csr_idx=3, side"),
    ],
)
def test_an_added_operand_that_nothing_would_use_is_refused(name, cell, text):
    slot = "0" if name.startswith("tm") else "1"
    machine = core({"fields": {name: {slot: cell}}})
    machine.csr[3] = 1
    with pytest.raises(ProgramError, match=r"the model has no meaning for \w+="):
        run(machine, text)


def test_words_that_lack_what_the_model_needs_are_an_error_of_the_profile():
    row = "_=31=0 td=30:23 tuop=14:12=110 _=7=0"
    machine = core({"rows": {"tmv.t.x": {"2": row.replace("td=30:23", "_=30=0 mvop=29:27=001")}}})
    with pytest.raises((NotEncodable, BadInputError)):
        run(machine, "tmv.t.x tr0")


def test_tmask_selects_equal_parts_of_a_talu_result():
    machine = core(talu_mask=lambda core: [True, False])
    machine.operations.talu["talu.1op", 1, 1] = lambda i: ~i.sources[0]
    before, source = machine.tiles[2].copy(), machine.tiles[1].copy()
    run(machine, "talu.1op tr2, tr1, vecuop1=1, vecuop2=1, tmask")
    assert np.array_equal(machine.tiles[2][:64], ~source[:64])
    assert np.array_equal(machine.tiles[2][64:], before[64:])
    machine = core(talu_mask=lambda core: [True] * 3)
    machine.operations.talu["talu.1op", 1, 1] = lambda i: ~i.sources[0]
    with pytest.raises(ProgramError, match="3 mask bits do not divide"):
        run(machine, "talu.1op tr2, tr1, vecuop1=1, vecuop2=1, tmask")


@pytest.mark.parametrize("order", ["low", "high"])
def test_nibbles_move_in_the_order_the_user_states(order):
    machine = core(nibble_order=order, move_offset=lambda index, size: index)
    tile = machine.tiles[1].copy()
    halves = (tile & 15, tile >> 4) if order == "low" else (tile >> 4, tile & 15)
    nibbles = np.stack(halves, axis=-1).reshape(-1)
    run(machine, "tmv.v.t v3, tr1, func6=e4")
    assert np.array_equal(machine.v[3], nibbles[:32])
    run(machine, "tmv.t.v tr2, v3, func6=e4")
    assert np.array_equal(machine.tiles[2][:16], tile[:16])
    run(machine, "tmv.x.t a0, tr1, func6=u4\ntmv.x.t a1, tr1, func6=s4")
    signed = int(nibbles[0]) - 16 * int(nibbles[0] > 7)
    assert (machine.x[A0], machine.x[A1]) == (nibbles[0], signed % 2**64)
    machine.x[A2] = 0x5A
    run(machine, "tmv.t.x tr4, a2, func6=u4, bc")
    assert set(machine.tiles[4]) == {0xAA}


def test_index_vectors_of_nibbles_are_the_low_halves_of_bytes():
    machine = core(nibble_order="low")
    machine.v[5][:4] = [7, 0, 3, 0xF2]
    run(machine, "tgld.index tr6, (zero), v5, func6=e4, tilesize=1")
    expected = np.stack([machine.memory["global"][32 * i : 32 * i + 32] for i in (7, 0, 3, 2)])
    assert np.array_equal(machine.tiles[6].reshape(-1, 32), expected)


def test_masked_vector_loads_keep_what_the_user_says_they_keep():
    machine = core(masked_loads_keep=True)
    machine.v[0], machine.v[4] = 0, 77
    machine.v[0, 0] = 0b101
    run(machine, "tmv.v.t v4, tr1, func6=e32.m")
    expected = np.full(32, 77, np.uint8)
    expected[0:4], expected[8:12] = machine.tiles[1][0:4], machine.tiles[1][8:12]
    assert np.array_equal(machine.v[4], expected)


def test_upper_immediate_bits_beside_a_register_follow_their_own_rule():
    machine = core(immediate_with_register=lambda imm: 2 * imm)
    machine.x[A1] = 64
    run(machine, "tgld.unit tr0, (zero), tilesize=1, offset=a1, imm=64")
    assert np.array_equal(machine.tiles[0], machine.memory["global"][192 : 192 + TILE])


def test_a_user_instruction_runs_the_users_function_and_may_wait():
    overlay = {
        "instructions": {"sem.wait": {"verb": "user"}},
        "rows": {"sem.wait": {"1": "rs1=19:15 tuop=14:12=101 ctrluop=9:7=011"}},
    }
    machine = core(overlay)
    with pytest.raises(ProgramError, match=r"operations\.user has no function"):
        run(machine, "sem.wait a0")
    calls = []
    machine.operations.user["sem.wait"] = lambda core, values: calls.append(values["rs1"])
    run(machine, "sem.wait a0")
    assert calls == [10]


@pytest.mark.parametrize(
    ("overlay", "message"),
    [
        ({"instructions": {"x.y": {}}}, "wants `like`"),
        ({"instructions": {"x.y": {"like": "tcsr", "verb": "user"}}}, "wants `like`"),
        ({"instructions": {"x.y": {"like": "nothing"}}}, "'nothing' is neither"),
        ({"instructions": {"x.y": {"like": "tcsr"}}}, "has no words"),
        ({"instructions": {"X!": {"like": "tcsr"}}}, "a name is of"),
        ({"instructions": {"tcsr": {"like": "tcsrw"}}}, "is in the document"),
        ({"instructions": {"x.y": {"like": "tcsr", "space": "moon"}}}, "is one of global"),
        ({"instructions": {"x.y": {"like": "tcsr", "color": "red"}}}, "has no key color"),
        ({"instructions": {"x.y": {"like": "tcsr", "title": "a\nb"}}}, "one printable line"),
        ({"instructions": {"x.y": 3}}, "wrong type"),
        ({"fields": {"tcsr": {"0": "a=31"}}}, "has no word 0"),
        ({"fields": {"tcsr": {"1": "a=30:29"}}}, "overlap"),
        ({"fields": {"nothing": {"1": "a=30:29"}}}, "is not an instruction"),
        ({"codes": {"mmauop": {"big": 32}}}, "needs over 5 bits"),
        ({"opcode": {"3": 0x7B}}, "opcode.3 is not a slot"),
    ],
)
def test_overlays_that_do_not_fit_are_refused(overlay, message):
    with pytest.raises(BadInputError, match=message):
        load_profile("repaired", overlay)


def test_an_overlay_gives_integer_and_vector_moves_their_index():
    cell = "index(rs2_en:rs2|imm)=19:15 rs2_en=7"
    overlay = {"fields": {name: {"0": cell} for name in ("tmv.t.x", "tmv.t.v", "tmv.v.t")}}
    machine = core(overlay, move_offset=lambda index, size: index * size)
    machine.x[A0], machine.x[A1] = 0xABCD, 3
    tile, vector = machine.tiles[2].copy(), machine.tiles[1][12:44].copy()
    run(machine, "tmv.t.x tr2, a0, func6=u16, index=a1")
    tile[6:8] = (0xCD, 0xAB)
    assert np.array_equal(machine.tiles[2], tile)
    run(machine, "tmv.v.t v3, tr1, func6=e32, index=3")
    assert np.array_equal(machine.v[3], vector)
    run(machine, "tmv.t.v tr4, v3, func6=e16, index=a1")
    assert np.array_equal(machine.tiles[4][6:38], vector)
    with pytest.raises(ProgramError, match="index 30 is outside"):
        run(machine, "tmv.v.t v3, tr1, func6=e32, index=30")


def test_the_immediate_of_an_atomic_that_names_none_is_not_guessed():
    machine = core(immediate_offset=lambda imm, bits: 32 * imm)
    machine.operations.atomic[40] = AtomicOperation(lambda values: 8, lambda i: (i.old, None))
    run(machine, "tsatom.nord (zero), a2, vec_size=0, memuop=40")
    with pytest.raises(MissingSpecification, match="offset-immediate"):
        run(machine, "tsatom.nord (zero), a2, vec_size=0, memuop=40, compare=3")
