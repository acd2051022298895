"""A schedule is drawn: the delay as long as it was, the words where they were."""

import re

from tilelab.explore.drawn import picture, traced
from tilelab.explore.explorer import Explorer
from tilelab.explore.prepare import program_explorer
from tilelab.explore.schedule import Delay
from tilelab.tensix.tile.tile import Tile
from tilelab.tensix.words.assembly import assemble

TEXT = """.thread 0
ttseminit 2,0,2
ttrmwcib0 255,1,180
.thread 1
ttnop
ttnop
ttnop
ttrmwcib0 255,2,180
"""
HELD = (Delay(5, 0, 7, "ttseminit 2,0,2 (race.s:2)"),)


def explorer() -> Explorer:
    return program_explorer(assemble(TEXT, "blackhole", "race.s"), Tile(), 10_000)


def clocks(issued: object, thread: int) -> list[int]:
    rows = [row for row in issued.tolist() if row[1] == thread]  # type: ignore[attr-defined]
    return [int(row[0]) for row in rows]


def test_a_delay_is_where_its_actor_was_held() -> None:
    made = explorer()
    before, after = traced(made, ()), traced(made, HELD)
    (bar,) = after.bars
    assert bar.last - bar.first == 7
    assert before.bars == ()
    assert clocks(after.issued, 0) == [clock + 7 for clock in clocks(before.issued, 0)]
    assert clocks(after.issued, 1) == clocks(before.issued, 1)
    assert clocks(before.issued, 0)[0] == bar.first
    assert clocks(after.issued, 0)[0] == bar.last


def test_both_runs_are_drawn_with_the_words_and_the_delay() -> None:
    html = picture(explorer(), HELD)
    assert html.count("class='held'") == 1
    titles = re.findall(r"<title>round [0-9,]+: ([^<]*)</title>", html)
    assert titles.count("ttrmwcib0 255,1,180 race.s:3") == 2
    assert titles.count("ttnop race.s:5") == 2
    assert "T0 waits 7 rounds after 0 words" in html


def test_drawing_leaves_the_explorer_as_it_was() -> None:
    made = explorer()
    outcome = made.run(HELD)
    picture(made, HELD)
    assert made.run(HELD) == outcome
    assert made.run(()) == made.base
