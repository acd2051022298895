"""Loads, stores and atomics in L1 and local RAM."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_bit_manipulation import TWO
from test_integer import MODELS, M, words

from riscv_harness import A0, BRISC, CODE, DATA, WORDS, Core, failed
from tilelab.sim.checks import CHECKS_BY_NAME, Policy
from tilelab.sim.kernel import OK

LOCAL = 0xFFB00000
CORE = Core()
SIZES = {"sb": 1, "sh": 2, "sw": 4}
LOADS = {"lb": (1, True), "lh": (2, True), "lw": (4, False), "lbu": (1, False), "lhu": (2, False)}


@given(data=st.binary(min_size=8, max_size=8), slot=st.integers(0, 7))
@pytest.mark.parametrize("base", [DATA, LOCAL + 0x40])
@pytest.mark.parametrize("name", LOADS)
def test_loads(name: str, base: int, data: bytes, slot: int) -> None:
    size, sign = LOADS[name]
    slot -= slot % size
    for i in (0, 4):
        assert CORE.store(base + i, int.from_bytes(data[i : i + 4], "little")) == OK
    status, value = CORE.load(base + slot, name)
    assert status == OK
    assert value == int.from_bytes(data[slot : slot + size], "little", signed=sign) & M


@given(old=words, value=words, slot=st.integers(0, 3))
@pytest.mark.parametrize("base", [DATA, LOCAL + 0x40])
@pytest.mark.parametrize("name", SIZES)
def test_stores_change_their_bytes_only(
    name: str, base: int, old: int, value: int, slot: int
) -> None:
    size = SIZES[name]
    slot -= slot % size
    assert CORE.store(base, old) == OK
    assert CORE.store(base + slot, value, name) == OK
    expected = bytearray(old.to_bytes(4, "little"))
    expected[slot : slot + size] = value.to_bytes(4, "little")[:size]
    assert CORE.load(base) == (OK, int.from_bytes(expected, "little"))


def test_offsets_are_signed_and_addresses_wrap() -> None:
    core = Core()
    core.s.l1_32[(DATA - 4) // 4] = 0x11223344
    assert core.value(WORDS["lb"], a1=DATA) == 0x33  # -3(a1): the second byte
    core.s.l1_32[4 // 4] = 77
    assert core.value(WORDS["lw"], a1=0xFFFFFFFC) == 77  # 8(a1)


def test_local_ram_is_private() -> None:
    core = Core(core=0)
    assert core.store(LOCAL, 5) == OK
    assert core.state.record["riscv"]["local_ram"][:, 0].tolist() == [5, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("chip", "core", "size"),
    [
        ("blackhole", 0, 4096),
        ("blackhole", BRISC, 8192),
        ("wormhole", 2, 2048),
        ("wormhole", BRISC, 4096),
    ],
)
def test_local_ram_ends(chip: str, core: int, size: int) -> None:
    machine = Core(core, chip)
    assert machine.store(LOCAL + size - 4, 1) == OK
    assert failed(machine.store(LOCAL + size, 1)) == "unmapped-address"


def test_l1_ends() -> None:
    core = Core()
    size = core.state.arch.l1_size
    assert core.load(size - 1, "lbu") == (OK, 0)
    assert failed(core.load(size)[0]) == "unmapped-address"
    assert core.s.fault.value == size


@pytest.mark.parametrize(("name", "address"), [("lw", DATA + 2), ("lh", DATA + 1)])
def test_misaligned_loads_fail_or_round_down(name: str, address: int) -> None:
    core = Core()
    core.s.l1_32[DATA // 4] = 0x01020304
    status, _ = core.load(address, name)
    assert failed(status) == "misaligned-access"
    assert core.hart.pc == CODE
    core.s.fault.policy[CHECKS_BY_NAME["misaligned-access"].code] = Policy.OFF
    assert core.load(address, name) == (OK, 0x01020304 if name == "lw" else 0x0304)


def test_misaligned_stores_fail_or_round_down() -> None:
    core = Core()
    assert failed(core.store(DATA + 1, 9)) == "misaligned-access"
    core.s.fault.policy[CHECKS_BY_NAME["misaligned-access"].code] = Policy.OFF
    assert core.store(DATA + 1, 9) == OK
    assert core.s.l1_32[DATA // 4] == 9


ATOMICS = {
    "amoadd.w": MODELS["add"],
    "amoxor.w": MODELS["xor"],
    "amoor.w": MODELS["or"],
    "amoand.w": MODELS["and"],
    "amomin.w": TWO["min"],
    "amomax.w": TWO["max"],
    "amominu.w": min,
    "amomaxu.w": max,
    "amoswap.w": lambda old, new: new,
}


@given(old=words, b=words)
@pytest.mark.parametrize("name", ATOMICS)
def test_atomics(name: str, old: int, b: int) -> None:
    CORE.s.l1_32[DATA // 4] = old
    assert CORE.value(WORDS[name], a1=DATA, a2=b) == old
    assert CORE.s.l1_32[DATA // 4] == ATOMICS[name](old, b) & M


def test_ordering_bits_of_atomics_are_accepted() -> None:
    CORE.s.l1_32[DATA // 4] = 1
    assert CORE.value(WORDS["amoadd.w"] | 3 << 25, a1=DATA, a2=4) == 1
    assert CORE.s.l1_32[DATA // 4] == 5


@pytest.mark.parametrize("address", [LOCAL, 0xFFE00000])
def test_atomics_outside_l1_fail(address: int) -> None:
    assert failed(Core().run(WORDS["amoadd.w"], a1=address)) == "atomic-outside-l1"


def test_a_store_counts_as_an_effect_only_if_it_changes_something() -> None:
    core = Core()

    def effects() -> tuple[int, int, int]:
        return core.s.effects, core.s.l1_effects, core.s.private_effects

    core.s.engine.watch_first = core.s.engine.watch_last = DATA // 4 + 1
    assert effects() == (0, 0, 0)
    assert core.store(DATA, 0) == OK
    assert core.store(DATA + 4, 0) == OK
    assert core.store(LOCAL, 0) == OK
    assert effects() == (0, 0, 0)
    assert core.store(DATA, 1) == OK
    assert effects() == (0, 1, 0)
    assert core.store(LOCAL + 3, 1, "sb") == OK
    assert effects() == (0, 1, 1)
    assert core.store(DATA + 4, 1) == OK  # a run may end with this one
    assert effects() == (1, 1, 1)


def test_fence_does_nothing() -> None:
    core = Core()
    before = core.x[A0]
    assert core.value(WORDS["fence"]) == before
