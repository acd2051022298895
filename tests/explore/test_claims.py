"""Claims that two lines race, executed: reproduced, bounded, or refuted by what orders them."""

from pathlib import Path

import pytest

from tilelab.explore.claim_lists import read_claims
from tilelab.explore.claims import BOUND, ORDERED, REPRODUCER, Answer, Claims
from tilelab.explore.prepare import kernel_explorer, program_explorer
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.sim.errors import BadInputError
from tilelab.tensix.tile.tile import Tile
from tilelab.tensix.words.assembly import assemble

TEXT = """.thread 0
ttseminit 2,0,2
ttrmwcib0 255,1,180
ttrmwcib0 255,7,182
ttsempost 2
.thread 1
ttnop
ttrmwcib0 255,2,180
ttrmwcib0 255,5,183
ttsemwait 128,2,1
ttrmwcib0 255,3,181
"""


@pytest.fixture(scope="module")
def two_threads() -> Claims:
    return Claims(program_explorer(assemble(TEXT, "blackhole", "x.s"), Tile(), 10_000))


def ask(claims: Claims, text: str) -> Answer:
    (claim,) = read_claims([text])
    return claims.answer(claim)


def test_a_race_is_reproduced_by_a_schedule_that_can_be_replayed(two_threads: Claims) -> None:
    answer = ask(two_threads, "x.s:3 races x.s:8")
    assert (answer.kind, answer.holds) == (REPRODUCER, True)
    assert answer.schedule
    replayed = two_threads.explorer.run(answer.schedule)
    assert replayed.differs(two_threads.explorer.base)
    assert answer.as_dict()["answer"] == "reproducer"


def test_what_is_ordered_names_what_the_other_waits_for(two_threads: Claims) -> None:
    answer = ask(two_threads, "x.s:3 races x.s:11")
    assert (answer.kind, answer.holds) == (ORDERED, False)
    assert "semaphore 1" in answer.said
    assert ask(two_threads, "x.s:11 races x.s:3").kind == ORDERED


def test_lines_of_one_thread_are_in_the_order_of_its_program(two_threads: Claims) -> None:
    assert "the order of its program" in ask(two_threads, "x.s:2 races x.s:3").said


def test_both_orders_with_one_result_are_a_bound(two_threads: Claims) -> None:
    answer = ask(two_threads, "x.s:4 races x.s:9")
    assert answer.kind == BOUND
    assert "both orders happen" in answer.said
    assert answer.schedule


def test_a_line_that_does_nothing_is_a_bound(two_threads: Claims) -> None:
    assert "executes no word" in ask(two_threads, "x.s:1 races x.s:3").said


def test_an_example_whose_threads_run_ahead_of_each_other() -> None:
    kernel = read_kernel_file("examples/eltwise_add")
    claims = Claims(kernel_explorer(kernel, Tile(), 100_000))
    answer = ask(claims, "kernel.cpp:16 races kernel.cpp:23")
    assert answer.kind == BOUND
    assert "with the same result" in answer.said


def test_claims_come_from_a_file_too(tmp_path: Path) -> None:
    listed = tmp_path / "claims.txt"
    listed.write_text("# found by reading\na/b/k.cpp:41 races k.cpp:77\n\n", "utf-8")
    (claim,) = read_claims([str(listed)])
    assert str(claim) == "k.cpp:41 races k.cpp:77"


AUDIT = """### [low] `ops/move/move_interleaved.cpp:83` - noc-sync
Prose of `no_claim.cpp:1`.
| Finding | Disposition |
|---|---|
| `reader_bilinear.cpp:408` | **In progress** `not/this.cpp:5` |
| `a/k.cpp:41 races k.cpp:77` (F2) | open |
"""


def test_claims_come_from_an_audits_tables_and_headings(tmp_path: Path) -> None:
    listed = tmp_path / "audit.md"
    listed.write_text(AUDIT, "utf-8")
    assert list(map(str, read_claims([str(listed)]))) == [
        "move_interleaved.cpp:83",
        "reader_bilinear.cpp:408",
        "k.cpp:41 races k.cpp:77",
    ]
    listed.write_text("prose", "utf-8")
    with pytest.raises(BadInputError, match="no claim in it"):
        read_claims([str(listed)])


def test_a_line_is_claimed_to_race_with_whatever_it_is(two_threads: Claims) -> None:
    answer = ask(two_threads, "x.s:3")
    assert answer.kind == REPRODUCER
    assert two_threads.explorer.run(answer.schedule).differs(two_threads.explorer.base)
    assert "none of" in ask(two_threads, "x.s:9").said


@pytest.mark.parametrize("text", ["kernel.cpp", "k.cpp:1 races k.cpp", "", "a:1 beats b:2"])
def test_what_is_no_claim_is_refused(text: str) -> None:
    with pytest.raises(BadInputError, match="a claim is"):
        read_claims([text])


OVERTAKEN = """.thread 0
ttsetdmareg 0,5,0,0
ttsetdmareg 0,3,0,2
ttstallwait 64,1
ttmuldmareg 0,2,1,0
{wait}ttwrcfg 2,0,180
ttnop
"""


def one_thread(wait: str) -> Claims:
    text = OVERTAKEN.format(wait=wait)
    return Claims(program_explorer(assemble(text, "blackhole", "x.s"), Tile(), 10_000))


def test_a_result_that_is_late_is_a_reproducer_too() -> None:
    answer = ask(one_thread(""), "x.s:5 races x.s:6")
    assert answer.kind == REPRODUCER
    assert answer.schedule[0].late
    assert ask(one_thread("ttstallwait 128,1\n"), "x.s:5 races x.s:7").kind == ORDERED


def test_what_the_checker_names_is_not_said_to_be_ordered() -> None:
    claims = one_thread("ttstallwait 128,1\n")
    (claim,) = read_claims(["x.s:5 races x.s:7"])
    answer = claims.answer(claim, findings=("race-gpr",))
    assert (answer.kind, answer.holds) == (BOUND, True)
