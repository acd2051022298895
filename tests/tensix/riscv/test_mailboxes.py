"""Mailboxes between cores, against a model of queues."""

from collections import deque

from hypothesis import given
from hypothesis import strategies as st

from riscv_harness import BRISC, Core
from tilelab.sim.kernel import OK
from tilelab.tensix.backend.mailboxes import discard_written
from tilelab.tensix.words.waits import WAIT_MAILBOX

MAILBOX = 0xFFEC0000
NUMBER = {BRISC: 0, 0: 1, 1: 2, 2: 3}
"""Which of a core's four addresses names which core."""


def test_unpack_to_math() -> None:
    sender, receiver = Core(0), Core(1)
    receiver.adopt(sender.state)
    address_of_math, address_of_unpack = MAILBOX + 0x2000, MAILBOX + 0x1000
    assert receiver.load(address_of_unpack)[0] == WAIT_MAILBOX
    assert receiver.load(address_of_unpack + 4) == (OK, 0)
    assert sender.store(address_of_math, 0xCAFE) == OK
    assert receiver.load(address_of_unpack + 4) == (OK, 1)
    assert receiver.load(address_of_unpack) == (OK, 0xCAFE)
    assert receiver.load(address_of_unpack)[0] == WAIT_MAILBOX


def test_a_core_reaches_itself() -> None:
    core = Core(2)
    assert core.store(MAILBOX + 0x3000, 8) == OK
    assert core.load(MAILBOX + 0x3000) == (OK, 8)


def test_values_come_out_in_order_around_the_ring() -> None:
    core = Core(2)
    for start in range(0, 12, 3):
        values = [start + 1, start + 2, start + 3]
        assert [core.store(MAILBOX + 0x3000, value) for value in values] == [OK] * 3
        assert [core.load(MAILBOX + 0x3000) for _ in values] == [(OK, value) for value in values]


cores = st.integers(0, 3)
steps = st.tuples(st.booleans(), cores, cores, st.integers(0, 0xFFFFFFFF))


@given(st.lists(steps, max_size=60))
def test_against_queues(program: list[tuple[bool, int, int, int]]) -> None:
    machines = [Core(core) for core in range(4)]
    for machine in machines[1:]:
        machine.adopt(machines[0].state)
    queues = {(a, b): deque[int]() for a in range(4) for b in range(4)}
    for write, core, other, value in program:
        address = MAILBOX + 0x1000 * NUMBER[other]
        if write:
            full = sum(len(queues[core, to]) for to in range(4)) >= 4
            assert machines[core].store(address, value) == (WAIT_MAILBOX if full else OK)
            if not full:
                queues[core, other].append(value)
        else:
            queue = queues[other, core]
            expected = (OK, queue.popleft()) if queue else WAIT_MAILBOX
            status, found = machines[core].load(address)
            assert (status if status else (status, found)) == expected


def test_reset_discards_what_a_core_wrote() -> None:
    machine = Core(0)
    assert machine.store(MAILBOX + 0x2000, 1) == OK
    machine.s.mailbox[0][1].count = 1
    discard_written(machine.s, 0)
    assert machine.s.mailbox[1][0].count == 0
    assert machine.s.mailbox[0][1].count == 1
