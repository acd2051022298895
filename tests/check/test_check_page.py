"""The page: findings with both places, and who waits for whom as a picture."""

import re
from html import escape

from faulty.harness import PROGRAMS, read
from tilelab.check.page import page
from tilelab.check.wait_picture import columns, picture
from tilelab.check.waits import NOBODY, Wait, graph_of


def test_a_page_has_both_places_and_the_cure() -> None:
    program = read(PROGRAMS / "mvmul_then_sfpload.s")
    text = page([program.run(healthy=False), program.run(healthy=True)])
    for place in program.places():
        assert f"<b>{place}</b>" in text
    assert "put three other instructions" in text
    assert "nothing found" in text
    assert "http" not in text
    assert "<script" not in text


def test_a_deadlock_is_drawn() -> None:
    run = read(PROGRAMS / "two_mutexes_crosswise.s").run(healthy=False)
    (finding,) = run.findings
    assert finding.graph is not None
    assert [edge.waiter for edge in finding.graph.circle] == ["T0", "T1"]
    assert finding.as_dict()["graph"]["circle"] == ["T0", "T1"]
    text = page([run])
    assert picture(finding.graph) in text
    assert text.count("class='around edge'") == 2
    assert escape(finding.graph.most_likely) in text


def test_everybody_stands_before_whom_they_wait_for() -> None:
    edges = [Wait("a", "b", "x"), Wait("b", "c", "y"), Wait("d", "b", "z"), Wait("c", NOBODY, "w")]
    order = columns(graph_of(edges))
    assert sorted(order) == ["a", "b", "c", "d", NOBODY]
    assert all(order.index(edge.waiter) < order.index(edge.holder) for edge in edges)


def test_text_is_escaped() -> None:
    drawn = picture(graph_of([Wait("T1", NOBODY, "<b>&")]))
    assert "&lt;b&gt;&amp;" in drawn
    assert not re.search("<b>", drawn)
