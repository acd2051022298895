"""The functional model: what is stated works, what is not raises its question."""

import random
from collections import Counter
from contextlib import suppress

import numpy as np
import pytest

from tilelab.sim.errors import BadInputError, ProgramError, TilelabError
from tilelab.tilext import MissingSpecification, Parameters, TileCore, load_profile, run
from tilelab.tilext.disassembler import Decoded
from tilelab.tilext.forms import FORMS, OVERLAY_FORMS
from tilelab.tilext.fuzz import random_values
from tilelab.tilext.machine import execute
from tilelab.tilext.operations import MmaOperation
from tilelab.tilext.table import TABLE
from tilelab.tilext.verbs import VERBS

A0, A1, A2 = 10, 11, 12
TILE = 128  # bytes, four grains


def core(**answers):
    machine = TileCore(Parameters(TILE, 32, 256, global_bytes=8192, share_bytes=8192, **answers))
    rng = np.random.default_rng(4)
    machine.tiles[:] = rng.integers(0, 256, machine.tiles.shape)
    machine.v[:] = rng.integers(0, 256, machine.v.shape)
    for memory in machine.memory.values():
        memory[:] = rng.integers(0, 256, memory.shape)
    return machine


def asks(key):
    return pytest.raises(MissingSpecification, match=rf"not specified \({key}\)")


def test_every_instruction_is_run_or_raises():
    assert FORMS.keys() == TABLE.keys()
    verbs = VERBS.keys() | {"sync", "wait", "user"}
    assert {form.verb for form in (*FORMS.values(), *OVERLAY_FORMS.values())} <= verbs


@pytest.mark.parametrize(("letter", "space"), [("g", "global"), ("s", "share")])
@pytest.mark.parametrize("size", [1, 2, 4, 8])
def test_unit_stride(letter, space, size):
    machine = core()
    machine.x[A0], machine.x[A1] = 96, 4000
    memory = machine.memory[space]
    expected = memory[4096 : 4096 + size * TILE].copy()
    run(machine, f"t{letter}ld.unit tr4, (a0), tilesize={size}, offset=a1\nt_wait.all")
    assert np.array_equal(machine.tiles[4 : 4 + size].reshape(-1), expected)
    run(machine, f"t{letter}st.unit tr4, (a0), tilesize={size}\nt_wait.all")
    assert np.array_equal(memory[96 : 96 + size * TILE], expected)


@pytest.mark.parametrize("stride", [1, 2, 5, -3])
def test_stride(stride):
    machine = core()
    machine.x[A0], machine.x[A1] = 2048, stride
    at = [2048 + 32 * stride * k for k in range(8)]
    expected = np.stack([machine.memory["share"][a : a + 32] for a in at])
    run(machine, "tsld.stride tr2, (a0), a1, tilesize=2\nt_wait.all")
    assert np.array_equal(machine.tiles[2:4].reshape(-1, 32), expected)
    run(machine, "tgst.stride tr2, (a0), a1, tilesize=2")
    assert np.array_equal(machine.memory["global"][at[3] : at[3] + 32], expected[3])


@pytest.mark.parametrize(("code", "kind"), [("e8", "u1"), ("e16", "<u2"), ("e32", "<u4")])
def test_index_vector(code, kind):
    machine = core()
    index = [7, 0, 3, 9]
    machine.v[5].view(kind)[:4] = index
    run(machine, f"tgld.index tr6, (zero), v5, func6={code}, tilesize=1\nt_wait.all")
    expected = np.stack([machine.memory["global"][32 * i : 32 * i + 32] for i in index])
    assert np.array_equal(machine.tiles[6].reshape(-1, 32), expected)
    run(machine, f"tsst.index tr6, (zero), v5, func6={code}, tilesize=1")
    assert np.array_equal(machine.memory["share"][9 * 32 : 10 * 32], expected[3])


def test_tmask_selects_grains():
    machine = core(mask=lambda core, grains: [k % 2 == 0 for k in range(grains)])
    before = machine.tiles[0].reshape(-1, 32).copy()
    run(machine, "tgld.unit tr0, (zero), tilesize=1, tmask")
    after = machine.tiles[0].reshape(-1, 32)
    memory = machine.memory["global"][:128].reshape(-1, 32)
    assert np.array_equal(after[[0, 2]], memory[[0, 2]])
    assert np.array_equal(after[[1, 3]], before[[1, 3]])


def test_a_masked_grain_may_lie_outside_memory():
    machine = core(mask=lambda core, grains: [True, True, False, False])
    machine.x[A0] = 8192 - 64
    run(machine, "tgld.unit tr0, (a0), tilesize=1, tmask")
    with pytest.raises(ProgramError, match="global memory has 0x2000 bytes, the access is at"):
        run(core_at(8192 - 64), "tgld.unit tr0, (a0), tilesize=1")


def core_at(address):
    machine = core()
    machine.x[A0] = address
    return machine


def test_an_immediate_offset_follows_the_users_rule():
    machine = core(immediate_offset=lambda imm, bits: 32 * imm)
    run(machine, "tgld.unit tr0, (zero), tilesize=1, offset=33")
    assert np.array_equal(machine.tiles[0], machine.memory["global"][1056 : 1056 + TILE])


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("tgld.unit tr0, (zero), tilesize=1, offset=4", "offset-immediate"),
        ("tgld.unit tr0, (zero), tilesize=1, offset=a1, imm=32", "offset-immediate"),
        ("tgld.unit tr0, (zero), tilesize=1, tmask", "mask-source"),
        ("tgld.unit tr31, (zero), tilesize=2", "tile-registers"),
        ("tgst.stride tr0, (zero), zero, tilesize=1", "store-overlap"),
        ("tgld.index tr0, (zero), v1, func6=e4, tilesize=1", "nibble"),
        ("tgld.index tr0, (zero), v0, func6=e64, tilesize=8", "index-vector"),
        ("tgld.index tr0, (zero), v2, func6=e8, tilesize=1", "index-vector"),
        ("tgld.index tr0, (zero), v1, func6=e8.m, tilesize=1", "vector-mask-policy"),
        ("tgld.index tr0, (zero), v1, func6=e8, tilesize=1, addrCtl", "addrctl"),
        ("tsatom.rd a0, (a1), a2, vec_size=0, memuop=32", "atomic-codes"),
        ("tgatom.tile tr0, (a1), vec_size=0, memuop=32", "atomic-codes"),
        (
            "tma.copy a0, a1, v1, func6=e32, tmauop=0, dim=0, dstloc=0, completeobj=0,"
            " completion=0",
            "tma-codes",
        ),
        ("tcsr a0, csr_idx=3", "csr-list"),
        ("mma.tt tr0, tr1, tr2, mmauop=1, tilesize=1", "mmauop"),
        ("mma.tv tr0, tr1, v2, mmauop=1, tilesize=1", "mma-asp"),
        ("mma.tt tr0, tr1, tr2, mmauop=0, tilesize=2", "mma-shape"),
        ("talu.1op tr0, tr1, vecuop1=0, vecuop2=1", "talu-class"),
        ("talu.1op tr0, tr1, vecuop1=0, vecuop2=0, tmask", "talu-mask"),
        ("tmv.x.t a0, tr1, func6=u4", "nibble"),
        ("tmv.x.t a0, tr1, func6=u8, bc", "broadcast"),
        ("tmv.t.x tr1, a0, func6=u8, addrCtl", "addrctl"),
        ("tmv.f.t fa0, tr1, func6=fp32, index=1", "move-index"),
        ("tmv.t.f tr1, fa0, func6=fp32, index=1, bc", "broadcast"),
        ("tmv.v.t v1, tr1, func6=e8.m", "vector-mask-policy"),
        ("t_wait.mem global/share=1, st_cnt=0, ld_cnt=0, ld_en", "t_wait-space"),
    ],
)
def test_what_is_not_specified_raises_its_question_and_changes_nothing(text, key):
    machine = core()
    machine.v[0], machine.v[1], machine.v[2] = 0, 1, 0xFF
    machine.operations.mma[0] = MmaOperation(lambda inputs: inputs.d)
    machine.operations.talu["talu.1op", 0, 0] = lambda inputs: inputs.sources[0]
    tiles, memory = machine.tiles.copy(), machine.memory["global"].copy()
    with asks(key):
        run(machine, text)
    assert np.array_equal(machine.tiles, tiles)
    assert np.array_equal(machine.memory["global"], memory)
    assert machine.outstanding == []


def test_the_printed_profile_has_no_tilesize_codes():
    machine = TileCore(Parameters(TILE, 32, 256), load_profile("printed"))
    with asks("tilesize-code"):
        run(machine, "tgst.unit tr0, (zero), tilesize=1")


@pytest.mark.parametrize(
    ("code", "bits", "signed"),
    [
        ("u8", 8, False),
        ("u16", 16, False),
        ("u32", 32, False),
        ("x64", 64, False),
        ("s16", 16, True),
        ("s32", 32, True),
        ("x64.1", 64, False),
    ],
)
def test_integer_moves(code, bits, signed):
    machine = core()
    machine.x[A0] = 0x8182_8384_8586_8788
    before = machine.tiles[3].copy()
    run(machine, f"tmv.t.x tr3, a0, func6={code}\ntmv.x.t a1, tr3, func6={code}")
    low = machine.x[A0] & ((1 << bits) - 1)
    negative = signed and low >> (bits - 1)
    assert machine.x[A1] == (low | (1 << 64) - (1 << bits) if negative else low)
    assert np.array_equal(machine.tiles[3][bits // 8 :], before[bits // 8 :])
    run(machine, f"tmv.t.x tr3, a0, func6={code}, bc")
    data = np.frombuffer(low.to_bytes(bits // 8, "little"), np.uint8)
    assert np.array_equal(machine.tiles[3], np.tile(data, TILE * 8 // bits))


def test_x0_stays_zero():
    machine = core()
    run(machine, "tmv.x.t zero, tr3, func6=x64")
    assert machine.read_x(0) == 0


@pytest.mark.parametrize(("code", "bits"), [("fp16", 16), ("fp32", 32), ("fp64", 64)])
def test_float_moves_with_an_index_in_elements(code, bits):
    machine = core(move_offset=lambda index, size: index * size)
    machine.f[A0], machine.x[A2] = 0x1122_3344_5566_7788, 5
    run(machine, f"tmv.t.f tr3, fa0, func6={code}, index=a2")
    place = machine.tiles[3][5 * bits // 8 : 6 * bits // 8]
    low = machine.f[A0] & ((1 << bits) - 1)
    assert int.from_bytes(place.tobytes(), "little") == low
    run(machine, f"tmv.f.t fa1, tr3, func6={code}, index=5")
    assert machine.f[A1] == low | ((1 << 64) - (1 << bits))
    with pytest.raises(ProgramError, match="index 31 is outside"):
        run(core(move_offset=lambda i, s: 1000), "tmv.t.f tr3, fa0, func6=fp16, index=31")


def test_vector_moves():
    machine = core()
    run(machine, "tmv.t.v tr1, v3, func6=e8\ntmv.v.t v4, tr1, func6=e32")
    assert np.array_equal(machine.tiles[1][:32], machine.v[3])
    assert np.array_equal(machine.v[4], machine.v[3])
    run(machine, "tmv.t.v tr2, v3, func6=e16, bc")
    assert np.array_equal(machine.tiles[2].reshape(4, 32), np.tile(machine.v[3], (4, 1)))


def test_a_masked_vector_move_writes_active_elements():
    machine = core()
    machine.v[0] = 0
    machine.v[0, 0] = 0b0000_0101
    before = machine.tiles[1].copy()
    run(machine, "tmv.t.v tr1, v3, func6=e32.m")
    changed = np.r_[0:4, 8:12]
    assert np.array_equal(machine.tiles[1][changed], machine.v[3][changed])
    kept = np.setdiff1d(np.arange(TILE), changed)
    assert np.array_equal(machine.tiles[1][kept], before[kept])


@pytest.mark.parametrize("text", ["tmv.t.v tr1, v3, func6=e8", "tmv.v.t v3, tr1, func6=e8"])
def test_a_vector_larger_than_a_tile_register(text):
    with asks("vector-move-size"):
        run(TileCore(Parameters(32, 8, 512)), text)


def test_csrs():
    machine = core()
    machine.csr[5] = 0xABC
    run(machine, "tcsr a0, csr_idx=5")
    assert machine.x[A0] == 0xABC
    row = "rs1_en=31=1 rd_en=30 csr_uop=29:28=01 csr_idx=27:20 rs1=19:15 tuop=14:12=010 rd=11:7"
    machine.profile = load_profile("repaired", {"rows": {"tcsrw": {"1": row}}})
    machine.x[A1] = 99
    run(machine, "tcsrw a2, a1, csr_idx=5, rd_en")
    assert (machine.x[A2], machine.csr[5]) == (0xABC, 99)
    run(machine, "tcsrw zero, zero, csr_idx=5")
    assert (machine.read_x(0), machine.csr[5]) == (0, 0)


def test_mma_and_talu_get_what_the_words_say():
    machine, seen = core(), []

    def compute(inputs):
        seen.append(inputs)
        return inputs.d + np.uint8(1)

    machine.operations.mma[7] = MmaOperation(compute, lambda size, multi: (1, size))
    d, a = machine.tiles[8:10].copy(), machine.tiles[2:4].copy()
    run(
        machine,
        "mma.tt tr8, tr2, tr5, mmauop=7, tilesize=2, multitile, neg1, transmatb\nt_wait.mma",
    )
    assert np.array_equal(machine.tiles[8:10], d + np.uint8(1))
    assert np.array_equal(seen[0].a, a)
    assert (seen[0].neg1, seen[0].negd, seen[0].transmatb) == (True, False, True)
    machine.operations.talu["talu.2op.v", 1, 2] = lambda i: (
        i.sources[0] + np.resize(i.sources[1].view(np.uint8), TILE)
    )
    expected = machine.tiles[4] + np.resize(machine.v[9], TILE)
    run(machine, "talu.2op.v tr1, tr4, v9, func6=e16, vecuop1=1, vecuop2=2")
    assert np.array_equal(machine.tiles[1], expected)
    machine.operations.talu["talu.3op.f", 0, 0] = lambda i: np.full(TILE, i.sources[1], np.uint8)
    machine.f[A0] = 0xFFFF_0011
    run(machine, "talu.3op.f tr0, tr4, fa0, tr5, vec_en, func6=fp16, vecuop1=0, vecuop2=0")
    assert set(machine.tiles[0]) == {0x11}
    machine.operations.mma[7] = MmaOperation(lambda inputs: inputs.d[:, :5])
    with pytest.raises(ProgramError, match="returns 5 B, not 128"):
        run(machine, "mma.tt tr8, tr2, tr5, mmauop=7, tilesize=1")


@pytest.mark.parametrize("interlock", [None, True])
def test_any_legal_instruction_is_run_or_ends_in_an_error_of_the_family(interlock):
    rng, ran = random.Random(9), Counter()
    machine = core(
        mask=lambda core, grains: [True] * grains,
        immediate_offset=lambda imm, bits: imm,
        move_offset=lambda index, size: index * size,
        global_space=0,
        interlock=interlock,
    )
    machine.operations.mma = dict.fromkeys(range(32), MmaOperation(lambda inputs: inputs.d))
    instructions = [i for n, i in machine.profile.instructions.items() if "t_sync" not in n]
    for number in range(4000):
        instruction = instructions[number % len(instructions)]
        machine.x = [rng.choice([0, 32, 4096, rng.getrandbits(64)]) for _ in range(32)]
        values = random_values(rng, machine.profile, instruction)
        values |= {o: v % 32 for o, v in values.items() if o in ("td", "ts1", "ts2", "ts3")}
        with suppress(TilelabError):
            ran[instruction.name] += execute(machine, Decoded(instruction.name, values))
    assert {name for name in ran if name.startswith(("tmv", "t_wait"))} >= {"tmv.t.x", "t_wait.all"}
    assert sum(ran.values()) > 200


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((48, 8, 256), "not a multiple of 32"),
        ((32, 257, 256), "not in 1..256"),
        ((32, 8, 96), "not a power of two"),
    ],
)
def test_parameters_are_checked(values, message):
    with pytest.raises(BadInputError, match=message):
        Parameters(*values)
