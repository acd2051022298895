"""Cores, frontends and units together, by small programs (T27 to T29), and when a run is stuck."""

import pytest

from riscv_program import (
    HALT,
    T0,
    T2,
    bne,
    csrr,
    li,
    load,
    lw,
    push,
    start,
    store,
    sw,
    wait_for,
)
from tilelab.sim.errors import DeadlockError
from tilelab.tensix import StopReason, Tile
from tilelab.tensix.run import rounds
from tilelab.tensix.run.stuck import forget_stuck
from tilelab.tensix.tables.tile_registers import (
    DEBUG_REGISTERS,
    MOP_CFG,
    MOP_SYNC,
    PC_BUF,
    TENSIX_SYNC,
    WALL_CLOCK_L,
)
from tilelab.tensix.words.assembly import assemble

PROGRESS, FLAG, RESULT = 0x2000, 0x2010, 0x2020
WAIT_FOR_POST = 0xA6000000 | 0x1FF << 15 | 1 << 2 | 1
"""ttsemwait 511,1,1: block everything while semaphore 0 is 0."""
T1_MOP = 0x01800000


def word(text: str) -> int:
    (only,) = assemble(text).words(1)
    return only


SETRWC, MVMUL, NOP = word("ttsetrwc 0,0,0,0,0,0"), word("ttmvmul 0,0,0,0"), 0x02000000


def tile() -> Tile:
    return Tile(engine="reference")


def mop_of(instruction: int, count: int) -> list[int]:
    """Program MopCfg: ``count`` times one instruction."""
    registers = [1, count, NOP, NOP, NOP, instruction, NOP, instruction, instruction]
    return [w for i, value in enumerate(registers) for w in store(MOP_CFG + 4 * i, value)]


def synchronised(count: int) -> list[int]:
    """Two MOPs behind a SEMWAIT, then a store and a load of mop_sync and tensix_sync."""
    return [
        *mop_of(SETRWC, count),
        *push(WAIT_FOR_POST),
        *push(T1_MOP),
        *push(T1_MOP),
        *store(PC_BUF + MOP_SYNC, 0),
        *store(PROGRESS, 1),
        *load(T2, PC_BUF + MOP_SYNC),
        *store(PROGRESS, 2),
        *load(T2, PC_BUF + TENSIX_SYNC),
        *store(PROGRESS, 3),
    ]


def progress(machine: Tile) -> int:
    return int.from_bytes(machine.read(PROGRESS, 4), "little")


def test_t27_mop_sync_waits_for_the_expander_and_tensix_sync_for_the_units() -> None:
    machine = tile()
    start(machine, {1: synchronised(20)})
    assert machine.settle(5000), "the gate is blocked: only the host can go on"
    assert progress(machine) == 1, "the store of mop_sync completes, the load does not"
    frontend = machine.state.s.frontend[1]
    assert frontend.mop_active
    machine.push(word("ttsempost 1"), thread=2)
    assert machine.run(5000, watch={PROGRESS: 2}) is StopReason.CONDITION
    assert not frontend.mop_active
    assert frontend.late_fifo.count, "mop_sync returned before the last word was executed"
    assert machine.run(5000, watch={PROGRESS: 3}) is StopReason.CONDITION
    assert not frontend.late_fifo.count
    assert not frontend.gate_full
    assert frontend.issued == 1 + 2 * 20


def test_t27_mop_sync_returns_at_a_blocked_gate_if_the_mops_fit_behind_it() -> None:
    machine = tile()
    start(machine, {1: synchronised(3)})
    assert machine.settle(5000)
    assert progress(machine) == 2
    assert machine.state.frontend[1]["issued"] == 1
    machine.push(word("ttsempost 1"), thread=2)
    assert machine.run(5000, watch={PROGRESS: 3}) is StopReason.CONDITION


def read_status(address: int) -> list[int]:
    return [*wait_for(FLAG, 1), csrr(T2, 0xBC0), *li(T0, address), sw(T2, T0)]


@pytest.mark.parametrize(
    ("queued", "lanes", "own", "others"),
    [
        ([MVMUL, T1_MOP], 0xFFFFFFFF, 0x01804C02, 0x01804800),
        ([MVMUL, T1_MOP], 0, 0x00804402, 0x00804000),
        ([MVMUL, 0x04000041, 0x03000001], 0, 0x00800400, 0x00800000),
    ],
    ids=["lanes enabled", "no lane", "record-only REPLAY and MOP_CFG set nothing"],
)
def test_t28_qstatus(queued: list[int], lanes: int, own: int, others: int) -> None:
    machine = tile()
    machine.state.lane_flags = lanes
    fill = [w for item in [WAIT_FOR_POST, *queued] for w in push(item)]
    math = [*mop_of(MVMUL, 20), *fill, *store(PROGRESS, 1), *read_status(RESULT)]
    start(machine, {0: read_status(RESULT + 4), 1: math})
    assert machine.run(5000, watch={PROGRESS: 1}) is StopReason.CONDITION
    machine.run(100)
    machine.write(FLAG, b"\1\0\0\0")
    machine.settle(2000)
    words = [int.from_bytes(machine.read(RESULT + 4 * i, 4), "little") for i in (1, 0)]
    assert [f"{w:#010x}" for w in words] == [f"{others:#010x}", f"{own:#010x}"]


@pytest.mark.parametrize("chip", ["blackhole", "wormhole"])
def test_t29_what_follows_a_wait_is_held_for_a_round(chip: str) -> None:
    machine = Tile(chip, engine="reference")
    machine.state.src_a_valid = machine.state.src_b_valid = 1
    rounds: list[int] = []
    machine.observe(lambda clock, thread, word, origin: rounds.append(clock))
    for item in (word("ttstallwait 0,0"), NOP, SETRWC):
        machine.push(item)
    assert machine.run() is StopReason.IDLE
    wait, nop, after = rounds
    assert nop == wait + 1, "a NOP passes a wait that does not block everything"
    assert after > nop
    held = machine.state.engine["stalled"][1]
    machine.push(word("ttstallwait 0,0"))
    machine.push(SETRWC)
    machine.run()
    assert rounds[4] >= rounds[3] + 2
    assert machine.state.engine["stalled"][1] > held


def test_mop_cfg_written_during_an_expansion_is_noticed() -> None:
    machine = tile()
    again = store(MOP_CFG + 4 * 5, SETRWC)
    start(machine, {1: [*mop_of(SETRWC, 50), *push(WAIT_FOR_POST), *push(T1_MOP), *again]})
    machine.settle(3000)
    (warning,) = machine.warnings
    assert warning.startswith("MopCfg[5] is written while a MOP of this thread is queued")
    synced = tile()
    sync = load(T2, PC_BUF + MOP_SYNC)
    start(synced, {1: [*mop_of(SETRWC, 50), *push(T1_MOP), *sync, *again]})
    synced.settle(3000)
    assert synced.warnings == []
    strict = tile()
    strict.set_policy("mop-cfg-during-expansion", "error")
    start(strict, {1: [*mop_of(SETRWC, 50), *push(WAIT_FOR_POST), *push(T1_MOP), *again]})
    with pytest.raises(Exception, match="NonContractualBehavior: MopCfg") as caught:
        strict.run()
    assert "call mop_sync() before programming the MOP" in str(caught.value)


# ------------------------------------------------------------------ stuck or not


def delay(rounds: int) -> list[int]:
    return [*li(T2, rounds), 0xFFF38393, bne(T2, 0, -1)]  # addi t2, t2, -1


def test_a_core_that_spins_on_a_flag_is_not_stuck_while_another_counts() -> None:
    machine = tile()
    late = [*delay(20_000), *store(FLAG, 7)]
    start(machine, {0: late, 2: [*wait_for(FLAG, 7), *store(PROGRESS, 1)]})
    assert machine.run(200_000, watch={PROGRESS: 1}) is StopReason.CONDITION
    assert machine.state.clock > 40_000


def test_a_core_that_counts_in_its_own_memory_is_not_stuck() -> None:
    machine = tile()
    sltu = 0x007033B3  # sltu t2, zero, t2: the same registers come back each time round
    count = [lw(T2, T0), 0xFFF38393, sw(T2, T0), sltu, bne(T2, 0, -4)]
    start(machine, {1: [*store(0xFFB00100, 3000), *count, *store(PROGRESS, 1)]})
    assert machine.run(100_000, watch={PROGRESS: 1}) is StopReason.CONDITION
    assert machine.state.clock > 15_000


def test_a_core_runs_no_more_instructions_than_there_are_rounds() -> None:
    machine = tile()
    writes = [w for i in range(200) for w in store(0x3000, i + 1)]
    start(machine, {0: [*wait_for(FLAG, 7), *store(PROGRESS, 1)], 3: [*writes, *store(FLAG, 7)]})
    assert machine.run(100_000, watch={PROGRESS: 1}) is StopReason.CONDITION
    assert max(machine.state.riscv["retired"]) <= machine.state.clock
    assert machine.state.clock < 4000


def test_a_core_that_polls_the_clock_is_not_stuck() -> None:
    machine = tile()
    clock = DEBUG_REGISTERS + WALL_CLOCK_L
    srli_12, back = 0x00C3D393, 0xFF5FF06F  # srli t2, t2, 12; jal zero, -12
    poll = [*li(T0, clock), lw(T2, T0), srli_12, bne(T2, 0, 2), back]
    start(machine, {1: [*poll, *store(PROGRESS, 1)]})
    assert machine.run(100_000, watch={PROGRESS: 1}) is StopReason.CONDITION
    assert machine.state.clock > 4096


def test_pure_spins_are_a_deadlock_at_once() -> None:
    machine = tile()
    start(machine, {0: [HALT], 1: wait_for(FLAG, 1), 3: [*delay(300), HALT]})
    with pytest.raises(DeadlockError, match="TRISC0 spins, TRISC1 spins, BRISC spins"):
        machine.run(1_000_000)
    assert machine.state.clock < 5000


def test_blocked_threads_are_a_deadlock_that_says_who_could_help() -> None:
    machine = tile()
    machine.push(WAIT_FOR_POST)
    machine.push(MVMUL)
    with pytest.raises(DeadlockError) as caught:
        machine.run()
    assert caught.value.summary.endswith("nothing can make progress (T1 at ttmvmul)")
    for part in ("latched: ttsemwait 511,1,1", "semaphore 0 (FPU_SFPU) is 0 of 0", "SEMPOST"):
        assert part in caught.value.detail
    machine.state.semaphore["value"] = 1
    machine.state.src_a_valid = machine.state.src_b_valid = 1
    forget_stuck(machine.state.s)
    assert machine.run() is StopReason.IDLE


def test_runs_repeat_exactly() -> None:
    states = []
    for _ in range(2):
        machine = tile()
        start(machine, {1: synchronised(20), 0: [*delay(50), *push(word("ttsempost 1"))]})
        machine.settle(3000)
        states.append((machine.state.record.tobytes(), machine.state.l1.tobytes()))
    assert states[0] == states[1]


def test_each_reason_to_stop_has_a_number_of_its_own() -> None:
    codes = {name: value for name, value in vars(rounds).items() if name.startswith("STOP_")}
    assert len(codes) == 7
    assert len(set(codes.values())) == len(codes)
