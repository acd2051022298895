"""What loads and stores of each core reach, and the host's view."""

import pytest

from riscv_harness import A0, BRISC, WORDS, Core, failed, host_store
from tilelab.sim.kernel import OK
from tilelab.tensix.arch import arch
from tilelab.tensix.backend.dst import write_dst16, write_dst32
from tilelab.tensix.frontend.fifo import push
from tilelab.tensix.riscv.host import host_read, host_write
from tilelab.tensix.tables.tile_registers import DEBUG_REGISTERS, Access, TileRegister
from tilelab.tensix.words.waits import WAIT_MOP_SYNC, WAIT_TENSIX_SYNC

MOP_CFG, GPRS, PC_BUF, CFG = 0xFFB80000, 0xFFE00000, 0xFFE80000, 0xFFEF0000
SYNC, MOP_SYNC, SEMAPHORES = PC_BUF + 4, PC_BUF + 8, PC_BUF + 0x20
MOP, SETC16 = 0x01800000, 0xB2000000


# ---------------------------------------------------------------- MopCfg


@pytest.mark.parametrize("core", [0, 1, 2])
def test_mop_cfg_goes_to_the_own_thread(core: int) -> None:
    machine = Core(core)
    for i in range(9):
        assert machine.store(MOP_CFG + 4 * i, 100 + i) == OK
    written = machine.state.record["frontend"]["mop_cfg"]
    assert written[core].tolist() == list(range(100, 109))
    assert written.sum() == sum(range(100, 109))


def test_mop_cfg_limits() -> None:
    assert failed(Core().store(MOP_CFG + 0x24, 1)) == "unmapped-address"
    assert failed(Core(BRISC).store(MOP_CFG, 1)) == "unmapped-address"
    assert failed(Core().store(MOP_CFG, 1, "sb")) == "narrow-register-access"
    assert failed(Core().load(MOP_CFG)[0]) == "write-only-address"
    assert failed(Core(BRISC).load(MOP_CFG)[0]) == "unmapped-address"


# ---------------------------------------------------------------- GPRs


def test_a_trisc_reaches_its_own_gprs_and_brisc_all() -> None:
    machine = Core(2)
    assert machine.store(GPRS + 4 * 63, 0xABCD1234) == OK
    assert machine.s.gpr[2, 63] == 0xABCD1234
    assert machine.load(GPRS + 4 * 63 + 2, "lhu") == (OK, 0xABCD)
    assert failed(machine.store(GPRS + 4 * 64, 1)) == "unmapped-address"
    brisc = Core(BRISC)
    assert brisc.store(GPRS + 4 * (64 + 5), 7) == OK
    assert brisc.s.gpr[1, 5] == 7
    assert failed(brisc.load(GPRS + 4 * 192)[0]) == "unmapped-address"


# ---------------------------------------------------------------- PC_BUF: TTSync, semaphores


def test_mop_sync_waits_for_mops_only() -> None:
    machine = Core(1)
    assert push(machine.s, 1, SETC16, 0) == OK
    assert machine.load(MOP_SYNC)[0] == OK
    assert push(machine.s, 1, MOP, 0) == OK
    assert machine.store(MOP_SYNC, 0) == OK  # the store completes at once
    assert machine.load(MOP_SYNC)[0] == WAIT_MOP_SYNC
    machine.s.frontend[1].input_fifo.count = 0
    machine.s.frontend[1].mop_active = 1
    assert machine.load(MOP_SYNC)[0] == WAIT_MOP_SYNC
    machine.s.frontend[1].mop_active = 0
    assert machine.load(MOP_SYNC)[0] == OK


def test_tensix_sync_waits_for_the_own_thread() -> None:
    machine = Core(1)
    assert push(machine.s, 0, SETC16, 0) == OK
    assert machine.load(SYNC)[0] == OK
    assert push(machine.s, 1, SETC16, 0) == OK
    assert machine.store(SYNC, 0) == OK
    assert machine.load(SYNC)[0] == WAIT_TENSIX_SYNC
    machine.s.frontend[1].input_fifo.count = 0
    machine.s.frontend[1].gate_full = 1
    assert machine.load(SYNC)[0] == WAIT_TENSIX_SYNC


def test_semaphores() -> None:
    machine = Core(0)
    machine.s.semaphore[3].max = 4
    address = SEMAPHORES + 4 * 3
    for value in (0, 2, 0xFFFFFFFE):  # even: post
        assert machine.store(address, value) == OK
    assert machine.load(address) == (OK, 3)
    for value in (1, 3):  # odd: get
        assert machine.store(address, value) == OK
    assert machine.load(address) == (OK, 1)
    assert [machine.load(SEMAPHORES + 4 * i)[1] for i in range(8)] == [0, 0, 0, 1, 0, 0, 0, 0]
    assert failed(machine.load(SEMAPHORES + 32)[0]) == "unmapped-address"


@pytest.mark.parametrize("offset", [0x0C, 0x1C, 0x40])
def test_what_lies_around_the_semaphores(offset: int) -> None:
    assert failed(Core().load(PC_BUF + offset)[0]) == "unmapped-address"
    assert failed(Core().store(PC_BUF + offset, 0)) == "unmapped-address"


def test_semaphores_saturate() -> None:
    machine = Core(0)
    machine.s.semaphore[0].value = 15
    machine.s.semaphore[0].max = 15
    assert machine.store(SEMAPHORES, 0) == OK
    assert machine.load(SEMAPHORES) == (OK, 15)
    assert machine.store(SEMAPHORES + 4, 1) == OK
    assert machine.load(SEMAPHORES + 4) == (OK, 0)


@pytest.mark.parametrize(("core", "address"), [(1, PC_BUF), (BRISC, PC_BUF), (BRISC, SYNC)])
def test_the_fifo_from_brisc_is_not_modelled(core: int, address: int) -> None:
    assert failed(Core(core).load(address)[0]) == "pc-buf-fifo"


# ---------------------------------------------------------------- configuration


@pytest.mark.parametrize(("chip", "words"), [("blackhole", 224), ("wormhole", 188)])
def test_both_config_banks(chip: str, words: int) -> None:
    machine = Core(chip=chip)
    assert machine.store(CFG + 4 * 1, 0xE00) == OK
    assert machine.store(CFG + 4 * (words + 1), 0x1F) == OK
    assert machine.state.record["config"][:, 1].tolist() == [0xE00, 0x1F]
    assert machine.load(CFG + 4 * (words + 1)) == (OK, 0x1F)
    assert machine.load(CFG + 4 * 1 + 1, "lbu") == (OK, 0x0E)


def test_config_dual_write() -> None:
    machine = Core()
    assert machine.store(CFG + 4 * (2 * 224 + 1), 0x1F) == OK
    assert machine.state.record["config"][:, 1].tolist() == [0x1F, 0x1F]
    assert failed(machine.load(CFG + 4 * (2 * 224 + 1))[0]) == "config-dual-write-read"


@pytest.mark.parametrize(("chip", "first"), [("blackhole", 3 * 224), ("wormhole", 2 * 188)])
def test_thread_config_is_read_only(chip: str, first: int) -> None:
    machine = Core(chip=chip)
    words = machine.state.arch.thread_config_words
    machine.s.thread_config[2, 5] = 0x77
    address = CFG + 4 * (first + 2 * words + 5)
    assert machine.load(address) == (OK, 0x77)
    assert failed(machine.store(address, 1)) == "thread-config-store"
    assert failed(machine.store(CFG + 4 * (first + 3 * words), 1)) == "unmapped-address"
    assert failed(machine.load(CFG + 4 * (first + 3 * words))[0]) == "unmapped-address"


def test_config_takes_whole_words_only() -> None:
    assert failed(Core().store(CFG + 4, 1, "sh")) == "narrow-register-access"


def test_config_through_the_debug_registers() -> None:
    machine = Core()
    machine.s.config[1, 3] = 0x4321
    host_store(machine.state, DEBUG_REGISTERS + 0x58, 224 + 3)
    assert host_read(machine.s, DEBUG_REGISTERS + 0x78) == (OK, 0x4321)


# ---------------------------------------------------------------- tile registers


@pytest.mark.parametrize(
    "row",
    [row for row in arch("blackhole").registers if "PERF_CNT_OUT" not in row.name],
    ids=lambda register: register.name,
)
def test_tile_registers_allow_what_their_row_says(row: TileRegister) -> None:
    machine = Core()
    readable = host_read(machine.s, row.address)[0] == OK
    writable = host_write(machine.s, row.address, 0) == OK
    assert Access.READ * readable | Access.WRITE * writable == row.access
    if row not in arch("wormhole").registers:
        assert failed(host_write(Core(chip="wormhole").s, row.address, 0)) == (
            "tile-register-not-modelled"
        )


def test_a_plain_register_keeps_its_value_for_cores_and_host() -> None:
    machine = Core(BRISC)
    assert machine.store(0xFFB12240, 5) == OK
    assert host_read(machine.s, 0xFFB12240) == (OK, 5)
    assert machine.load(0xFFB120B4) == (OK, 0)


def test_wall_clock_latches_its_high_half() -> None:
    machine = Core()
    machine.s.clock = 0x1_23456789
    assert machine.load(0xFFB121F0) == (OK, 0x23456789)
    machine.s.clock = 0x2_00000000
    assert machine.load(0xFFB121F8) == (OK, 1)
    assert machine.load(0xFFB121F4) == (OK, 2)


@pytest.mark.parametrize(
    ("address", "name"),
    [
        (0xFFB12200, "tile-register-not-modelled"),
        (0xFFB12100, "performance-counter-functional"),
        (0xFFB11024, "write-only-address"),
        (0xFFB20000, "noc-register"),
        (0xFFB13000, "interrupt-controller"),
        (0xFFB7FFFC, "noc-register"),
        (0x10000000, "unmapped-address"),
        (0xFFE40000, "write-only-address"),
        (0xFFFFFFFC, "unmapped-address"),
    ],
)
def test_loads_that_fail(address: int, name: str) -> None:
    machine = Core()
    status, _ = machine.load(address)
    assert failed(status) == name
    assert machine.s.fault.value == address


def test_stores_that_fail() -> None:
    machine = Core()
    assert failed(machine.store(0x7FFFFFFC, 1)) == "unmapped-address"
    assert failed(machine.store(0xFFB12078, 1)) == "read-only-address"
    assert failed(machine.store(0xFFB120B4, 1, "sb")) == "narrow-register-access"


# ---------------------------------------------------------------- the host


def test_the_host_sees_l1_and_tile_registers_only() -> None:
    machine = Core()
    host_store(machine.state, 0x100, 0x12345678)
    assert machine.state.l1[0x100:0x104].tolist() == [0x78, 0x56, 0x34, 0x12]
    assert host_read(machine.s, 0x100) == (OK, 0x12345678)
    assert host_read(machine.s, 0xFFB121B0) == (OK, 0x47800)
    for address in (0xFFB00000, MOP_CFG, GPRS, CFG, PC_BUF, 0xFFE40000):
        assert failed(host_read(machine.s, address)[0]) == "unmapped-address"
        assert failed(host_write(machine.s, address, 0)) == "unmapped-address"
    assert failed(host_read(machine.s, 0xFFB121B2)[0]) == "host-misaligned"
    assert failed(host_write(machine.s, 1, 0)) == "host-misaligned"


@pytest.mark.parametrize(
    ("aperture", "core", "size"),
    [(0xFFB14000, 3, 8192), (0xFFB18000, 0, 4096), (0xFFB1A000, 1, 4096), (0xFFB1C000, 2, 4096)],
)
def test_local_ram_apertures(aperture: int, core: int, size: int) -> None:
    machine = Core()
    last = aperture + size - 4
    host_store(machine.state, last, 9)
    assert machine.s.riscv[core].local_ram[size // 4 - 1] == 9
    assert machine.load(last) == (OK, 9)
    if core != BRISC:
        assert failed(host_read(machine.s, aperture + size)[0]) == "unmapped-address"
    assert failed(host_read(Core(chip="wormhole").s, aperture)[0]) == "unmapped-address"


def test_pc_snapshots() -> None:
    machine = Core()
    machine.s.riscv[3].pc, machine.s.riscv[2].pc = 0x10, 0x20
    assert host_read(machine.s, 0xFFB13138) == (OK, 0x10)
    assert host_read(machine.s, 0xFFB13148) == (OK, 0x20)
    assert failed(host_write(machine.s, 0xFFB13138, 0)) == "read-only-address"
    machine.s.riscv[4].pc = 0x30
    assert host_read(machine.s, 0xFFB1313C) == (OK, 0x30)  # NCRISC


# ---------------------------------------------------------------- Dst's window

WINDOW = 0xFFBD8000


def window(core: int, fmt: int, no_swizzle: int = 0, unsigned: int = 0) -> Core:
    machine = Core(core)
    section = f"RISC_DEST_ACCESS_CTRL_SEC{core}_"
    machine.state.set_config_field(section + "fmt", fmt)
    machine.state.set_config_field(section + "no_swizzle", no_swizzle)
    machine.state.set_config_field(section + "unsigned_int", unsigned)
    return machine


@pytest.mark.parametrize(
    ("fmt", "width", "value", "stored"),
    [
        (0, 4, 0x3FC01234, 0x407F1234),  # fp32: sign, mantissa 22..16, exponent, mantissa 15..0
        (1, 4, 0xFFFFFFFF, 0x80000001),  # -1
        (1, 4, 0x00010000, 0x01000000),
        (2, 2, 0x3E00, 0x400F),  # fp16 1.5
        (3, 2, 0xBFC0, 0xC07F),  # bf16 -1.5
        (4, 2, 0xFFFE, 0x8002),  # -2
    ],
)
def test_dst_window(fmt: int, width: int, value: int, stored: int) -> None:
    machine = window(1, fmt)
    address = WINDOW + width * (16 * 3 + 5)
    assert machine.store(address, value, {4: "sw", 2: "sh"}[width]) == OK
    assert machine.load(address, {4: "lw", 2: "lhu"}[width]) == (OK, value)
    rows = machine.state.dst
    assert (int(rows[3, 5]) << 16 | int(rows[11, 5]) if width == 4 else int(rows[3, 5])) == stored


def test_dst_window_in_dsts_own_layout() -> None:
    machine = window(0, 3, no_swizzle=1)
    write_dst16(machine.s, 2, 1, 0x1234)
    assert machine.load(WINDOW + 2 * 33, "lhu") == (OK, 0x1234)
    machine = window(0, 1, no_swizzle=1)
    write_dst32(machine.s, 2, 1, 0x80000005)
    assert machine.load(WINDOW + 4 * 33) == (OK, 0x80000005)


def test_unsigned_concerns_integers_only() -> None:
    machine = window(1, 3, unsigned=1)
    assert machine.store(WINDOW, 0xBFC0, "sh") == OK
    assert machine.state.dst[0, 0] == 0xC07F
    assert machine.load(WINDOW, "lhu") == (OK, 0xBFC0)
    machine = window(1, 4, unsigned=1)
    assert machine.store(WINDOW, 0xFFFE, "sh") == OK
    assert machine.state.dst[0, 0] == 0xFFFE
    assert machine.load(WINDOW, "lhu") == (OK, 0xFFFE)


def test_dst_window_clamps_and_drops_minus_zero() -> None:
    machine = window(1, 1)
    assert machine.store(WINDOW, 0x80000000) == OK
    assert machine.load(WINDOW) == (OK, 0x80000001)
    write_dst32(machine.s, 0, 0, 0x80000000)
    assert machine.load(WINDOW) == (OK, 0)


@pytest.mark.parametrize(
    ("unsigned", "value", "stored", "read"),
    [
        (0, 5, 5 << 5 | 16, 5),
        (0, 0, 0, 0),
        (1, 200, 200 << 5 | 16, 200),
        # hardware's 0x180 - value, kept to eight bits: -2 becomes 130, of which 7 bits come back
        (0, 0xFE, 0x8000 | 0x82 << 5 | 16, 0xFE),
    ],
)
def test_dst_window_of_bytes(unsigned: int, value: int, stored: int, read: int) -> None:
    machine = window(1, 5, unsigned=unsigned)
    assert machine.store(WINDOW + 7, value, "sb") == OK
    assert machine.state.dst[0, 7] == stored
    assert machine.load(WINDOW + 7, "lbu") == (OK, read)


def test_dst_window_of_trisc2_takes_several_data_at_once() -> None:
    machine = window(2, 3)
    assert machine.store(WINDOW + 4, 0x3FC0_BFC0) == OK
    assert machine.state.dst[0, 2:4].tolist() == [0xC07F, 0x407F]
    assert machine.load(WINDOW + 4) == (OK, 0x3FC0_BFC0)


def test_dst_window_limits() -> None:
    assert failed(window(1, 3).load(WINDOW)[0]) == "dst-window-width"
    assert failed(window(2, 0).store(WINDOW, 1, "sh")) == "dst-window-width"
    assert failed(window(1, 6).load(WINDOW)[0]) == "dst-window-format"
    assert failed(Core(BRISC).load(WINDOW)[0]) == "unmapped-address"
    assert failed(Core(chip="wormhole").load(WINDOW)[0]) == "unmapped-address"


# ---------------------------------------------------------------- what others could notice


@pytest.mark.parametrize(
    "address",
    [
        *(MOP_CFG, CFG + 4, SEMAPHORES, 0xFFE40000, 0xFFEC0000),
        *(0xFFB120B4, 0xFFB18000, WINDOW),
    ],
)
def test_stores_to_devices_are_effects(address: int) -> None:
    machine = Core()
    assert machine.store(address, 2) == OK
    assert machine.s.effects == 1


def test_stores_to_gprs_are_effects_for_cores_alone() -> None:
    machine = Core()
    assert machine.store(GPRS, 2) == OK
    assert (machine.s.effects, machine.s.l1_effects) == (0, 1)


@pytest.mark.parametrize("address", [0xFFB121F0, 0xFFB121F4, 0xFFB13138, 0xFFEC2000])
def test_loads_that_another_time_give_another_value_are_effects(address: int) -> None:
    machine = Core(1)
    machine.s.mailbox[1][1].count = 1
    assert machine.load(address)[0] == OK
    assert machine.s.effects + machine.s.private_effects == 1
    assert machine.load(SEMAPHORES)[0] == machine.load(GPRS)[0] == machine.load(0x100)[0] == OK
    assert machine.s.effects + machine.s.private_effects == 1


# ---------------------------------------------------------------- a failed access changes nothing


def test_a_failed_load_leaves_its_register() -> None:
    machine = Core()
    assert machine.run(WORDS["lw"], a0=77, a1=0x7FFFFF00) > OK
    assert machine.x[A0] == 77
