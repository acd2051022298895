"""Forwards and back: any moment is found again exactly as it was, whatever led away from it."""

from functools import cache
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from moments import COUNTERS, Moment
from tilelab.debug import Debugger, Stop, Why, arrive, becomes, changed
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.run import load
from tilelab.sim.errors import BadInputError, DeadlockError
from tilelab.tensix import Tile
from tilelab.tensix.tile.feeder import Feeder
from tilelab.tensix.tile.tile import CLOCKS
from tilelab.tensix.words.assembly import assemble

EXAMPLES = Path(__file__).parents[2] / "examples"
KERNELS = ("datacopy", "eltwise_add", "matmul")


def debugger(name: str, clock: str, engine: str = "fast", spacing: int = 200) -> Debugger:
    kernel = read_kernel_file(EXAMPLES / name / "kernel.toml")
    tile = Tile(kernel.arch, engine, clock)
    load(tile, kernel)
    done = dict.fromkeys(kernel.done.mailboxes.values(), kernel.done.value)
    made = Debugger(tile, done)
    made.spacing = spacing
    return made


@cache
def recorded(name: str, clock: str) -> tuple[Debugger, int]:
    """A kernel run to its end once, and when that was."""
    made = debugger(name, clock)
    assert made.forward().why is Why.DONE
    return made, made.clock


@pytest.mark.parametrize("clock", CLOCKS)
@settings(max_examples=50)
@given(
    name=st.sampled_from(KERNELS),
    start=st.floats(0, 1),
    counter=st.sampled_from(COUNTERS),
    steps=st.integers(1, 60),
)
def test_steps_forward_and_as_many_back(
    clock: str, name: str, start: float, counter: str, steps: int
) -> None:
    made, end = recorded(name, clock)
    what = changed(made.place(counter))
    made.go_to(int(start * end))
    assume(made.step(what).why is Why.STOP)
    here = Moment(made)
    assume(made.step(what, steps).why is Why.STOP)
    made.step(what, -steps)
    here.check()


@pytest.mark.parametrize("clock", CLOCKS)
@given(name=st.sampled_from(KERNELS), places=st.lists(st.floats(0, 1), min_size=2, max_size=6))
def test_any_moment_is_found_again(clock: str, name: str, places: list[float]) -> None:
    made, end = recorded(name, clock)
    clocks = [int(place * end) for place in places]
    moments = []
    for at in clocks:
        made.go_to(at)
        moments.append(Moment(made))
    for moment in moments[::-1]:
        made.go_to(moment.clock)
        moment.check()


WORDS = (
    "ttnop",
    "ttsetrwc 0,0,0,0,0,0xf",
    "ttincrwc 0,1,2,3",
    "ttzeroacc 3,0,0,1,0",
    "ttsetadcxx 4,10,0",
    "ttreplay 0,3,0,1",
    "ttreplay 0,3,0,0",
    "ttdmanop",
    "ttseminit 3,1,2",
    "ttsempost 2",
    "ttsemget 2",
)


@pytest.mark.parametrize("clock", CLOCKS)
@settings(max_examples=30)
@given(
    lines=st.lists(st.tuples(st.integers(0, 2), st.sampled_from(WORDS)), min_size=1, max_size=40),
    spacing=st.integers(1, 40),
    backs=st.integers(1, 30),
)
def test_random_programs(
    clock: str, lines: list[tuple[int, str]], spacing: int, backs: int
) -> None:
    text = "\n".join(f".thread {thread}\n{line}" for thread, line in lines)
    tile = Tile("blackhole", clock=clock)
    made = Debugger(tile, feed=Feeder(assemble(text, "blackhole"), tile.state, tile.sources))
    made.spacing = spacing
    moments = [Moment(made)]
    while made.forward((), made.clock + 1).why is Why.LIMIT:
        moments.append(Moment(made))
    last = made.end
    for moment in moments[:-1][-backs:][::-1]:
        made.go_to(moment.clock)
        moment.check()
    again = made.forward()
    assert last is not None
    assert (again.why, again.clock) == (last.why, last.clock)


@pytest.mark.parametrize("engine", ["fast", "reference"])
def test_a_watchpoint_goes_both_ways(engine: str) -> None:
    made = debugger("datacopy", "functional", engine)
    output = changed(made.place("l1[0x23000:64]"))
    first = made.forward((output,))
    assert (first.why, first.hits) == (Why.STOP, (0,))
    assert made.forward((output,)).clock > first.clock
    assert made.backward((output,)).clock == first.clock
    assert made.backward((output,)).why is Why.BEGIN
    assert made.clock == 0


def test_breakpoints_values_and_conditions() -> None:
    made, end = recorded("matmul", "functional")
    made.go_to(0)
    entry = made.number("riscv[1].pc")
    second = arrive(1, entry + 4)
    assert made.forward((second,)).clock == 1
    assert made.number("riscv[1].pc") == entry + 4
    semaphore = made.place("semaphore[1].value")
    full = becomes(semaphore, 1)
    assert made.forward((full,)).why is Why.STOP
    assert made.number("semaphore[1].value") == 1
    when = made.clock
    late = made.forward((changed(semaphore),), condition=lambda hits: made.clock > when + 20)
    assert late.clock > when + 20
    assert made.backward((full,), lambda hits: made.clock <= when).clock == when
    assert made.forward().clock == end


def test_a_change_from_outside_forgets_what_came_after() -> None:
    made = debugger("datacopy", "functional")
    made.forward()
    end = made.clock
    made.go_to(100)
    made.written(lambda: made.tile.write(0x10, b"\1\0\0\0"))
    assert made.history.clocks[-1] == 100
    made.forward((), 150)
    made.go_to(100)
    assert made.tile.read(0x10, 1) == b"\1"
    made.go_to(99)
    assert made.tile.read(0x10, 1) == b"\0"
    assert made.forward().clock == end


def test_a_failed_check_can_be_left_and_met_again() -> None:
    tile = Tile("blackhole")
    program = assemble("ttnop\nttnop\n.ttinsn 0xff000000\nttnop", "blackhole")
    made = Debugger(tile, feed=Feeder(program, tile.state, tile.sources))
    failed = made.forward()
    assert failed.why is Why.FAILED
    assert "unknown-opcode" in str(failed.error)
    assert made.forward() == failed
    issued = changed(made.place("frontend[1].issued"))
    assert made.backward((issued,)).clock <= failed.clock
    assert made.number("frontend[1].issued") == 2
    again = made.forward()
    assert (again.why, again.clock, str(again.error)) == (
        Why.FAILED,
        failed.clock,
        str(failed.error),
    )


def test_a_deadlock_is_an_end() -> None:
    tile = Tile("blackhole")
    program = assemble("ttseminit 2,0,4\nttsemwait 1,4,1\nttsemwait 1,4,1", "blackhole")
    made = Debugger(tile, feed=Feeder(program, tile.state, tile.sources))
    halt = made.forward()
    assert halt.why is Why.DEADLOCK
    assert isinstance(halt.error, DeadlockError)
    made.go_to(halt.clock - 1)
    assert made.forward().clock == halt.clock


@pytest.mark.parametrize(
    "text",
    ["nothing", "dst[1024]", "dst[0,0,0]", "l1[5", "l1[-4:4]", "l1", "rwc[0]dst", "", "dst[x]"],
)
def test_what_names_no_place_is_refused(text: str) -> None:
    made, _ = recorded("datacopy", "functional")
    with pytest.raises(BadInputError):
        made.place(text)


def test_too_much_to_watch_is_refused() -> None:
    made, _ = recorded("datacopy", "functional")
    with pytest.raises(BadInputError, match="smaller part"):
        made.place("dst")
    large = Stop(3, place=made.place("l1[0:12000]"))
    with pytest.raises(BadInputError, match="together"):
        made.forward((large, large))
