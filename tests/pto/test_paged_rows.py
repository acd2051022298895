"""pto-isa#99's four figures: two gave the flags' prices, the other two are predictions."""

import pytest
from paged_rows import CASES, microseconds


@pytest.mark.parametrize(("case", "within"), [("Case 1", 0.02), ("Case 2", 0.15)])
def test_a_rendezvous_loses_what_silicon_lost_and_credits_recover_it(case: str, within: float):
    *_, slow, quick = CASES[case]
    lost, recovered = (microseconds(case, protocol) for protocol in ("rendezvous", "ack/1"))
    assert lost == pytest.approx(slow, rel=within)
    assert recovered == pytest.approx(quick, rel=within)
    assert 1.5 < lost / recovered < 2.0


def test_no_single_latency_gives_both_figures_of_a_case():
    same = ["cross_core_flag=2290", "free_flag=2290"]
    lost, recovered = (microseconds("Case 1", one, same) for one in ("rendezvous", "ack/1"))
    assert lost / recovered < 1.4
