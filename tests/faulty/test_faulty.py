"""Every faulty program is caught by its check at its two places; its healthy twin is silent."""

from operator import contains

import pytest

from faulty.harness import Faulty, corpus
from tilelab.check.findings import Finding

CORPUS = corpus()
IDS = [faulty.name for faulty in CORPUS]


def named(places: list[str], finding: Finding) -> bool:
    """Whether each marked place is the party's line, or the line that this was called at."""
    sides = [(party.line, *party.called_at) for party in finding.parties]
    return len(places) <= len(sides) and all(map(contains, sides, places))


@pytest.mark.parametrize("faulty", CORPUS, ids=IDS)
def test_the_fault_is_found_at_its_places(faulty: Faulty) -> None:
    run = faulty.run(healthy=False)
    found = {finding.check: finding for finding in run.findings}
    assert set(found) == {faulty.check} | faulty.also
    of_check = [finding for finding in run.findings if finding.check == faulty.check]
    if faulty.check != "deadlock":
        assert any(named(faulty.places(), finding) for finding in of_check)
    else:
        (likely,) = [line for line in found["deadlock"].detail if line.startswith("most likely")]
        assert faulty.culprit
        assert all(part in likely for part in faulty.culprit.split(" ... "))


@pytest.mark.parametrize("faulty", CORPUS, ids=IDS)
def test_the_twin_is_silent(faulty: Faulty) -> None:
    run = faulty.run(healthy=True)
    assert [str(finding) for finding in run.findings] == []
    assert run.result is not None


def test_each_names_what_it_stands_for() -> None:
    assert len(CORPUS) >= 160
    assert all("#" in faulty.stands_for for faulty in CORPUS)
