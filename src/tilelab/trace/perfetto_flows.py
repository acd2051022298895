"""Flow arrows of a Perfetto trace: what joins a push, the words it became, and where they issued.

A flow joins events of one number in the order of time, up to one that ends it; then the number is
free. A push's flow has a number of its own, because its word may wait in a FIFO behind anything.
Words between expander and gate are few, so theirs take turns: repeated bytes compress well.
"""

import numpy as np

from tilelab.tensix.cycle import events
from tilelab.tensix.state import THREADS
from tilelab.trace.links import Links, Numbers
from tilelab.trace.perfetto_packets import FLOW, LAST_OF_FLOW
from tilelab.trace.protobuf import fixed

TURNS = 32
"""More words than a late FIFO, the replay expander and the gate hold together."""
OWN = 2 * THREADS * TURNS + 1
"""The first number of flows that begin at pushes."""


class Flows:
    """Which flows go through each event; their numbers are above ``taken``."""

    def __init__(self, chain: Links, taken: int = 0) -> None:
        kind, made_by = chain.events["kind"], chain.made_by
        self._flow = np.zeros(len(kind), np.int64)
        self._ends: list[bool] = (kind == events.ISSUE).tolist()
        issued = np.flatnonzero((kind == events.ISSUE) & (made_by >= 0))
        for t in range(THREADS):
            own = issued[chain.events["part"][issued] == t]
            self._number(t, own, kind, made_by)
        self._fields = np.where(self._flow > 0, self._flow + taken, 0).tolist()

    def _number(self, t: int, issued: Numbers, kind: Numbers, made_by: Numbers) -> None:
        """Number the flows that end at a thread's issued words."""
        out = made_by[issued]  # as they left the replay expander
        flow = 1 + (2 * t + 1) * TURNS + np.arange(len(out)) % TURNS
        first = _first_of(made_by[out])
        makers = made_by[out[first]]
        flow[first] = 1 + 2 * t * TURNS + np.arange(len(first)) % TURNS
        pushes = np.where(kind[makers] == events.PUSH, makers, made_by[makers])
        begun = _first_of(pushes)
        flow[first[begun]] = OWN + pushes[begun]
        self._flow[pushes[begun]] = OWN + pushes[begun]
        left_mop = kind[makers] == events.MOP_OUT
        self._flow[makers[left_mop]] = flow[first][left_mop]
        self._flow[out] = flow
        self._flow[issued] = flow

    def fields(self, i: int) -> bytes:
        """The fields of event ``i`` that name its flow; none if it has none."""
        flow = self._fields[i]
        if not flow:
            return b""
        return fixed(LAST_OF_FLOW if self._ends[i] else FLOW, flow)


def _first_of(makers: Numbers) -> Numbers:
    """Where each maker (but -1) stands first in a column, in the column's order."""
    known = np.flatnonzero(makers >= 0)
    _, first = np.unique(makers[known], return_index=True)
    return known[np.sort(first)]
