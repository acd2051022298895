"""NoC requests when a program has ended: whether any core has waited for each of them."""

from collections.abc import Iterator

from tilelab.check import shadow
from tilelab.check.engine import CheckedTile
from tilelab.check.findings import Finding, found_by, party, rule_of
from tilelab.check.rules import NOC_LEFT
from tilelab.tensix.state.layout import CORES, THREADS
from tilelab.tensix.tables.noc_registers import NIUS
from tilelab.tensix.words.origin import CORE_NAMES

ANSWERED = (shadow.NOC_READ_PIPE, shadow.NOC_LAND_PIPE)
"""The actors whose acts a core learns of by a read's answers, by a write's acknowledgements."""


def left_outstanding(tile: CheckedTile) -> Iterator[Finding]:
    """Each core's last read and write on each interface, if no core has seen that they are over.

    A request that another finding is about already is left out.
    """
    noted = tile.engine.shadow
    said = {int(f["other_origin"]) for f in noted["finding"][: int(noted["found"])]}
    for kind, niu, core in (
        (kind, niu, core) for kind in range(2) for niu in range(NIUS) for core in range(CORES)
    ):
        last = int(noted["noc_last"][kind, niu, core])
        actor = ANSWERED[kind] * 4 + niu
        known = max(int(noted["known"]["of"][row][actor]) for row in range(THREADS, shadow.KNOWERS))
        origin = int(noted["noc_origin"][last & (shadow.NOC_LOG - 1)])
        if last <= known or int(noted["noc_now"]) - last >= shadow.NOC_LOG or origin in said:
            continue
        if tile.is_off(NOC_LEFT):
            continue
        side = party(tile, last << shadow.EPOCH_SHIFT | actor, 0, origin)
        rule = rule_of(NOC_LEFT)
        where = rule.place(tile, kind)
        message = f"{CORE_NAMES[core]} {rule.message.format(where=where)}"
        yield found_by(rule, message, where, int(tile.state.s.clock), (side,))
