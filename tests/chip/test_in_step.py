"""A chip in step with its host: what one clock is worth, and that resting tiles change nothing."""

import ctypes
from pathlib import Path

import pytest

from chip_program import (
    CHIPS,
    DRAM,
    PLACES,
    READ,
    SOFT_RESET,
    WRITE,
    at,
    boot,
    counter,
    keep,
    niu_register,
    request,
    results,
    wait_register,
    word,
)
from riscv_program import HALT, INSTRN_BUF, T0, T1, T2, ZERO, addi, bne, li, lw, store, sw
from tilelab.chip.chip import Chip
from tilelab.chip.state import QUEUE
from tilelab.riscv.table import RV32
from tilelab.sim.checks import CHECKS, Policy
from tilelab.sim.errors import MachineError
from tilelab.tensix.chips.opcodes import DMANOP, NOP
from tilelab.tensix.noc import niu as n
from tilelab.tensix.tables.tile_registers import LOCAL_RAM
from tilelab.vendor.library.folder import lay_out

ENGINES = ("reference", "fast")
DONE, FLAG = 0x7000, 0x7100
BRISC, TRISC0 = 3, 0
CLOCK_NOW = 0xFFB121F0


def in_step(chip: str, engine: str = "fast", tiles: int = 1) -> Chip:
    return Chip(chip, PLACES[chip][:tiles], engine, in_step=True)


def clocks_until(chip: Chip, place: tuple[int, int], address: int, most: int = 1000) -> int:
    """How many clocks pass until a word is not 0."""
    for clock in range(most):
        if word(chip, place, address):
            return clock
        chip.clock()
    raise AssertionError(f"{address:#x} is still 0 after {most} clocks")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("chip", CHIPS)
def test_a_clock_is_an_instruction_of_each_core(chip: str, engine: str) -> None:
    made, place = in_step(chip, engine), PLACES[chip][0]
    ends = {core: DONE + 4 * core for core in (0, 1, 2, 3)}
    for core, address in ends.items():
        boot(made, place, {core: [addi(T2, T2, 1)] * (10 * core) + store(address, 1)})
    took = dict.fromkeys(ends, 0)
    for clock in range(1, 100):
        made.clock()
        for core, address in ends.items():
            if word(made, place, address) and not took[core]:
                took[core] = clock
    assert took == {core: 10 * core + 5 for core in ends}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("pushed", "free"), [(DMANOP << 24, True), (NOP << 24, False)])
def test_a_clock_goes_on_while_threads_issue_words(engine: str, pushed: int, free: bool) -> None:
    made, place = in_step("blackhole", engine), PLACES["blackhole"][0]
    program = [*li(T0, INSTRN_BUF), *li(T1, pushed), *[sw(T1, T0)] * 10, *store(DONE, 1)]
    boot(made, place, {TRISC0: program})
    # a NOP is not issued, so pushing one takes a clock as any instruction does
    assert clocks_until(made, place, DONE) == 4 + (0 if free else 10) + 5
    assert int(made.tiles[place].state.record["frontend"]["issued"][0]) == (10 if free else 0)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("chip", CHIPS)
def test_requests_are_done_where_they_are_made(chip: str, engine: str) -> None:
    made, place = in_step(chip, engine), PLACES[chip][0]
    made.write(DRAM[chip], 0x100, bytes(range(16)))
    program = request(made.arch, READ, (0x100, at(DRAM[chip])), (0x4000, at(place)), 16)
    program += wait_register(counter(0, n.READ_RESPONSES), 1)
    program += store(DONE, 1)
    boot(made, place, {BRISC: program})
    assert clocks_until(made, place, DONE) == len(program)  # nothing is waited for
    assert made.read(place, 0x4000, 16) == bytes(range(16))


def waiter(loop: int) -> list[int]:
    """Polls a word once in so many instructions, then keeps the clock."""
    branch = RV32.word("beq", T2, ZERO, -4 * (loop - 1))
    rest = [addi(T1, 0, 7)] * (loop - 2)
    return [*li(T0, FLAG), lw(T2, T0), *rest, branch, *keep(CLOCK_NOW, 0)]


@pytest.mark.parametrize("loop", [2, 3, 7, 19])
@pytest.mark.parametrize("waits", [4, 200, 201, 202, 1234])
def test_a_resting_core_goes_on_where_it_would_be(loop: int, waits: int) -> None:
    """The n-th poll is in clock 2 + n * loop; the clock is read loop + 2 later."""
    made, place = in_step("blackhole"), PLACES["blackhole"][0]
    boot(made, place, {BRISC: waiter(loop)})
    for _ in range(waits):
        made.clock()
    rests = made.c.pace[0].asleep == 1 << BRISC
    made.write(place, FLAG, (1).to_bytes(4, "little"))
    for _ in range(2 * loop + 20):
        made.clock()
    polled = 2 + -(-(waits - 2) // loop) * loop
    assert results(made, place, 1) == [polled + loop + 2]
    assert rests == (waits >= 200)


def test_a_resting_tile_is_woken_by_another_ones_write() -> None:
    """Tiles have their turns in one order: who comes later sees the write in the same clock."""
    places = PLACES["blackhole"]
    took = {}
    for writer, reader in ((0, 1), (1, 0)):
        made = in_step("blackhole", tiles=2)
        boot(made, places[reader], {BRISC: waiter(2)})
        for _ in range(301):
            made.clock()
        assert made.c.pace[reader].asleep == 1 << BRISC
        made.write(places[writer], 0x5000, (1).to_bytes(4, "little") * 4)
        program = request(
            made.arch, WRITE, (0x5000, at(places[writer])), (FLAG, at(places[reader])), 4
        )
        boot(made, places[writer], {BRISC: program})
        sent = 301 + len(program) - 1
        for _ in range(len(program) + 20):
            made.clock()
        first = sent if reader > writer else sent + 1
        polled = first + first % 2
        took[reader] = results(made, places[reader], 1)[0] - polled
    assert took == {0: 4, 1: 4}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("chip", CHIPS)
def test_a_request_that_a_thread_makes_needs_no_core(chip: str, engine: str) -> None:
    """TRISC0 polls for what a NoC request brings that its thread's STOREREG has started."""
    made, place = in_step(chip, engine), PLACES[chip][0]
    made.write(place, 0x5800, (7).to_bytes(4, "little"))
    of_request = request(made.arch, WRITE, (0x5800, at(place)), (FLAG, at(place)), 16)
    go = of_request[-len(store(niu_register(0, made.arch.noc.go), 1)) :]
    encode = made.arch.instructions
    pushed = [
        encode["SETDMAREG"].encode(payload_sig_sel=1, reg_index_16b=14),
        encode["SETDMAREG"].encode(reg_index_16b=15),
        encode["STOREREG"].encode(
            tdma_data_reg_index=7, reg_addr=niu_register(0, made.arch.noc.go) - LOCAL_RAM >> 2
        ),
    ]
    program = of_request[: -len(go)]
    for each in pushed:
        program += store(INSTRN_BUF, each)
    program += [*li(T0, FLAG), lw(T2, T0), bne(T2, 0, 2), bne(T0, 0, -2), *store(DONE, 1)]
    boot(made, place, {TRISC0: program})
    for _ in range(300):
        made.clock()
    assert word(made, place, FLAG) == 7
    assert word(made, place, DONE) == 1


@pytest.mark.parametrize(
    ("name", "fields", "refused"),
    [
        ("MOP", {"loop_count": 40}, "mop-count-above-32"),
        ("REPLAY", {"len": 40}, "replay-length-above-32"),
    ],
)
def test_an_expander_that_fails_blames_the_word_it_was_given(
    name: str, fields: dict[str, int], refused: str
) -> None:
    """Not the word that was at the gate before, which stays what it was."""
    made, place = in_step("blackhole", "reference"), PLACES["blackhole"][0]
    state = made.tiles[place].state
    encode = made.arch.instructions
    code = next(code for code, check in CHECKS.items() if check.name == refused)
    state.record["fault"]["policy"][code] = Policy.ERROR
    wait = encode["SEMWAIT"].encode(stall_res=0x1FF, sem_sel=1, wait_sem_cond=1)
    held = encode["SEMPOST"].encode(sem_sel=2)
    given = encode[name].encode(**fields)
    pushed = [w for each in (wait, held, given) for w in store(INSTRN_BUF, each)]
    boot(made, place, {TRISC0: pushed})
    with pytest.raises(MachineError) as raised:
        clocks_until(made, place, DONE)
    assert f"{given:#010x}" in str(raised.value)
    assert f"{held:#010x}" not in str(raised.value)


def test_a_word_for_which_there_is_no_room_is_blamed() -> None:
    made, place = in_step("blackhole", "reference"), PLACES["blackhole"][0]
    encode = made.arch.instructions
    wait = encode["SEMWAIT"].encode(stall_res=0x1FF, sem_sel=1, wait_sem_cond=1)
    one = encode["SEMPOST"].encode(sem_sel=2)
    record = encode["REPLAY"].encode(len=32, load_mode=1)
    words = [record, *[one] * 32, wait, *[encode["REPLAY"].encode(len=32)] * (QUEUE // 32 + 1)]
    boot(made, place, {BRISC: [w for each in words for w in store(INSTRN_BUF, each)]})
    with pytest.raises(MachineError, match="no room") as raised:
        clocks_until(made, place, DONE, 2000)
    assert f"{one:#010x}" in str(raised.value).partition("\n")[2]


def test_an_ethernet_tiles_core_runs_what_the_host_writes() -> None:
    made, place = in_step("wormhole"), (18, 16)
    made.write(place, 0, b"".join(w.to_bytes(4, "little") for w in [*store(DONE, 1), HALT]))
    assert word(made, place, SOFT_RESET) == 0x800
    made.write(place, SOFT_RESET, (0x47800).to_bytes(4, "little"))
    assert word(made, place, SOFT_RESET) == 0x800
    made.write(place, SOFT_RESET, bytes(4))
    assert clocks_until(made, place, DONE) == 5
    assert word(made, place, 0x1104) == 3


@pytest.mark.parametrize("chip", CHIPS)
def test_the_library_in_step_has_the_same_clocks(chip: str, tmp_path: Path) -> None:
    place = PLACES[chip][0]
    library = ctypes.CDLL(str(lay_out(tmp_path, chip, [place], in_step=True)))
    library.libttsim_init()

    def write(address: int, data: bytes) -> None:
        library.libttsim_tile_wr_bytes(*place, ctypes.c_uint64(address), data, len(data))

    def read(address: int) -> int:
        data = ctypes.create_string_buffer(4)
        library.libttsim_tile_rd_bytes(*place, ctypes.c_uint64(address), data, 4)
        return int.from_bytes(data.raw, "little")

    program = [*[addi(T2, T2, 1)] * 20, *store(DONE, 1), HALT]
    write(0, b"".join(instruction.to_bytes(4, "little") for instruction in program))
    write(SOFT_RESET, (0x47000).to_bytes(4, "little"))
    library.libttsim_clock(24)
    assert read(DONE) == 0
    library.libttsim_clock(1)
    assert read(DONE) == 1
    library.libttsim_exit()
