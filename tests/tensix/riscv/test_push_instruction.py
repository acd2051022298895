"""Pushing Tensix words, and what the status CSRs say of them."""

import pytest

from riscv_harness import A0, BRISC, CODE, WORDS, Core, failed
from tilelab.sim.checks import Policy
from tilelab.sim.kernel import OK
from tilelab.tensix.riscv.push_instruction import PUSH_COLLISION, queue_status
from tilelab.tensix.words.waits import WAIT_FIFO_FULL

INSTRN_BUF = 0xFFE40000
NOP, MOP, MOP_CFG = 0x02000000, 0x01800000, 0x03000000
MVMUL = 0x26000000
RECORD, EXECUTE_AND_RECORD, PLAY = 0x04000051, 0x04000053, 0x04000050
LANES = 0x01000800


def stored(word: int) -> int:
    """A word as ``.ttinsn`` stores it: rotated left by two."""
    return (word << 2 | word >> 30) & 0xFFFFFFFF


@pytest.mark.parametrize("core", [0, 1, 2])
def test_a_trisc_pushes_before_its_own_mop_expander(core: int) -> None:
    machine = Core(core)
    assert machine.run(stored(MOP)) == OK
    assert machine.store(INSTRN_BUF + 0x40, NOP) == OK
    for t in range(3):
        f = machine.s.frontend[t]
        assert (f.input_fifo.count, f.late_fifo.count) == ((2, 0) if t == core else (0, 0))
    f = machine.s.frontend[core]
    assert [f.input_fifo.data[i] for i in range(2)] == [MOP, NOP]
    assert f.input_fifo.origin[0] == core << 56 | CODE


def test_brisc_pushes_after_the_mop_expanders() -> None:
    machine = Core(BRISC)
    for t in range(3):
        assert machine.store(INSTRN_BUF + (t << 16), NOP + t) == OK
    assert machine.run(stored(MVMUL)) == OK
    frontend = machine.s.frontend
    assert [(frontend[t].input_fifo.count, frontend[t].late_fifo.count) for t in range(3)] == [
        (0, 2),
        (0, 1),
        (0, 1),
    ]
    assert [frontend[t].late_fifo.data[0] for t in range(3)] == [NOP, NOP + 1, NOP + 2]
    assert frontend[0].late_fifo.data[1] == MVMUL


@pytest.mark.parametrize("queued", ["input_fifo", "mop_active"])
def test_r5_brisc_pushes_while_the_trisc_does(queued: str) -> None:
    machine = Core(BRISC)
    frontend = machine.s.frontend[1]
    if queued == "input_fifo":
        frontend.input_fifo.count = 1
    else:
        frontend.mop_active = 1
    assert machine.store(INSTRN_BUF, NOP) == OK  # another thread
    assert failed(machine.store(INSTRN_BUF + 0x10000, NOP)) == "brisc-push-collision"
    assert machine.s.fault.value == NOP


def test_r5_where_the_policy_lets_it_no_word_is_lost() -> None:
    machine = Core(BRISC)
    machine.s.frontend[1].input_fifo.count = 1
    machine.s.fault.policy[PUSH_COLLISION] = Policy.WARN
    for _ in range(8):
        assert machine.store(INSTRN_BUF + 0x10000, NOP) == OK
    assert machine.store(INSTRN_BUF + 0x10000, NOP) == WAIT_FIFO_FULL
    frontend = machine.s.frontend[1]
    assert (frontend.input_fifo.count, frontend.late_fifo.count) == (1, 8)
    assert machine.s.fault.warnings == 8  # none for the word that waits


@pytest.mark.parametrize("word", [MOP, MOP_CFG])
def test_brisc_cannot_push_a_mop(word: int) -> None:
    assert failed(Core(BRISC).store(INSTRN_BUF, word)) == "mop-from-brisc"


def test_a_trisc_has_no_other_aperture() -> None:
    machine = Core(1)
    assert failed(machine.store(INSTRN_BUF + 0x10000, NOP)) == "push-foreign-aperture"
    assert machine.s.fault.value == INSTRN_BUF + 0x10000


@pytest.mark.parametrize(
    ("chip", "core", "capacity"),
    [("blackhole", 1, 32), ("wormhole", 0, 32), ("wormhole", 1, 16), ("blackhole", BRISC, 8)],
)
def test_a_full_fifo_makes_the_core_wait_and_loses_nothing(
    chip: str, core: int, capacity: int
) -> None:
    machine = Core(core, chip)
    for i in range(capacity):
        assert machine.run(stored(NOP + i)) == OK
    before = machine.state.record.copy()
    assert machine.run(stored(NOP)) == WAIT_FIFO_FULL
    assert machine.hart.pc == CODE
    assert machine.s.frontend[core % 3].pushed == capacity
    changed = {name.split(".")[-1] for name, _, _ in machine.state.diff(before)}
    assert changed <= {"pc"}


def test_queue_status_of_a_blocked_thread() -> None:
    """{MVMUL, MOP} queued on thread 1: bits 1 and 10, and their copies for all threads."""
    machine = Core(1)
    machine.s.frontend[1].gate_full = 1
    machine.s.frontend[1].gate_word = MVMUL
    assert machine.run(stored(MOP)) == OK
    qstatus = WORDS["csrrs"]  # csrrs a0, 0xbc0, zero
    assert machine.value(qstatus) == 0x00804402 | LANES
    machine.state.lane_flags = 0
    assert machine.value(qstatus) == 0x00804402
    for core, expected in ((0, 0x00804000), (BRISC, 0x00804402)):
        other = Core(core)
        other.adopt(machine.state)
        assert other.value(qstatus) == expected


@pytest.mark.parametrize(
    ("word", "bits"),
    [
        (RECORD, 0),
        (EXECUTE_AND_RECORD, 1 << 0),
        (PLAY, 1 << 0),
        (MOP, 1 << 1),
        (MOP_CFG, 0),
        (0x45000000, 1 << 2 | 1 << 8),  # SETDMAREG
        (0x42000000, 1 << 4 | 1 << 8),  # UNPACR
        (0x41000000, 1 << 5 | 1 << 8),  # PACR
        (0xB2000000, 1 << 6),  # SETC16
        (0xA4000000, 1 << 7),  # SEMPOST
        (NOP, 1 << 8),
        (0x8F000000, 1 << 9),  # SFPNOP
        (MVMUL, 1 << 10),
    ],
)
def test_queue_status_of_each_kind(word: int, bits: int) -> None:
    machine = Core(1)
    assert queue_status(machine.s, 1) == 0
    assert machine.store(INSTRN_BUF, word) == OK
    assert queue_status(machine.s, 1) == bits


def test_queue_status_sees_both_fifos_and_the_expanders() -> None:
    machine = Core(BRISC)
    assert machine.store(INSTRN_BUF + 0x10000, MVMUL) == OK
    machine.s.frontend[1].mop_active = 1
    machine.s.frontend[1].replay_mode = 3
    assert queue_status(machine.s, 1) == 1 << 10 | 1 << 1 | 1 << 0
    assert machine.x[A0] == 0
