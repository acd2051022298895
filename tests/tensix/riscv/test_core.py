"""Fetch, dispatch, jumps, and what stops a core."""

import numpy as np
import pytest

from riscv_harness import ASSEMBLED, BRISC, CODE, DATA, WORDS, Core, failed
from tilelab.riscv.table import RV32
from tilelab.sim.errors import UndefinedBehaviorError
from tilelab.sim.kernel import OK
from tilelab.tensix.riscv.core import instruction_at, step
from tilelab.tensix.riscv.semantics import EXECUTE, execute
from tilelab.tensix.tile.tile import Tile

RA = 1


def test_every_row_has_a_kernel() -> None:
    assert EXECUTE.keys() == RV32.rows.keys() | {".ttinsn"}


def test_a_kernel_with_other_parameters_is_refused() -> None:
    with pytest.raises(TypeError, match=r"add: row has \['a', 'b'\], kernel takes \['a'\]"):
        execute("add")(lambda a: a)


@pytest.mark.parametrize("text", [t for t in ASSEMBLED if " a0, " in t])
def test_x0_stays_zero(text: str) -> None:
    core = Core()
    word = ASSEMBLED[text] & ~(31 << 7)
    core.s.l1_32[DATA // 4 + 2] = 0x55555555
    assert core.run(word, a1=DATA + (3 if text.startswith("lb ") else 0), a2=3) == OK or (
        text.startswith(("lbu", "csrrw"))
    )
    assert core.x[0] == 0


def test_jumps_keep_the_return_address() -> None:
    core = Core()
    assert core.run(ASSEMBLED["jal ra, .-1048576"]) == OK
    assert (core.hart.pc, core.x[RA]) == ((CODE - 1048576) & 0xFFFFFFFF, CODE + 4)
    assert core.run(WORDS["jalr"], a1=0x2001) == OK
    assert (core.hart.pc, core.x[RA]) == (0x200C, CODE + 4)  # bit 0 is cleared


def test_jalr_through_its_own_link_register() -> None:
    core = Core()
    core.x[RA] = 0x3000
    assert core.run(0x000080E7) == OK  # jalr ra, 0(ra)
    assert (core.hart.pc, core.x[RA]) == (0x3000, CODE + 4)


def test_backward_branch() -> None:
    core = Core()
    assert core.run(ASSEMBLED["beq a1, a2, .-4096"], a1=1, a2=1) == OK
    assert core.hart.pc == CODE - 4096


def test_upper_immediates() -> None:
    core = Core()
    assert core.value(WORDS["lui"]) == 0x12345000
    assert core.value(WORDS["auipc"]) == (CODE - 0x1000) & 0xFFFFFFFF


@pytest.mark.parametrize(
    ("word", "chip", "name", "value"),
    [
        (0xFFFFFFFF, "blackhole", "illegal-instruction", 0xFFFFFFFF),
        (WORDS["ebreak"], "blackhole", "ebreak", CODE),
        (WORDS["ecall"], "blackhole", "ecall", CODE),
        (WORDS["sh1add"], "wormhole", "illegal-instruction", WORDS["sh1add"]),
        (WORDS["csrrs"], "wormhole", "illegal-instruction", WORDS["csrrs"]),
        (WORDS["amoadd.w"], "wormhole", "illegal-instruction", WORDS["amoadd.w"]),
    ],
)
def test_what_stops_a_core(word: int, chip: str, name: str, value: int) -> None:
    core = Core(chip=chip)
    core.s.l1_32[CODE // 4] = word
    core.hart.pc = CODE
    before = core.state.record.copy()
    assert failed(step(core.s, core.core)) == name
    assert core.s.fault.value == value
    before["fault"] = core.state.record["fault"]
    assert np.array_equal(before, core.state.record)


@pytest.mark.parametrize("pc", [CODE + 2, 1536 * 1024, 0xFFB00000])
def test_fetch_outside_l1(pc: int) -> None:
    core = Core()
    core.hart.pc = pc
    assert failed(step(core.s, core.core)) == "fetch-outside-l1"
    assert core.s.fault.value == pc


def test_retired_counts_what_completed() -> None:
    core = Core()
    core.value(WORDS["add"])
    core.run(WORDS["beq"])
    core.run(WORDS["ebreak"])
    assert core.hart.retired == 2


def test_changed_code_is_seen_at_once() -> None:
    core = Core()
    assert core.value(WORDS["add"], a1=3, a2=4) == 7
    assert core.value(WORDS["sub"], a1=3, a2=4) == 0xFFFFFFFF


def test_instruction_at() -> None:
    core = Core()
    core.s.l1_32[CODE // 4] = 0x00412503
    assert instruction_at(core.s, CODE) == "lw a0, 4(sp)"
    assert instruction_at(core.s, 0xFFFFFFF0) == ""


def test_a_loop_of_many_instructions() -> None:
    """Fibonacci numbers modulo 2**32, in a loop that GNU as assembled."""
    core = Core()
    # li a0,0; li a1,1; li a2,90; 1: add a3,a0,a1; mv a0,a1; mv a1,a3; addi a2,a2,-1; bnez a2,1b
    program = (0x00000513, 0x00100593, 0x05A00613, 0x00B506B3)
    program += (0x00058513, 0x00068593, 0xFFF60613, 0xFE0618E3)
    for i, word in enumerate(program):
        core.s.l1_32[CODE // 4 + i] = word
    core.hart.pc = CODE
    while core.hart.pc != CODE + 4 * len(program):
        assert step(core.s, core.core) == OK
    a, b = 0, 1
    for _ in range(90):
        a, b = b, a + b
    assert core.x[10] == a & 0xFFFFFFFF
    assert core.hart.retired == 3 + 90 * 5


def test_a_failure_names_the_instruction() -> None:
    tile = Tile("blackhole")
    tile.write(0, WORDS["lw"].to_bytes(4, "little"))  # lw a0, 8(a1), with a1 = 0x7ffffff8
    tile.reg_write(0xFFB121B0, 0x47000)
    tile.state.s.riscv[BRISC].x[11] = 0x7FFFFFF8
    with pytest.raises(UndefinedBehaviorError) as raised:
        tile.run()
    assert raised.value.summary == (
        "UndefinedBehavior: nothing is mapped at 0x80000000 for this core; "
        "hardware hangs there (BRISC, cycle 0)"
    )
    assert "at     lw a0, 8(a1)\n  from   BRISC pc 0x0" in raised.value.detail
