"""Twenty thousand random programs: each ends, loses and reorders nothing, and reports its fault.

A million: `PYTHONPATH=tests python tests/pto_random.py --programs 1000000`.
"""

from __future__ import annotations

from collections import Counter

from pto_random import FAULTS, Case


def test_twenty_thousand_random_programs():
    fates = Counter(Case(seed).check() for seed in range(20_000))
    assert {fate.split(":")[0] for fate in fates} == set(FAULTS)
    assert sum(count for fate, count in fates.items() if fate.endswith("deadlock")) > 4_000
    assert fates["none: end"] > 6_000
