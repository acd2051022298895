"""t_wait, t_sync, and what may not be used before it was waited for."""

from collections import Counter

import pytest

from tilelab.sim.errors import DeadlockError, ProgramError
from tilelab.tilext import (
    MissingSpecification,
    Parameters,
    TileCore,
    assemble_text,
    run,
    run_threads,
)
from tilelab.tilext.disassembler import Disassembler
from tilelab.tilext.errors import IllegalInstruction
from tilelab.tilext.machine import execute
from tilelab.tilext.operations import MmaOperation
from tilelab.tilext.profile import load_profile

LOADS = "tgld.unit tr1, (zero), tilesize=1\ntgld.unit tr2, (zero), tilesize=1"


def core(thread=0, **answers):
    answers = {"global_space": 0, **answers}
    return TileCore(Parameters(128, 32, 256, **answers), thread=thread)


def asks(key):
    return pytest.raises(MissingSpecification, match=rf"not specified \({key}\)")


def test_counters_count_what_is_outstanding():
    machine = core()
    machine.x[10] = 4096
    machine.operations.mma[0] = MmaOperation(lambda inputs: inputs.d)
    run(
        machine,
        f"{LOADS}\ntsst.unit tr3, (a0), tilesize=1\nmma.tt tr4, tr5, tr6, mmauop=0, tilesize=1",
    )
    assert machine.counters() == {"tgld": 2, "tsst": 1, "mma": 1}
    run(machine, "t_wait.mem global/share=1, st_cnt=0, ld_cnt=0, st_en, ld_en")
    assert machine.counters() == {"tgld": 2, "mma": 1}
    run(machine, "t_wait.mma")
    assert machine.counters() == {"tgld": 2}
    run(machine, "t_wait.alu\nt_wait.tma tma_group_id=0")
    assert machine.counters() == {"tgld": 2}
    run(machine, "t_wait.all")
    assert not machine.outstanding


def test_only_the_enabled_counter_is_waited_for():
    machine = core()
    run(machine, f"{LOADS}\nt_wait.mem global/share=0, st_cnt=0, ld_cnt=0, st_en")
    assert machine.counters() == {"tgld": 2}
    run(machine, "t_wait.mem global/share=0, st_cnt=0, ld_cnt=2, ld_en")
    assert machine.counters() == {"tgld": 2}


@pytest.mark.parametrize("loads", [False, True])
@pytest.mark.parametrize("stores", [False, True])
def test_each_enable_has_its_counter(loads, stores):
    machine = core()
    machine.x[10] = 4096
    run(machine, f"{LOADS}\ntgst.unit tr3, (a0), tilesize=1")
    enables = ", ld_en" * loads + ", st_en" * stores
    run(machine, f"t_wait.mem global/share=0, st_cnt=0, ld_cnt=0{enables}")
    assert machine.counters() == Counter(tgld=2 * (not loads), tgst=int(not stores))


def test_a_register_that_an_outstanding_store_reads_may_not_be_written():
    machine = core()
    run(machine, "tgst.unit tr3, (zero), tilesize=1")
    with asks("interlock"):
        run(machine, "tmv.t.x tr3, a0, func6=u8")
    run(machine, "tmv.x.t a0, tr3, func6=u8")


def test_a_count_above_zero_needs_the_order_of_completion():
    wait = f"{LOADS}\nt_wait.mem global/share=0, st_cnt=0, ld_cnt=1, ld_en"
    with asks("completion-order"):
        run(core(), wait)
    machine = core(completes_in_order=True)
    run(machine, wait)
    assert [min(o.access.writes) for o in machine.outstanding] == [2]


@pytest.mark.parametrize(
    "text",
    [
        "tmv.x.t a0, tr1, func6=u8",
        "tgst.unit tr1, (a0), tilesize=1",
        "tgld.unit tr0, (a0), tilesize=2",
        "tmv.t.v tr1, v0, func6=e8",
        "tgst.unit tr9, (zero), tilesize=1",
    ],
)
def test_what_is_outstanding_may_not_be_used(text):
    machine = core()
    machine.x[10] = 4096
    run(machine, LOADS)
    with asks("interlock"):
        run(machine, text)
    run(machine, f"t_wait.all\n{text}")
    eager = core(interlock=True)
    eager.x[10] = 4096
    run(eager, f"{LOADS}\n{text}")


def test_loads_of_the_same_memory_do_not_conflict():
    run(core(), LOADS)


def test_a_load_after_an_outstanding_store_to_nearby_memory():
    machine = core()
    machine.x[10] = 100
    run(machine, "tgst.unit tr9, (zero), tilesize=1")
    with asks("interlock"):
        run(machine, "tgld.unit tr1, (a0), tilesize=1")
    machine.x[10] = 128
    run(machine, "tgld.unit tr1, (a0), tilesize=1\ntsld.unit tr2, (zero), tilesize=1")


def test_threads_meet():
    order = []
    cores = [core(n) for n in range(3)]
    for machine in cores:
        machine.operations.talu["talu.1op", 0, 0] = lambda i, m=machine: (
            order.append(m.thread),
            i.sources[0],
        )[1]
    work = "talu.1op tr0, tr1, vecuop1=0, vecuop2=0"
    barrier = "t_sync.imm nonblk, imm=0b111, sync_id=4, scope=1"
    texts = [
        f"{barrier}\n{work}",
        f"{work}\n{barrier}",
        f"t_wait.all\nt_wait.all\n{work}\n{barrier}",
    ]
    run_threads(cores, texts)
    assert order == [1, 2, 0]


def test_a_barrier_can_be_used_again():
    barrier = "t_sync.imm nonblk, imm=3, sync_id=4, scope=1\n"
    run_threads([core(0), core(1)], [barrier * 3, "t_wait.all\n" + barrier * 3])


def test_arriving_without_waiting_and_the_mask_in_a_register():
    consumer, producer = core(0), core(5)
    consumer.x[11], consumer.x[12] = 9, 0b100001
    run_threads(
        [consumer, producer],
        ["t_sync.reg a1, mask=a2, nonblk, scope=0", "t_sync.imm imm=0, sync_id=9, scope=0"],
    )


def test_a_deadlock_says_who_waits_for_whom():
    texts = [
        "t_sync.imm nonblk, imm=3, sync_id=1, scope=0",
        "t_sync.imm nonblk, imm=3, sync_id=2, scope=0",
    ]
    with pytest.raises(DeadlockError) as info:
        run_threads([core(0), core(1)], texts)
    assert info.value.summary == (
        "deadlock: thread 0 waits at sync_id 1 (scope 0) for threads 1; "
        "thread 1 waits at sync_id 2 (scope 0) for threads 0"
    )


def test_what_t_sync_leaves_open():
    with asks("t_sync-mask"):
        run_threads([core(0)], ["t_sync.reg a1, nonblk, scope=0"])
    arrive = "t_sync.imm imm=0, sync_id=9, scope=0\n"
    with asks("t_sync-reuse"):
        run_threads([core(0)], [arrive * 2])
    with pytest.raises(ProgramError, match="nobody to synchronise with"):
        run(core(), arrive)
    with pytest.raises(ProgramError, match="same thread number"):
        run_threads([core(), core()], ["", ""])


def decode_program(words, profile):
    """Return the instructions of words; IllegalInstruction where they are not certain."""
    disassembler = Disassembler(profile)
    found = []
    for item in disassembler.decode(words):
        if not item.certain:
            raise IllegalInstruction(f"word {item.index}: {disassembler.text(item)}")
        found.append(item.candidates[0])
    return found


def test_programs_from_words():
    profile = load_profile()
    words = assemble_text(f"{LOADS}\nt_wait.all")
    machine = core()
    for instruction in decode_program(words, profile):
        assert execute(machine, instruction)
    with pytest.raises(IllegalInstruction, match=r"word 0: .* without its companions"):
        decode_program(words[1:], profile)
    with pytest.raises(IllegalInstruction, match=r"\.word is not run"):
        run(machine, ".word 3")
