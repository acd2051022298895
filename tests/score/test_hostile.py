"""Candidates that are hostile or broken get a verdict, and nothing of them is left."""

import pytest

from hostile_candidates import KINDS, campaign, left


def test_nothing_that_a_candidate_does_ends_the_service() -> None:
    pytest.importorskip("ziglang", reason="no Zig: pip install tilelab[build]")
    some = KINDS[::3]
    found = campaign(len(some), 1, some)
    assert sum(found.values()) == len(some) + 1
    assert {"Build", "TimeLimit"} <= set(found)
    assert not left()
