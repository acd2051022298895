"""Threads that share memory: what orders them is a t_wait in one, then a t_sync of both."""

import pytest

from tilelab.sim.errors import DeadlockError, ProgramError
from tilelab.tilext.assembler import Assembler
from tilelab.tilext.profile import load_profile
from tilelab.tilext.program import Machine, Run
from tilelab.tilext.scalar.assembler import assemble_program
from tilelab.tilext.state import Parameters

PROFILE = load_profile()
WRITE = "tgst.unit tr1, (a1), tilesize=1"
WAIT = "t_wait.mem st_cnt=0, ld_cnt=0, st_en, ld_en, global/share"
MEET = "t_sync.imm nonblk, imm=3, sync_id=1, scope=0"
READ = "tgld.unit tr2, (a1), tilesize=1\nt_wait.all"
PROGRAM = """
_start: li a1, 0x8000
        csrr t0, mhartid
        bnez t0, reader
        {writer}
        ret
reader: {reader}
        ret
"""


def run(writer, reader, threads=2):
    machine = Machine(PROFILE, Parameters(1024, 64, 256, global_space=1))
    text = PROGRAM.format(writer="\n".join(writer), reader="\n".join(reader))
    started = Run(machine, assemble_program(text, Assembler(PROFILE)), threads)
    started.cores[0].tiles[1] = 7
    started.run(100_000)
    return started


def test_a_wait_then_a_meeting_orders_two_threads():
    done = run([WRITE, WAIT, MEET], [MEET, READ])
    assert (done.cores[1].tiles[2] == 7).all()


@pytest.mark.parametrize(
    ("writer", "reader"),
    [
        ([WRITE, WAIT], [READ]),
        ([WRITE, MEET, WAIT], [MEET, READ]),
        ([MEET, WRITE, WAIT], [MEET, READ]),
        ([WRITE, WAIT, MEET], [READ, MEET]),
        ([WRITE, WAIT, MEET.replace("sync_id=1", "sync_id=2"), MEET],
         [READ, MEET.replace("sync_id=1", "sync_id=2"), MEET]),
        (["sd a1, (a1)"], ["ld a2, 8(a1)\nld a2, 0(a1)"]),
        (["sd a1, (a1)"], [READ]),
    ],
)  # fmt: skip
def test_without_both_in_order_it_is_a_race(writer, reader):
    with pytest.raises(ProgramError, match=r"race: \w+(\.unit)? of thread \d uses global memory"):
        run(writer, reader)


def test_scalar_stores_are_ordered_by_a_meeting_alone():
    done = run(["li a2, 5", "sd a2, (a1)", MEET], [MEET, "ld a3, (a1)"])
    assert done.cores[1].x[13] == 5


def test_threads_that_read_the_same_do_not_race():
    run([READ, MEET], [READ, MEET])


def test_a_thread_that_never_comes_is_a_deadlock_that_says_who_waits():
    with pytest.raises(
        DeadlockError, match=r"deadlock: thread 1 waits at sync_id 1 .* for threads 0"
    ):
        run(["nop"], [MEET])


def test_many_scalar_accesses_of_two_threads_stay_quick_and_ordered():
    loop = """
        li t1, 3000
9:      sd t1, (a1)
        ld t2, (a1)
        addi t1, t1, -1
        bnez t1, 9b
"""
    other = loop.replace("(a1)", "512(a1)")
    done = run([loop, MEET], [other, MEET, "ld a3, (a1)"])
    assert done.cores[1].x[13] == 1


def test_an_outstanding_load_is_not_hidden_by_a_later_read_of_the_same_bytes():
    writer = ["tgld.unit tr3, (a1), tilesize=1", "ld a2, (a1)", MEET, WAIT]
    with pytest.raises(ProgramError, match=r"race: sd of thread 1 .* tgld\.unit of thread 0"):
        run(writer, [MEET, "sd a2, (a1)"])
