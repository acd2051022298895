"""The best of many: who is asked what, and how a search goes on from its table."""

import shutil
from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tilelab
from tilelab.score.one import Depth, Wanted
from tilelab.score.result import Cycles, Score
from tilelab.score.table import best, picture, read, write
from tilelab.score.tune import Candidate, Row, candidates, halved
from tilelab.sim.errors import BadInputError

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
RIGHT = 3
"""As far as a candidate of the tests is right: wrong at depth 0, 1, 2, or never."""


class Judge:
    """Scores that are known beforehand: (cycles, the depth at which it turns out wrong)."""

    def __init__(self, facts: Sequence[tuple[int, int]]) -> None:
        self.facts = facts
        self.asked: list[tuple[int, Depth]] = []

    def __call__(self, wanted: Sequence[Wanted], tick: Any) -> Generator[Score, None, None]:
        for one in wanted:
            number = int(one.name)
            self.asked.append((number, one.depth))
            cycles, wrong = self.facts[number]
            category = "" if wrong > one.depth else "WrongResult"
            made = Cycles(cycles, cycles, cycles, 1, (cycles,), "", "")
            yield Score(one.name, not category, category, cycles=made)

    def search(self, known: dict[str, Row] | None = None) -> list[Row]:
        some = [
            Candidate(Wanted(Path(), str(number)), {}, str(number))
            for number in range(len(self.facts))
        ]
        return halved(some, self, known or {}, lambda row: None, lambda names: None)


FACTS = st.lists(st.tuples(st.integers(1, 9), st.integers(0, RIGHT)), min_size=1, max_size=12)


@given(FACTS)
def test_one_that_is_right_is_found_if_there_is_one(facts: list[tuple[int, int]]) -> None:
    rows = Judge(facts).search()
    assert len(rows) == len(facts)
    last = [row for row in rows if row["asked"] == "whole"]
    alive = any(wrong > Depth.NUMBERS for _, wrong in facts)
    assert bool(last) == alive
    quickest = [cycles for cycles, wrong in facts if wrong == RIGHT]
    if rows[0]["right"] and rows[0]["asked"] == "whole":
        assert rows[0]["cycles"] in quickest


@given(FACTS.filter(lambda facts: all(wrong in (0, RIGHT) for _, wrong in facts)))
def test_the_quickest_right_one_comes_first(facts: list[tuple[int, int]]) -> None:
    judge = Judge(facts)
    rows = judge.search()
    right = [cycles for cycles, wrong in facts if wrong]
    assert bool(rows[0]["right"]) == bool(right)
    if right:
        assert rows[0]["cycles"] == min(right)
    numbers = sum(depth is Depth.NUMBERS for _, depth in judge.asked)
    assert numbers == -(-len(right) // 2)
    assert sum(depth is Depth.WHOLE for _, depth in judge.asked) == -(-numbers // 2)


@given(FACTS, st.integers(0, 12))
def test_a_search_that_goes_on_ends_as_one_that_was_not_cut_short(
    facts: list[tuple[int, int]], kept: int
) -> None:
    rows = Judge(facts).search()
    again = Judge(facts)
    assert again.search({row["key"]: row for row in rows[:kept]}) == rows
    assert not {str(number) for number, _ in again.asked} & {
        row["key"] for row in rows[:kept] if row["asked"] == "whole"
    }


def test_a_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    rows = Judge([(5, RIGHT), (3, 1), (4, RIGHT)]).search()
    write(tmp_path / "r.csv", rows)
    found = list(read(tmp_path / "r.csv").values())
    assert [{k: str(v) for k, v in row.items()} for row in found] == [
        {k: str(v) for k, v in row.items()} for row in rows
    ]


@pytest.mark.parametrize("said", ["a,b\n", "key,asked,right\n1,run,perhaps\n", "\0", "é,\n"])
def test_a_foreign_table_is_refused_and_kept(tmp_path: Path, said: str) -> None:
    path = tmp_path / "r.csv"
    path.write_text(said, encoding="latin-1")
    with pytest.raises(BadInputError, match=r"r\.csv: (line|not UTF-8)"):
        read(path)
    assert path.read_text(encoding="latin-1") == said


def test_none_beats_the_best_on_both() -> None:
    rows = Judge([(10, RIGHT), (20, RIGHT), (30, RIGHT), (5, 0)]).search()
    errors = {10: 2.0, 20: 3.0, 30: 1.0, 5: 0.0}
    rows = [row | {"worst_ulp": errors[row["cycles"]]} for row in rows]
    assert [row["cycles"] for row in best(rows)] == [10, 30]
    assert picture(rows, "a & b").count("<circle") == 3 + 4


def test_ranges_and_lists_of_constants(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES / "datacopy", tmp_path / "k")
    some = candidates(tmp_path / "k", ["num_tiles=1,3..5"], (), (), 0, 1, "")
    assert [dict(one.wanted.constants)["num_tiles"] for one in some] == [1, 3, 4, 5]
    assert len({one.key for one in some}) == 4
    assert replace(some[0].wanted, depth=Depth.RUN).name == "num_tiles=1"


def test_a_kernel_tuned_from_source(tmp_path: Path) -> None:
    pytest.importorskip("ziglang", reason="no Zig: pip install tilelab[build]")
    shutil.copytree(EXAMPLES / "datacopy", tmp_path / "k")
    worse = (tmp_path / "k" / "kernel.cpp").read_text()
    (tmp_path / "broken.cpp").write_text(worse + "\n#error no\n")
    rows = tilelab.tune(
        tmp_path / "k", sources=[tmp_path / "k" / "kernel.cpp", tmp_path / "broken.cpp"]
    )
    assert [(row["source"], row["right"], row["asked"]) for row in rows] == [
        ("kernel.cpp", True, "whole"),
        ("broken.cpp", False, "run"),
    ]
    assert rows[1]["category"] == "Build"
